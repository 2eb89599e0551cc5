package releases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
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

func TestATaskThatIsReplaced(t *testing.T) { // [D98]
	replaced := func(t *testing.T, image, again string, options map[string]any, runOn ...string) (*life, engine.Result) {
		l := newLife(t)
		declare := func(image string) {
			task := l.task("task", image, runOn...)
			task.Options = options
			l.declare(program{"task": task})
		}
		declare(image)
		l.Do(l.Context(), engine.Up, engine.Options{})
		declare(again)
		return l, l.Do(l.Context(), engine.Up, engine.Options{Replaces: []string{l.urn("::task")}})
	}
	for name, options := range map[string]map[string]any{"": nil, " where the old one goes first": {"deleteBeforeReplace": true}} {
		t.Run("runs no clean-up"+name, func(t *testing.T) {
			l, result := replaced(t, "hook:1", "hook:1", options, "delete")
			require.NoError(t, result.Err, result.Output)
			assert.Empty(t, jobs(l.runs(0)), "the clean-up runs on a living system")
			l.succeeds(engine.Destroy, engine.Options{})
			assert.Len(t, l.runs(0), 1, "the clean-up runs at the end")
		})
		t.Run("runs again"+name, func(t *testing.T) {
			l, result := replaced(t, "hook:1", "hook:1", options, "create", "update")
			require.NoError(t, result.Err, result.Output)
			assert.Len(t, l.runs(0), 2, "a Task that is replaced does not run again")
			l.up(engine.Options{})
			assert.Len(t, l.runs(0), 2, "it runs once more")
		})
	}
	t.Run("runs again after a run that has failed", func(t *testing.T) {
		l, result := replaced(t, "fails:1", "fails:1", nil, "create")
		require.Error(t, result.Err)
		assert.Len(t, l.runs(0), 2, "it does not run again")
	})
	t.Run("stops a run that goes on", func(t *testing.T) {
		l := newLife(t)
		task := l.task("task", "waits:1", "create")
		task.Properties["timeout"] = "1s"
		l.declare(program{"task": task})
		l.fails(engine.Up, engine.Options{})
		l.declare(program{"task": l.task("task", "hook:1", "create")})
		l.up(engine.Options{Replaces: []string{l.urn("::task")}})
		runs := l.runs(0)
		require.Len(t, runs, 2)
		assert.NotContains(t, runs[1].existed, "Job/"+runs[0].job, "two runs of one Task overlap")
	})
	t.Run("says so in the preview", func(t *testing.T) {
		l := newLife(t)
		l.declare(program{"task": l.task("task", "hook:1", "create")})
		l.up(engine.Options{})
		out := l.succeeds(engine.Preview, engine.Options{Replaces: []string{l.urn("::task")}}).Output
		assert.Contains(t, out, "will run: it is replaced.")
	})
}

func TestATaskThatHasNotSucceededAndShouldNotRunAnyMore(t *testing.T) { // [D89]
	for _, image := range []string{"fails:1", "waits:1"} {
		t.Run(image, func(t *testing.T) {
			l := newLife(t)
			task := l.task("migrate", image, "create")
			task.Properties["timeout"] = "1s"
			l.declare(program{"migrate": task})
			l.fails(engine.Up, engine.Options{})
			before := l.runs(0)
			require.Len(t, before, 1)
			l.declare(program{"migrate": l.task("drop-everything", "hook:1", "delete")})
			out := l.succeeds(engine.Preview, engine.Options{}).Output
			assert.Contains(t, out, "will not run: the last run has not succeeded, but runOn no longer asks for it.")
			l.up(engine.Options{})
			assert.Empty(t, jobs(l.runs(1)), "it runs although it should run when it is deleted")
			assert.NotContains(t, l.live(l.space), "Job/"+before[0].job, "what nobody asks for any more goes on")
			l.up(engine.Options{ExpectNoChanges: true})
			l.succeeds(engine.Destroy, engine.Options{})
			assert.Len(t, l.runs(1), 1, "it runs at its end")
		})
	}
	t.Run("but on updates, after a change", func(t *testing.T) {
		l := newLife(t)
		l.declare(program{"migrate": l.task("migrate", "fails:1", "create")})
		l.fails(engine.Up, engine.Options{})
		l.declare(program{"migrate": l.task("migrate", "hook:1", "update")})
		l.up(engine.Options{})
		assert.Len(t, l.runs(0), 2, "what it runs has changed")
	})
}

// A change that fails has not become the Task's, as with every resource: at its end runs what it was until then.
func TestAtTheEndOfATaskRunsWhatItWasBeforeAChangeThatFailed(t *testing.T) { // [D89]
	l := newLife(t)
	l.declare(program{"task": l.task("clean-up", "hook:1", "delete")})
	l.up(engine.Options{})
	l.declare(program{"task": l.task("migrate", "fails:1", "create", "update")})
	l.fails(engine.Up, engine.Options{})
	require.Len(t, l.runs(0), 1)
	l.declare(program{})
	l.up(engine.Options{})
	require.Len(t, l.runs(1), 1)
	assert.Contains(t, jobs(l.runs(1))[0], "clean-up-")
}
