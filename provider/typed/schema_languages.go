package typed

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// extensionsSince is the first version of Pulumi's SDKs that knows extensions. What the generators ask for is older.
const extensionsSince = "3.259.0"

// npmPackage is the base package for Node.js.
const npmPackage = "@k8sconnect/pulumi"

// languages say how the classes are packed for the languages. The types of an extension are in modules such as apps/v1 and
// cert-manager.io/v1; the packages are apps/v1 and certmanager/v1.
func (b basePackage) languages(name, goPath string, spec schema.PackageSpec) (map[string]schema.RawMessage, error) {
	packages := packagesOf(spec)
	if goPath == "" {
		// The generator names the module like the extension, and the project replaces it by the folder in which it is.
		goPath = path.Join(name, lowered(name))
	}
	javaPackages := map[string]string{base: lowered(name)}
	for module, folder := range packages {
		javaPackages[module] = strings.ReplaceAll(folder, "/", ".")
	}
	written := map[string]schema.RawMessage{}
	for language, settings := range map[string]map[string]any{
		"nodejs": {"packageName": "@" + base + "/" + name, "moduleToPackage": packages, "respectSchemaVersion": true,
			"providerNameToModuleName": map[string]string{base: npmPackage},
			"dependencies":             map[string]string{npmPackage: "^" + b.version, "@pulumi/pulumi": "^" + extensionsSince}},
		"python": {
			"packageName": base + "_" + strings.ReplaceAll(name, "-", "_"), "moduleNameOverrides": packages, "respectSchemaVersion": true,
			"pyproject": map[string]any{"enabled": true}, "requires": map[string]string{"pulumi": ">=" + extensionsSince + ",<4.0.0", "pulumi_" + base: ""}, "inputTypes": "classes-and-dicts",
		},
		"go":     {"importBasePath": goPath, "moduleToPackage": packages, "packageImportAliases": importAliases(goPath, packages), "respectSchemaVersion": true, "generateResourceContainerTypes": false},
		"java":   {"basePackage": "com." + base, "packages": javaPackages, "buildFiles": "none"},
		"csharp": {"rootNamespace": "K8sConnect", "namespaces": namespaces(name, packages), "respectSchemaVersion": true},
	} {
		text, err := json.Marshal(settings)
		if err != nil {
			return nil, err
		}
		written[language] = text
	}
	return written, nil
}

// packagesOf names the package of each module. A package has the first label of the API group. If that is the first label of another
// group, too, it has the whole name. The types of one group may be in two modules, networking.k8s.io and networking, which is how a
// cluster names definitions of Kubernetes itself: they are in one package.
func packagesOf(spec schema.PackageSpec) map[string]string {
	groups := map[string]map[string]bool{} // by first label
	modules := map[string]bool{}
	for _, token := range slices.Concat(slices.Collect(maps.Keys(spec.Resources)), slices.Collect(maps.Keys(spec.Types))) {
		group, _, versioned := strings.Cut(moduleOf(token), "/")
		if !versioned {
			continue // It belongs to no kind.
		}
		label := firstLabel(group)
		if groups[label] == nil {
			groups[label] = map[string]bool{}
		}
		groups[label][group] = true
		modules[moduleOf(token)] = true
	}
	packages := map[string]string{}
	for module := range modules {
		group, version, _ := strings.Cut(module, "/")
		name := firstLabel(group)
		if strings.Contains(group, ".") && !isAlone(group, groups[name]) {
			name = wholeName.Replace(group)
		}
		packages[module] = name + "/" + version
	}
	return packages
}

// isAlone reports whether no other group has the same first label, except the module of the definitions of this one.
func isAlone(group string, sameLabel map[string]bool) bool {
	for other := range sameLabel {
		if other != group && (strings.Contains(other, ".") || !strings.HasSuffix(group, ".k8s.io")) {
			return false
		}
	}
	return true
}

// wholeName makes a name of an API group. Two groups never have the same, and none has that of a first label.
var wholeName = strings.NewReplacer(".", "_", "-", "__")

func moduleOf(token string) string { return strings.Split(token, ":")[1] }

func firstLabel(group string) string {
	first, _, _ := strings.Cut(group, ".")
	return lowered(first)
}

var otherThanName = regexp.MustCompile(`[^a-z0-9]+`)

// lowered is a name of small letters and digits.
func lowered(name string) string { return otherThanName.ReplaceAllString(strings.ToLower(name), "") }

// importAliases name the packages of Go, all of which would otherwise be v1.
func importAliases(goPath string, packages map[string]string) map[string]string {
	aliases := map[string]string{}
	for _, folder := range packages {
		aliases[path.Join(goPath, folder)] = strings.ReplaceAll(folder, "/", "")
	}
	return aliases
}

// namespaces name the packages of .NET, below the namespace of the extension. Its generator fails if two modules have the same one, so the types of a group that are in a module
// of their own have a namespace of their own, below that of the kinds.
func namespaces(name string, packages map[string]string) map[string]string {
	kinds := map[string]bool{} // folders of groups with their whole name
	for module, folder := range packages {
		kinds[folder] = kinds[folder] || strings.Contains(module, ".")
	}
	spaces := map[string]string{base: className(name)}
	for module, folder := range packages {
		group, version, _ := strings.Cut(folder, "/")
		spaces[module] = spaceOf(group) + "." + className(version)
		if kinds[folder] && !strings.Contains(module, ".") {
			spaces[module] += ".Types"
		}
	}
	return spaces
}

// spaceOf makes a part of a namespace from the name of a package. It keeps the underscores, by which packages may differ.
func spaceOf(name string) string {
	labels := strings.Split(name, "_")
	for i, label := range labels {
		labels[i] = className(label)
	}
	return strings.Join(labels, "_")
}
