package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// operation is one of a JSON patch.
func operation(op, path string, more ...any) m {
	result := m{"op": op, "path": path}
	switch {
	case len(more) == 1 && (op == "move" || op == "copy"):
		result["from"] = more[0]
	case len(more) == 1:
		result["value"] = more[0]
	}
	return result
}

func TestJSONPatch(t *testing.T) {
	t.Parallel()
	const inOrder = `{list: [a, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "1"}`
	for name, c := range map[string]struct {
		patch []any
		// want is the spec afterwards; drift is done by others, and is seen if a field of it is tracked. Put right it is as
		// it was, or as repaired says.
		want, drift string
		seen        bool
		repaired    string
	}{
		"add a member": {
			[]any{operation("add", "/spec/new", "9")},
			`{list: [a, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "1", new: "9"}`, `{new: drift}`, true, "",
		},
		"add a member that is there": {
			[]any{operation("add", "/spec/deep/c", "9")},
			`{list: [a, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "9"}, gone: "1"}`, `{deep: {c: drift}}`, true, "",
		},
		"add a tree": {
			[]any{operation("add", "/spec/tree", m{"a": m{"b": 1}, "c": []any{true}})},
			`{list: [a, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "1", tree: {a: {b: 1}, c: [true]}}`, `{tree: {a: {b: 2}}}`, true, "",
		},
		"add to the end of a list": {
			[]any{operation("add", "/spec/list/-", "c")},
			`{list: [a, b, c], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "1"}`, `{list: [other]}`, true,
			`{list: [other, c], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "1"}`,
		},
		"insert into a list": {
			[]any{operation("add", "/spec/list/1", "c")},
			`{list: [a, c, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "1"}`, `{list: [a, b]}`, true, "",
		},
		"insert into a list that keeps the item": {
			[]any{operation("add", "/spec/list/1", "c")},
			`{list: [a, c, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "1"}`, `{list: [c, other]}`, false, "",
		},
		"replace a member": {
			[]any{operation("replace", "/spec/deep/c", "9")},
			`{list: [a, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "9"}, gone: "1"}`, `{deep: {c: drift}}`, true, "",
		},
		"replace a field of a keyed item": {
			[]any{operation("replace", "/spec/items/1/v", "9")},
			`{list: [a, b], items: [{name: p, v: "1"}, {name: q, v: "9"}], deep: {c: "1"}, gone: "1"}`,
			`{items: [{name: q, v: "drift"}, {name: p, v: "1"}]}`, true,
			`{list: [a, b], items: [{name: q, v: "9"}, {name: p, v: "1"}], deep: {c: "1"}, gone: "1"}`,
		},
		"remove": {
			[]any{operation("remove", "/spec/gone")},
			`{list: [a, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}}`, `{gone: back}`, false, "",
		},
		"remove from a list": {
			[]any{operation("remove", "/spec/list/0")},
			`{list: [b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "1"}`, `{list: [other]}`, false, "",
		},
		"move": {
			[]any{operation("move", "/spec/moved", "/spec/gone")},
			`{list: [a, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, moved: "1"}`, `{moved: drift}`, false, "",
		},
		"copy": {
			[]any{operation("copy", "/spec/copied", "/spec/deep")},
			`{list: [a, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "1", copied: {c: "1"}}`, `{copied: {c: drift}}`, false, "",
		},
		"test, and what it guards": {
			[]any{operation("test", "/spec/gone", "1"), operation("replace", "/spec/gone", "9")},
			`{list: [a, b], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "9"}`, `{gone: drift}`, true, "",
		},
		"several, each on what the ones before it made": {
			[]any{
				operation("add", "/spec/tree", m{}), operation("add", "/spec/tree/a", "1"), operation("test", "/spec/tree/a", "1"),
				operation("copy", "/spec/tree/b", "/spec/tree/a"), operation("replace", "/spec/tree/a", "2"), operation("add", "/spec/list/-", "c"),
				operation("remove", "/spec/list/0"),
			},
			`{list: [b, c], items: [{name: p, v: "1"}, {name: q, v: "2"}], deep: {c: "1"}, gone: "1", tree: {a: "2", b: "1"}}`, `{tree: {a: drift}}`, true, "",
		},
	} {
		t.Run(name+" [P12]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			defineBox(t)
			w.create(w.box("it", object(t, inOrder)))
			in := patching(w.box("it", nil), m{"jsonPatch": c.patch})
			p := start(t, inline(newUser(t)))
			s := patched(t, w, p, "it")
			s.previewed("create", in)
			assert.Equal(t, object(t, inOrder)["list"], w.value("Box", "it", "spec", "list"))
			want := plain(resource.NewPropertyValue(object(t, "%s", c.want)))
			is := func() any { return plain(resource.NewPropertyValue(w.value("Box", "it", "spec"))) }
			s.mustUp("create", in)
			assert.Equal(t, want, is())
			for range 2 {
				s.mustUp("same", in)
				s.previewed("same", in)
			}
			assert.Equal(t, want, is())
			assert.Equal(t, plain(in["jsonPatch"]), plain(s.outputs["jsonPatch"]))

			w.patch("Box", "it", m{"spec": object(t, "%s", c.drift)})
			drift := drifted(s, in)
			if !c.seen {
				assert.Empty(t, drift, "it was done once, and that is all")
				s.mustUp("same", in)
				return
			}
			require.NotEmpty(t, drift)
			s.mustUp("update", in).mustUp("same", in)
			if c.repaired != "" {
				want = plain(resource.NewPropertyValue(object(t, "%s", c.repaired)))
			}
			assert.Equal(t, want, is(), "what was done once is not done again")
		})
	}
	t.Run("an item of a list without keys is watched, and the list stays ours over a change beside it [P12] [P8] [P16]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		defineBox(t)
		w.create(w.box("it", m{"list": []any{"a", "b"}, "v": "1"}))
		program := func(v string) resource.PropertyMap {
			return patching(w.box("it", nil), m{"jsonPatch": []any{operation("replace", "/spec/list/1", "c"), operation("replace", "/spec/v", v)}})
		}
		s := patched(t, w, start(t, g.connection()), "it").mustUp("create", program("9"))
		assert.Contains(t, w.ownedBy(s, "Box", "it"), "f:list")
		take := g.watchRequests()
		s.refresh = false
		s.mustUp("update", program("10"))
		assert.Equal(t, []string{"GET", "json patch, dry-run", "GET", "json patch"}, take(), "nothing is released")
		s.refresh = true
		assert.Contains(t, w.ownedBy(s, "Box", "it"), "f:list")
		refusedBoth(t, w, another(t, w, s), patching(w.box("it", nil), m{"mergePatch": m{"spec": m{"list": []any{"mine"}}}}), "Box", "it",
			`"it" of shop/dev`, "spec.list")
		w.patch("Box", "it", m{"spec": m{"list": []any{"a", "b"}}})
		assert.Equal(t, map[string]string{"jsonPatch[0].value": "update"}, drifted(s, program("10")))
		s.mustUp("update", program("10")).mustUp("same", program("10"))
		assert.Equal(t, []any{"a", "c"}, w.value("Box", "it", "spec", "list"))
		s.mustUp("update", patching(w.box("it", nil), m{"jsonPatch": []any{operation("replace", "/spec/v", "11")}}))
		assert.NotContains(t, w.ownedBy(s, "Box", "it"), "f:list")
		require.NoError(t, s.destroy())
	})
	t.Run("a test that fails changes nothing, at preview and up [P12]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		in := patching(w.configMap("it", nil), m{"jsonPatch": []any{operation("replace", "/data/b", "9"), operation("test", "/data/a", "other")}})
		refusedBoth(t, w, s, in, "ConfigMap", "it", "/data/a", "test")
		s.mustUp("create", patching(w.configMap("it", nil), m{"jsonPatch": []any{operation("replace", "/data/b", "9"), operation("test", "/data/a", "1")}}))
		refusedBoth(t, w, s, in, "ConfigMap", "it", "/data/a")
		assert.Equal(t, m{"a": "1", "b": "9"}, w.value("ConfigMap", "it", "data"))
	})
	t.Run("what is only tested is not watched [P12] [P16]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		in := patching(w.configMap("it", nil), m{"jsonPatch": []any{operation("test", "/data/a", "1"), operation("replace", "/data/b", "9")}})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		w.patch("ConfigMap", "it", data("a", "changed"))
		assert.Empty(t, drifted(s, in))
		s.mustUp("same", in)
		w.patch("ConfigMap", "it", data("b", "drift"))
		stays(t, w, s, in, "ConfigMap", "it", map[string]string{"jsonPatch[1].value": "update"}, "jsonPatch[0]: test /data/a")
	})
	t.Run("a field of an item that is gone cannot be put right, which is told, and a destroy is possible [P16]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.awsNode(t))
		in := patching(w.awsNode(t), m{"jsonPatch": []any{operation("replace", "/spec/template/spec/containers/0/env/2/value", "5")}})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		w.jsonPatch("DaemonSet", "aws-node", operation("remove", "/spec/template/spec/containers/0/env/2"))
		stays(t, w, s, in, "DaemonSet", "aws-node", map[string]string{"jsonPatch": "update"}, "env[name=WARM_ENI_TARGET]", "jsonPatch")
		require.NoError(t, s.destroy())
	})
	for what, op := range map[string]m{
		"replace": operation("replace", "/data/none", "9"), "remove": operation("remove", "/data/none"),
		"add below nothing": operation("add", "/none/x", "9"), "move": operation("move", "/data/c", "/data/none"),
		"copy": operation("copy", "/data/c", "/data/none"), "add into text": operation("add", "/data/a/b", "9"),
		"an index into a map": operation("add", "/data/-/x", "9"),
	} {
		t.Run("a pointer to nowhere is told with its path: "+what+" [P12]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create(w.configMap("it", nil))
			path, _ := op["path"].(string)
			if from, ok := op["from"].(string); ok {
				path = from
			}
			refusedBoth(t, w, patched(t, w, start(t, inline(newUser(t))), "it"), patching(w.configMap("it", nil), m{"jsonPatch": []any{op}}),
				"ConfigMap", "it", path)
		})
	}
	t.Run("an index out of range is refused [P12]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		defineBox(t)
		w.create(w.box("it", m{"list": []any{"a"}}))
		for _, op := range []m{operation("replace", "/spec/list/5", "x"), operation("add", "/spec/list/5", "x"), operation("remove", "/spec/list/-1")} {
			refusedBoth(t, w, patched(t, w, start(t, inline(newUser(t))), "it"), patching(w.box("it", nil), m{"jsonPatch": []any{op}}),
				"Box", "it", op["path"].(string))
		}
	})
}

func TestWhatIsAddedOnce(t *testing.T) {
	t.Parallel()
	target := func(t *testing.T) world {
		w := newWorld(t)
		defineBox(t)
		w.create(w.box("it", m{"list": []any{"a"}, "v": "1"}))
		return w
	}
	in := func(w world, more ...any) resource.PropertyMap {
		return patching(w.box("it", nil), m{"jsonPatch": append([]any{operation("add", "/spec/list/-", "b")}, more...)})
	}
	list := func(w world) any { return w.value("Box", "it", "spec", "list") }
	t.Run("is added by the up alone, not by preview, refresh, diff or the next up [P13]", func(t *testing.T) {
		t.Parallel()
		w := target(t)
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		before := w.version("Box", "it")
		for range 2 {
			s.previewed("create", in(w))
		}
		assert.Equal(t, before, w.version("Box", "it"))
		s.mustUp("create", in(w))
		assert.Equal(t, []any{"a", "b"}, list(w))
		after := w.version("Box", "it")
		for range 2 {
			s.in(start(t, inline(newUser(t))))
			s.previewed("same", in(w))
			assert.Empty(t, s.mustDiff(in(w)))
			s.mustRead()
			s.mustUp("same", in(w))
		}
		assert.Equal(t, after, w.version("Box", "it"))
	})
	t.Run("that others keep stays as they make it, also when something else is put right [P13] [P16]", func(t *testing.T) {
		t.Parallel()
		w := target(t)
		program := in(w, operation("replace", "/spec/v", "9"))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", program)
		w.patch("Box", "it", m{"spec": m{"list": []any{"b", "c"}, "v": "drift"}})
		assert.Equal(t, map[string]string{"jsonPatch[1].value": "update"}, drifted(s, program))
		s.previewed("update", program)
		s.mustUp("update", program).mustUp("same", program)
		assert.Equal(t, []any{"b", "c"}, list(w), "only what drifted is set")
		assert.Equal(t, "9", w.value("Box", "it", "spec", "v"))
	})
	t.Run("is added again by a changed patch, once [P13]", func(t *testing.T) {
		t.Parallel()
		w := target(t)
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in(w))
		changed := patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "c")}})
		s.previewed("update", changed)
		assert.Equal(t, []any{"a", "b"}, list(w))
		s.mustUp("update", changed).mustUp("same", changed)
		assert.Equal(t, []any{"a", "b", "c"}, list(w), "what was added before keeps its place")
	})
	t.Run("is not added again because the text or waitFor changed [P13] [P19]", func(t *testing.T) {
		t.Parallel()
		w := target(t)
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in(w))
		before := w.version("Box", "it")
		s.mustUp("same", patching(w.box("it", nil), m{"jsonPatch": `[{"value": "b", "path": "/spec/list/-", "op": "add"}]`}))
		_, err := s.up(patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "b")}, "waitFor": until("field", "spec.v", longTime)}))
		require.NoError(t, err)
		assert.Equal(t, before, w.version("Box", "it"))
		assert.Equal(t, []any{"a", "b"}, list(w))
	})
	t.Run("stays when the Patch is destroyed [P13] [P25]", func(t *testing.T) {
		t.Parallel()
		w := target(t)
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in(w))
		require.NoError(t, s.destroy())
		assert.Equal(t, []any{"a", "b"}, list(w))
	})
	t.Run("to a keyed list is not tracked, and is drift of nobody [P13]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.awsNode(t))
		program := patching(w.awsNode(t), m{"jsonPatch": []any{
			operation("add", "/spec/template/spec/containers/0/env/-", m{"name": "HTTP_PROXY", "value": "http://proxy"}),
		}})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", program).mustUp("same", program)
		assert.Equal(t, "http://proxy", environment(t, w, "DaemonSet", "aws-node")["HTTP_PROXY"])
		require.NoError(t, s.destroy())
		assert.Equal(t, "http://proxy", environment(t, w, "DaemonSet", "aws-node")["HTTP_PROXY"])
		require.NoError(t, w.applies("eks", w.awsNode(t)))
	})
}
