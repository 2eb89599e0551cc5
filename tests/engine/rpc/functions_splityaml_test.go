package rpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSplitYamlAsksNoCluster(t *testing.T) {
	t.Parallel()
	p := start(t, map[string]any{"host": "https://127.0.0.1:1", "token": "x"})
	got, err := p.invoke(t, "splitYaml", map[string]any{"content": `
{apiVersion: v1, kind: Namespace, metadata: {name: prod}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: prod}, stringData: {k: hush-hush}}
---
{apiVersion: a.b/v1, kind: C, metadata: {name: d}, spec: {most: 9007199254740991, tags: [a, 1, true, null, {b: []}]}}
`})
	require.NoError(t, err)
	t.Run("what a Secret holds arrives secret, and the rest as it is [F3] [F2]", func(t *testing.T) {
		assert.NotContains(t, clear(got), "hush-hush")
		for _, tier := range []resource.PropertyKey{"manifests", "namespaced"} {
			data := got[tier].ObjectValue()["Secret.prod.s"].ObjectValue()["stringData"]
			assert.True(t, data.IsSecret())
			assert.Equal(t, map[string]any{"k": "hush-hush"}, plain(data))
		}
		assert.Equal(t, map[string]any{"most": 9007199254740991.0, "tags": []any{"a", 1.0, true, nil, map[string]any{"b": []any{}}}},
			plain(got["manifests"].ObjectValue()["a.b/C.d"].ObjectValue()["spec"]))
		assert.False(t, got["clusterScoped"].ContainsSecrets())
	})
	t.Run("a secret text makes everything secret, and is not quoted [F3]", func(t *testing.T) {
		got, err := p.invoke(t, "splitYaml", map[string]any{"content": secret("{apiVersion: v1, kind: ConfigMap, metadata: {name: hush-hush}}")})
		require.NoError(t, err)
		require.Len(t, got, 5)
		for name, tier := range got {
			assert.True(t, tier.IsSecret(), name)
		}
		_, err = p.invoke(t, "splitYaml", map[string]any{"content": secret("hush-hush: [")})
		require.ErrorContains(t, err, "document 1 (line 1)")
		assert.NotContains(t, err.Error()+p.log.all(), "hush-hush")
	})
	t.Run("one Secret hides all of a YAML program's result, which the first object says, once [D41]", func(t *testing.T) {
		p := start(t, map[string]any{"host": "https://127.0.0.1:1", "token": "x"})
		hidden := func(kind string) resource.PropertyMap {
			in := resource.PropertyMap{}
			in["manifest"] = resource.MakeSecret(resource.NewPropertyValue(map[string]any{
				"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "it"},
			}))
			return in
		}
		for _, kind := range []string{"Secret", "ConfigMap", "ConfigMap"} {
			_, err := p.resource(t, "it").check(hidden(kind), true)
			require.NoError(t, err)
		}
		assert.Equal(t, 1, strings.Count(p.log.all(), "secrets: exclude"), p.log.all())
		assert.Contains(t, p.log.all(), "The whole manifest of ConfigMap it is secret")
	})
	t.Run("mistakes are told by their argument [F3]", func(t *testing.T) {
		_, err := p.invoke(t, "splitYaml", map[string]any{"files": []any{"none.yaml", "none/*.yaml"}})
		var wrong invalid
		require.ErrorAs(t, err, &wrong)
		require.Len(t, wrong.failures, 2)
		assert.EqualValues(t, "files[0]", wrong.failures[0].Property)
		assert.EqualValues(t, "files[1]", wrong.failures[1].Property)
	})
}

// TestTheTierOfEveryKindThatIsServed compares what is known without a cluster with what a cluster says.
func TestTheTierOfEveryKindThatIsServed(t *testing.T) {
	t.Parallel()
	discovery := shared.Get(t).Client().Discovery()
	groups, err := discovery.ServerGroups()
	require.NoError(t, err)
	text := ""
	want := map[resource.PropertyKey][]string{"crds": {}, "clusterScoped": {}, "namespaced": {}}
	seen := map[string]bool{}
	for _, group := range groups.Groups {
		if strings.Contains(group.Name, ".") && !strings.HasSuffix(group.Name, ".k8s.io") {
			continue // that of a test
		}
		for _, version := range group.Versions {
			list, err := discovery.ServerResourcesForGroupVersion(version.GroupVersion)
			require.NoError(t, err)
			for _, served := range list.APIResources {
				key := strings.TrimPrefix(group.Name+"/"+served.Kind+".it", "/")
				if strings.Contains(served.Name, "/") || seen[key] {
					continue
				}
				seen[key] = true
				text += fmt.Sprintf("---\n{apiVersion: %s, kind: %s, metadata: {name: it}}\n", version.GroupVersion, served.Kind)
				tier := resource.PropertyKey("clusterScoped")
				switch {
				case served.Kind == "CustomResourceDefinition":
					tier = "crds"
				case served.Namespaced:
					tier = "namespaced"
				}
				want[tier] = append(want[tier], key)
			}
		}
	}
	require.GreaterOrEqual(t, len(seen), 60)
	got, err := start(t, nil).invoke(t, "splitYaml", map[string]any{"content": text})
	require.NoError(t, err)
	for tier, keys := range want {
		var sorted []string
		for key := range got[tier].ObjectValue() {
			sorted = append(sorted, string(key))
		}
		assert.ElementsMatch(t, keys, sorted, "%s [F5]", tier)
	}
}
