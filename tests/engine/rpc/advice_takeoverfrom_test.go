package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheLineForTakeOverFromWorksWhereItIsPasted takes the line out of the message that offers it, and puts it in the place of what the
// program has there.
func TestTheLineForTakeOverFromWorksWhereItIsPasted(t *testing.T) {
	t.Parallel()
	t.Run("of an object that another KubeObject manages", func(t *testing.T) {
		t.Parallel()
		for name, has := range map[string]m{"with nothing there": nil, "with another manager there": takingOver("helm")} {
			w := newWorld(t)
			start(t, inline(newUser(t))).resource(t, "former").mustUp("create", program(w.configMap("web", m{"a": "1", "b": "2"})))
			w.apply("helm", w.configMap("web", m{"a": "1", "b": "2"}))
			made := w.configMap("web", m{"a": "1", "c": "9"})
			s := start(t, inline(newUser(t))).bakery(t, "web")
			_, err := s.up(program(made, adopting, has))
			require.ErrorContains(t, err, "managed by the KubeObject", name)
			in := program(made, adopting, pasted(t, err.Error(), "takeOverFrom"))
			s.mustUp("create", in).mustUp("same", in)
			assert.Equal(t, "9", w.value("ConfigMap", "web", "data", "c"), name)
			if has != nil {
				assert.NotContains(t, w.owned("ConfigMap", "web", "helm"), "f:a", "what the program had named is taken over, too")
			}
		}
	})
	t.Run("of an imported object that another KubeObject manages", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		start(t, inline(newUser(t))).resource(t, "former").mustUp("create", program(w.configMap("web", nil)))
		s := start(t, inline(newUser(t))).bakery(t, "web")
		require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/web"))
		in := program(w.configMap("web", m{"a": "9"}), pasted(t, s.told("unless it takes the object over"), "takeOverFrom"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, "9", w.value("ConfigMap", "web", "data", "a"))
	})
	t.Run("of fields that leave the manifest and stay, whoever has applied them", func(t *testing.T) {
		t.Parallel()
		for _, manager := range []string{"helm", "intern"} {
			w := newWorld(t)
			if manager == "intern" {
				w.create(w.configMap("web", m{"a": "1", "b": "2"}))
			} else {
				w.apply(manager, w.configMap("web", m{"a": "1", "b": "2"}))
			}
			w.apply("other", w.configMap("web", m{"a": "1"}))
			all := w.configMap("web", m{"a": "1", "b": "2"})
			s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(all, adopting, takingOver("other")))
			left := w.configMap("web", m{"a": "1"})
			s.mustUp("update", program(left, takingOver("other")))
			lines := pasted(t, s.told("these fields leave the manifest but stay on the object"), "takeOverFrom")
			assert.Equal(t, []any{"other", manager}, lines["takeOverFrom"])
			in := program(left, lines)
			s.in(s.process.again(t)).mustUp("update", in).mustUp("same", in)
			assert.Equal(t, m{"a": "1"}, w.value("ConfigMap", "web", "data"), manager)
		}
	})
	t.Run("of managers that are left behind, one after the other", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.configMap("web", m{"a": "1", "b": "2"}))
		w.apply("kubectl", w.configMap("web", m{"a": "1", "c": "3"}))
		all := w.configMap("web", m{"a": "1", "b": "2", "c": "3"})
		s := start(t, inline(newUser(t))).resource(t, "web")
		_, _, err := s.preview(program(all, adopting))
		require.NoError(t, err)
		s.mustUp("create", program(all, adopting))
		lines := pasted(t, s.told("If it no longer manages the object"), "takeOverFrom")
		s.in(s.process.again(t)).mustUp("update", program(all, lines))
		require.Len(t, lines["takeOverFrom"], 1)
		left := w.configMap("web", m{"a": "1"})
		s.mustUp("update", program(left, lines))
		more := pasted(t, s.told("these fields leave the manifest but stay on the object"), "takeOverFrom")
		assert.ElementsMatch(t, []any{"helm", "kubectl"}, more["takeOverFrom"])
		s.in(s.process.again(t)).mustUp("update", program(left, more)).mustUp("same", program(left, more))
		assert.Equal(t, m{"a": "1"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("of an adopted object that has more than the manifest", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", withContainers(t, w, "web"))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(withContainers(t, w, "app"), adopting))
		lines := pasted(t, warningOf(s, webContainer), "takeOverFrom")
		s = s.in(s.process.again(t)).mustUp("update", program(withContainers(t, w, "app", "web"), lines))
		s.mustUp("update", program(withContainers(t, w, "app"), lines)).mustUp("same", program(withContainers(t, w, "app"), lines))
		assert.Equal(t, []any{"app"}, containersOf(t, w, "web"))
	})
	t.Run("of a manager that has come back: once without its name, and once with it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.configMap("web", m{"a": "1", "b": "2"}))
		all := w.configMap("web", m{"a": "1", "b": "2"})
		with := program(all, adopting, takingOver("helm"))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", with)
		w.apply("helm", w.configMap("web", m{"a": "1", "b": "2"}))
		s = s.in(s.process.again(t)).mustUp("same", with)
		require.Contains(t, s.told("was taken over and owns fields of this resource again"), "run `pulumi up` once without its name in takeOverFrom, and once with it")
		s.mustUp("same", program(all, adopting))
		s.mustUp("update", with).mustUp("same", with)
		assert.Empty(t, w.owned("ConfigMap", "web", "helm"))
	})
	eachKind(t, "of the target of a Patch", func(t *testing.T, kind string) {
		w := newWorld(t)
		target := w.configMap("left", m{"a": "1"})
		start(t, inline(newUser(t))).resource(t, "left").mustUp("create", program(target))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		_, err := s.up(patching(target, setting(kind, data("a", "ours"))))
		in := patching(target, setting(kind, data("a", "ours")), pasted(t, err.Error(), "takeOverFrom"))
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, "ours", w.value("ConfigMap", "left", "data", "a"))
	})
}
