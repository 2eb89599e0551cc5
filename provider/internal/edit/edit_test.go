package edit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/edit"
)

const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: prod, labels: {app: web, tier: front}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      initContainers: [{name: init, image: "busybox:1"}]
      containers:
      - {name: web, image: "registry.example.com/web:1.0", env: [{name: A, value: "1"}, {name: B, value: "true"}]}
      - {name: proxy, image: "envoy@sha256:abc"}
`

const settings = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {number: "1", flag: "true"}
`

const role = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: []
`

const widget = `apiVersion: example.com/v1
kind: Widget
metadata: {generateName: w-}
spec: {parts: [{name: a, size: 1}, {name: b, size: 2}], containers: [{image: "envoy:1"}]}
`

func parsed(t testing.TB, text string) map[string]any {
	t.Helper()
	var content map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &content))
	return content
}

// lenient returns the object in a text, nil if there is none.
func lenient(text string) map[string]any {
	var content map[string]any
	if yaml.Unmarshal([]byte(text), &content) != nil {
		return nil
	}
	return content
}

// objects makes a set of objects, with the names of their kinds as keys.
func objects(t testing.TB, texts ...string) []edit.Object {
	t.Helper()
	var set []edit.Object
	for _, text := range texts {
		content := parsed(t, text)
		set = append(set, edit.Object{Key: content["kind"].(string), Content: content})
	}
	return set
}

// at returns a value of an object, by map keys and list indices.
func at(value any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			inner, _ := value.(map[string]any)
			value = inner[step]
		case int:
			value = value.([]any)[step]
		}
	}
	return value
}

func TestWhatEditsDo(t *testing.T) {
	containers := []any{0, "spec", "template", "spec", "containers"}
	deployment := &edit.Target{Kind: "Deployment"}
	for name, c := range map[string]struct {
		edits edit.Edits
		path  []any
		want  any
	}{
		"labels are put on the metadata": {edit.Edits{Labels: map[string]string{"team": "a"}},
			[]any{0, "metadata", "labels"}, map[string]any{"app": "web", "tier": "front", "team": "a"}},
		"labels are put on an object without any": {edit.Edits{Labels: map[string]string{"team": "true"}},
			[]any{3, "metadata", "labels"}, map[string]any{"team": "true"}},
		"labels replace those of the same name": {edit.Edits{Labels: map[string]string{"app": "1"}},
			[]any{0, "metadata", "labels"}, map[string]any{"app": "1", "tier": "front"}},
		"labels are not put on selectors": {edit.Edits{Labels: map[string]string{"app": "x", "team": "a"}},
			[]any{0, "spec", "selector", "matchLabels"}, map[string]any{"app": "web"}},
		"labels are not put on pod templates": {edit.Edits{Labels: map[string]string{"app": "x", "team": "a"}},
			[]any{0, "spec", "template", "metadata"}, map[string]any{"labels": map[string]any{"app": "web"}}},
		"annotations are put on the metadata of cluster-scoped objects": {edit.Edits{Annotations: map[string]string{"note": "8080"}},
			[]any{2, "metadata", "annotations"}, map[string]any{"note": "8080"}},
		"annotations are not put on pod templates": {edit.Edits{Annotations: map[string]string{"note": "x"}},
			[]any{0, "spec", "template", "metadata"}, map[string]any{"labels": map[string]any{"app": "web"}}},
		"a tag of an image is replaced": {edit.Edits{Images: []edit.Image{{Name: "registry.example.com/web", NewTag: "2"}}},
			append(containers, 0, "image"), "registry.example.com/web:2"},
		"a new tag replaces a digest": {edit.Edits{Images: []edit.Image{{Name: "envoy", NewTag: "2"}}},
			append(containers, 1, "image"), "envoy:2"},
		"a digest replaces a tag": {edit.Edits{Images: []edit.Image{{Name: "busybox", NewName: "b.example/box", Digest: "sha256:12"}}},
			[]any{0, "spec", "template", "spec", "initContainers", 0, "image"}, "b.example/box@sha256:12"},
		"images of custom kinds are replaced": {edit.Edits{Images: []edit.Image{{Name: "envoy", NewName: "proxy"}}},
			[]any{3, "spec", "containers", 0, "image"}, "proxy:1"},
		"images are replaced one after the other": {edit.Edits{Images: []edit.Image{{Name: "envoy", NewName: "a"}, {Name: "a", NewName: "b", NewTag: "3"}}},
			append(containers, 1, "image"), "b:3"},
		"an image that is as it should be is found": {edit.Edits{Images: []edit.Image{{Name: "busybox", NewTag: "1"}}},
			[]any{0, "spec", "template", "spec", "initContainers", 0, "image"}, "busybox:1"},
		"a patch comes before images": {edit.Edits{Images: []edit.Image{{Name: "new", NewTag: "2"}}, Patches: []edit.Patch{
			{Target: deployment, Patch: `[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "new:1"}]`}}},
			append(containers, 0, "image"), "new:2"},
		"a patch comes before labels": {edit.Edits{Labels: map[string]string{"app": "by-label"}, Patches: []edit.Patch{
			{Target: deployment, Patch: "- {op: remove, path: /metadata/labels}"}}},
			[]any{0, "metadata", "labels"}, map[string]any{"app": "by-label"}},
		"patches come one after the other": {edit.Edits{Patches: []edit.Patch{
			{Target: deployment, Patch: "[{op: add, path: /spec/paused, value: true}]"},
			{Target: deployment, Patch: "[{op: move, from: /spec/paused, path: /spec/replicas}]"}}},
			[]any{0, "spec", "replicas"}, true},
		"a strategic merge patch merges lists by their keys, and puts the patched item first": {edit.Edits{Patches: []edit.Patch{{Patch: "{apiVersion: apps/v1, kind: Deployment, " +
			"metadata: {name: web, namespace: prod}, spec: {template: {spec: {containers: [{name: proxy, tty: true}]}}}}"}}},
			append(containers, 0), map[string]any{"name": "proxy", "image": "envoy@sha256:abc", "tty": true}},
		"a strategic merge patch replaces lists of kinds without a schema": {edit.Edits{Patches: []edit.Patch{{Target: &edit.Target{Kind: "Widget"},
			Patch: "{kind: Widget, metadata: {name: any}, spec: {parts: [{name: c}]}}"}}},
			[]any{3, "spec", "parts"}, []any{map[string]any{"name": "c"}}},
		"a strategic merge patch removes what is null": {edit.Edits{Patches: []edit.Patch{{Patch: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {flag: null}}"}}},
			[]any{1, "data"}, map[string]any{"number": "1"}},
		"the names in a patch with a target do not matter": {edit.Edits{Patches: []edit.Patch{{Target: &edit.Target{Kind: "Widget"},
			Patch: "{apiVersion: x/v1, kind: Other, metadata: {name: any, namespace: x, labels: {a: b}}}"}}},
			[]any{3, "metadata"}, map[string]any{"generateName": "w-", "labels": map[string]any{"a": "b"}}},
		"several documents patch one object each": {edit.Edits{Patches: []edit.Patch{{Patch: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n" +
			"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: reader}\nrules: [{verbs: [get]}]"}}},
			[]any{2, "rules"}, []any{map[string]any{"verbs": []any{"get"}}}},
		"an empty target selects all": {edit.Edits{Patches: []edit.Patch{{Target: &edit.Target{}, Patch: "[{op: add, path: /metadata/labels, value: {a: b}}]"}}},
			[]any{2, "metadata", "labels"}, map[string]any{"a": "b"}},
		"a target matches whole values": {edit.Edits{Patches: []edit.Patch{
			{Target: &edit.Target{Name: "we.*", Group: "app.", Version: "v1", Namespace: "pro|prod"}, Patch: "[{op: add, path: /spec/a, value: 1}]"}}},
			[]any{0, "spec", "a"}, int64(1)},
		"a target selects by labels": {edit.Edits{Patches: []edit.Patch{
			{Target: &edit.Target{LabelSelector: "app=web,tier in (front)"}, Patch: "[{op: add, path: /spec/a, value: 1.5}]"}}},
			[]any{0, "spec", "a"}, 1.5},
	} {
		t.Run(name+" [M14]", func(t *testing.T) {
			given := objects(t, web, settings, role, widget)
			edited, mistakes := c.edits.Apply(given)
			require.Empty(t, mistakes)
			assert.Equal(t, objects(t, web, settings, role, widget), given, "the arguments stay")
			contents := make([]any, len(edited))
			for i, object := range edited {
				assert.Equal(t, given[i].Key, object.Key)
				contents[i] = object.Content
			}
			assert.Equal(t, c.want, at(contents, c.path...))
		})
	}
}

func TestObjectsThatAreTheSameToTheLibrary(t *testing.T) {
	without := "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"
	inDefault := "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}"
	generated := "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: a-}}"
	both := func(first, second string) []edit.Object {
		return []edit.Object{{Key: "first", Content: parsed(t, first)}, {Key: "second", Content: parsed(t, second)}}
	}
	patched := func(objects []edit.Object, patch edit.Patch) []any {
		edited, mistakes := edit.Edits{Patches: []edit.Patch{patch}, Labels: map[string]string{"a": "b"}}.Apply(objects)
		require.Empty(t, mistakes)
		require.Len(t, edited, 2)
		assert.Equal(t, "b", at(edited[0].Content, "metadata", "labels", "a"))
		assert.Equal(t, "b", at(edited[1].Content, "metadata", "labels", "a"))
		return []any{at(edited[0].Content, "data"), at(edited[1].Content, "data")}
	}
	data := map[string]any{"k": "v"}
	for name, c := range map[string]struct {
		objects []edit.Object
		patch   edit.Patch
		want    []any
	}{
		"a patch without a namespace is for the object without one":    {both(inDefault, without), edit.Patch{Patch: without[:len(without)-1] + ", data: {k: v}}"}, []any{nil, data}},
		"a patch with the default namespace is for the object with it": {both(without, inDefault), edit.Patch{Patch: inDefault[:len(inDefault)-1] + ", data: {k: v}}"}, []any{nil, data}},
		"a target selects both":                                           {both(without, inDefault), edit.Patch{Target: &edit.Target{Name: "a"}, Patch: without[:len(without)-1] + ", data: {k: v}}"}, []any{data, data}},
		"two objects whose names the server makes are two":                {both(generated, generated), edit.Patch{Target: &edit.Target{}, Patch: without[:len(without)-1] + ", data: {k: v}}"}, []any{data, data}},
		"operations on objects whose names the server makes are two":      {both(generated, generated), edit.Patch{Target: &edit.Target{}, Patch: "[{op: add, path: /data, value: {k: v}}]"}, []any{data, data}},
		"a patch without a namespace is also for that in the default one": {both(inDefault, generated), edit.Patch{Patch: without[:len(without)-1] + ", data: {k: v}}"}, []any{data, nil}},
	} {
		t.Run(name+" [M14]", func(t *testing.T) { assert.Equal(t, c.want, patched(c.objects, c.patch)) })
	}
}
