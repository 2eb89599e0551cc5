package chart

import (
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

const generated = `apiVersion: batch/v1
kind: Job
metadata: { generateName: migrate-, annotations: { helm.sh/hook: "pre-install,pre-upgrade" } }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: a }] } } }
`

func TestAHookWithAGeneratedName(t *testing.T) {
	t.Parallel()
	names := func(t *testing.T, files map[string]string) (names []string) {
		t.Helper()
		done, err := releaseOf(t, files).render(t.Context(), memory{})
		require.NoError(t, err)
		require.Len(t, done.documents.Apart, len(done.hooks))
		for _, h := range done.hooks {
			assert.Nil(t, h.Object["metadata"].(map[string]any)[keyGenerateName])
			names = append(names, manifest.IdentityOf(h.Object).Name)
		}
		return names
	}
	t.Run("has one, which stays from one run to the next [D71]", func(t *testing.T) {
		t.Parallel()
		once := names(t, map[string]string{"templates/a.yaml": generated})
		again := names(t, map[string]string{"templates/a.yaml": generated, "values.yaml": "other: 1"})
		require.Len(t, once, 1)
		assert.Regexp(t, "^migrate-[0-9a-f]{5}$", once[0])
		assert.Equal(t, once, again)
	})
	t.Run("has another one than each other hook [D71]", func(t *testing.T) {
		t.Parallel()
		all := names(t, map[string]string{"templates/a.yaml": generated + "---\n" + generated, "templates/b.yaml": generated})
		assert.Len(t, all, 3)
		assert.NotEqual(t, all[0], all[1])
		assert.NotEqual(t, all[1], all[2])
		assert.NotEqual(t, all[0], all[2])
	})
	t.Run("that depends on a secret is refused like a name that does [D71]", func(t *testing.T) {
		t.Parallel()
		r := releaseOf(t, map[string]string{"templates/a.yaml": `apiVersion: batch/v1
kind: Job
metadata: { generateName: "{{ .Values.secret }}-", annotations: { helm.sh/hook: pre-install } }
`})
		r.values = map[string]any{"secret": "hunter2"}
		r.secrets.Add(property.PathFromSegments(property.NewSegment("secret")))
		_, err := r.render(t.Context(), memory{})
		assert.ErrorContains(t, err, "metadata.name depends on a secret value")
	})
	t.Run("has what it is generated from as its ID in renderChart [D71]", func(t *testing.T) {
		t.Parallel()
		result, err := releaseOf(t, map[string]string{"templates/a.yaml": generated}).once(t.Context(), formatManifests)
		require.NoError(t, err)
		assert.Equal(t, "batch/v1/Job/migrate-", result.Get(keyHooks).AsArray().Get(0).AsMap().Get(keyName).AsString())
	})
}

func TestAnEqualDocumentOfASubchart(t *testing.T) { // [D72]
	t.Parallel()
	definition := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: crates.example.com }\n" +
		"spec: { group: example.com, scope: Namespaced, names: { kind: Crate, plural: crates } }\n"
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n"
	done, err := releaseOf(t, map[string]string{
		"crds/crates.yaml": definition, "templates/0.yaml": config, "templates/1.yaml": config + "---\n" + definition,
		"templates/2.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: b }\n",
	}).render(t.Context(), memory{})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"ConfigMap.a is there twice, equal, and taken once: web/templates/0.yaml, and web/templates/1.yaml.",
		"apiextensions.k8s.io/CustomResourceDefinition.crates.example.com is there twice, equal, and taken once: web/crds/crates.yaml, and web/templates/1.yaml.",
	}, slices.Sorted(slices.Values(done.documents.Notes)))
	assert.Equal(t, map[string]bool{
		"ConfigMap.a": false, "ConfigMap.b": false, "apiextensions.k8s.io/CustomResourceDefinition.crates.example.com": true,
	}, done.crds)
}
