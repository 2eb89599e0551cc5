package rpc_test

import (
	"encoding/base64"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSecretsOfAPatch(t *testing.T) {
	t.Parallel()
	encoded := base64.StdEncoding.EncodeToString([]byte(hush))
	eachKind(t, "a secret value is secret in every output, after every verb [O78]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		p := start(t, inline(newUser(t)))
		s := patched(t, w, p, "it")
		in := patching(w.configMap("it", nil), setting(kind, data("a", secret(hush), "b", "clear")))
		s.previewed("create", in)
		assert.Contains(t, s.warned(), "data.a: [secret] -> [secret]")
		assert.Contains(t, s.warned(), `data.b: "2" -> "clear"`)

		s.mustUp("create", in)
		requireHidden(t, s)
		assert.Equal(t, hush, at(t, s.outputs, "managedFields.data.a"))
		assert.Equal(t, []string{"data.a"}, secretLeaves(s.outputs["managedFields"]), "it, and it alone")
		assert.Len(t, secretLeaves(s.outputs[resource.PropertyKey(kind)]), 1)
		assert.Contains(t, clear(s.outputs), "clear")
		s.mustRead()
		requireHidden(t, s)
		s.mustUp("same", in)

		after := patching(w.configMap("it", nil), setting(kind, data("a", secret(hush+"-2"), "b", "clear")))
		diff, err := s.diff(after)
		require.NoError(t, err)
		assert.Len(t, diff.DetailedDiff, 1)
		s.mustUp("update", after)
		requireHidden(t, s)

		// Someone reads it and writes it elsewhere, and the live value stays secret.
		w.apply("eks", w.configMap("it", m{"a": "other-" + hush, "b": "clear"}))
		s.mustRead()
		requireHidden(t, s)
		s.previewed("update", after)
		requireHidden(t, s)
		s.mustUp("update", after).mustUp("same", after)
		requireHidden(t, s)
		assert.Equal(t, hush+"-2", w.value("ConfigMap", "it", "data", "a"))

		// The program forgets that it was secret.
		_, err = s.up(patching(w.configMap("it", nil), setting(kind, data("a", "now-clear", "b", "clear"))))
		require.NoError(t, err)
		require.NoError(t, s.destroy())
		require.NotEmpty(t, w.events("PatchReleased"))
		requireHidden(t, s)
	})
	eachKind(t, "a patch that is secret as a whole, as value and as text [O78]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		texts := map[string]string{
			"patch": "data: {a: " + hush + "}", "mergePatch": "data: {a: " + hush + "}",
			"jsonPatch": "[{op: add, path: /data/a, value: " + hush + "}]",
		}
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		whole := patching(w.configMap("it", nil), m{kind: secret(setting(kind, data("a", hush))[kind])})
		s.previewed("create", whole)
		s.mustUp("create", whole).mustUp("same", whole)
		requireHidden(t, s)
		text := patching(w.configMap("it", nil), m{kind: secret(texts[kind])})
		_, err := s.up(text)
		require.NoError(t, err)
		s.mustUp("same", text)
		requireHidden(t, s)
		assert.Equal(t, hush, w.value("ConfigMap", "it", "data", "a"))
		require.NoError(t, s.destroy())
	})
	eachKind(t, "of a Secret as the target the data is secret, whatever the program says [O78]", func(t *testing.T, kind string) {
		w := newWorld(t)
		vault := m{
			"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "it", "namespace": w.namespace, "annotations": m{"a": "1"}},
			"data": m{"password": base64.StdEncoding.EncodeToString([]byte("old-" + hush)), "kept": "a2VwdA=="},
		}
		w.apply("eks", vault)
		p := start(t, inline(newUser(t)))
		s := patched(t, w, p, "it")
		in := patching(vault, setting(kind, m{"data": m{"password": encoded}, "metadata": m{"annotations": m{"a": "open"}}}))
		s.previewed("create", in)
		assert.Contains(t, s.warned(), "data.password: [secret] -> [secret]")
		s.mustUp("create", in)
		requireHidden(t, s)
		assert.Equal(t, encoded, at(t, s.outputs, "managedFields.data.password"))
		if kind != "jsonPatch" {
			assert.Contains(t, clear(s.outputs), "open", "what is not data is not secret")
		}
		s.mustUp("same", in)
		w.patch("Secret", "it", m{"data": m{"password": base64.StdEncoding.EncodeToString([]byte("a drifted value"))}})
		s.mustRead()
		assert.Empty(t, s.where("a drifted value"))
		s.mustUp("update", in).mustUp("same", in)
		requireHidden(t, s)
		require.NoError(t, s.destroy())
		assert.Equal(t, m{"password": encoded, "kept": "a2VwdA=="}, w.value("Secret", "it", "data"))
	})
	for _, kind := range []string{"patch", "mergePatch", "jsonPatch"} {
		t.Run(kind+": stringData of a Secret", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			vault := m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "it", "namespace": w.namespace}, "data": m{"kept": "a2VwdA=="}}
			w.apply("eks", vault)
			inputs := setting(kind, m{"stringData": m{"password": hush}})
			if kind == "jsonPatch" {
				inputs = m{kind: []any{operation("add", "/stringData", m{"password": hush})}}
			}
			in := patching(vault, inputs)
			s := patched(t, w, start(t, inline(newUser(t))), "it")
			_, err := s.up(in)
			if err != nil {
				requireHidden(t, s)
				assert.ErrorContains(t, err, "stringData", "refused, with what to do")
				assert.ErrorContains(t, err, "data")
				assert.Nil(t, w.value("Secret", "it", "data", "password"))
				return
			}
			requireHidden(t, s)
			assert.Equal(t, encoded, w.value("Secret", "it", "data", "password"))
			s.mustUp("same", in)
			requireHidden(t, s)
			w.patch("Secret", "it", m{"data": m{"password": "ZHJpZnQ="}})
			assert.NotEmpty(t, drifted(s, in))
			requireHidden(t, s)
			s.mustUp("update", in).mustUp("same", in)
			assert.Equal(t, encoded, w.value("Secret", "it", "data", "password"))
			require.NoError(t, s.destroy())
		})
	}
	eachKind(t, "an error tells no secret [O78]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.deployment(t, "it"))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		for _, field := range []string{"replicas", "paused", "minReadySeconds"} {
			in := patching(w.deployment(t, "it"), setting(kind, m{"spec": m{field: secret(hush)}}))
			_, _, err := s.preview(in)
			require.Error(t, err)
			requireHidden(t, s)
			err = s.create(in)
			require.Error(t, err)
			requireHidden(t, s)
		}
	})
	t.Run("a test that fails tells neither value [O78]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", m{"a": "live-value"}))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		err := s.create(patching(w.configMap("it", nil), m{"jsonPatch": []any{operation("test", "/data/a", secret(hush)), operation("replace", "/data/a", "x")}}))
		require.Error(t, err)
		requireHidden(t, s)
	})
}

func TestUnknownsOfAPatch(t *testing.T) {
	t.Parallel()
	eachKind(t, "nothing is sent of a patch that is not known whole, and its outputs are unknown", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.apply("eks", w.configMap("it", nil))
		s := patched(t, w, start(t, g.connection()), "it")
		wants := []resource.PropertyMap{
			patching(w.configMap("it", nil), setting(kind, data("a", unknown(), "b", "9"))),
			patching(w.configMap("it", nil), m{kind: unknown()}),
			patching(w.configMap("it", nil), setting(kind, data("a", resource.NewProperty(resource.Output{Element: unknown(), Secret: true})))),
			patching(m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": unknown(), "namespace": w.namespace}}, setting(kind, data("a", "9"))),
			patching(w.configMap("it", nil), setting(kind, data("a", "9")), m{"target": unknown()}),
			patching(w.configMap("it", nil), setting(kind, data("a", "9")), m{"clusterConnection": m{"host": unknown(), "token": "t"}}),
		}
		for i, in := range wants {
			outputs := s.previewed("create", in)
			for _, output := range []string{"managedFields", "fieldOwnership", "previousOwners"} {
				assert.Equal(t, unknownText, at(t, outputs, output), "%d: %s", i, output)
			}
			assert.NotEqual(t, "", at(t, outputs, "resourceRef.revision"))
		}
		assert.Empty(t, s.warned())
		for _, request := range g.takeSeen() {
			assert.NotContains(t, request, "PATCH", "nothing is sent")
		}

		in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "9")))
		s.mustUp("create", in)
		g.takeSeen()
		for i, in := range wants[:3] {
			outputs := s.previewed("update", in)
			assert.Equal(t, unknownText, at(t, outputs, "managedFields"), "%d", i)
		}
		for _, request := range g.takeSeen() {
			assert.NotContains(t, request, "PATCH", "nothing is sent")
		}
		assert.Equal(t, m{"a": "9", "b": "9"}, w.value("ConfigMap", "it", "data"))
	})
}
