package edit_test

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/edit"
)

// text draws texts that YAML may take for something else.
var text = rapid.OneOf(
	rapid.String(),
	rapid.SampledFrom([]string{
		"", "1", "-0", "0777", "0x1F", "1e3", "1_000", ".inf", "true", "Yes", "on", "null", "~", "<<", "=", "2020-01-01", "- a", "a: b", "# c", "&a", "*a",
		"!!int 1", "%d", "@a", "`", "'", "\"", "\\n", "a\nb\n", "\n\n a\t\n", " a ", "\x00", "\u0085", "\u2028", "\ufeff", "...", "---", "$patch", "image",
	}),
)

// number draws numbers at the ends of their types.
var number = rapid.OneOf(
	rapid.Map(rapid.Int64(), func(n int64) any { return n }),
	rapid.Map(rapid.Float64(), func(n float64) any { return n }),
	rapid.SampledFrom([]any{
		int64(1), float64(1), int64(math.MaxInt64), int64(math.MinInt64), int64(1<<53 + 1), float64(1 << 60), 1e300, 5e-324, math.Copysign(0, -1), 0.1,
	}),
)

// value draws JSON values.
func value(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }), number, text.AsAny()}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	return rapid.OneOf(append(leaves,
		rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(list []any) any { return list }),
		rapid.Map(rapid.MapOfN(text, value(depth-1), 0, 3), func(object map[string]any) any { return object }),
	)...)
}

// drawn draws an object. Whether the library knows its kind decides how it is merged.
func drawn(t *rapid.T) map[string]any {
	identities := []map[string]any{
		{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "b"}},
		{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "1", "labels": map[string]any{"x": "true"}}},
		{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"generateName": "a-", "annotations": map[string]any{}}},
		{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "true", "labels": nil}},
	}
	object := rapid.SampledFrom(identities).Draw(t, "identity")
	copied := map[string]any{"metadata": map[string]any{}}
	maps.Copy(copied["metadata"].(map[string]any), object["metadata"].(map[string]any))
	copied["apiVersion"], copied["kind"] = object["apiVersion"], object["kind"]
	for key, member := range rapid.MapOfN(rapid.OneOf(text, rapid.SampledFrom([]string{"data", "status", "other"})), value(3), 0, 4).Draw(t, "content") {
		if key != "apiVersion" && key != "kind" && key != "metadata" {
			copied[key] = member
		}
	}
	return copied
}

// edits touch one annotation each.
var edits = map[string]edit.Edits{
	"a label":    {Annotations: map[string]string{"drawn": "yes"}},
	"a merge":    {Patches: []edit.Patch{{Target: &edit.Target{}, Patch: "{kind: A, metadata: {name: a, annotations: {drawn: 'yes'}}}"}}},
	"operations": {Patches: []edit.Patch{{Target: &edit.Target{}, Patch: "[{op: add, path: /metadata/annotations/drawn, value: 'yes'}]"}}},
}

// withAnnotation returns a copy of an object with the annotation.
func withAnnotation(object map[string]any) map[string]any {
	copied := maps.Clone(object)
	metadata := map[string]any{"annotations": map[string]any{"drawn": "yes"}}
	for key, member := range object["metadata"].(map[string]any) {
		if key != "annotations" {
			metadata[key] = member
		}
	}
	copied["metadata"] = metadata
	return copied
}

func TestWhatNoEditTouchesStaysTheSame(t *testing.T) { // [M14]
	for name, e := range edits {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				content := drawn(t)
				before := fmt.Sprintf("%#v", content)
				edited, mistakes := e.Apply([]edit.Object{{Key: "a", Content: content}})
				require.Empty(t, mistakes)
				require.Equal(t, before, fmt.Sprintf("%#v", content), "the argument")
				require.Equal(t, withAnnotation(content), edited[0].Content)
			})
		})
	}
	t.Run("an image", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			content := drawn(t)
			containers := rapid.SliceOfN(value(2), 0, 3).Draw(t, "containers")
			withImage := func(image string) map[string]any {
				all := append(append([]any{}, containers...), map[string]any{"image": image, "n": 1.0})
				copied := maps.Clone(content)
				copied["spec"] = map[string]any{"containers": all, "template": map[string]any{"spec": map[string]any{"containers": containers}}}
				return copied
			}
			edited, mistakes := edit.Edits{Images: []edit.Image{{Name: "this-one", NewTag: "2"}}}.Apply([]edit.Object{{Key: "a", Content: withImage("this-one")}})
			require.Empty(t, mistakes)
			require.Equal(t, withImage("this-one:2"), edited[0].Content)
		})
	})
}

func TestObjectsWithoutEditsAreTheSame(t *testing.T) { // [M14]
	rapid.Check(t, func(t *rapid.T) {
		var given []edit.Object
		for i := range rapid.IntRange(0, 3).Draw(t, "objects") {
			given = append(given, edit.Object{Key: fmt.Sprint(i), Content: drawn(t)})
		}
		given = append(given, edit.Object{Key: "touched", Content: map[string]any{"kind": "Touched", "metadata": map[string]any{"name": "a"}}})
		edited, mistakes := edit.Edits{Patches: []edit.Patch{{Target: &edit.Target{Kind: "Touched"}, Patch: "[{op: add, path: /a, value: 1}]"}}}.Apply(given)
		require.Empty(t, mistakes)
		require.Equal(t, given[:len(given)-1], edited[:len(given)-1])
		require.Equal(t, int64(1), edited[len(given)-1].Content["a"])
	})
}

func TestPlaceholders(t *testing.T) {
	const placeholder = "\u2063unknown 7\u2063"
	put := func(path ...any) []edit.Object {
		set := objects(t, web)
		object, last := at(set[0].Content, path[:len(path)-1]...), path[len(path)-1]
		if index, isIndex := last.(int); isIndex {
			object.([]any)[index] = placeholder
		} else {
			object.(map[string]any)[last.(string)] = placeholder
		}
		return set
	}
	pod := []any{"spec", "template", "spec"}
	image := edit.Edits{Images: []edit.Image{{Name: "busybox", NewTag: "2"}}}
	for name, path := range map[string][]any{
		"an image":              append(pod, "containers", 0, "image"),
		"a container":           append(pod, "containers", 0),
		"all containers":        append(pod, "containers"),
		"replicas":              {"spec", "replicas"},
		"a label":               {"metadata", "labels", "tier"},
		"a label of pods":       {"spec", "template", "metadata", "labels", "app"},
		"all labels of pods":    {"spec", "template", "metadata", "labels"},
		"a namespace":           {"metadata", "namespace"},
		"a name":                {"metadata", "name"},
		"the rest of an object": {"status"},
	} {
		t.Run(name+" that is unknown stays so [M14]", func(t *testing.T) {
			for edits, e := range map[string]edit.Edits{
				"labels":     {Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"a": "b"}},
				"image":      image,
				"merge":      {Patches: []edit.Patch{{Target: &edit.Target{Kind: "Deployment"}, Patch: "{kind: A, metadata: {name: a}, spec: {paused: true}}"}}},
				"operations": {Patches: []edit.Patch{{Target: &edit.Target{Kind: "Deployment"}, Patch: "[{op: add, path: /spec/paused, value: true}]"}}},
			} {
				given := put(path...)
				edited, mistakes := e.Apply(given)
				assert.Empty(t, mistakes, edits)
				assert.Equal(t, placeholder, at(edited[0].Content, path...), edits)
				assert.NotEqual(t, given, edited, edits)
			}
		})
	}
	t.Run("what is unknown above the images hides them [M14]", func(t *testing.T) {
		for _, path := range [][]any{{"spec"}, {"spec", "template"}, {"spec", "template", "spec"}, {"metadata"}} {
			set := append(put(path...), objects(t, imagesEverywhere)...)
			e := edit.Edits{Images: []edit.Image{{Name: "app", NewTag: "2"}}, Labels: map[string]string{"a": "b"}}
			edited, mistakes := e.Apply(set)
			assert.Empty(t, mistakes)
			assert.Equal(t, placeholder, at(edited[0].Content, path...))
			assert.Equal(t, "app:2", at(edited[1].Content, "spec", "containers", 0, "image"))
		}
		_, mistakes := image.Apply(put("spec"))
		require.Len(t, mistakes, 1)
		assert.True(t, mistakes[0].Unmatched, "it may be there")
	})
	t.Run("labels that are unknown take no others [M14]", func(t *testing.T) {
		given := put("metadata", "labels")
		edited, mistakes := edit.Edits{Labels: map[string]string{"a": "b"}}.Apply(given)
		assert.Empty(t, mistakes)
		assert.Equal(t, given, edited)
	})
	t.Run("a patch replaces what is unknown [M14]", func(t *testing.T) {
		e := edit.Edits{Patches: []edit.Patch{
			{Target: &edit.Target{Kind: "Deployment"}, Patch: "{kind: A, metadata: {name: a}, spec: {replicas: 3}}"},
			{Target: &edit.Target{Kind: "Deployment"}, Patch: "[{op: replace, path: /spec/template, value: {a: b}}]"},
		}}
		for _, path := range [][]any{{"spec", "replicas"}, {"spec", "template"}} {
			edited, mistakes := e.Apply(put(path...))
			assert.Empty(t, mistakes)
			assert.Equal(t, int64(3), at(edited[0].Content, "spec", "replicas"))
			assert.Equal(t, map[string]any{"a": "b"}, at(edited[0].Content, "spec", "template"))
		}
	})
	t.Run("a patch of what is unknown names the object [M14]", func(t *testing.T) {
		for _, patch := range []string{"{kind: A, metadata: {name: a}, spec: {template: {a: b}}}", "[{op: add, path: /spec/template, value: {a: b}}]"} {
			given := put("spec")
			edited, mistakes := edit.Edits{Patches: []edit.Patch{{Target: &edit.Target{Kind: "Deployment"}, Patch: patch}}}.Apply(given)
			require.Len(t, mistakes, 1)
			assert.Equal(t, "Deployment", mistakes[0].Key)
			assert.NotContains(t, mistakes[0].Reason, placeholder)
			assert.Equal(t, given, edited)
		}
	})
}

func FuzzApply(f *testing.F) {
	f.Add(web, "- {op: add, path: /spec/a, value: 1}", "Deployment", "envoy")
	f.Add(widget, "{kind: Widget, metadata: {name: w}, spec: {$patch: delete}}", "", "a|b")
	f.Add(settings, "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {<<: *a}}", "C.*", "(")
	f.Add("{kind: List, items: [{}], metadata: 1}", "kind: List\nitems: [1]", ".", "x")
	f.Add("{kind: 1, metadata: {annotations: {internal.config.kubernetes.io/previousNames: 'a,b'}}}", "a: &a [*a]", ".", "x")
	f.Fuzz(func(t *testing.T, object, patch, kind, image string) {
		content := lenient(object)
		if content == nil {
			return
		}
		given := []edit.Object{{Key: "a", Content: content}}
		before := fmt.Sprintf("%#v", given)
		edited, mistakes := edit.Edits{
			Patches: []edit.Patch{{Patch: patch}, {Patch: patch, Target: &edit.Target{}}, {Patch: patch, Target: &edit.Target{Kind: kind}}},
			Images:  []edit.Image{{Name: image, NewTag: "2"}}, Labels: map[string]string{"a": patch}, Annotations: map[string]string{patch: "b"},
		}.Apply(given)
		require.Equal(t, before, fmt.Sprintf("%#v", given))
		require.Len(t, edited, 1)
		for _, path := range [][]any{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}} {
			require.Equal(t, at(content, path...), at(edited[0].Content, path...))
		}
		for _, mistake := range mistakes {
			require.NotEmpty(t, mistake.Path)
			require.NotEmpty(t, mistake.Reason)
		}
	})
}
