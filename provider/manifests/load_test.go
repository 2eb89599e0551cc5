package manifests

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
)

// valueOf reads a value written in YAML. {secret: x} is a secret, ?? an unknown value.
func valueOf(t testing.TB, text string) property.Value {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	var plain any
	require.NoError(t, json.Unmarshal(encoded, &plain))
	return propertyOf(plain)
}

func propertyOf(plain any) property.Value {
	switch plain := plain.(type) {
	case map[string]any:
		if secret, ok := plain["secret"]; ok {
			return propertyOf(secret).WithSecret(true)
		}
		members := map[string]property.Value{}
		for key, member := range plain {
			members[key] = propertyOf(member)
		}
		return property.New(members)
	case []any:
		items := []property.Value{}
		for _, item := range plain {
			items = append(items, propertyOf(item))
		}
		return property.New(items)
	case string:
		if plain == "??" {
			return property.New(property.Computed)
		}
		return property.New(plain)
	case bool:
		return property.New(plain)
	case float64:
		return property.New(plain)
	default:
		return property.Value{}
	}
}

const (
	web  = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 1, template: {spec: {containers: [{name: web, image: 'web:1'}]}}}}"
	role = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: reader}}"
	none = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}"
)

func TestMistakesOfASet(t *testing.T) {
	for name, c := range map[string]struct {
		inputs string
		want   []string
	}{
		"no source":                          {"{}", []string{"content: Give one of content, files, kustomization and manifests."}},
		"two sources":                        {"{content: a, manifests: []}", []string{"manifests: content and manifests cannot be combined. Give one of content, files, kustomization and manifests."}},
		"another name":                       {"{content: '" + none + "', waits: all}", []string{"waits: There is no input \"waits\". The inputs are content, files, kustomization, manifests, namespace, edits, wait, overrides, clusterConnection, ignoreManagers, adopt, conflictPolicy, onImmutable, deletionPropagation, forceDestroy, takeOverFrom."}},
		"another mode of waiting":            {"{content: '" + none + "', wait: some}", []string{"wait: The value must be one of needed, all, none."}},
		"manifests that are text":            {"{manifests: '" + none + "'}", []string{"manifests: The value must be a list or a map of manifests. For text use content."}},
		"a text without manifests":           {"{content: '# nothing'}", []string{"content: There is no manifest in it. For a set without objects, set manifests to an empty list."}},
		"an item that is text":               {"{manifests: {a: '" + none + "'}}", []string{"manifests.a: The value must be an object with apiVersion, kind and metadata. For text use content."}},
		"an item without a kind":             {"{manifests: [{apiVersion: v1, metadata: {name: a}}]}", []string{"manifests: manifests[0]: kind is missing"}},
		"an item that is there twice [M21]":  {"{manifests: {a: " + none + ", b: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: b}}}}", []string{"manifests: ConfigMap.settings is there twice, with different contents: manifests.a, and manifests.b. Remove one of them."}},
		"a name that is secret":              {"{manifests: [{apiVersion: v1, kind: ConfigMap, metadata: {name: {secret: hush}}}]}", []string{"manifests[0]: metadata.name is secret, but would appear in the name of a resource. Remove the secret mark."}},
		"a selector of nothing [M13]":        {"{manifests: [" + web + "], overrides: [{select: {kind: Deploymant}, adopt: true}]}", []string{"overrides[0].select: It selects no object of the set. Correct it, or set optional: true."}},
		"a selector without members [M13]":   {"{manifests: [" + web + "], overrides: [{select: {}, adopt: true}]}", []string{"overrides[0].select: Set at least one of apiVersion, kind, namespace, name."}},
		"a selector by labels [M13]":         {"{manifests: [" + web + "], overrides: [{select: {labels: a}}]}", []string{"overrides[0].select.labels: There is no such member. The members are apiVersion, kind, namespace, name."}},
		"a selector that is no pattern":      {"{manifests: [" + web + "], overrides: [{select: {name: 'a['}}]}", []string{"overrides[0].select.name: The value is not a pattern: it has a [ without its ], or a wrong range."}},
		"an override of another input [M13]": {"{manifests: [" + web + "], overrides: [{select: {name: web}, manifest: {}}]}", []string{"overrides[0].manifest: There is no such input. The inputs are select, optional, ignoreFields, ignoreManagers, adopt, conflictPolicy, onImmutable, deletionPropagation, forceDestroy, takeOverFrom, deleteInstances."}},
		"an image that nothing uses [M14]":   {"{manifests: [" + web + "], edits: {images: [{name: api, newTag: '2'}]}}", []string{"edits.images[0].name: "}},
		"a patch of nothing [M14]":           {"{manifests: [" + web + "], edits: {patches: [{target: {kind: Job}, patch: '[{op: remove, path: /spec}]'}]}}", []string{"edits.patches[0].target: "}},
		"an edit that there is not [M14]":    {"{manifests: [" + web + "], edits: {label: {a: b}}}", []string{"edits.label: There is no such member. The members are labels, annotations, images, patches."}},
		"an order that cannot be read [M10]": {"{manifests: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {config.kubernetes.io/depends-on: b}}}]}", []string{"manifests: ConfigMap.a, metadata.annotations"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, wrong := load(valueOf(t, c.inputs).AsMap(), "")
			var said []string
			for _, mistake := range wrong {
				said = append(said, mistake.Property+": "+mistake.Reason)
			}
			require.Len(t, said, len(c.want), "%v", said)
			for i, want := range c.want {
				assert.Contains(t, said[i], want)
			}
		})
	}
}

// loaded reads inputs that are right.
func loaded(t testing.TB, inputs string) map[string]sets.Object {
	t.Helper()
	found, wrong := load(valueOf(t, inputs).AsMap(), "")
	require.Empty(t, wrong)
	byKey := map[string]sets.Object{}
	for _, o := range found.Objects {
		byKey[o.Key] = o
	}
	return byKey
}

func TestOverridesAreForWhatTheySelect(t *testing.T) { // [M13]
	for selector, want := range map[string][]string{
		"{kind: Deployment}":                             {"apps/Deployment.web"},
		"{apiVersion: '*/v1'}":                           {"apps/Deployment.web", "rbac.authorization.k8s.io/ClusterRole.reader"},
		"{apiVersion: '*'}":                              {"ConfigMap.settings", "apps/Deployment.web", "rbac.authorization.k8s.io/ClusterRole.reader"},
		"{name: '[rs]e*'}":                               {"ConfigMap.settings", "rbac.authorization.k8s.io/ClusterRole.reader"},
		"{namespace: prod, kind: '*'}":                   {"ConfigMap.settings", "apps/Deployment.web"},
		"{kind: Deployment, name: reader}, optional: on": nil,
	} {
		t.Run(selector, func(t *testing.T) {
			var selected []string
			for key, o := range loaded(t, fmt.Sprintf("{manifests: [%s, %s, %s], namespace: prod, overrides: [{select: %s, adopt: true}]}", web, role, none, selector)) {
				if o.Options["adopt"].IsBool() {
					selected = append(selected, key)
				}
			}
			slices.Sort(selected)
			assert.Equal(t, want, selected)
		})
	}
	t.Run("the last one decides each input", func(t *testing.T) {
		options := loaded(t, "{manifests: ["+web+"], overrides: [{select: {kind: '*'}, adopt: true, ignoreFields: [a]}, {select: {name: web}, ignoreFields: [b]}]}")["apps/Deployment.web"].Options
		assert.True(t, options["adopt"].AsBool())
		assert.Equal(t, property.New([]property.Value{property.New("b")}), options["ignoreFields"])
	})
}

func TestTheNamespaceIsFilledInBeforeAnythingElse(t *testing.T) { // [M16]
	objects := loaded(t, "{manifests: ["+web+", "+role+", {apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: else}}], namespace: {secret: prod}}")
	at := func(key string) any { return objects[key].Manifest["metadata"].(map[string]any)["namespace"] }
	assert.Equal(t, "prod", at("apps/Deployment.web"))
	assert.Nil(t, at("rbac.authorization.k8s.io/ClusterRole.reader"))
	assert.Equal(t, "else", at("ConfigMap.else.other"))
	assert.True(t, objects["apps/Deployment.web"].Secrets.IsSecret(property.PathFromSegments(property.NewSegment("metadata"), property.NewSegment("namespace"))))
}

func TestEditsKeepMarks(t *testing.T) { // [M14] [M20]
	const marked = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: '??', template: {spec: {containers: [{name: web, image: 'web:1', " +
		"env: [{name: a, value: {secret: hush}}]}]}}}}"
	objects := loaded(t, "{manifests: ["+marked+"], edits: {labels: {a: {secret: b}}, annotations: {c: '??'}, images: [{name: web, newTag: {secret: '2'}}], "+
		"patches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: [{name: web, env: [{name: b, value: plain}]}]}}}}'}]}}")
	o := objects["apps/Deployment.web"]
	require.False(t, o.Unknown)
	v, err := values.ToProperty(o.Manifest, o.Secrets)
	require.NoError(t, err)
	get := func(path string) property.Value {
		parsed, err := values.ParsePath(path)
		require.NoError(t, err)
		found, failed := parsed.Get(v)
		require.NoError(t, failed)
		return found
	}
	assert.True(t, get("spec.replicas").IsComputed())
	assert.True(t, get("metadata.annotations.c").IsComputed())
	assert.Equal(t, property.New("b").WithSecret(true), get("metadata.labels.a"))
	assert.Equal(t, property.New("web:2").WithSecret(true), get("spec.template.spec.containers[0].image"))
	env := get("spec.template.spec.containers[0].env").AsArray()
	require.Equal(t, 2, env.Len())
	secrets := 0
	for _, variable := range env.All {
		if variable.AsMap().Get("value").Equals(property.New("hush").WithSecret(true)) {
			secrets++
		}
	}
	assert.Equal(t, 1, secrets, "%v", env)
}

func TestTheOrderKnowsTheDefaultNamespace(t *testing.T) { // [M10] [M16]
	const inputs = "{manifests: [" + web + ", {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: " +
		"{config.kubernetes.io/depends-on: apps/namespaces/prod/Deployment/web}}}]}"
	found, wrong := load(valueOf(t, inputs).AsMap(), "prod")
	require.Empty(t, wrong)
	require.Len(t, found.Graph.After("ConfigMap.a"), 1)
	for _, o := range found.Objects {
		assert.NotContains(t, o.Manifest["metadata"], "namespace", "what is sent is what is written")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("{manifests: [" + web + ", " + role + ", " + none + "], namespace: prod, overrides: [{select: {name: '*'}, adopt: true}]}")
	f.Add("{content: '" + none + "', edits: {labels: {a: {secret: b}}, images: [{name: a, newTag: '??'}], patches: [{patch: '{}', target: {kind: a}}]}}")
	f.Add("{manifests: {a: {kind: List, items: ['??', {secret: {metadata: '??'}}]}, b: '??'}, wait: all, edits: '??', overrides: [{select: '??'}]}")
	f.Fuzz(func(t *testing.T, text string) {
		var plain any
		encoded, err := yaml.YAMLToJSON([]byte(text))
		if err != nil || json.Unmarshal(encoded, &plain) != nil {
			return
		}
		inputs := propertyOf(plain)
		if !inputs.IsMap() || !inputs.AsMap().Get("files").IsNull() || !inputs.AsMap().Get("kustomization").IsNull() {
			return // These read what is on the disk.
		}
		found, wrong := load(inputs.AsMap(), "prod")
		if len(wrong) == 0 {
			require.Len(t, found.Graph.Sorted, len(found.Objects))
		}
	})
}
