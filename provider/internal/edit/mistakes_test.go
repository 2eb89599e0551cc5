package edit_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/edit"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kustomize"
)

// Reasons that many mistakes have.
const (
	unparsed = "it is neither a strategic merge patch, which needs kind and metadata.name (also with a target), " +
		"nor a JSON 6902 patch, which is one list of operations; correct its YAML or JSON"
	another = "it changes apiVersion, kind, name or namespace of Deployment, which would make it another object; change its manifest instead"
	removed = "it removes Deployment; remove the object from the set instead"
)

func inapplicable(operation int, key string) string {
	return fmt.Sprintf("operation %d cannot be applied to %s: there is nothing at its path, its test fails, or it is no operation; "+
		"correct it, or narrow the target", operation, key)
}

func TestMistakes(t *testing.T) {
	deployment := &edit.Target{Kind: "Deployment"}
	patch := func(target *edit.Target, text string) edit.Edits {
		return edit.Edits{Patches: []edit.Patch{{Target: target, Patch: text}}}
	}
	byPatch := func(reason string) edit.Mistake { return edit.Mistake{Path: "patches[0].patch", Reason: reason} }
	ofDeployment := func(reason string) edit.Mistake {
		return edit.Mistake{Path: "patches[0].patch", Key: "Deployment", Reason: reason}
	}
	for name, c := range map[string]struct {
		edits edit.Edits
		want  edit.Mistake
	}{
		"an image that no object uses": {edit.Edits{Images: []edit.Image{{Name: "nginx", NewTag: "s3cr3t"}}}, edit.Mistake{Path: "images[0].name", Unmatched: true,
			Reason: "no object uses the image nginx; write the name as in the manifests, with its registry and without a tag"}},
		"an image with a part of the name": {edit.Edits{Images: []edit.Image{{Name: "web", NewTag: "2"}}}, edit.Mistake{Path: "images[0].name", Unmatched: true,
			Reason: "no object uses the image web; write the name as in the manifests, with its registry and without a tag"}},
		"an image without a name": {edit.Edits{Images: []edit.Image{{NewTag: "2"}}}, edit.Mistake{Path: "images[0].name",
			Reason: "it is missing; set the name of the image to change"}},
		"an image that is no regular expression": {edit.Edits{Images: []edit.Image{{Name: "a(", NewTag: "2"}}}, edit.Mistake{Path: "images[0].name",
			Reason: "it is no regular expression, which kustomize takes it for; write the name as in the manifests, without a tag"}},
		"an image that stays the same": {edit.Edits{Images: []edit.Image{{Name: "envoy"}}}, edit.Mistake{Path: "images[0]",
			Reason: "it changes nothing; set newName, newTag or digest"}},
		"a target that matches nothing": {patch(&edit.Target{Kind: "Deploy", Name: "w.b", LabelSelector: "a=b"}, "[{op: add, path: /s3cr3t, value: s3cr3t}]"),
			edit.Mistake{Path: "patches[0].target", Unmatched: true, Reason: `no object matches the target with kind "Deploy", name "w.b", labelSelector "a=b"; ` +
				"its fields are regular expressions for the whole value: correct it, or remove the patch"}},
		"a target that is no regular expression": {patch(&edit.Target{Kind: "Deployment", Name: "web["}, "[{op: add, path: /a, value: b}]"),
			edit.Mistake{Path: "patches[0].target.name", Reason: `"web[" is no regular expression; write one such as web-.*`}},
		"a target whose selector cannot be read": {patch(&edit.Target{AnnotationSelector: "a in b"}, "[{op: add, path: /a, value: b}]"),
			edit.Mistake{Path: "patches[0].target.annotationSelector", Reason: `"a in b" is no selector; write one such as app=web,tier!=cache`}},
		"a patch of an object that is not there": {patch(nil, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {a: s3cr3t}}"),
			edit.Mistake{Path: "patches[0].patch", Unmatched: true, Reason: "no object is apps/v1 Deployment web, for which it says it is; " +
				"correct its apiVersion, kind, name or namespace, or set a target"}},
		"a patch of another version": {patch(nil, "{apiVersion: apps/v2, kind: Deployment, metadata: {name: web, namespace: prod}}"),
			edit.Mistake{Path: "patches[0].patch", Unmatched: true, Reason: "no object is apps/v2 Deployment web in the namespace prod, for which it says it is; " +
				"correct its apiVersion, kind, name or namespace, or set a target"}},
		"operations without a target":           {patch(nil, "[{op: add, path: /a, value: s3cr3t}]"), edit.Mistake{Path: "patches[0].target", Reason: "a JSON 6902 patch does not say which object it is for; set a target"}},
		"an empty patch":                        {patch(deployment, " \n"), byPatch("it is empty; write a patch, or remove the item")},
		"a comment":                             {patch(deployment, "# s3cr3t"), byPatch(unparsed)},
		"no operations":                         {patch(deployment, "[]"), byPatch(unparsed)},
		"operations in two documents":           {patch(deployment, "- {op: add, path: /a, value: 1}\n---\n- {op: add, path: /b, value: 2}"), byPatch(unparsed)},
		"operations that are texts":             {patch(deployment, "[s3cr3t]"), byPatch(unparsed)},
		"a text":                                {patch(deployment, "s3cr3t"), byPatch(unparsed)},
		"no YAML":                               {patch(deployment, "s3cr3t: ["), byPatch(unparsed)},
		"a key that is there twice":             {patch(deployment, "[{op: add, op: add, path: /a, value: s3cr3t}]"), byPatch(unparsed)},
		"a patch without a kind":                {patch(deployment, "spec: {replicas: s3cr3t}"), byPatch(unparsed)},
		"a patch without a name":                {patch(deployment, "{kind: Deployment, spec: {replicas: s3cr3t}}"), byPatch(unparsed)},
		"two documents with a target":           {patch(deployment, "{kind: A, metadata: {name: a}}\n---\n{kind: A, metadata: {name: a}}"), byPatch("with a target, it can only be one strategic merge patch; make each document a patch of its own")},
		"an unknown operation":                  {patch(deployment, "[{op: s3cr3t, path: /a}]"), ofDeployment(inapplicable(1, "Deployment"))},
		"an operation that finds nothing":       {patch(deployment, "- {op: add, path: /spec/a, value: s3cr3t}\n- {op: remove, path: /spec/s3cr3t}\n- {op: add, path: /spec/b, value: 1}"), ofDeployment(inapplicable(2, "Deployment"))},
		"a last operation that finds nothing":   {patch(deployment, "- {op: add, path: /spec/a, value: s3cr3t}\n- {op: remove, path: /spec/s3cr3t}"), ofDeployment(inapplicable(2, "Deployment"))},
		"a test that fails":                     {patch(deployment, "[{op: test, path: /spec/replicas, value: s3cr3t}]"), ofDeployment(inapplicable(1, "Deployment"))},
		"an object that becomes a text":         {patch(deployment, "[{op: replace, path: '', value: s3cr3t}]"), ofDeployment(inapplicable(1, "Deployment"))},
		"operations that change the name":       {patch(deployment, "[{op: replace, path: /metadata/name, value: s3cr3t}]"), ofDeployment(another)},
		"operations that change the namespace":  {patch(deployment, "[{op: remove, path: /metadata/namespace}]"), ofDeployment(another)},
		"operations that change the kind":       {patch(deployment, "[{op: replace, path: /kind, value: StatefulSet}]"), ofDeployment(another)},
		"operations that change the apiVersion": {patch(deployment, "[{op: replace, path: /apiVersion, value: apps/v2}]"), ofDeployment(another)},
		"operations that remove the metadata":   {patch(deployment, "[{op: remove, path: /metadata}]"), ofDeployment(another)},
		"a patch that deletes its object":       {patch(nil, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: prod}, $patch: delete}"), ofDeployment(removed)},
		"a patch that deletes its target":       {patch(deployment, "{kind: Deployment, metadata: {name: x}, $patch: delete}"), ofDeployment(removed)},
		"a patch that goes deeper than the object": {patch(deployment, "{kind: Deployment, metadata: {name: x}, spec: {replicas: {s3cr3t: s3cr3t}}}"),
			ofDeployment("it cannot be merged into Deployment: at spec.replicas, the patch has a map and the object a plain value; make them the same")},
		"a patch with a text for a map": {patch(deployment, "{kind: Deployment, metadata: {name: x}, spec: {template: s3cr3t}}"),
			ofDeployment("it cannot be merged into Deployment: at spec.template, the patch has a plain value and the object a map; make them the same")},
		"an unknown directive": {patch(deployment, "{kind: Deployment, metadata: {name: x}, spec: {$patch: s3cr3t}}"), ofDeployment("it cannot be merged into Deployment; correct its lists and its $patch directives")},
	} {
		t.Run(name+" is a mistake [M14]", func(t *testing.T) {
			given := objects(t, web, settings, role, widget)
			edited, mistakes := c.edits.Apply(given)
			assert.Equal(t, []edit.Mistake{c.want}, mistakes)
			assert.Equal(t, given, edited, "the objects stay")
			assert.NotContains(t, fmt.Sprint(mistakes), "s3cr3t")
		})
	}
	t.Run("every mistake is found [M14]", func(t *testing.T) {
		e := edit.Edits{Images: []edit.Image{{Name: "a", NewTag: "b"}}, Patches: []edit.Patch{{}, {Target: &edit.Target{Name: "c"}, Patch: "[{op: add, path: /a, value: b}]"}}, Labels: map[string]string{"a": "b"}}
		edited, mistakes := e.Apply(objects(t, settings))
		var paths []string
		for _, mistake := range mistakes {
			paths = append(paths, mistake.Path)
		}
		assert.Equal(t, []string{"patches[0].patch", "patches[1].target", "images[0].name"}, paths)
		assert.Equal(t, map[string]any{"a": "b"}, at(edited[0].Content, "metadata", "labels"), "the other edits are made")
	})
}

func TestNothingIsReadNorFetched(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write([]byte(`{"type": "array"}`))
	}))
	t.Cleanup(server.Close)
	const merging = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {read: it}}"
	file := filepath.Join(t.TempDir(), "patch.yaml")
	require.NoError(t, os.WriteFile(file, []byte(merging), 0o600))
	t.Chdir(filepath.Dir(file))
	for name, patch := range map[string]edit.Patch{
		"a path":                           {Patch: file},
		"a relative path":                  {Patch: "patch.yaml"},
		"a path with a target":             {Patch: "./patch.yaml", Target: &edit.Target{}},
		"a URL":                            {Patch: server.URL},
		"a path as a key":                  {Patch: "path: patch.yaml"},
		"a configuration":                  {Patch: "patch: ''\npath: patch.yaml", Target: &edit.Target{}},
		"a kustomization":                  {Patch: "{kind: Kustomization, metadata: {name: k}, resources: ['" + server.URL + "'], openapi: {path: '" + server.URL + "'}}"},
		"a plugin":                         {Patch: "{apiVersion: builtin, kind: PatchTransformer, metadata: {name: t}, path: patch.yaml}"},
		"a schema in a comment":            {Patch: merging + ` # {"$ref": "` + server.URL + `", "$openapi": "` + server.URL + `"}`},
		"a schema in a comment of a field": {Target: &edit.Target{Kind: "ConfigMap"}, Patch: "kind: ConfigMap\nmetadata: {name: settings}\ndata:\n  a: b # {\"$ref\":\"" + server.URL + "\"}\n"},
	} {
		t.Run(name+" leads nowhere [M14]", func(t *testing.T) {
			_, comment := strings.CutPrefix(name, "a schema")
			edited, mistakes := edit.Edits{Patches: []edit.Patch{patch}}.Apply(objects(t, settings))
			assert.Zero(t, requests.Load())
			if comment {
				assert.Empty(t, mistakes)
				assert.Contains(t, at(edited[0].Content, "data"), "number", "it is merged as a map")
				return
			}
			assert.NotEmpty(t, mistakes)
			assert.Equal(t, objects(t, settings), edited)
		})
	}
}

func TestSchemasOfKustomizationsDoNotMatter(t *testing.T) {
	const schema = `{"definitions": {"v1.Widget": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"parts": {"type": "array",
		"items": {"type": "object"}, "x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge"}}}},
		"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Widget"}]}}}`
	edits := edit.Edits{Patches: []edit.Patch{{Target: &edit.Target{}, Patch: "{kind: Widget, metadata: {name: any}, spec: {parts: [{name: c}]}}"}}}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			assert.NoError(t, kustomize.Build(func() error { return openapi.AddSchema([]byte(schema)) }))
		})
		wg.Go(func() {
			edited, mistakes := edits.Apply(objects(t, widget))
			assert.Empty(t, mistakes)
			assert.Equal(t, []any{map[string]any{"name": "c"}}, at(edited[0].Content, "spec", "parts"), "[M14]")
		})
	}
	wg.Wait()
}
