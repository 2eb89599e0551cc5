package functions

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// call calls splitYaml with one argument.
func call(t testing.TB, argument string, value property.Value) p.InvokeResponse {
	t.Helper()
	resp, err := (&splitYaml{}).Invoke(t.Context(), p.InvokeRequest{
		Args: property.NewMap(map[string]property.Value{argument: value}),
	})
	require.NoError(t, err)
	return resp
}

// split is a call that must succeed: the keys of each result, sorted.
func split(t testing.TB, argument string, value property.Value) map[string][]string {
	t.Helper()
	resp := call(t, argument, value)
	require.Empty(t, resp.Failures)
	keys := map[string][]string{}
	for name, tier := range resp.Return.Delete(keyOrdered).All {
		keys[name] = slices.AppendSeq([]string{}, maps.Keys(tier.AsMap().AsMap()))
		slices.Sort(keys[name])
	}
	return keys
}

// ordered are the keys of the list that a call returns, which has the manifests of all the maps.
func ordered(t testing.TB, args map[string]property.Value) []string {
	t.Helper()
	resp, err := (&splitYaml{}).Invoke(t.Context(), p.InvokeRequest{Args: property.NewMap(args)})
	require.NoError(t, err)
	require.Empty(t, resp.Failures)
	manifests := resp.Return.Get(keyManifests).AsMap()
	names := []string{}
	for _, item := range resp.Return.Get(keyOrdered).AsArray().All {
		name := item.AsMap().Get("name").AsString()
		assert.Equal(t, manifests.Get(name), item.AsMap().Get("manifest"))
		names = append(names, name)
	}
	assert.Equal(t, manifests.Len(), len(names))
	return names
}

// refused is a call that must fail: the arguments with their reasons.
func refused(t testing.TB, argument string, value property.Value) []string {
	t.Helper()
	resp := call(t, argument, value)
	assert.Zero(t, resp.Return.Len(), "a failure returns nothing")
	require.NotEmpty(t, resp.Failures)
	reasons := []string{}
	for _, failure := range resp.Failures {
		reasons = append(reasons, failure.Property+": "+failure.Reason)
	}
	return reasons
}

// write writes files into a new folder, which becomes the working directory.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	t.Chdir(folder)
	return folder
}

func list(items ...string) property.Value {
	array := []property.Value{}
	for _, item := range items {
		array = append(array, property.New(item))
	}
	return property.New(array)
}

const everything = `# what an installation is made of
apiVersion: example.com/v1
kind: Tenant
metadata: {name: acme}
---
apiVersion: v1
kind: Namespace
metadata: {name: prod, namespace: left-over}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: prod}
spec: {replicas: 2}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: app.properties, namespace: prod}, data: {a: "on"}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "system:node"}}
--- # the kinds
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tenants.example.com}
spec: {group: example.com, scope: Cluster, names: {kind: Tenant}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Box}}
---
{apiVersion: example.com/v1, kind: Box, metadata: {name: it}}
---
{apiVersion: unknown.example.org/v1, kind: Tenant, metadata: {name: acme}}
`

func TestManifestsAreSortedIntoThreeTiers(t *testing.T) {
	tiers := split(t, sources.Content, property.New(everything))
	crds := []string{
		"apiextensions.k8s.io/CustomResourceDefinition.boxes.example.com",
		"apiextensions.k8s.io/CustomResourceDefinition.tenants.example.com",
	}
	cluster := []string{
		"Namespace.prod", "example.com/Tenant.acme", "rbac.authorization.k8s.io/ClusterRole.system:node",
	}
	namespaced := []string{
		"ConfigMap.prod.app.properties", "ConfigMap.settings", "apps/Deployment.prod.web", "example.com/Box.it",
		"unknown.example.org/Tenant.acme",
	}
	t.Run("definitions first [F5]", func(t *testing.T) { assert.Equal(t, crds, tiers[keyCRDs]) })
	t.Run("what has no namespace second, custom resources by their definition [F5]", func(t *testing.T) {
		assert.Equal(t, cluster, tiers[keyClusterScoped])
	})
	t.Run("all others last [F5]", func(t *testing.T) { assert.Equal(t, namespaced, tiers[keyNamespaced]) })
	t.Run("all of them together, by their keys [F3] [F4]", func(t *testing.T) {
		all := slices.Concat(crds, cluster, namespaced)
		slices.Sort(all)
		assert.Equal(t, all, tiers[keyManifests])
	})
	t.Run("values are those of kubectl, and the rest is as written [F3]", func(t *testing.T) {
		manifests := call(t, sources.Content, property.New(everything)).Return.Get(keyManifests).AsMap()
		assert.Equal(t, property.New(map[string]property.Value{
			"apiVersion": property.New("v1"), "kind": property.New("ConfigMap"),
			"metadata": property.New(map[string]property.Value{
				"name": property.New("app.properties"), "namespace": property.New("prod"),
			}),
			"data": property.New(map[string]property.Value{"a": property.New("on")}),
		}), manifests.Get("ConfigMap.prod.app.properties"))
		assert.Equal(t, 2.0, manifests.Get("apps/Deployment.prod.web").AsMap().Get("spec").AsMap().Get("replicas").AsNumber())
	})
}

func TestATextWithoutManifestsHasNone(t *testing.T) {
	for _, text := range []string{"", "# nothing\n---\n---\n"} {
		assert.Equal(t, map[string][]string{keyManifests: {}, keyCRDs: {}, keyClusterScoped: {}, keyNamespaced: {}},
			split(t, sources.Content, property.New(text)), "[F4]")
	}
}

func manifestOf(kind, namespace, name string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: %s\nmetadata: {name: %s, namespace: %s}\n", kind, name, namespace)
}

func TestWhatCannotBeSplitIsRefusedWithItsPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"the same object twice": {
			manifestOf("ConfigMap", "prod", "a") + manifestOf("ConfigMap", "test", "a") + manifestOf("ConfigMap", "prod", "a") + "data: {a: b}\n",
			[]string{"content: ConfigMap.prod.a is there twice, with different contents: content, document 1 (line 2), and content, document 3 (line 10). " +
				"Remove one of them."},
		},
		"the same object in two versions": {
			"{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}\n---\n{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: a}}",
			[]string{"content: apps/Deployment.a is there twice, with different contents: content, document 1 (line 1), and content, document 2 (line 3). " +
				"Remove one of them."},
		},
		"the same object without namespaces in two of them": {
			manifestOf("Namespace", "x", "a") + manifestOf("Namespace", "z", "a"),
			[]string{"content: Namespace.a is there twice, with different contents: content, document 1 (line 2), and content, document 2 (line 6). Remove one of them."},
		},
		"two objects with one key": {
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: prod.a}}\n" + manifestOf("ConfigMap", "prod", "a"),
			[]string{"content: Two objects would have the same key ConfigMap.prod.a: content, document 1 (line 1), and content, " +
				"document 2 (line 3). Name the namespace in both manifests, or split them by two calls."},
		},
		"what is no Kubernetes object, all of it at once": {
			"a: 1\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {generateName: x-}}\n---\na: [\n",
			[]string{
				"content: content, document 3 (line 4): YAML: line 5: did not find expected node content",
				"content: content, document 1 (line 1): apiVersion is missing: write `v1` for the core group, else `group/version` as in " +
					"`apps/v1`; kind is missing: write what the object is, as in `Deployment`; metadata is missing: an object needs " +
					"`metadata` with at least a `name`",
				"content: content, document 2 (line 3): metadata.generateName: generateName is not possible: server-side apply cannot " +
					"generate names; give a `name`, from the program if it has to be unique",
			},
		},
		"a number that Pulumi would change": {
			"{apiVersion: a.b/v1, kind: C, metadata: {name: d}, spec: [{e: 9007199254740993}], status: {f: 9007199254740993}}",
			[]string{"content: content, document 1 (line 1): spec[0].e: the number has too many digits: Pulumi keeps numbers as 64-bit " +
				"floats, which would change the last ones; write it as text if the field takes text"},
		},
	} {
		t.Run(name+" [F4]", func(t *testing.T) {
			assert.Equal(t, c.want, refused(t, sources.Content, property.New(c.text)))
		})
	}
	t.Run("a thousand mistakes are not all told [F4]", func(t *testing.T) {
		reasons := refused(t, sources.Content, property.New(strings.Repeat("a: 1\n---\n", 1000)))
		assert.Len(t, reasons, 21)
		assert.Equal(t, "content: There are 980 more mistakes.", reasons[20])
	})
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	resp := call(t, sources.Content, property.New("{apiVersion: a.b/v1, kind: C, metadata: {name: d}, spec: {most: 9007199254740991, even: 9223372036854774784}}"))
	require.Empty(t, resp.Failures)
	spec := resp.Return.Get(keyManifests).AsMap().Get("a.b/C.d").AsMap().Get("spec").AsMap()
	assert.Equal(t, int64(9007199254740991), int64(spec.Get("most").AsNumber()), "[F3]")
	assert.Equal(t, int64(9223372036854774784), int64(spec.Get("even").AsNumber()), "[F3]")
}

func TestExactlyOneSourceIsGiven(t *testing.T) {
	invoke := func(args map[string]property.Value) []string {
		resp, err := (&splitYaml{}).Invoke(t.Context(), p.InvokeRequest{Args: property.NewMap(args)})
		require.NoError(t, err)
		reasons := []string{}
		for _, failure := range resp.Failures {
			reasons = append(reasons, failure.Property+": "+failure.Reason)
		}
		return reasons
	}
	text := property.New("")
	for name, c := range map[string]struct {
		args map[string]property.Value
		want string
	}{
		"none":          {nil, "content: Give one of content, files and kustomization."},
		"only null":     {map[string]property.Value{sources.Files: property.New(property.Null)}, "content: Give one of content, files and kustomization."},
		"two":           {map[string]property.Value{sources.Content: text, sources.Kustomization: text}, "kustomization: content and kustomization cannot be combined. Give one of content, files and kustomization."},
		"another name":  {map[string]property.Value{"contents": text}, `contents: There is no argument "contents". The arguments are content, files, kustomization, secrets.`},
		"no text":       {map[string]property.Value{sources.Content: property.New(1.0)}, "content: The value must be a text."},
		"no list":       {map[string]property.Value{sources.Files: text}, "files: The value must be a list of paths and patterns."},
		"an empty list": {map[string]property.Value{sources.Files: list()}, "files: The list is empty: name at least one path or pattern."},
		"no path":       {map[string]property.Value{sources.Files: list("")}, "files[0]: The value must be a path or a pattern."},
		"an unknown":    {map[string]property.Value{sources.Content: property.New(property.Computed)}, "content: The value is not known yet."},
	} {
		t.Run(name+" is refused [F3]", func(t *testing.T) {
			assert.Equal(t, []string{c.want}, invoke(c.args))
		})
	}
}

func TestFiles(t *testing.T) {
	here := write(t, map[string]string{
		"a.yaml": manifestOf("ConfigMap", "x", "a"), "b.yaml": manifestOf("ConfigMap", "x", "b"),
		"deep/c.yml": manifestOf("ConfigMap", "x", "c"), "deep/deeper/d.yml": manifestOf("ConfigMap", "x", "d"),
		"[odd].yaml": manifestOf("ConfigMap", "x", "odd"), "again.txt": "# once more\n" + manifestOf("ConfigMap", "x", "a") + "data: {a: b}\n",
		"folder.yaml/none": "", "bad.txt": "a: [\n", "utf16.txt": "\xff\xfea\x00",
	})
	for name, c := range map[string]struct {
		patterns []string
		want     string
	}{
		"a path":                              {[]string{"a.yaml"}, "a"},
		"an absolute path":                    {[]string{filepath.Join(here, "a.yaml")}, "a"},
		"a pattern, which leaves folders out": {[]string{"*.yaml"}, "a b odd"},
		"a pattern in folders":                {[]string{"*/*.yml"}, "c"},
		"several, each file once":             {[]string{"b.yaml", "[ab].yaml", "./a.yaml", "deep/?.yml"}, "a b c"},
		"a name that looks like a pattern":    {[]string{"[odd].yaml"}, "odd"},
	} {
		t.Run(name+" is read [F3]", func(t *testing.T) {
			var names []string
			for _, key := range split(t, sources.Files, list(c.patterns...))[keyManifests] {
				names = append(names, strings.TrimPrefix(key, "ConfigMap.x."))
			}
			assert.Equal(t, c.want, strings.Join(names, " "))
		})
	}
	for name, c := range map[string]struct {
		pattern string
		want    string
	}{
		"a file that is not there":      {"none.yaml", "files[0]: There is no file none.yaml (relative to " + here + ")."},
		"a pattern that matches none":   {"none/*.yaml", "files[0]: none/*.yaml matches no file (relative to " + here + ")."},
		"a pattern of folders":          {"folder*", "files[0]: folder* matches no file (relative to " + here + ")."},
		"a folder":                      {"deep", "files[0]: deep is a folder: write deep/*.yaml for the files in it."},
		"a pattern across folders":      {"**/*.yml", "files[0]: **/*.yml: ** is not understood: write a pattern for each level of folders, such as a/*.yaml and a/*/*.yaml."},
		"a pattern that is none":        {"[a", "files[0]: [a is not a pattern: it has a [ without its ], or a wrong range."},
		"a file with a mistake":         {"bad.txt", "files[0]: bad.txt, document 1 (line 1): YAML: line 1: did not find expected node content"},
		"a file in another encoding":    {"utf16.txt", "files[0]: utf16.txt, document 1 (line 1): YAML: the text is not in UTF-8 (byte 1): save it in this encoding"},
		"a file inside of another file": {"a.yaml/b", "files[0]: a.yaml/b cannot be read: not a directory."},
	} {
		t.Run(name+" is refused [F3]", func(t *testing.T) {
			assert.Equal(t, []string{c.want}, refused(t, sources.Files, list(c.pattern)))
		})
	}
	t.Run("the same object in two files is refused with both [F4]", func(t *testing.T) {
		assert.Equal(t, []string{"files[1]: ConfigMap.x.a is there twice, with different contents: a.yaml, document 1 (line 2), and again.txt, document 1 (line 3). " +
			"Remove one of them."}, refused(t, sources.Files, list("a.yaml", "again.txt")))
	})
}

const secretManifest = `apiVersion: v1
kind: Secret
metadata:
  name: s
  annotations: {kubectl.kubernetes.io/last-applied-configuration: hush, a: plain}
data: {k: hush}
stringData: {l: hush}
`

func TestWhatASecretHoldsIsSecret(t *testing.T) {
	returned := call(t, sources.Content, property.New(secretManifest+"---\n{apiVersion: a.b/v1, kind: Secret, metadata: {name: s}, data: {k: plain}}")).Return
	for _, tier := range []string{keyManifests, keyNamespaced} {
		all := returned.Get(tier)
		assert.False(t, all.Secret(), "[F3]")
		object := all.AsMap().Get("Secret.s").AsMap()
		assert.True(t, object.Get("data").Secret(), "[F3]")
		assert.True(t, object.Get("stringData").Secret(), "[F3]")
		annotations := object.Get("metadata").AsMap().Get("annotations").AsMap()
		assert.True(t, annotations.Get(corev1.LastAppliedConfigAnnotation).Secret(), "[F3]")
		assert.False(t, annotations.Get("a").Secret(), "[F3]")
		assert.False(t, object.Get("metadata").AsMap().Get("name").Secret(), "[F3]")
		assert.False(t, all.AsMap().Get("a.b/Secret.s").HasSecrets(), "a kind of one's own is no core Secret [F3]")
	}
}

func TestASecretTextStaysSecret(t *testing.T) {
	t.Run("all that is made of it is secret [F3]", func(t *testing.T) {
		returned := call(t, sources.Content, property.New(manifestOf("ConfigMap", "x", "a")).WithSecret(true)).Return
		assert.Equal(t, 5, returned.Len())
		for name, tier := range returned.All {
			assert.True(t, tier.Secret(), name)
		}
	})
	for name, text := range map[string]string{
		"a mistake in YAML":      "hush: [\n",
		"a duplicate key":        "hush: 1\nhush: 2\n",
		"an undefined anchor":    "a: *hush\n",
		"a wrong apiVersion":     "{apiVersion: hush/hush/hush, kind: hush!, metadata: {name: /hush/}}",
		"a missing name":         "{apiVersion: v1, kind: Hush}",
		"the same object twice":  manifestOf("Hush", "hush", "hush") + manifestOf("Hush", "hush", "hush") + "spec: {hush: 1}\n",
		"two objects of one key": manifestOf("Hush", "hush", "a") + "---\n{apiVersion: v1, kind: Hush, metadata: {name: hush.a}}",
		"a number too long":      "{apiVersion: a.b/v1, kind: C, metadata: {name: d}, hush: 9007199254740993}",
	} {
		t.Run(name+" quotes nothing of it [F3]", func(t *testing.T) {
			for _, reason := range refused(t, sources.Content, property.New(text).WithSecret(true)) {
				assert.NotContains(t, strings.ToLower(reason), "hush")
				assert.NotContains(t, reason, "9007")
				assert.Contains(t, reason, "line ")
			}
		})
	}
	t.Run("nor does a message about a file whose name is secret [F3]", func(t *testing.T) {
		write(t, map[string]string{"hush.txt": "hush: ["})
		for _, argument := range []string{"hush.txt", "hush-none", "hush*none"} {
			for _, reason := range refused(t, sources.Files, property.New([]property.Value{property.New(argument).WithSecret(true)})) {
				assert.NotContains(t, reason, "hush")
			}
		}
		for _, folder := range []string{"hush.txt", "hush-none", "."} {
			for _, reason := range refused(t, sources.Kustomization, property.New(folder).WithSecret(true)) {
				assert.NotContains(t, reason, "hush")
			}
		}
	})
}

func TestTheListIsInApplyOrder(t *testing.T) {
	text := `
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: guard}}
---
{apiVersion: example.com/v1, kind: Tenant, metadata: {name: acme, namespace: prod}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: prod}}
---
{apiVersion: v1, kind: Secret, metadata: {name: z, namespace: prod}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: prod}}
---
{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: prod}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: prod}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: tenants.example.com}}
`
	args := func(secrets string) map[string]property.Value {
		given := map[string]property.Value{sources.Content: property.New(text)}
		if secrets != "" {
			given[keySecrets] = property.New(secrets)
		}
		return given
	}
	all := []string{
		"apiextensions.k8s.io/CustomResourceDefinition.tenants.example.com", "Namespace.prod",
		"Secret.prod.z", "ConfigMap.prod.a", "Secret.prod.b", "apps/Deployment.prod.web", "example.com/Tenant.prod.acme",
		"admissionregistration.k8s.io/ValidatingWebhookConfiguration.guard",
	}
	t.Run("the same every time, webhooks last, and else as it was written [D47] [F3]", func(t *testing.T) {
		for range 10 {
			assert.Equal(t, all, ordered(t, args("")))
		}
		assert.Equal(t, all, ordered(t, args("include")))
	})
	t.Run("Secrets apart, so that they do not hide the rest [D41] [F3]", func(t *testing.T) {
		assert.Equal(t, []string{"Secret.prod.z", "Secret.prod.b"}, ordered(t, args("only")))
		others := slices.DeleteFunc(slices.Clone(all), func(key string) bool { return strings.HasPrefix(key, "Secret.") })
		assert.Equal(t, others, ordered(t, args("exclude")))
		resp, err := (&splitYaml{}).Invoke(t.Context(), p.InvokeRequest{Args: property.NewMap(args("exclude"))})
		require.NoError(t, err)
		assert.False(t, property.New(resp.Return).HasSecrets())
	})
	t.Run("what else to do with Secrets is not known [D41] [F3]", func(t *testing.T) {
		resp, err := (&splitYaml{}).Invoke(t.Context(), p.InvokeRequest{Args: property.NewMap(args("hide"))})
		require.NoError(t, err)
		assert.Equal(t, []p.CheckFailure{{Property: keySecrets, Reason: "The value must be one of include, exclude, only."}}, resp.Failures)
	})
}
