package releases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine/defects"
)

// task is a Task with a Job of this name and image.
func (l *life) task(name, image string, runOn ...string) resource {
	return resource{Type: "k8sconnect:Task", Properties: map[string]any{
		"runOn": runOn,
		"manifest": map[string]any{
			"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": name, "namespace": l.space},
			"spec": map[string]any{"backoffLimit": 0, "template": map[string]any{"spec": map[string]any{
				"restartPolicy": "Never", "containers": []any{map[string]any{"name": "main", "image": image}},
			}}},
		},
	}}
}

func TestATaskThatIsReplaced(t *testing.T) {
	t.Run("runs no clean-up", func(t *testing.T) {
		defects.Open(t, "[D98]", "the clean-up runs on a living system", func(t testing.TB) {
			l := newLife(t)
			l.declare(program{"clean": l.task("clean", "hook:1", "delete")})
			l.up(engine.Options{})
			l.up(engine.Options{Replaces: []string{l.urn("::clean")}})
			assert.Empty(t, jobs(l.runs(0)), "the clean-up runs on a living system")
		})
	})
	t.Run("runs again", func(t *testing.T) {
		defects.Open(t, "[D98]", "does not run again", func(t testing.TB) {
			l := newLife(t)
			l.declare(program{"migrate": l.task("migrate", "hook:1", "create", "update")})
			l.up(engine.Options{})
			l.up(engine.Options{Replaces: []string{l.urn("::migrate")}})
			assert.Len(t, l.runs(0), 2, "a Task that is replaced does not run again")
		})
	})
}

func TestAFailedTaskThatShouldNotRunAnyMore(t *testing.T) {
	defects.Open(t, "[D89]", "runs although", func(t testing.TB) {
		l := newLife(t)
		l.declare(program{"migrate": l.task("migrate", "fails:1", "create")})
		l.fails(engine.Up, engine.Options{})
		before := len(l.runs(0))
		l.declare(program{"migrate": l.task("drop-everything", "hook:1", "delete")})
		l.up(engine.Options{})
		assert.Empty(t, jobs(l.runs(before)), "it runs although it should run when it is deleted")
	})
}
