package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The engine deletes what a move has replaced, at its end. If the move fails halfway and is taken back, that is an object in the place
// where the newest one is again.
func TestAMoveThatIsTakenBackLosesNothing(t *testing.T) {
	c := shared.Get(t)
	k := kubeOf(t, c)
	const objects = 8
	for name, returns := range map[string][]string{ // how the return goes: the last resource is good or bad
		"at once":                         {"good"},
		"in a second attempt":             {"bad", "good"},
		"and forth, and back again":       {"bad", "there", "good"},
		"after several attempts to do so": {"bad", "bad", "good"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, here, there := newStack(t), c.Namespace(t), c.Namespace(t)
			program := func(space, last string) {
				var text strings.Builder
				text.WriteString("resources:\n")
				var all []string
				for i := range objects {
					fmt.Fprintf(&text, "  c%d: { type: k8sconnect:KubeObject, properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: c%[1]d, namespace: %[2]s } } } }\n", i, space)
					all = append(all, fmt.Sprintf("%q", fmt.Sprintf("${c%d}", i)))
				}
				fmt.Fprintf(&text, "  last: { type: k8sconnect:KubeObject, properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: last, namespace: %s }, "+
					"data: { %q: x } } }, options: { dependsOn: [%s] } }\n", space, last, strings.Join(all, ", "))
				s.program(t, "%s", text.String())
			}
			program(here, "good")
			s.up(t)
			var ids []string
			for i := range objects {
				ids = append(ids, fmt.Sprintf("v1/ConfigMap/%s/c%d", here, i))
			}
			before := map[string]string{}
			for _, id := range ids {
				before[id] = string(k.get(t, id).GetUID())
			}
			program(there, "not a key")
			s.upFails(t)
			for _, way := range returns {
				switch way {
				case "good":
					program(here, "good")
					s.up(t)
				case "there":
					program(there, "not a key")
					s.upFails(t)
				default:
					program(here, "not a key")
					s.upFails(t)
				}
			}
			for _, id := range ids {
				live := k.find(t, id)
				if assert.NotNil(t, live, "%s is lost", id) {
					assert.Equal(t, before[id], string(live.GetUID()), id)
				}
				k.gone(t, strings.Replace(id, here, there, 1))
			}
			s.previewEmpty(t)
			s.destroy(t)
			s.tidy(t, k)
		})
	}
}
