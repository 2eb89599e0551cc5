package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// beside makes a stack of another project in the same backend.
func (s *stack) beside(t testing.TB, k *kube) *stack {
	t.Helper()
	other := &stack{project: s.project + "-b", name: s.name, dir: t.TempDir(), backend: s.backend, env: s.env}
	other.program(t, "")
	other.run(t, "stack", "init", other.name)
	t.Cleanup(func() { other.tidy(t, k) })
	return other
}

// full is how the CLI names a stack of any project.
func (s *stack) full() string { return "organization/" + s.project + "/" + s.name }

func (s *stack) urn(resource string) string {
	return "urn:pulumi:" + s.name + "::" + s.project + "::k8sconnect:index:KubeObject::" + resource
}

// managers are the field managers of an object.
func (k *kube) managers(t testing.TB, id string) []string {
	t.Helper()
	var names []string
	for _, entry := range k.get(t, id).GetManagedFields() {
		names = append(names, entry.Manager)
	}
	return names
}

// TestMovedToAnotherStack is about resources whose state goes to another stack, or whose stack gets another name.
func TestMovedToAnotherStack(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)

	t.Run("pulumi state move: the new stack says what it renames, the former one cannot share the object [O89] [D31]", func(t *testing.T) {
		t.Parallel()
		for _, first := range []string{"the new stack is updated first", "the former stack is updated first"} {
			a, space := newStack(t), c.Namespace(t)
			b := a.beside(t, k)
			id := "v1/ConfigMap/" + space + "/settings"
			a.program(t, "%s", configMap("settings", "settings", space))
			a.up(t)
			before := k.get(t, id)
			former := k.managers(t, id)
			a.run(t, "state", "move", "--yes", "--source", a.full(), "--dest", b.full(), a.urn("settings"))
			b.program(t, "%s", configMap("settings", "settings", space))
			if first == "the former stack is updated first" {
				// The object is young, so it looks like one of its own whose state was not saved. It does not stay like that.
				a.up(t)
				assert.Equal(t, former, k.managers(t, id))
			}
			out := b.preview(t)
			assert.Contains(t, out, "The update renames its field manager")
			assert.Contains(t, out, "~ 1 to update")
			assert.Equal(t, former, k.managers(t, id), "a preview writes nothing")
			b.up(t)
			after := k.get(t, id)
			assert.Equal(t, before.GetUID(), after.GetUID())
			assert.Equal(t, before.Object["data"], after.Object["data"])
			require.Len(t, k.managers(t, id), 1)
			assert.Contains(t, k.managers(t, id)[0], b.project)
			b.previewEmpty(t)

			if first == "the new stack is updated first" {
				out = a.upFails(t)
				assert.Contains(t, out, `managed by the KubeObject "settings" of `+b.project+"/"+b.name)
				assert.Contains(t, out, "takeOverFrom: [")
			} else {
				a.program(t, "%s", "resources:\n"+configMapResource("settings", "settings", space, `{a: "9"}`))
				assert.Contains(t, a.upFails(t), `managed by the KubeObject "settings" of `+b.project+"/"+b.name)
			}
			a.destroy(t)
			assert.Equal(t, after.GetResourceVersion(), k.get(t, id).GetResourceVersion(), "the former stack leaves the object alone")
			b.previewEmpty(t)
			b.destroy(t)
			k.gone(t, id)
		}
	})
	t.Run("pulumi stack rename: the next update says what it renames [O89]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/settings"
		s.program(t, "%s", configMap("settings", "settings", space))
		s.up(t)
		before := k.get(t, id)
		s.run(t, "stack", "rename", "renamed")
		s.name, s.env["PULUMI_STACK"] = "renamed", "renamed"
		out := s.preview(t)
		assert.Contains(t, out, "The update renames its field manager")
		assert.Contains(t, s.up(t), "~ 1 updated")
		require.Len(t, k.managers(t, id), 1)
		assert.Contains(t, k.managers(t, id)[0], s.project+".renamed.settings")
		assert.Equal(t, before.GetUID(), k.get(t, id).GetUID())
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, id)
	})
}
