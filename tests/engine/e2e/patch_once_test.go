package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// podTemplate is an object with a plain list deep inside which no controller touches.
const podTemplate = `
apiVersion: v1
kind: PodTemplate
metadata: {name: %[2]s, namespace: %[1]s}
template:
  metadata: {labels: {app: x}}
  spec: {containers: [{name: main, image: "registry.example/app:1", args: [--quiet]}]}
`

// appendArg is a Patch that adds an argument to the only container of a pod template.
func appendArg(resource, space, name, arg string) string {
	return patchOf(resource, fmt.Sprintf("{apiVersion: v1, kind: PodTemplate, namespace: %s, name: %s}", space, name),
		fmt.Sprintf(`jsonPatch: [{op: add, path: /template/spec/containers/0/args/-, value: %s}]`, arg))
}

// TestAddingToAListHappensOnce has twenty Patches each add an item to a list, which is not to be
// repeated by whatever else is done: a hundred previews of them, a hundred refreshes, and ten
// times an up that changes nothing.
func TestAddingToAListHappensOnce(t *testing.T) {
	t.Parallel()
	const patches, times = 20, 5
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	ids := make([]string, patches)
	for i := range ids {
		ids[i] = fmt.Sprintf("v1/PodTemplate/%s/pods-%d", space, i)
		k.create(t, ids[i], fmt.Sprintf(podTemplate, space, fmt.Sprint("pods-", i)))
	}
	declare := func(arg string) {
		program := "resources:"
		for i := range ids {
			program += appendArg(fmt.Sprint("patch-", i), space, fmt.Sprint("pods-", i), arg)
		}
		s.program(t, "%s", program)
	}
	versions := func() (versions []string) {
		for _, id := range ids {
			versions = append(versions, k.get(t, id).GetResourceVersion())
		}
		return versions
	}
	args := func(want ...any) {
		t.Helper()
		for _, id := range ids {
			assert.Equal(t, want, k.value(t, id, "template", "spec", "containers", 0, "args"), id)
		}
	}

	declare("--first")
	before := versions()
	s.preview(t)
	require.Equal(t, before, versions(), "the preview of a create writes nothing [P13, P21]")
	s.up(t)
	args("--quiet", "--first")
	before = versions()

	step(t, "a hundred previews and a hundred refreshes write nothing [P13, P21]", func(t *testing.T) {
		for range times {
			s.previewEmpty(t)
			s.refresh(t)
		}
		assert.Equal(t, before, versions())
	})
	step(t, "ten times up without a change is nothing [P13, P18]", func(t *testing.T) {
		for range 2 * times {
			assert.Contains(t, s.up(t), fmt.Sprintf("%d unchanged", patches+1))
		}
		assert.Equal(t, before, versions())
	})
	step(t, "the preview of a change writes nothing, and up adds once more [P13, P21]", func(t *testing.T) {
		declare("--second")
		for range 2 {
			out := s.preview(t)
			assert.Contains(t, out, fmt.Sprintf("~ %d to update", patches))
			assert.Equal(t, patches, strings.Count(out, "so all of it is carried out"), "what is going to be repeated is said")
		}
		assert.Equal(t, before, versions())
		mark, err := c.AuditMark()
		require.NoError(t, err)
		s.up(t)
		for i := range ids {
			assert.Len(t, writesOf(t, c, mark, fmt.Sprint("pods-", i)), 1)
		}
		args("--quiet", "--first", "--second")
		s.previewEmpty(t)
	})
	step(t, "destroy leaves what was added [P25]", func(t *testing.T) {
		s.handBack(t, k, ids...)
		args("--quiet", "--first", "--second")
	})
}

// TestPatchOfAKilledCLI kills the CLI when the API server has done the patch and the provider does
// not know yet. Nothing is saved but the engine's note that it was interrupted.
func TestPatchOfAKilledCLI(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space, proxy := kubeOf(t, c), newStack(t), c.Namespace(t), newFaulty(t, c)
	s.connectAs(t, proxy.User)
	id := "v1/PodTemplate/" + space + "/pods"
	k.create(t, id, fmt.Sprintf(podTemplate, space, "pods"))
	s.program(t, "%s", "resources:"+appendArg("added", space, "pods", "--added")+
		configMapResource("after", "after", space, `{of: "${added.resourceRef.revision}"}`))
	args := func() any { return k.value(t, id, "template", "spec", "containers", 0, "args") }

	kill := func(t *testing.T, items int) {
		t.Helper()
		up := upHeld(t, s, proxy, func(r *http.Request) bool { return writes("pods")(r) && len(args().([]any)) == items })
		s.kill(t, up)
		require.Equal(t, -1, up.wait(t).code)
		proxy.heal()
		assert.Contains(t, s.upFails(t), "`pulumi cancel`")
		s.run(t, "cancel", "--yes")
	}

	kill(t, 2)
	require.Equal(t, []any{"--quiet", "--added"}, args(), "the API server did it")
	k.gone(t, "v1/ConfigMap/"+space+"/after")
	assert.Empty(t, s.export(t).resources)

	step(t, "the next up takes its own work up and adds nothing a second time [P13]", func(t *testing.T) {
		before := k.get(t, id).GetResourceVersion()
		s.preview(t)
		s.up(t)
		assert.Equal(t, []any{"--quiet", "--added"}, args())
		assert.Equal(t, before, k.get(t, id).GetResourceVersion())
		saved := s.export(t)
		assert.Equal(t, id, saved.get(t, "added").ID)
		assert.Equal(t, at(saved.get(t, "added").Outputs, "resourceRef", "revision"), k.value(t, "v1/ConfigMap/"+space+"/after", "data", "of"))
		s.previewEmpty(t)
	})
	step(t, "a reply that is lost is asked for in place, and not sent again [P13]", func(t *testing.T) {
		s.program(t, "%s", "resources:"+appendArg("added", space, "pods", "--more"))
		proxy.strike(func(r *http.Request) bool { return writes("pods")(r) && len(args().([]any)) == 3 }, lose)
		out := s.upFails(t)
		proxy.heal()
		assert.Contains(t, out, "it is not known whether the API server carried out the patch")
		assert.Equal(t, []any{"--quiet", "--added", "--more"}, args(), "the API server did it")
		pending := s.export(t).get(t, "added")
		assert.Equal(t, true, pending.Outputs["__pendingPatch"])
		assert.NotEmpty(t, pending.InitErrors)
		before := k.get(t, id).GetResourceVersion()
		assert.Contains(t, s.preview(t), "~ 1 to update")
		s.refresh(t)
		s.up(t)
		assert.Equal(t, []any{"--quiet", "--added", "--more"}, args())
		assert.Equal(t, before, k.get(t, id).GetResourceVersion())
		assert.NotContains(t, s.export(t).get(t, "added").Outputs, "__pendingPatch")
		s.previewEmpty(t)
	})
	step(t, "a CLI that is killed in an update adds nothing a second time either [P13]", func(t *testing.T) {
		s.program(t, "%s", "resources:"+appendArg("added", space, "pods", "--last"))
		kill(t, 4)
		require.Equal(t, []any{"--quiet", "--added", "--more", "--last"}, args(), "the API server did it")
		s.up(t)
		assert.Equal(t, []any{"--quiet", "--added", "--more", "--last"}, args())
		s.previewEmpty(t)
	})
	step(t, "destroy", func(t *testing.T) {
		s.handBack(t, k, id)
		assert.Equal(t, 1, strings.Count(fmt.Sprint(args()), "--added"))
	})
}
