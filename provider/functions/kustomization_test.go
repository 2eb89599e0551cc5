package functions

import (
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  template: {spec: {containers: [{name: web, image: web:1}]}}
`

func TestAKustomizationIsBuilt(t *testing.T) {
	write(t, map[string]string{
		"base/kustomization.yaml": "resources: [web.yaml, ../crd]\n",
		"base/web.yaml":           web,
		"crd/kustomization.yml":   "resources: [crd.yaml]\n",
		"crd/crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tenants.example.com}\n" +
			"spec: {group: example.com, scope: Cluster, names: {kind: Tenant, plural: tenants}}\n",
		"prod/kustomization.yaml": `namespace: prod
resources: [../base, tenant.yaml]
commonAnnotations: {source: https://example.com/repository}
images: [{name: web, newTag: "2"}]
replicas: [{name: web, count: 3}]
patches:
- path: patch.yaml
- target: {kind: Deployment}
  patch: |
    - op: add
      path: /metadata/labels
      value: {home: "https://example.com/"}
configMapGenerator: [{name: settings, literals: [url=https://example.com/, enabled=on]}]
secretGenerator: [{name: credentials, files: [password=password.txt]}]
generatorOptions: {disableNameSuffixHash: true}
`,
		"prod/tenant.yaml":  "{apiVersion: example.com/v1, kind: Tenant, metadata: {name: acme}}",
		"prod/patch.yaml":   "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {serviceAccountName: web}}}}",
		"prod/password.txt": "s3cr3t",
	})
	returned := call(t, sources.Kustomization, property.New("prod"))
	require.Empty(t, returned.Failures)
	manifests := returned.Return.Get(keyManifests).AsMap()
	assert.Equal(t, map[string][]string{
		keyManifests: {
			"ConfigMap.prod.settings", "Secret.prod.credentials", "apiextensions.k8s.io/CustomResourceDefinition.tenants.example.com",
			"apps/Deployment.prod.web", "example.com/Tenant.acme",
		},
		keyCRDs:          {"apiextensions.k8s.io/CustomResourceDefinition.tenants.example.com"},
		keyClusterScoped: {"example.com/Tenant.acme"},
		keyNamespaced:    {"ConfigMap.prod.settings", "Secret.prod.credentials", "apps/Deployment.prod.web"},
	}, split(t, sources.Kustomization, property.New("prod")), "[F3] [F5]")

	deployment := manifests.Get("apps/Deployment.prod.web").AsMap()
	spec := deployment.Get("spec").AsMap()
	pod := spec.Get("template").AsMap().Get("spec").AsMap()
	assert.Equal(t, 3.0, spec.Get("replicas").AsNumber(), "[F3]")
	assert.Equal(t, "web:2", pod.Get("containers").AsArray().Get(0).AsMap().Get("image").AsString(), "[F3]")
	assert.Equal(t, "web", pod.Get("serviceAccountName").AsString(), "[F3]")
	assert.Equal(t, "https://example.com/", deployment.Get("metadata").AsMap().Get("labels").AsMap().Get("home").AsString(), "[F3]")
	assert.Equal(t, "on", manifests.Get("ConfigMap.prod.settings").AsMap().Get("data").AsMap().Get("enabled").AsString(), "[F3]")
	data := manifests.Get("Secret.prod.credentials").AsMap().Get("data")
	assert.True(t, data.Secret(), "[F3]")
	assert.Equal(t, "czNjcjN0", data.AsMap().Get("password").AsString(), "[F3]")
}

func TestNothingRemoteIsFetched(t *testing.T) {
	// The addresses lead nowhere, but a build that tries them says so in other words.
	for name, c := range map[string]struct {
		files map[string]string
		names string
	}{
		"a file by its URL":    {map[string]string{"kustomization.yaml": "resources: ['HTTPS://h.invalid/a.yaml']"}, "kustomization.yaml names HTTPS://h.invalid/a.yaml"},
		"a repository":         {map[string]string{"kustomization.yaml": "resources:\n- github.com/org/repo//base?ref=v1"}, "names github.com/org/repo//base?ref=v1"},
		"a repository by ssh":  {map[string]string{"kustomization.yaml": "resources: ['git@h.invalid:org/repo.git']"}, "names git@h.invalid:org/repo.git"},
		"a forced repository":  {map[string]string{"kustomization.yaml": "bases: ['git::https://h.invalid/org/repo']"}, "names git::https://h.invalid/org/repo"},
		"a cloned folder":      {map[string]string{"kustomization.yaml": "components: ['file:///tmp/repo']"}, "names file:///tmp/repo"},
		"one with a password":  {map[string]string{"kustomization.yaml": "resources: ['https://me:hush@h.invalid/a.yaml']"}, "names https://h.invalid/a.yaml"},
		"a patch":              {map[string]string{"kustomization.yaml": "resources: [a.yaml]\npatches: [{path: 'https://h.invalid/p.yaml'}]"}, "names https://h.invalid/p.yaml"},
		"a replacement":        {map[string]string{"kustomization.yaml": "resources: [a.yaml]\nreplacements: [{path: 'https://h.invalid/p.yaml'}]"}, "names https://h.invalid/p.yaml"},
		"a schema":             {map[string]string{"kustomization.yaml": "resources: [a.yaml]\nopenapi: {path: 'https://h.invalid/p.json'}"}, "names https://h.invalid/p.json"},
		"a definition":         {map[string]string{"kustomization.yaml": "resources: [a.yaml]\ncrds: ['https://h.invalid/p.json']"}, "names https://h.invalid/p.json"},
		"a source of a Secret": {map[string]string{"kustomization.yaml": "secretGenerator: [{name: s, files: ['k=https://h.invalid/k']}]"}, "names https://h.invalid/k"},
		"an environment":       {map[string]string{"kustomization.yaml": "configMapGenerator: [{name: s, envs: ['https://h.invalid/e']}]"}, "names https://h.invalid/e"},
		"a base of a base": {map[string]string{
			"kustomization.yaml": "resources: [base]", "base/Kustomization": "resources: ['https://h.invalid/a.yaml']",
		}, "base/Kustomization names https://h.invalid/a.yaml"},
		"a plugin's file": {map[string]string{
			"kustomization.yaml": "resources: [a.yaml]\ntransformers: [t.yaml]",
			"t.yaml":             "{apiVersion: builtin, kind: PatchTransformer, metadata: {name: t}, path: 'https://h.invalid/p.yaml'}",
		}, "t.yaml names https://h.invalid/p.yaml"},
		"an inline plugin's file": {map[string]string{
			"kustomization.yaml": "resources: [a.yaml]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: t}\n  path: https://h.invalid/p.yaml\n",
		}, "kustomization.yaml names https://h.invalid/p.yaml"},
	} {
		t.Run(name+" is refused by its name [F3]", func(t *testing.T) {
			c.files["a.yaml"] = web
			write(t, c.files)
			reason := strings.Join(refused(t, sources.Kustomization, property.New(".")), "\n")
			assert.True(t, strings.HasPrefix(reason, "kustomization: cannot build the kustomization .: it needs what is remote, and nothing is fetched from the network\n"), reason)
			assert.Contains(t, reason, c.names)
			assert.Contains(t, reason, "Next: download what is named")
			assert.NotContains(t, reason, "hush")
		})
	}
	t.Run("a remote folder is refused [F3]", func(t *testing.T) {
		write(t, nil)
		for _, folder := range []string{"https://h.invalid/org/repo", "github.com/org/repo"} {
			assert.Equal(t, []string{"kustomization: the kustomization " + folder + ": it is remote, and nothing is fetched from the " +
				"network; download it, check it, and name the local files"}, refused(t, sources.Kustomization, property.New(folder)))
		}
	})
}

func TestAKustomizationThatCannotBeBuilt(t *testing.T) {
	for name, c := range map[string]struct {
		folder string
		files  map[string]string
		want   string
	}{
		"no folder":                      {"none", nil, "there is no folder none (relative to "},
		"a file":                         {"a.yaml", nil, "the kustomization a.yaml: it is a file; name its folder"},
		"a folder without one":           {".", nil, "unable to find one of 'kustomization.yaml'"},
		"a file outside":                 {"k", map[string]string{"k/kustomization.yaml": "resources: [../a.yaml]"}, "is not in or below"},
		"a missing file":                 {".", map[string]string{"kustomization.yaml": "resources: [b.yaml]"}, "b.yaml"},
		"a chart":                        {".", map[string]string{"kustomization.yaml": "helmCharts: [{name: x, repo: 'https://h.invalid'}]"}, "must specify --enable-helm"},
		"two objects of one name":        {".", map[string]string{"kustomization.yaml": "resources: [a.yaml, b.yaml]", "b.yaml": web}, "already registered id: Deployment.v1.apps/web"},
		"a key that is there twice":      {".", map[string]string{"kustomization.yaml": "resources: [a.yaml]\nresources: [a.yaml]"}, "kustomization.yaml: document 1 (line 1): YAML: the key"},
		"an anchor in itself":            {".", map[string]string{"kustomization.yaml": "resources: [b.yaml]", "b.yaml": web + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: &a {k: [*a]}\n"}, "b.yaml: YAML: line 11: the anchor contains itself; write out what the alias in it stands for"},
		"an anchor in itself in a patch": {".", map[string]string{"kustomization.yaml": "resources: [a.yaml]\npatches: [{patch: '{kind: A, metadata: {name: a}, a: &a {b: *a}}'}]"}, "kustomization.yaml: inline: YAML: line 1: the anchor contains itself"},
		"an unreadable plugin":           {".", map[string]string{"kustomization.yaml": "resources: [a.yaml]\ntransformers: [t.yaml]", "t.yaml": "apiVersion: builtin\npath: a\npath: b"}, "t.yaml: document 1 (line 1): YAML: the key"},
		"a number that Pulumi turns":     {".", map[string]string{"kustomization.yaml": "resources: [b.yaml]", "b.yaml": "{apiVersion: a.b/v1, kind: C, metadata: {name: d}, e: 9007199254740993}"}, "what the kustomization . builds, document 1 (line 1): e: the number has too many digits"},
	} {
		t.Run(name+" is refused [F3]", func(t *testing.T) {
			files := map[string]string{"a.yaml": web}
			maps.Copy(files, c.files)
			write(t, files)
			reasons := refused(t, sources.Kustomization, property.New(c.folder))
			require.Len(t, reasons, 1)
			assert.Contains(t, strings.Join(strings.Fields(reasons[0]), " "), c.want, "whatever its lines")
		})
	}
}

func TestErrorsAboutAKustomizationQuoteNoSecrets(t *testing.T) {
	const secret = "{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {k: hush-hush}}"
	for name, files := range map[string]map[string]string{
		"a Secret without a name":          {"kustomization.yaml": "resources: [s.yaml]", "s.yaml": strings.Replace(secret, "name: s", "", 1)},
		"kubectl's copy of a Secret [D26]": {"kustomization.yaml": "resources: [s.yaml]", "s.yaml": "{apiVersion: v1, kind: Secret, metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{\"data\":{\"k\":\"hush-hush\"}}'}}}"},
		"a Secret that is a patch":         {"kustomization.yaml": "resources: [a.yaml]\npatches: [{path: s.yaml}]", "s.yaml": secret},
		"an inline patch":                  {"kustomization.yaml": "resources: [a.yaml]\npatches:\n- patch: '{kind: Secret, k: hush-hush}'"},
		"a wrong inline patch":             {"kustomization.yaml": "resources: [a.yaml]\npatches:\n- patch: 'hush-hush: ['"},
		"a patch with quotes":              {"kustomization.yaml": "resources: [a.yaml]\npatches:\n- patch: \"hush-hush'': [\""},
		"a wrong patch in lines":           {"kustomization.yaml": "resources: [a.yaml]\npatches:\n- patch: |\n    - op: none\n      value: hush-hush"},
		"a multi-line patch":               {"kustomization.yaml": "resources: [a.yaml]\npatchesStrategicMerge:\n- |\n  {kind: Secret,\n  k: hush-hush}"},
		"a wrong literal":                  {"kustomization.yaml": "secretGenerator: [{name: s, literals: [hush-hush]}]"},
		"a wrong environment":              {"kustomization.yaml": "secretGenerator: [{name: s, envs: [s.env]}]", "s.env": "a=b\nhush-hush\xff\n"},
	} {
		t.Run(name+" [F3]", func(t *testing.T) {
			files["a.yaml"] = web
			write(t, files)
			for _, reason := range refused(t, sources.Kustomization, property.New(".")) {
				assert.NotContains(t, reason, "hush-hush")
				t.Log(reason)
			}
		})
	}
}

func TestKustomizationsDoNotDisturbEachOther(t *testing.T) {
	write(t, map[string]string{
		"custom/kustomization.yaml": "resources: [box.yaml]\nopenapi: {path: schema.json}\npatches: [{path: patch.yaml}]",
		"custom/box.yaml":           "{apiVersion: example.com/v1, kind: Box, metadata: {name: it}, spec: {items: [{id: a, v: 1}]}}",
		"custom/patch.yaml":         "{apiVersion: example.com/v1, kind: Box, metadata: {name: it}, spec: {items: [{id: b, v: 2}]}}",
		"custom/schema.json": `{"definitions":{"v1.Box":{"properties":{"spec":{"properties":{"items":{"type":"array","items":{"type":"object"},` +
			`"x-kubernetes-patch-merge-key":"id","x-kubernetes-patch-strategy":"merge"}},"type":"object"}},"type":"object",` +
			`"x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Box","version":"v1"}]}}}`,
		"plain/kustomization.yaml": "resources: [box.yaml]\npatches: [{path: patch.yaml}]",
		"plain/box.yaml":           "{apiVersion: example.com/v1, kind: Box, metadata: {name: it}, spec: {items: [{id: a, v: 1}]}}",
		"plain/patch.yaml":         "{apiVersion: example.com/v1, kind: Box, metadata: {name: it}, spec: {items: [{id: b, v: 2}]}}",
	})
	items := func(folder string) int {
		resp := call(t, sources.Kustomization, property.New(folder))
		if len(resp.Failures) > 0 {
			t.Error(resp.Failures)
			return 0
		}
		return resp.Return.Get(keyManifests).AsMap().Get("example.com/Box.it").AsMap().Get("spec").AsMap().Get("items").AsArray().Len()
	}
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { assert.Equal(t, 2, items("custom"), "items are merged by the schema [F3]") })
		wg.Go(func() { assert.Equal(t, 1, items("plain"), "without one the list is replaced [F3]") })
	}
	wg.Wait()
}
