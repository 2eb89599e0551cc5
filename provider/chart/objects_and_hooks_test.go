package chart

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
)

// releaseOf is a release of a chart with these files, which nothing remembers.
func releaseOf(t *testing.T, files map[string]string) *release {
	t.Helper()
	list := []chart.File{{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: web\nversion: 1.0.0\n")}}
	for name, text := range files {
		list = append(list, chart.File{Name: name, Data: []byte(text)})
	}
	loaded, err := chart.Load(list)
	require.NoError(t, err)
	in := inputs{release: chart.Release{Name: "shop", Namespace: "default"}, values: map[string]any{}, runHooks: true, lookUp: true}
	return &release{inputs: in, chart: loaded, lookups: &lookups{}}
}

const (
	account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: setup, annotations: { ANNOTATIONS } }\n"
	job     = "apiVersion: batch/v1\nkind: Job\nmetadata: { name: setup, annotations: { ANNOTATIONS } }\n" +
		"spec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: a }] } } }\n"
	passing = `helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded"`
)

func annotated(template, annotations string) string {
	return strings.ReplaceAll(template, "ANNOTATIONS", annotations)
}

func TestAHookTakesNoObjectOutOfTheRelease(t *testing.T) { // [H6]
	t.Parallel()
	claim := "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: data, annotations: { ANNOTATIONS } }\nspec: {}\n"
	for name, c := range map[string]struct {
		one, other     string
		objects, apart []string
		refused        string
	}{
		"an account that hooks need, too": {one: annotated(account, passing), other: annotated(account, ""), objects: []string{"ServiceAccount.setup"}},
		"the same, with its namespace": {
			one: strings.Replace(annotated(account, passing), "name:", "namespace: default, name:", 1), other: annotated(account, ""), objects: []string{"ServiceAccount.setup"},
		},
		"an account that another hook leaves": {
			one: annotated(account, passing), other: annotated(account, "helm.sh/hook: post-install"), objects: []string{"ServiceAccount.setup"},
		},
		"a claim that is there for a deletion": {one: annotated(claim, "helm.sh/hook: pre-delete"), other: annotated(claim, ""), objects: []string{"PersistentVolumeClaim.data"}},
		"a claim after a deletion": {
			one: annotated(claim, "helm.sh/hook: post-delete"), other: annotated(claim, ""), objects: []string{"PersistentVolumeClaim.data"},
			apart: []string{"hook:PersistentVolumeClaim.data"},
		},
		"a Job":            {one: annotated(job, "helm.sh/hook: pre-upgrade"), other: annotated(job, ""), refused: "is a hook in web/templates/a.yaml and an object of the release in web/templates/b.yaml"},
		"hooks of one key": {one: annotated(job, "helm.sh/hook: pre-install"), other: annotated(job, "helm.sh/hook: post-install"), apart: []string{"hook:batch/Job.setup", "hook:batch/Job.setup#2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := releaseOf(t, map[string]string{"templates/a.yaml": c.one, "templates/b.yaml": c.other})
			known, err := r.draw(t.Context(), memory{}, nil)
			if c.refused != "" {
				assert.ErrorContains(t, err, c.refused)
				return
			}
			require.NoError(t, err)
			done, err := r.render(t.Context(), known)
			require.NoError(t, err)
			set, wrong := sets.Of(property.NewMap(map[string]property.Value{"namespace": property.New("default")}), done.documents, "default")
			require.Empty(t, wrong)
			assert.Equal(t, c.objects, keysOf(set.Objects))
			assert.Equal(t, c.apart, keysOf(set.Apart))
		})
	}
}

func keysOf(objects []sets.Object) (keys []string) {
	for _, o := range objects {
		keys = append(keys, o.Key)
	}
	return keys
}

func TestSubchartsMayBringTheSameDefinition(t *testing.T) { // [H5]
	t.Parallel()
	document := func(file, content string) chart.PartialDocument {
		return chart.PartialDocument{Document: chart.Document{File: file, Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "things.example.com"}, "spec": content,
		}}}
	}
	first, warnings := firstDefinitions([]chart.PartialDocument{document("a", "x"), document("b", "x")})
	assert.Len(t, first, 1)
	assert.Empty(t, warnings)
	first, warnings = firstDefinitions([]chart.PartialDocument{document("a", "x"), document("b", "y")})
	assert.Equal(t, "x", first[0].Object["spec"])
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "is in a and, with another content, in b, which is left out")
}

func TestLookupDoesNotFindWhatTheReleaseHad(t *testing.T) { // [H9]
	t.Parallel()
	id := manifest.Identity{APIVersion: "v1", Kind: "Secret", Namespace: "default", Name: "auth"}
	r := releaseOf(t, map[string]string{"templates/a.yaml": `
{{- if not (lookup "v1" "Secret" .Release.Namespace "auth") }}
apiVersion: v1
kind: Secret
metadata: { name: auth }
{{- end }}
`})
	known, err := r.draw(t.Context(), memory{}, nil)
	require.NoError(t, err)
	assert.Contains(t, known.Own, mark(id))

	r.lookups.answers = map[manifest.Identity]map[string]any{id: {"kind": "Secret"}}
	done, err := r.render(t.Context(), known)
	require.NoError(t, err)
	assert.Len(t, done.documents.Found, 1)
}

func TestAReleaseStaysInItsNamespace(t *testing.T) {
	t.Parallel()
	r := releaseOf(t, nil)
	r.stay(memory{Namespace: "default"})
	assert.Empty(t, r.staysIn)
	r.stay(memory{Namespace: "team-a"})
	assert.Equal(t, "team-a", r.release.Namespace)
	assert.Contains(t, r.staysIn, `stays in namespace "team-a". The default namespace is now "default"`)

	r = releaseOf(t, nil)
	r.given = property.NewMap(map[string]property.Value{"namespace": property.New("default")})
	r.stay(memory{Namespace: "team-a"})
	assert.Equal(t, "default", r.release.Namespace, "the program says where it is to be")
}

func TestAnErrorShowsNoDrawnValue(t *testing.T) { // [H8] [H9]
	t.Parallel()
	id := manifest.Identity{APIVersion: "v1", Kind: "Secret", Namespace: "default", Name: "auth"}
	r := releaseOf(t, map[string]string{"templates/a.yaml": `
{{- $p := randAlphaNum 16 }}{{ $f := (lookup "v1" "Secret" "default" "auth").data.password }}
{{- fail (printf "drawn %s and found %s or %s" $p $f (b64dec $f)) }}
`})
	r.lookups.cluster = &cluster.Cluster{}
	r.lookups.answers = map[manifest.Identity]map[string]any{id: {"data": map[string]any{"password": "aHVudGVyMmh1bnRlcjI="}}}
	_, err := r.draw(t.Context(), memory{}, nil)
	err = r.explain(t.Context(), "shop", err)
	assert.ErrorContains(t, err, "drawn ")
	for _, text := range append(r.drawn, "hunter2hunter2", "aHVudGVyMmh1bnRlcjI=") {
		if text != "" {
			assert.NotContains(t, err.Error(), text)
		}
	}
	assert.NotEmpty(t, r.drawn)
}
