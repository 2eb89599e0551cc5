package typed

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/spelling"
)

// parameters are what a user gives to `pulumi package add k8sconnect --extension "…"`.
type parameters struct {
	// name and version identify the package with the classes.
	name, version string
	// kinds are read from the cluster, or from a saved file.
	kinds []Kind
	// crds are files, folders and addresses of files with CustomResourceDefinitions. All their kinds become classes.
	crds []string
	// save is where the definitions are written that were read, and from is such a file, its address, or
	// "kubernetes" for the kinds that Kubernetes has itself.
	save, from string
	// kubeconfig and context lead to the cluster. Default: the one that kubectl would use.
	kubeconfig, context string
	// goPath is the import path of the package for Go. Default: one in a module of its own.
	goPath string
}

const (
	defaultName    = "kinds"
	defaultVersion = "0.1.0"
)

// parameterNames are the names of all parameters.
var parameterNames = []string{"kinds", "crds", "from", "save", "name", "version", "kubeconfig", "context", "go"}

// packageName is what can be the name of a package in every language.
var packageName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// goPackage is an import path of Go whose last part can be the name of a package.
var goPackage = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._~-]*/)+[a-z][a-z0-9]*$`)

// parseParameters reads parameters, each as name=value.
func parseParameters(args []string) (parameters, error) {
	read := parameters{name: defaultName, version: defaultVersion}
	given := map[string]bool{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || !slices.Contains(parameterNames, name) {
			return parameters{}, unknownParameter(arg, name, ok)
		}
		if value == "" {
			return parameters{}, fmt.Errorf("the parameter %s has no value. Give one: %s=…", name, name)
		}
		repeatable := name == "kinds" || name == "crds"
		if given[name] && !repeatable {
			return parameters{}, fmt.Errorf("the parameter %s is given twice. Give it once", name)
		}
		given[name] = true
		if err := read.set(name, value); err != nil {
			return parameters{}, err
		}
	}
	return read, read.check()
}

func unknownParameter(arg, name string, hasValue bool) error {
	all := strings.Join(parameterNames, ", ")
	if !hasValue {
		return fmt.Errorf("%q is no parameter: parameters are written as name=value. The parameters are %s", arg, all)
	}
	return fmt.Errorf("there is no parameter %q. The parameters are %s.%s", name, all, didYouMean(name, parameterNames))
}

// didYouMean asks whether a name was meant to be one that is known; "" if it is near to none of them.
func didYouMean(name string, known []string) string {
	nearest := spelling.Nearest(name, known)
	if nearest == "" || nearest == name {
		return ""
	}
	return fmt.Sprintf(" Did you mean %s?", nearest)
}

func (p *parameters) set(name, value string) error {
	switch name {
	case "kinds":
		for text := range strings.SplitSeq(value, ",") {
			k, err := ParseKind(strings.TrimSpace(text))
			if err != nil {
				return fmt.Errorf("kinds: %w", err)
			}
			p.kinds = append(p.kinds, k)
		}
	case "crds":
		p.crds = append(p.crds, value)
	default:
		*map[string]*string{
			"name": &p.name, "version": &p.version, "save": &p.save, "from": &p.from, "kubeconfig": &p.kubeconfig, "context": &p.context,
			"go": &p.goPath,
		}[name] = value
	}
	return nil
}

func (p parameters) check() error {
	if !packageName.MatchString(p.name) || slices.Contains([]string{base, "pulumi", "input"}, p.name) {
		return fmt.Errorf("name=%s cannot be the name of a package. Give small letters, digits and hyphens, and not %s", p.name, base)
	}
	if _, err := semver.StrictNewVersion(p.version); err != nil {
		return fmt.Errorf("version=%s is no version. Give one such as %s", p.version, defaultVersion)
	}
	if p.goPath != "" && !goPackage.MatchString(p.goPath) {
		return fmt.Errorf("go=%s is no import path of a Go package. Give one such as github.com/acme/shop/sdks/kinds, whose last part has small letters and digits", p.goPath)
	}
	if len(p.kinds) == 0 && len(p.crds) == 0 && p.from == "" {
		return errors.New("no kinds are given. Name them with kinds=apps/v1/Deployment,v1/Service, give their definitions with crds=, or a saved file with from=")
	}
	if p.from != "" && (p.kubeconfig != "" || p.context != "") {
		return errors.New("from= reads a saved file instead of a cluster. Give either from= or kubeconfig= and context=")
	}
	return nil
}
