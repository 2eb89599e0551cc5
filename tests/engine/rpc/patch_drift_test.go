package rpc_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDriftOfAPatch(t *testing.T) {
	t.Parallel()
	eachKind(t, "is in its own fields only [P16]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", m{"a": "1", "b": "2", "c": "3"}))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "10")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		shown := map[string]string{"a": kind + ".data.a", "b": kind + ".data.b"}
		if kind == "jsonPatch" {
			shown = map[string]string{"a": "jsonPatch[0].value", "b": "jsonPatch[1].value"}
		}

		w.patch("ConfigMap", "it", m{"data": m{"c": "theirs", "new": "theirs"}, "metadata": m{"labels": m{"l": "theirs"}}})
		w.apply("argocd", w.configMap("it", m{"beside": "1"}))
		assert.Empty(t, drifted(s, in), "others' changes beside it")
		s.mustUp("same", in)

		w.patch("ConfigMap", "it", data("b", "drift"))
		assert.Equal(t, map[string]string{shown["b"]: "update"}, drifted(s, in))
		assert.Equal(t, "drift", at(t, s.outputs, "managedFields.data.b"), "the state has the live value")
		assert.Equal(t, "drift", at(t, s.outputs, shown["b"]), "for the engine to show what is against what should be")
		outputs := s.previewed("update", in)
		assert.Equal(t, "10", at(t, outputs, "managedFields.data.b"))
		s.mustUp("update", in).mustUp("same", in)

		w.patch("ConfigMap", "it", m{"data": m{"a": nil, "b": "drift"}})
		both := drifted(s, in)
		assert.Len(t, both, 2)
		assert.Contains(t, both, shown["b"])
		assert.Nil(t, at(t, s.outputs, "managedFields.data.a"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, m{"a": "9", "b": "10", "c": "theirs", "new": "theirs", "beside": "1"}, w.value("ConfigMap", "it", "data"))

		w.patch("ConfigMap", "it", m{"data": nil})
		assert.NotEmpty(t, drifted(s, in), "with all that it stood in")
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, m{"a": "9", "b": "10"}, w.value("ConfigMap", "it", "data"))
	})
	eachKind(t, "goes together with a change of the patch [P16]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "10")))
		after := patching(w.configMap("it", nil), setting(kind, data("a", "11", "b", "10")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		w.patch("ConfigMap", "it", data("b", "drift"))
		assert.NotEmpty(t, drifted(s, after))
		s.mustUp("update", after).mustUp("same", after)
		assert.Equal(t, m{"a": "11", "b": "10"}, w.value("ConfigMap", "it", "data"))

		w.patch("ConfigMap", "it", data("a", "12"))
		already := patching(w.configMap("it", nil), setting(kind, data("a", "12", "b", "10")))
		_, err := s.up(already)
		require.NoError(t, err)
		s.mustUp("same", already)
		assert.Equal(t, "12", w.value("ConfigMap", "it", "data", "a"))
	})
	eachKind(t, "by which the program was adjusted is taken up [P16]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		first := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		second := patching(w.configMap("it", nil), setting(kind, data("a", "10")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", first).mustUp("update", second)
		w.patch("ConfigMap", "it", data("a", "9"))
		s.mustUp("update", second)
		assert.Equal(t, "10", w.value("ConfigMap", "it", "data", "a"))
		s.mustUp("update", first).mustUp("same", first)
		assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
	})
	eachKind(t, "in a field that ignoreChanges names is left alone", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		s.ignore = []string{shownAt(kind, "data.a")}
		w.patch("ConfigMap", "it", data("a", "drift"))
		assert.Empty(t, drifted(s, in))
		s.mustUp("same", in)
		assert.Equal(t, "drift", w.value("ConfigMap", "it", "data", "a"))
	})
}

// TestAnyOldPatchStateIsUnderstood has states of plugins that were older, newer, or wrong.
func TestAnyOldPatchStateIsUnderstood(t *testing.T) {
	t.Parallel()
	eachKind(t, "at every verb", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("old", nil))
		connection := inline(newUser(t))
		p := start(t, connection)
		in, after := patching(w.configMap("old", nil), setting(kind, data("a", "9"))), patching(w.configMap("old", nil), setting(kind, data("a", "10")))
		s := patched(t, w, p, "old").mustUp("create", in)
		sample := s.stored
		damages := map[string]func(resource.PropertyMap){
			"nothing at all": clearMap,
			"more than we know": func(outputs resource.PropertyMap) {
				outputs["retired"] = resource.NewProperty(1.0)
				outputs["__retired"] = resource.NewPropertyValue(m{"a": []any{1, nil}})
			},
		}
		for key := range sample.outputs {
			damages["no "+string(key)] = func(outputs resource.PropertyMap) { delete(outputs, key) }
			for what, v := range map[string]any{"text": "{not json", "map": m{"apiVersion": 3}} {
				if key == "__fieldManager" && what == "text" {
					continue // which is someone else
				}
				damages[string(key)+" is "+what] = func(outputs resource.PropertyMap) { outputs[key] = resource.NewPropertyValue(v) }
			}
		}
		for what, damage := range damages {
			again := func() *session {
				damaged := *s
				damaged.stored = sample
				damaged.outputs = sample.outputs.Copy()
				damage(damaged.outputs)
				return &damaged
			}
			_, err := again().diff(in)
			require.NoError(t, err, "Diff, %s", what)
			_, err = again().diff(after)
			require.NoError(t, err, "Diff of a change, %s", what)
			require.NoError(t, again().read(), "Read, %s", what)
			_, _, err = again().preview(after)
			require.NoError(t, err, "preview, %s", what)

			damaged := again()
			inputs, err := damaged.check(after, false)
			require.NoError(t, err, what)
			require.NoError(t, damaged.update(inputs), "Update, %s", what)
			assert.Equal(t, "10", w.value("ConfigMap", "old", "data", "a"), what)
			assert.Equal(t, "10", at(t, damaged.outputs, "managedFields.data.a"), what)
			damaged.mustUp("same", after)

			if !strings.Contains(what, "resourceRef") && !strings.Contains(what, "fieldManager") && what != "nothing at all" {
				continue // which a destroy reads
			}
			damaged = again()
			damaged.destroying = nil // which believes what the state says of the manager
			damaged.in(start(t, connection))
			require.NoError(t, damaged.remove(), "Delete, %s", what)
			assert.Empty(t, w.ownedBy(s, "ConfigMap", "old"), what)
			require.NoError(t, s.createChecked(sample.inputs))
			sample = s.stored
		}
	})
}
