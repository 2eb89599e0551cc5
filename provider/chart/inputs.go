package chart

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chartsource"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
)

// inputs are what a program says about a release.
type inputs struct {
	source  chartsource.Source
	release chart.Release
	// values are the values of all files and of the program, merged. Leaves may be unknown.
	values  map[string]any
	secrets values.Marks
	// unknown are the inputs that are not known yet and without which nothing can be rendered.
	unknown []string

	runHooks, lookUp, adopt bool
	rotate                  []string
	unset                   []unset
}

// maxReleaseName is Helm's limit, which leaves charts space to append to the name.
const maxReleaseName = 53

// deciding are the inputs that decide more than values: while one of them is unknown, nothing can be rendered.
var deciding = []string{
	keyChart, keyRepo, keyVersion, keyDigest, keyRepoUsername, keyRepoPassword, keyRepoCACertificate,
	keyValueFiles, keyReleaseName, keyNamespace, keyCRDs, keyKubeVersion, keyAPIVersions, keyIsUpgrade, keyHooks, keyLookup, keyUnset,
}

// decode reads the inputs, and reports every mistake in them. name is the name of the resource. defaultNamespace is the namespace of the
// connection, and empty while it is not known.
func decode(given property.Map, name, defaultNamespace string) (in inputs, wrong check.Mistakes) {
	_, wrong = check.Inputs[Args](given)
	wrong = append(wrong, sets.CheckInputs(given)...)
	for _, key := range deciding {
		if given.Get(key).HasComputed() {
			in.unknown = append(in.unknown, key)
		}
	}
	in.decodeSource(given, &wrong)
	in.decodeRelease(given, name, defaultNamespace, &wrong)
	in.decodeValues(given, &wrong)
	in.runHooks = word[Hooks](given, keyHooks, &wrong) != hooksSkip
	in.lookUp = word[Lookup](given, keyLookup, &wrong) != lookupNone
	in.adopt = wrong.Flag(given, keyAdopt)
	in.rotate = textsIn(given, keyRotate, &wrong)
	return in, wrong
}

func (in *inputs) decodeSource(given property.Map, wrong *check.Mistakes) {
	in.source = chartsource.Source{
		Chart: wrong.Text(given, keyChart), Repository: wrong.Text(given, keyRepo), Version: wrong.Text(given, keyVersion),
		Digest: wrong.Text(given, keyDigest), Username: wrong.Text(given, keyRepoUsername), Password: wrong.Text(given, keyRepoPassword),
		CACertificate: wrong.Text(given, keyRepoCACertificate),
	}
	if v := given.Get(keyChart); v.IsNull() || v.IsString() && v.AsString() == "" {
		wrong.Add(keyChart, "Give a folder, an archive, an oci:// reference, or the name of a chart in repo.")
	}
}

func (in *inputs) decodeRelease(given property.Map, name, defaultNamespace string, wrong *check.Mistakes) {
	in.release = chart.Release{
		Name: wrong.Text(given, keyReleaseName), Namespace: wrong.Text(given, keyNamespace), IsUpgrade: wrong.Flag(given, keyIsUpgrade),
		KubeVersion: wrong.Text(given, keyKubeVersion), APIVersions: textsIn(given, keyAPIVersions, wrong),
		SkipCRDs: word[CRDs](given, keyCRDs, wrong) == crdsSkip,
	}
	for _, key := range []string{keyReleaseName, keyNamespace} {
		if given.Get(key).Secret() {
			wrong.Add(key, "The value is secret, but would appear in the names of resources. Remove the secret mark.")
		}
	}
	if given.Get(keyReleaseName).IsNull() || in.release.Name == "" {
		in.release.Name = name
	}
	if reasons := validation.IsDNS1123Subdomain(in.release.Name); len(reasons) > 0 || len(in.release.Name) > maxReleaseName {
		wrong.Add(keyReleaseName, fmt.Sprintf("%q cannot be the name of a release: it must have at most %d characters, which are lower case letters, "+
			"digits, - and . between letters and digits.", in.release.Name, maxReleaseName))
	}
	switch {
	case in.release.Namespace != "" || slices.Contains(in.unknown, keyNamespace):
	case defaultNamespace == "":
		in.unknown = append(in.unknown, keyNamespace)
	default:
		in.release.Namespace = defaultNamespace
	}
}

// textsIn reads a list of texts.
func textsIn(given property.Map, key string, wrong *check.Mistakes) (list []string) {
	v := given.Get(key)
	switch {
	case v.IsNull() || v.IsComputed():
		return nil
	case !v.IsArray():
		wrong.Add(key, "The value must be a list of texts.")
		return nil
	}
	for i, item := range v.AsArray().All {
		switch {
		case item.IsComputed():
		case !item.IsString():
			wrong.Add(fmt.Sprintf("%s[%d]", key, i), "The value must be a text.")
		default:
			list = append(list, item.AsString())
		}
	}
	return list
}

// word reads an input that takes one of a few words.
func word[Word interface {
	~string
	infer.Enum[Word]
}](given property.Map, key string, wrong *check.Mistakes) string {
	v := given.Get(key)
	if words := choice.Of[Word](); !words.Allow(v) {
		wrong.Add(key, fmt.Sprintf("The value must be one of %s.", words))
	}
	return values.Text(v)
}
