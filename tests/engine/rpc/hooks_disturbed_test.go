package rpc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAHookIsKilledAtEachOfItsWrites kills it when it has made the account, the Job, has set its time to live, and has removed the
// account; and in an update, when it has removed the Job of before.
func TestAHookIsKilledAtEachOfItsWrites(t *testing.T) { // [T4] [H14]
	t.Parallel()
	for killed := range 5 {
		t.Run(fmt.Sprint("write ", killed), func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			in := func(image string) resource.PropertyMap {
				return program(w.job("migrate", image), hookOf("shop", m{"deleteAfter": []any{"succeeded"}}, m{"with": []any{w.account("migrate")}}))
			}
			s := w.start().task(t, "migrate")
			up := func(image string) func() error {
				return func() error { _, err := s.up(in(image)); return err }
			}
			if err := w.killedAt(s, killed, up("shop:1")); err != nil {
				require.Equal(t, 4, killed, "a run has four writes")
			} else {
				s.mustUp("create", in("shop:1"))
			}
			assert.Equal(t, 1, w.runs("migrate"))
			assert.False(t, w.exists("ServiceAccount", "migrate"))
			s.in(s.process.again(t)).mustUp("same", in("shop:1"))

			require.NoError(t, w.killedAt(s, killed, up("shop:2")), "the next has five")
			s.mustUp("update", in("shop:2"))
			assert.Equal(t, 2, w.runs("migrate"))
			assert.Equal(t, 1, w.countJobs())
			assert.False(t, w.exists("ServiceAccount", "migrate"))
			s.in(s.process.again(t)).mustUp("same", in("shop:2"))
			assert.Equal(t, 2, w.runs("migrate"))
		})
	}
}

func TestAHookThatWasKilledHasChangedMeanwhile(t *testing.T) { // [H14]
	t.Parallel()
	w := newHookWorld(t)
	in := func(image string) resource.PropertyMap {
		script := w.configMap("script", m{"run": image})
		return program(w.job("migrate", image), hookOf("shop", nil, m{"with": []any{script}}))
	}
	s := w.start().task(t, "migrate")
	w.hold("migrate")
	require.NoError(t, w.killedAt(s, 1, func() error { _, err := s.up(in("shop:1")); return err }))
	require.Equal(t, "shop:1", w.value("ConfigMap", "script", "data", "run"))
	before := w.get("Job", "migrate").GetUID()
	// The controller counts the pods that it makes by the Job's name. If the Job is replaced before it has seen the first, it
	// waits five minutes before it makes one for the next Job.
	eventually(t, func() bool { return w.value("Job", "migrate", "status", "active") != nil }, "the Job has a pod")

	done := make(chan error, 1)
	go func() { _, err := s.up(in("shop:2")); done <- err }()
	eventually(t, func() bool { uid := w.uid("Job", "migrate"); return uid != "" && uid != before }, "another Job")
	assert.Equal(t, "shop:2", w.value("ConfigMap", "script", "data", "run"), "the run has what belongs to it")
	w.release("migrate")
	require.NoError(t, ended(t, done))
	assert.Equal(t, 1, w.countJobs())
	assert.False(t, w.exists("ConfigMap", "script"))
}

// TestAHookThatHasSucceededIsGoing is killed before its state is saved. Its Job is about to go by its time to live when the next
// process finds it.
func TestAHookThatHasSucceededIsGoing(t *testing.T) { // [T4] [T5]
	t.Parallel()
	w := newHookWorld(t)
	in := program(w.job("migrate", "shop:1"), hookOf("shop", m{"deleteAfter": []any{"succeeded"}}))
	s := w.start().task(t, "migrate")
	require.NoError(t, w.killedAt(s, 1, func() error { _, err := s.up(in); return err }))
	require.EqualValues(t, 600, w.keptFor("migrate"))
	w.patch("Job", "migrate", m{"metadata": m{"finalizers": []any{"example.org/slow"}}})
	w.delete("Job", "migrate")
	s.mustUp("create", in)
	assert.Equal(t, true, s.outputs["succeeded"].BoolValue())
	w.patch("Job", "migrate", m{"metadata": m{"finalizers": nil}})
	assert.Equal(t, 1, w.runs("migrate"))
}

func TestAHookThatIsRefusedTakesBackWhatWasThereForIt(t *testing.T) { // [H14]
	t.Parallel()
	w := newHookWorld(t)
	account := w.account("runner")
	account["metadata"].(m)["finalizers"] = []any{"example.org/slow"}
	let := func() { w.patch("ServiceAccount", "runner", m{"metadata": m{"finalizers": nil}}) }
	in := program(w.job("migrate", "shop:1"), hookOf("shop", nil, m{"with": []any{account}}))
	s := w.start().task(t, "migrate")
	w.gate.always(func(r *http.Request) bool { return isApply(r) && strings.Contains(r.URL.Path, "/jobs/") },
		refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "exceeded quota"))
	_, err := s.up(in)
	require.ErrorContains(t, err, "exceeded quota")
	assert.Empty(t, s.id, "nothing has begun")
	before := w.get("ServiceAccount", "runner")
	require.NotNil(t, before.GetDeletionTimestamp())
	w.gate.heal()

	w.hold("migrate")
	done := make(chan error, 1)
	deleted := make(chan struct{})
	w.gate.next(isDelete, func(rw http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
		pass(rw, r, forward)
		close(deleted)
	})
	go func() { _, err := s.in(s.process.again(t)).up(in); done <- err }()
	select {
	case <-deleted: // It waits for the account to go.
	case <-time.After(20 * time.Second):
		t.Error("it runs with an account that is going")
	}
	let()
	w.begins("migrate")
	assert.NotEqual(t, before.GetUID(), w.uid("ServiceAccount", "runner"))
	w.release("migrate")
	require.NoError(t, ended(t, done))
	let()
}

func TestAHookInANamespaceThereIsNot(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t)
	manifest := w.job("migrate", "shop:1")
	manifest["metadata"].(m)["namespace"] = "nowhere"
	s := w.start().task(t, "it")
	_, err := s.up(program(manifest, hookOf("shop", nil)))
	require.ErrorContains(t, err, `namespaces "nowhere" not found`)
	assert.Empty(t, s.id)
}

func TestAHookWhoseNamespaceIsBeingDeleted(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t)
	held := w.configMap("held", nil)
	held["metadata"].(m)["finalizers"] = []any{"example.org/held"}
	w.create(held)
	w.delete("Namespace", w.namespace)
	s := w.start().task(t, "it")
	_, err := s.up(program(w.job("migrate", "shop:1"), hookOf("shop", nil)))
	require.ErrorContains(t, err, "is being terminated")
	assert.Empty(t, s.id)
	w.patch("ConfigMap", "held", m{"metadata": m{"finalizers": nil}})
}

func TestAHookWhoseJobIsDisturbed(t *testing.T) {
	t.Parallel()
	t.Run("suspended: it is said, and the next up goes on", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		in := program(w.job("migrate", "shop:1", m{"suspend": true}), hookOf("shop", nil, m{"timeout": "1s"}))
		s := w.start().task(t, "it")
		_, err := s.up(in)
		require.ErrorContains(t, err, "suspended")
		before := w.get("Job", "migrate").GetUID()
		w.patch("Job", "migrate", m{"spec": m{"suspend": false}})
		w.finish("migrate")
		s.in(s.process.again(t)).mustUp("update", in)
		assert.Equal(t, before, w.get("Job", "migrate").GetUID())
	})
	t.Run("deleted by hand: the next up runs it again", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		in := program(w.job("migrate", "shop:1"), hookOf("shop", nil, m{"with": []any{w.account("runner")}}))
		s := w.start().task(t, "it")
		w.hold("migrate")
		done := make(chan error, 1)
		go func() { _, err := s.up(in); done <- err }()
		w.begins("migrate")
		w.delete("Job", "migrate")
		require.ErrorContains(t, ended(t, done), "the object was deleted")
		assert.False(t, w.exists("ServiceAccount", "runner"))
		w.release("migrate")
		s.in(s.process.again(t)).mustUp("update", in)
		assert.Equal(t, 2, w.runs("migrate"))
		s.in(s.process.again(t)).mustUp("same", in)
	})
	t.Run("failed: the next up runs it again, under the same name", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		in := program(w.job("migrate", "fails:1"), hookOf("shop", nil))
		s := w.start().task(t, "it")
		for try := range 2 {
			_, err := s.up(in)
			require.ErrorContains(t, err, "says fails:1")
			assert.Equal(t, try+1, w.runs("migrate"))
			s.in(s.process.again(t))
		}
		assert.Equal(t, 1, w.countJobs())
	})
}

func TestRepliesToAHookAreLost(t *testing.T) { // [T4]
	t.Parallel()
	for name, match := range map[string]func(r *http.Request) bool{"to its creation": isRealApply, "to the deletion of the last": isDelete} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			in := func(image string) resource.PropertyMap { return program(w.job("migrate", image), hookOf("shop", nil)) }
			s := w.start().task(t, "it").mustUp("create", in("shop:1"))
			w.gate.always(match, loseReply)
			_, err := s.up(in("shop:2"))
			require.Error(t, err)
			w.gate.heal()
			did, err := s.in(s.process.again(t)).up(in("shop:2"))
			require.NoError(t, err)
			assert.Equal(t, "update", did)
			assert.Equal(t, 2, w.runs("migrate"))
			assert.Equal(t, 1, w.countJobs())
		})
	}
}

// TestATaskIsRenamedWhileItIsInterrupted gives it another URN, as an alias does.
func TestATaskIsRenamedWhileItIsInterrupted(t *testing.T) {
	t.Parallel()
	for name, hook := range map[string]map[string]any{"a Task": {}, "a hook": hookOf("shop", nil)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			in := func(timeout string) resource.PropertyMap {
				return program(w.job("migrate", "shop:1", m{"suspend": true}), hook, m{"timeout": timeout, "with": []any{w.account("runner")}})
			}
			s := w.start().task(t, "it")
			_, err := s.up(in("1s"))
			require.ErrorContains(t, err, "suspended")
			jobs, err := w.objects("Job").List(t.Context(), listAll)
			require.NoError(t, err)
			require.Len(t, jobs.Items, 1)
			job := jobs.Items[0].GetName()
			w.patch("Job", job, m{"spec": m{"suspend": false}})
			s.in(s.process.again(t)).urn = urnOfType(taskType, "renamed")
			s.mustUp("update", in("20s"))
			assert.Equal(t, 1, w.runs(job))
			assert.Equal(t, 1, w.countJobs())
			assert.False(t, w.exists("ServiceAccount", "runner"))
			s.in(s.process.again(t)).mustUp("same", in("20s"))
		})
	}
}

// TestATaskThatRunsAtTheEndGoesWithItsConnection has a Task run where its connection leads to, not where it led to at first.
func TestATaskThatRunsAtTheEndGoesWithItsConnection(t *testing.T) { // [T6]
	t.Parallel()
	w := newHookWorld(t)
	in := program(w.job("backup", "shop:1"), m{"runOn": []any{"delete"}, "keep": "always"})
	s := start(t, inline(newUser(t))).task(t, "backup").mustUp("create", in)
	s.in(w.start()).mustUp("update", in)
	assert.NotContains(t, s.warned(), "Objects were left alone", "there are none")
	s.in(s.process.again(t)).mustUp("same", in)
	assert.Equal(t, 0, w.countJobs())
	require.NoError(t, s.destroy())
	assert.Equal(t, 1, w.countJobs())
}
