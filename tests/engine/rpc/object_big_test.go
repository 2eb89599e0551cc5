package rpc_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// padded is a manifest that is too big to be a tree of properties.
func padded(manifest map[string]any) map[string]any {
	metadata := manifest["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
		metadata["annotations"] = annotations
	}
	annotations["example.com/pad"] = strings.Repeat("0123456789abcdef", 9_500)
	return manifest
}

// requireText wants the manifest to rest as text, and all of it to be few properties.
func requireText(t testing.TB, s *session) {
	t.Helper()
	text := s.inputs["yaml"]
	require.True(t, text.IsString() || text.IsSecret(), "the manifest is no text")
	require.NotContains(t, s.inputs, resource.PropertyKey("manifest"))
	require.Less(t, properties(resource.NewProperty(s.inputs))+properties(resource.NewProperty(s.outputs)), 60)
}

// properties counts the properties in a value, itself among them.
func properties(v resource.PropertyValue) int {
	n := 1
	switch {
	case v.IsSecret():
		return properties(v.SecretValue().Element)
	case v.IsObject():
		for _, member := range v.ObjectValue() {
			n += properties(member)
		}
	case v.IsArray():
		for _, item := range v.ArrayValue() {
			n += properties(item)
		}
	}
	return n
}

// TestABigObject is about what a user does with an object, whose manifest is text for Pulumi.
func TestABigObject(t *testing.T) {
	t.Parallel()
	t.Run("is not written for drift in ignored fields, and releases them [M25]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(padded(w.deployment(t, "web")), ignoring("spec.replicas"))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(padded(w.deployment(t, "web"))))
		requireText(t, s)
		assert.Equal(t, map[string]string{"ignoreFields": "update"}, s.mustDiff(in))
		s.mustUp("update", in)
		w.scale("web", 7)
		s.in(s.process.again(t)).mustUp("same", in)
		next := padded(w.deployment(t, "web"))
		next["metadata"].(map[string]any)["labels"] = map[string]any{"team": "blue"}
		assert.Equal(t, map[string]string{"yaml.metadata.labels": "update"}, s.mustRead().mustDiff(program(next, ignoring("spec.replicas"))))
		s.mustUp("update", program(next, ignoring("spec.replicas")))
		assert.EqualValues(t, 7, w.value("Deployment", "web", "spec", "replicas"))
	})
	t.Run("has its drift named with the owners, in a preview and in a refresh, and corrected [M25]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(padded(w.deployment(t, "web")))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		w.scale("web", 7)
		w.jsonPatch("Deployment", "web", map[string]any{"op": "replace", "path": "/spec/template/spec/containers/0/env/1/value", "value": "9"})
		s.in(s.process.again(t))
		require.NoError(t, s.read())
		assert.Contains(t, s.process.log.all(), "spec.replicas: 7 -> 2 (owned by intern)")
		requireText(t, s)
		assert.Equal(t, map[string]string{"yaml.spec.replicas": "update", "yaml.spec.template.spec.containers[0].env[1].value": "update"}, s.mustDiff(in))
		assert.Contains(t, s.process.log.all(), `spec.template.spec.containers[name=web].env[name=B].value: "9" -> "2" (owned by intern)`)
		s.mustUp("update", in)
		assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"))
		s.in(s.process.again(t)).mustUp("same", in)
	})
	t.Run("of kubectl is adopted [M25]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.kubectlCreate(w.configMap("web", map[string]any{"a": "old", "gone": "yes"}))
		in := program(padded(w.configMap("web", nil)), adopting)
		s := start(t, inline(newUser(t))).resource(t, "web")
		_, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Contains(t, s.warned(), `data.a: "old" -> "1" (owned by kubectl-client-side-apply)`)
		s.in(s.process.again(t)).mustUp("create", in)
		assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "web", "data"))
		requireText(t, s)
		s.mustUp("same", in)
	})
	t.Run("is not taken from others where conflictPolicy forbids it, and is taken over from them [M25]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", padded(w.configMap("web", map[string]any{"a": "1", "b": "2"})))
		in := program(padded(w.configMap("web", map[string]any{"a": "9"})), adopting)
		s := start(t, inline(newUser(t))).resource(t, "web")
		require.ErrorContains(t, s.create(program(padded(w.configMap("web", map[string]any{"a": "9"})), adopting, failing)), `data.a: "1" -> "9" (owned by helm)`)
		s.mustUp("create", in)
		assert.Equal(t, map[string]any{"a": "9", "b": "2"}, w.value("ConfigMap", "web", "data"))
		w.apply("helm", padded(w.configMap("web", map[string]any{"a": "1", "b": "2"})))
		taking := program(padded(w.configMap("web", map[string]any{"a": "9", "b": "3"})), adopting, map[string]any{"takeOverFrom": []any{"helm"}})
		s.in(s.process.again(t)).mustUp("update", taking)
		assert.Equal(t, map[string]any{"a": "9", "b": "3"}, w.value("ConfigMap", "web", "data"))
		requireText(t, s)
		s.mustUp("same", taking)
	})
	t.Run("is continued after a lost reply, of a create and of an update [M25]", func(t *testing.T) {
		t.Parallel()
		for what, fault := range unconfirmed {
			w, g := newWorld(t), newGateway(t)
			before, after := program(padded(w.configMap("web", nil))), program(padded(w.configMap("web", map[string]any{"a": "9"})))
			s := start(t, g.connection()).resource(t, "web")
			g.next(isApply, fault)
			_, err := s.up(before)
			requirePending(t, s, err)
			requireText(t, s)
			_, err = s.in(start(t, g.connection())).up(before)
			require.NoError(t, err, what)
			requireSettled(t, s)
			uid := at(t, s.outputs, "resourceRef.uid")
			g.next(isApply, fault)
			_, err = s.in(start(t, g.connection())).up(after)
			requirePending(t, s, err)
			s.in(start(t, g.connection())).mustUp("update", after)
			requireSettled(t, s)
			assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"), what)
			assert.Equal(t, map[string]any{"a": "9"}, w.value("ConfigMap", "web", "data"), what)
			s.mustUp("same", after)
			requireText(t, s)
		}
	})
	t.Run("is renamed in place [M25]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(padded(w.configMap("web", nil)))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		s.moved(urnOf("after"))
		assert.Equal(t, map[string]string{"__fieldManager": "update"}, s.mustRead().mustDiff(in))
		s.mustUp("update", in)
		assert.Equal(t, []string{s.managerIn()}, w.managers("ConfigMap", "web"))
		s.mustUp("same", in)
	})
	t.Run("with a change that cannot be made in place is replaced, or refused, as a small one [M25]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(padded(w.deployment(t, "web"))))
		next := padded(w.deployment(t, "web"))
		next["spec"].(map[string]any)["selector"] = map[string]any{"matchLabels": map[string]any{"app": "other"}}
		next["spec"].(map[string]any)["template"].(map[string]any)["metadata"] = map[string]any{"labels": map[string]any{"app": "other"}}
		diff := s.mustRead().mustDiff(program(next))
		assert.Equal(t, "update-replace", diff["yaml.spec.selector"])
		assert.Equal(t, "update", diff["yaml.spec.template.metadata.labels.app"])
		_, err := s.diff(program(next, map[string]any{"onImmutable": "fail"}))
		require.ErrorContains(t, err, "spec.selector cannot be changed on an existing object")
	})
	t.Run("is imported, and its program needs no update [M25]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("kubectl", padded(w.configMap("web", nil)))
		s := start(t, inline(newUser(t))).resource(t, "web")
		require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/web"))
		assert.True(t, s.inputs["manifest"].IsObject(), "the CLI writes a program of it")
		assert.Less(t, properties(resource.NewProperty(s.outputs)), 60)
		s.mustUp("same", program(padded(w.configMap("web", nil))))
		requireText(t, s)
	})
}
