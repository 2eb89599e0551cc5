package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRename(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)

	t.Run("an alias keeps the object, and its fields become those of the new name [O64] [O89]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/same"
		program := func(resource, data, options string) string {
			return "resources:\n" + configMapResource(resource, "same", space, data) + options
		}
		const alias = "    options: {aliases: [{name: old}]}\n"
		s.program(t, program("old", `{a: "1", b: "2"}`, ""))
		s.up(t)
		before := k.get(t, id)

		s.program(t, program("new", `{a: "1", b: "2"}`, alias))
		out := s.preview(t)
		assert.NotContains(t, out, "replace")
		assert.Contains(t, out, "The update renames its field manager")
		assert.Empty(t, changedLines(out))
		assert.Equal(t, before.GetResourceVersion(), k.get(t, id).GetResourceVersion(), "a preview writes nothing")
		assert.Contains(t, s.up(t), "~ 1 updated")
		renamed := k.get(t, id)
		assert.Equal(t, before.Object["data"], renamed.Object["data"])
		require.Len(t, renamed.GetManagedFields(), 1)
		assert.Contains(t, renamed.GetManagedFields()[0].Manager, ".new-")
		saved := s.export(t)
		assert.Equal(t, string(before.GetUID()), saved.get(t, "new").uid())
		assert.Len(t, saved.resources, 1)
		s.previewEmpty(t)

		s.program(t, program("new", `{a: "1"}`, alias))
		assert.Equal(t, []string{`- b: "2"`}, changedLines(s.preview(t)))
		s.up(t)
		live := k.get(t, id)
		assert.Equal(t, map[string]any{"a": "1"}, at(live.Object, "data"), "the field that was removed is gone")
		assert.Equal(t, before.GetUID(), live.GetUID())
		assert.Len(t, live.GetManagedFields(), 1, "nobody is left behind as an owner")
		s.previewEmpty(t)

		s.program(t, program("new", `{a: "3"}`, ""))
		s.up(t)
		assert.Equal(t, before.GetUID(), k.get(t, id).GetUID())
		assert.Equal(t, "3", k.value(t, id, "data", "a"))
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, id)
	})

	t.Run("without an alias it fails, names the owner, and deletes nothing [O64]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/same"
		s.program(t, configMap("old", "same", space))
		s.up(t)
		before := k.get(t, id)
		s.program(t, configMap("new", "same", space))
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, `managed by the KubeObject "old"`)
			assert.Contains(t, out, s.project)
			assert.Contains(t, out, "aliases")
		}
		live := k.get(t, id)
		assert.Equal(t, before.GetResourceVersion(), live.GetResourceVersion())
		assert.Nil(t, live.GetDeletionTimestamp())
		saved := s.export(t)
		assert.Len(t, saved.resources, 1)
		assert.Equal(t, string(before.GetUID()), saved.get(t, "old").uid())
		s.program(t, configMap("old", "same", space))
		s.previewEmpty(t)
	})

	t.Run("also with adopt it takes nothing from the old name [O9, O64]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/same"
		s.program(t, configMap("old", "same", space))
		s.up(t)
		before := k.get(t, id)
		s.declare(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: same, namespace: `+space+`}, data: {a: "1"}}`, "adopt: true", "")
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, `managed by the KubeObject "old"`)
		}
		live := k.get(t, id)
		assert.Equal(t, before.GetResourceVersion(), live.GetResourceVersion())
		assert.Nil(t, live.GetDeletionTimestamp())
		assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "old").uid())
	})
}
