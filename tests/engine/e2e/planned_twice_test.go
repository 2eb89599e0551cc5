package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTwoResourcesForOneObject(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	t.Run("fail the preview, and each of them alone succeeds [D81]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		one, two := configMapResource("one", "web", space, `{a: "1"}`), configMapResource("two", "web", space, `{b: "1"}`)
		s.program(t, "%s", "\nresources:\n"+one+two)
		printed := s.previewFails(t)
		assert.Contains(t, printed, "ConfigMap "+space+"/web is in this program twice")
		assert.Contains(t, printed, "Next: remove one of them.")
		s.program(t, "%s", "\nresources:\n"+two)
		s.up(t)
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("fail it also where a set has one of them [D81]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		s.program(t, "%s", "\nresources:\n"+configMapResource("one", "web", space, `{a: "1"}`)+`
  set:
    type: k8sconnect:Manifests
    properties:
      manifests: [{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: `+space+`}}]
`)
		assert.Contains(t, s.previewFails(t), "ConfigMap "+space+"/web is in this program twice")
	})
}
