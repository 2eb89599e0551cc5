package e2e

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

// operation is what a diff says about one resource.
type operation struct{ name, text string }

var operationHeader = regexp.MustCompile(`(?m)^\s*\S* ?(?:k8sconnect|pulumi):\S+: \((\S+)\)`)

// operations splits a diff.
func operations(diff string) []operation {
	var result []operation
	headers := operationHeader.FindAllStringSubmatchIndex(diff, -1)
	for i, header := range headers {
		end := len(diff)
		if i+1 < len(headers) {
			end = headers[i+1][0]
		}
		result = append(result, operation{diff[header[2]:header[3]], diff[header[0]:end]})
	}
	return result
}

func TestSameNameReplacement(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)

	t.Run("up --replace never loses the object", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/same"
		s.program(t, configMap("object", "same", space))
		s.up(t)
		before := k.get(t, id)
		urn := s.export(t).get(t, "object").URN

		out := s.upFails(t, "--replace", urn)
		assert.Contains(t, out, "deleteBeforeReplace")
		live := k.get(t, id)
		assert.Equal(t, before.GetUID(), live.GetUID())
		assert.Nil(t, live.GetDeletionTimestamp())
		assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "object").uid())
		s.previewEmpty(t)
		s.up(t, "--expect-no-changes")
		assert.Equal(t, before.GetResourceVersion(), k.get(t, id).GetResourceVersion())

		s.program(t, configMap("object", "same", space, "deleteBeforeReplace: true"))
		assert.Contains(t, s.preview(t, "--replace", urn), "+-1 to replace")
		s.up(t, "--replace", urn)
		live = k.get(t, id)
		assert.NotEqual(t, before.GetUID(), live.GetUID())
		assert.Equal(t, string(live.GetUID()), s.export(t).get(t, "object").uid())
		s.previewEmpty(t)
	})

	// Without reads before the update, nothing tells the provider that the object that it finds is
	// the one to be replaced, until it is to delete it.
	t.Run("up --replace keeps the object, and says so, where previews do not read", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		s.config(t, "k8sconnect:driftDetection", "refresh")
		id := "v1/ConfigMap/" + space + "/same"
		s.program(t, configMap("object", "same", space))
		s.up(t)
		before := k.get(t, id)
		assert.Contains(t, s.up(t, "--replace", s.export(t).get(t, "object").URN), "is kept")
		live := k.get(t, id)
		assert.Equal(t, before.GetResourceVersion(), live.GetResourceVersion())
		assert.Nil(t, live.GetDeletionTimestamp())
		assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "object").uid())
		assert.Len(t, s.export(t).resources, 1)
		s.refresh(t, "--expect-no-changes")
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, id)
	})

	t.Run("replaceOnChanges without deleteBeforeReplace never loses the object", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/same"
		program := func(value, options string) string {
			return "resources:\n" + configMapResource("object", "same", space, `{a: "`+value+`"}`) +
				"    options: {replaceOnChanges: [manifest.data.a]" + options + "}\n"
		}
		s.program(t, program("1", ""))
		s.up(t)
		before := k.get(t, id)
		s.program(t, program("2", ""))
		assert.Contains(t, s.upFails(t), "deleteBeforeReplace")
		assert.Equal(t, before.GetResourceVersion(), k.get(t, id).GetResourceVersion())
		s.program(t, program("2", ", deleteBeforeReplace: true"))
		s.up(t)
		assert.NotEqual(t, before.GetUID(), k.get(t, id).GetUID())
		assert.Equal(t, "2", k.value(t, id, "data", "a"))
		s.previewEmpty(t)
	})

	t.Run("another provider of the same cluster keeps the object", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/same"
		s.file(t, "cluster", string(c.Kubeconfig()))
		explicit := func(name string) string {
			return fmt.Sprintf(`
resources:
  %[1]s: {type: "pulumi:providers:k8sconnect", properties: {kubeconfig: {fn::readFile: ./cluster}}}
%[2]s    options: {provider: "${%[1]s}"}
`, name, configMapResource("object", "same", space, `{a: "1"}`))
		}
		s.program(t, configMap("object", "same", space))
		s.up(t)
		before := k.get(t, id)
		for _, program := range []string{explicit("one"), explicit("two"), configMap("object", "same", space)} {
			s.program(t, program)
			s.up(t)
			live := k.get(t, id)
			assert.Equal(t, before.GetUID(), live.GetUID())
			assert.Nil(t, live.GetDeletionTimestamp())
			assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "object").uid())
			s.previewEmpty(t)
		}
	})
}
