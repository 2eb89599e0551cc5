package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/edit"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kustomize"
)

// imagesEverywhere has images in all places where kustomize looks for them, and in some where it does not.
const imagesEverywhere = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: images}
spec:
  containers: [{image: "app:1"}]
  initContainers: [{image: "app:1"}]
  ephemeralContainers: [{image: "app:1"}]
  volumes: [{name: v, image: {reference: "app:1"}}]
  image: "app:1"
  template:
    spec:
      containers: [{image: "app:1", name: a}, {name: b, image: null}, {name: c}]
      initContainers: [{image: "app@sha256:1"}]
      ephemeralContainers: [{image: "app:1"}]
      volumes: [{name: v, image: {reference: "app:1"}}, {name: w, emptyDir: {}}]
  jobTemplate: {spec: {template: {spec: {containers: [{image: app}], volumes: [{image: {reference: "app:1"}}]}}}}
  other: [{deep: {initContainers: [{image: "app:1@sha256:2"}]}}]
`

const imagesOfDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: images}
spec: {other: {containers: [{image: "app:1"}]}}
`

// build runs kustomize on objects, and returns them by their kinds.
func build(t *testing.T, kustomization string, texts ...string) map[string]any {
	t.Helper()
	built, err := tryBuild(kustomization, texts...)
	require.NoError(t, err)
	return built
}

func tryBuild(kustomization string, texts ...string) (map[string]any, error) {
	disk := filesys.MakeFsInMemory()
	var names []string
	for i, text := range texts {
		names = append(names, fmt.Sprintf("%d.yaml", i))
		if err := disk.WriteFile("/k/"+names[i], []byte(text)); err != nil {
			return nil, err
		}
	}
	kustomization += "\nresources: [" + strings.Join(names, ", ") + "]\n"
	if err := disk.WriteFile("/k/kustomization.yaml", []byte(kustomization)); err != nil {
		return nil, err
	}
	built := map[string]any{}
	return built, kustomize.Run(func() error {
		found, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, "/k")
		if err != nil {
			return err
		}
		for _, resource := range found.Resources() {
			text, err := resource.AsYAML()
			if err != nil {
				return err
			}
			built[resource.GetKind()] = lenient(string(text))
		}
		return nil
	})
}

func TestEditsDoWhatAKustomizationDoes(t *testing.T) {
	for name, c := range map[string]struct {
		kustomization string
		edits         edit.Edits
	}{
		"labels": {"labels: [{pairs: {app: x, team: 'true'}}]", edit.Edits{Labels: map[string]string{"app": "x", "team": "true"}}},
		"images": {"images: [{name: app, newTag: '2'}]", edit.Edits{Images: []edit.Image{{Name: "app", NewTag: "2"}}}},
		"images by name, tag and digest": {"images: [{name: app, newName: a.b/c, newTag: '2', digest: 'sha256:3'}, {name: envoy, digest: 'sha256:4'}]",
			edit.Edits{Images: []edit.Image{{Name: "app", NewName: "a.b/c", NewTag: "2", Digest: "sha256:3"}, {Name: "envoy", Digest: "sha256:4"}}}},
		"images by a pattern": {"images: [{name: 'ap+', newName: x}]", edit.Edits{Images: []edit.Image{{Name: "ap+", NewName: "x"}}}},
		"a merge with values like others": {"patches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, labels: {a: null}, annotations: {b: c}}, data: {yes: on, date: 2020-01-01, octal: 0777, hex: 0x1F, long: 1_000, exp: 1e3, n: ~}}'}]",
			edit.Edits{Patches: []edit.Patch{{Patch: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, labels: {a: null}, annotations: {b: c}}, data: {yes: on, date: 2020-01-01, octal: 0777, hex: 0x1F, long: 1_000, exp: 1e3, n: ~}}"}}}},
		"a merge of lists": {"patches: [{target: {kind: Deployment}, patch: '{kind: D, metadata: {name: x, labels: {tier: null, z: y}}, spec: {template: {spec: {containers: [{name: proxy, $patch: delete}, {name: new, image: x, ports: [{containerPort: 80}]}]}}}}'}]",
			edit.Edits{Patches: []edit.Patch{{Target: &edit.Target{Kind: "Deployment"}, Patch: "{kind: D, metadata: {name: x, labels: {tier: null, z: y}}, spec: {template: {spec: {containers: [{name: proxy, $patch: delete}, {name: new, image: x, ports: [{containerPort: 80}]}]}}}}"}}}},
		"a merge with anchors": {"patches: [{target: {kind: Widget}, patch: '{kind: D, metadata: {name: x}, spec: {a: &a {b: c}, d: *a, e: {<<: *a, f: g}}}'}]",
			edit.Edits{Patches: []edit.Patch{{Target: &edit.Target{Kind: "Widget"}, Patch: "{kind: D, metadata: {name: x}, spec: {a: &a {b: c}, d: *a, e: {<<: *a, f: g}}}"}}}},
		"operations with values like others": {"patches: [{target: {kind: ConfigMap}, patch: '- {op: add, path: /data, value: {yes: on, date: 2020-01-01, octal: 0777, exp: 1e3, n: ~}}'}]",
			edit.Edits{Patches: []edit.Patch{{Target: &edit.Target{Kind: "ConfigMap"}, Patch: "- {op: add, path: /data, value: {yes: on, date: 2020-01-01, octal: 0777, exp: 1e3, n: ~}}"}}}},
		"operations on annotations": {"patches: [{target: {kind: '.*'}, patch: '- {op: add, path: /metadata/annotations/a, value: b}'}]",
			edit.Edits{Patches: []edit.Patch{{Target: &edit.Target{Kind: ".*"}, Patch: "- {op: add, path: /metadata/annotations/a, value: b}"}}}},
		"everything in its order": {"commonAnnotations: {}\nlabels: [{pairs: {tier: x}}]\nimages: [{name: new, newTag: '2'}]\npatches: [{target: {labelSelector: tier=x}, patch: '- {op: test, path: /kind, value: none}'}, " +
			"{target: {labelSelector: tier=front}, patch: '[{\"op\": \"replace\", \"path\": \"/spec/template/spec/containers/0/image\", \"value\": \"new:1\"}]'}]",
			edit.Edits{Labels: map[string]string{"tier": "x"}, Images: []edit.Image{{Name: "new", NewTag: "2"}}, Patches: []edit.Patch{
				{Target: &edit.Target{LabelSelector: "tier=front"}, Patch: `[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "new:1"}]`}}}},
	} {
		t.Run(name+" [M14]", func(t *testing.T) {
			// A name is needed there.
			texts := []string{web, settings, role, strings.Replace(widget, "generateName", "name", 1), imagesEverywhere, imagesOfDefinition}
			edited, mistakes := c.edits.Apply(objects(t, texts...))
			require.Empty(t, mistakes)
			got := map[string]any{}
			for _, object := range edited {
				text, err := yaml.Marshal(object.Content)
				require.NoError(t, err)
				got[object.Key] = parsed(t, string(text))
			}
			want := build(t, c.kustomization, texts...)
			for key, object := range want {
				assert.Equal(t, object, got[key], key)
			}
			assert.Len(t, got, len(want))
		})
	}
}

// part draws a part of an object or of a patch, with few keys, so that both have the same ones. Its texts need no quotes:
// in its output, kustomize takes over those around the text that a number or a boolean of a patch replaces.
func part(depth int, directive bool) *rapid.Generator[any] {
	leaves := rapid.SampledFrom([]any{nil, "text", "other", true, int64(7), 1.5, map[string]any{}, []any{}, []any{"x", int64(1)}, []any{map[string]any{"name": "n", "v": "w"}}})
	if depth == 0 {
		return leaves
	}
	keys := []string{"a", "b", "c", "d", "spec"}
	return rapid.OneOf(leaves, rapid.Map(rapid.MapOfN(rapid.SampledFrom(keys), part(depth-1, directive), 0, 4), func(object map[string]any) any {
		if directive && len(object)%5 == 4 {
			object["$patch"] = "replace"
		}
		return object
	}))
}

func TestMergesDoWhatKustomizeDoesWithTheWholeObject(t *testing.T) { // [M14]
	rapid.Check(t, func(t *rapid.T) {
		object := map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "labels": map[string]any{"x": "y", "z": "a"}},
			"spec": part(3, false).Draw(t, "object"), "other": "stays",
		}
		metadata := map[string]any{"name": "w"}
		if labels := rapid.MapOfN(rapid.SampledFrom([]string{"x", "z", "new"}), rapid.SampledFrom([]any{nil, "v"}), 0, 3).Draw(t, "labels"); len(labels) > 0 {
			metadata["labels"] = labels
		}
		patch := map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata, "spec": part(3, true).Draw(t, "patch")}
		given, err := yaml.Marshal(object)
		require.NoError(t, err)
		text, err := yaml.Marshal(patch)
		require.NoError(t, err)
		var target *edit.Target
		targeted := ""
		if rapid.Bool().Draw(t, "targeted") {
			target, targeted = &edit.Target{Kind: "Widget"}, "  target: {kind: Widget}\n"
		}
		want, err := tryBuild("patches:\n- patch: |\n    "+strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n    ")+"\n"+targeted, string(given))
		edited, mistakes := edit.Edits{Patches: []edit.Patch{{Target: target, Patch: string(text)}}}.Apply([]edit.Object{{Key: "w", Content: object}})
		if err != nil {
			require.NotEmpty(t, mistakes, "%v", err)
			return
		}
		require.Empty(t, mistakes)
		got, err := yaml.Marshal(edited[0].Content)
		require.NoError(t, err)
		require.Equal(t, want["Widget"], lenient(string(got)), "%s\n%s", given, text)
	})
}
