package rpc_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDeleteHooksWithoutStepsMakeNoRequest(t *testing.T) { // [H7]
	t.Parallel()
	gate := newGateway(t)
	s := start(t, gate.connection()).releaseHooks(t, "pre-delete").mustUp("create", deleteHooks(nil))
	s.in(s.process.again(t)).mustUp("same", deleteHooks(nil))
	s.mustUp("update", deleteHooks(m{"timeout": "5m"}))
	s.mustUp("same", deleteHooks(m{"timeout": "5m", "clusterConnection": m{"host": "https://127.0.0.1:1", "token": "nobody"}}))
	assert.Empty(t, s.warned(), "it has nothing in any cluster")
	s.mustRead()
	require.NoError(t, s.in(s.process.again(t)).destroy())
	assert.Empty(t, gate.takeSeen())
}

func TestDeleteHooksAreOnlyRemembered(t *testing.T) { // [H7]
	t.Parallel()
	w := newHookWorld(t)
	in := func(image string) resource.PropertyMap {
		return deleteHooks(nil, hookStep(w.job("clean", image), "succeeded"))
	}
	s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in("shop:1"))
	assert.Equal(t, map[string]int{clusterID: 1}, tally(w.gate.takeSeen()), "which cluster it is, and no more")
	again := func() *session { return s.in(s.process.again(t)) }
	again().mustUp("same", in("shop:1"))
	assert.Empty(t, w.gate.takeSeen())
	for name, c := range map[string]struct {
		in   resource.PropertyMap
		path string
	}{
		"another image": {in("shop:2"), "steps[0].manifest.spec.template.spec.containers[0].image"},
		"fewer steps":   {deleteHooks(nil), "steps[0]"},
		"unknown steps": {deleteHooks(nil, unknown()), "steps[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			diff, err := again().diff(c.in)
			require.NoError(t, err)
			assert.False(t, diff.Replace(), "a clean-up must not run on a release that lives on")
			assert.Contains(t, kinds(t, diff), c.path)
			did, _, err := s.preview(c.in)
			require.NoError(t, err)
			assert.Equal(t, "update", did)
		})
	}
	again().mustUp("update", in("shop:2"))
	s.mustUp("update", deleteHooks(nil))
	require.NoError(t, again().destroy(), "a version of the chart without them has been installed")
	assert.Equal(t, 0, w.countJobs())
}

func TestDeleteHooksRunOneAfterTheOther(t *testing.T) { // [H7]
	t.Parallel()
	w := newHookWorld(t)
	in := deleteHooks(nil,
		hookStep(w.account("runner"), "succeeded"), hookStep(w.configMap("report", nil)),
		hookStep(w.job("first", "shop:1")), hookStep(w.job("second", "shop:1"), "succeeded"))
	s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in)
	assert.Equal(t, 0, w.countJobs())
	w.hold("second")
	done := make(chan error, 1)
	go func() { done <- s.destroy() }()
	w.begins("second")
	assert.True(t, w.exists("ServiceAccount", "runner"))
	assert.Equal(t, []string{"first", "second"}, w.inOrder())
	w.release("second")
	require.NoError(t, ended(t, done))
	assert.False(t, w.exists("ServiceAccount", "runner"), "hook-succeeded")
	assert.True(t, w.exists("ConfigMap", "report"), "the others stay, as helm leaves them")
	assert.Nil(t, w.keptFor("first"))
	assert.EqualValues(t, 600, w.keptFor("second"), "the evidence, for ten minutes")

	t.Run("and in the next life again, whatever is left of the last", func(t *testing.T) {
		s.in(s.process.again(t)).mustUp("create", in)
		require.NoError(t, s.destroy())
		assert.Equal(t, []string{"first", "second", "first", "second"}, w.inOrder())
		assert.Equal(t, 2, w.countJobs())
	})
}

// TestDeleteHooksAreKilledAtEachOfTheirWrites kills them when they have made the account and the two Jobs, have set the time to live
// of the one Job, and have removed the account.
func TestDeleteHooksAreKilledAtEachOfTheirWrites(t *testing.T) { // [H7] [H14] [T4]
	t.Parallel()
	for killed := range 6 {
		t.Run(fmt.Sprint("write ", killed), func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			s := w.start().releaseHooks(t, "pre-delete").mustUp("create", deleteHooks(nil,
				hookStep(w.account("runner"), "succeeded"), hookStep(w.job("first", "shop:1")), hookStep(w.job("second", "shop:1"), "succeeded")))
			if err := w.killedAt(s, killed, s.destroy); err != nil {
				require.Equal(t, 5, killed, "there are five writes")
				return
			}
			require.NoError(t, s.destroy())
			assert.Equal(t, []string{"first", "second"}, w.inOrder(), "each has run once")
			assert.False(t, w.exists("ServiceAccount", "runner"))
			assert.Equal(t, 2, w.countJobs())
		})
	}
}

func TestWhatDeleteHooksHaveDoneLastsUntilAllAreDone(t *testing.T) { // [H7] [T4]
	t.Parallel()
	w := newHookWorld(t)
	s := w.start().releaseHooks(t, "pre-delete").mustUp("create", deleteHooks(nil,
		hookStep(w.job("first", "shop:1", m{"ttlSecondsAfterFinished": 1}), "succeeded"), hookStep(w.job("second", "shop:1"))))
	w.hold("second")
	require.NoError(t, w.killedAt(s, 1, s.destroy))
	w.begins("second")
	assert.Nil(t, w.keptFor("first"))
	w.release("second")
	require.NoError(t, s.destroy())
	assert.Equal(t, []string{"first", "second"}, w.inOrder())
	eventually(t, func() bool { return !w.exists("Job", "first") }, "it goes by its own time to live")
}

func TestWhatAFailedAttemptHasRemovedIsMadeAgain(t *testing.T) { // [H7]
	t.Parallel()
	w := newHookWorld(t)
	account := w.account("runner")
	account["metadata"].(m)["finalizers"] = []any{"example.org/slow"}
	let := func() { w.patch("ServiceAccount", "runner", m{"metadata": m{"finalizers": nil}}) }
	s := w.start().releaseHooks(t, "pre-delete").mustUp("create", deleteHooks(nil, hookStep(account, "succeeded"), hookStep(w.job("clean", "fails:1"))))
	require.ErrorContains(t, s.destroy(), "says fails:1")
	before := w.get("ServiceAccount", "runner")
	require.NotNil(t, before.GetDeletionTimestamp(), "it is going")

	done := make(chan error, 1)
	w.hold("clean")
	go func() { done <- s.in(s.process.again(t)).destroy() }()
	eventually(t, func() bool { return !w.exists("Job", "clean") }, "the Job of before has gone")
	let()
	eventually(t, func() bool { return w.runs("clean") == 2 }, "it is run again")
	assert.NotEqual(t, before.GetUID(), w.uid("ServiceAccount", "runner"), "with an account that stays")
	w.release("clean")
	require.ErrorContains(t, ended(t, done), "says fails:1")
	let()
}

func TestADeleteHookFails(t *testing.T) { // [H7]
	t.Parallel()
	in := func(w *hookWorld, image string, more map[string]any) resource.PropertyMap {
		return deleteHooks(more, hookStep(w.account("runner"), "succeeded"), hookStep(w.job("first", "shop:1"), "succeeded"),
			hookStep(w.job("second", image), "failed"), hookStep(w.job("third", "shop:1")))
	}
	t.Run("so does the deletion, and the resource stays", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in(w, "fails:1", nil))
		err := s.destroy()
		require.ErrorContains(t, err, "exited with code 3")
		require.ErrorContains(t, err, "says fails:1")
		require.ErrorContains(t, err, "The release stays. To delete it although this run fails, set forceDestroy")
		assert.Equal(t, []string{"first", "second"}, w.inOrder(), "the others are not begun")
		assert.False(t, w.exists("ServiceAccount", "runner"), "no account outlives a run that has ended")
		assert.EqualValues(t, 600, w.keptFor("second"), "hook-failed")

		err = s.in(s.process.again(t)).destroy()
		require.ErrorContains(t, err, "says fails:1")
		assert.Equal(t, []string{"first", "second", "second"}, w.inOrder(), "what has succeeded is not repeated")

		s.mustUp("update", in(w, "shop:1", nil))
		require.NoError(t, s.destroy())
		assert.Equal(t, []string{"first", "second", "second", "second", "third"}, w.inOrder())
		assert.False(t, w.exists("ServiceAccount", "runner"))
	})
	t.Run("and the release goes all the same with forceDestroy", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in(w, "fails:1", m{"forceDestroy": true}))
		require.NoError(t, s.destroy())
		assert.Contains(t, s.warned(), "because of forceDestroy")
		assert.Contains(t, s.warned(), "says fails:1")
		assert.Equal(t, []string{"first", "second"}, w.inOrder())
		assert.False(t, w.exists("ServiceAccount", "runner"))
	})
	t.Run("as its namespace is gone", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		job := w.job("first", "shop:1")
		job["metadata"].(m)["namespace"] = "nowhere"
		s := w.start().releaseHooks(t, "pre-delete").mustUp("create", deleteHooks(nil, hookStep(w.account("runner"), "succeeded"), hookStep(job)))
		require.ErrorContains(t, s.destroy(), `namespaces "nowhere" not found`)
		assert.False(t, w.exists("ServiceAccount", "runner"))
	})
}

func TestADeleteHookDoesNotEndInTime(t *testing.T) { // [H7]
	t.Parallel()
	in := func(w *hookWorld, more map[string]any) resource.PropertyMap {
		more["timeout"] = "2s"
		return deleteHooks(more, hookStep(w.account("runner"), "succeeded"), hookStep(w.job("clean", "shop:1"), "succeeded"))
	}
	t.Run("the next deletion goes on waiting for it", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in(w, m{}))
		w.hold("clean")
		require.ErrorContains(t, s.destroy(), "The next command goes on waiting for it"[4:])
		assert.True(t, w.exists("ServiceAccount", "runner"), "it runs on, and may need that")
		w.release("clean")
		w.finish("clean")
		require.NoError(t, s.in(s.process.again(t)).destroy())
		assert.Equal(t, 1, w.runs("clean"))
		assert.False(t, w.exists("ServiceAccount", "runner"))
	})
	t.Run("with forceDestroy it is stopped, as nothing would be there for it any more", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in(w, m{"forceDestroy": true}))
		w.hold("clean")
		require.NoError(t, s.destroy())
		assert.Equal(t, 0, w.countJobs())
		assert.False(t, w.exists("ServiceAccount", "runner"))
	})
	t.Run("with forceDestroy also when the time of the whole deletion is up", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in(w, m{"forceDestroy": true}))
		s.timeout = 1
		w.hold("clean")
		require.NoError(t, s.destroy())
		assert.Equal(t, 0, w.countJobs())
		assert.False(t, w.exists("ServiceAccount", "runner"))
	})
	t.Run("with forceDestroy, an interruption is still none", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in(w, m{"forceDestroy": true, "timeout": "20s"}))
		w.hold("clean")
		done := make(chan error, 1)
		go func() { done <- s.destroy() }()
		w.begins("clean")
		require.NoError(t, s.process.SignalCancellation(t.Context()))
		require.Error(t, ended(t, done))
		assert.Equal(t, 1, w.countJobs())
	})
}

// TestAnAttemptThatIsOverCountsNoMore changes the clock of the API server.
func TestAnAttemptThatIsOverCountsNoMore(t *testing.T) { // [H7]
	t.Parallel()
	for name, c := range map[string]struct {
		later time.Duration
		runs  []string
	}{
		"it is repeated at once":                       {5 * time.Minute, []string{"first", "second", "second"}},
		"the release has been used since then instead": {11 * time.Minute, []string{"first", "second", "first", "second"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			s := w.start().releaseHooks(t, "pre-delete").mustUp("create",
				deleteHooks(nil, hookStep(w.job("first", "shop:1")), hookStep(w.job("second", "fails:1"))))
			require.Error(t, s.destroy())
			w.gate.always(func(r *http.Request) bool { return isGet(r) && strings.Contains(r.URL.Path, "/jobs/") },
				func(rw http.ResponseWriter, _ *http.Request, forward func() *httptest.ResponseRecorder) {
					reply := forward()
					maps.Copy(rw.Header(), reply.Header())
					rw.Header().Set("Date", time.Now().UTC().Add(c.later).Format(http.TimeFormat))
					rw.WriteHeader(reply.Code)
					_, _ = rw.Write(reply.Body.Bytes())
				})
			require.Error(t, s.in(s.process.again(t)).destroy())
			assert.Equal(t, c.runs, w.inOrder())
		})
	}
}

func TestDeleteHooksDoNotRunWhenTheUserReplacesThem(t *testing.T) { // [H7]
	t.Parallel()
	w := newHookWorld(t)
	in := deleteHooks(nil, hookStep(w.job("clean", "shop:1")))
	s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in)
	old := *s
	require.NoError(t, s.in(s.process.again(t)).create(in))
	old.process = s.process
	require.NoError(t, old.remove())
	assert.Equal(t, 0, w.countJobs())
	require.NoError(t, s.in(s.process.again(t)).destroy())
	assert.Equal(t, 1, w.runs("clean"))
}

func TestWhatIsSecretInDeleteHooks(t *testing.T) { // [H7] [T10]
	t.Parallel()
	w := newHookWorld(t)
	job := w.job("clean", "fails:1")
	job["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)["env"] = []any{m{"name": "PASSWORD", "value": secret("hunter2-of-the-shop")}}
	s := w.start().releaseHooks(t, "pre-delete").mustUp("create", deleteHooks(nil,
		hookStep(object(t, `{apiVersion: v1, kind: Secret, metadata: {name: key, namespace: %s}, stringData: {key: open-sesame-12}}`, w.namespace), "succeeded"),
		hookStep(job)))
	assert.True(t, s.inputs["steps"].ArrayValue()[0].ObjectValue()["manifest"].ObjectValue()["stringData"].ContainsSecrets(), "data of Secrets always are")
	err := s.destroy()
	require.ErrorContains(t, err, "exited with code 3")
	text, unreadable := json.Marshal(s.outputs.MapRepl(nil, nil))
	require.NoError(t, unreadable)
	for _, said := range []string{err.Error(), s.process.log.all(), string(text)} {
		assert.NotContains(t, said, "hunter2")
		assert.NotContains(t, said, "sesame")
	}
	assert.False(t, w.exists("Secret", "key"))
}

func TestAPodAsADeleteHook(t *testing.T) { // [H7] [T11]
	t.Parallel()
	w := newHookWorld(t)
	pod := func(name, image string) map[string]any {
		return object(t, `{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: %s}, spec: {restartPolicy: Never,
			terminationGracePeriodSeconds: 0, containers: [{name: main, image: "%s"}]}}`, name, w.namespace, image)
	}
	in := func(image string) resource.PropertyMap {
		return deleteHooks(nil, hookStep(pod("first", "shop:1"), "succeeded"), hookStep(pod("second", image), "failed"))
	}
	s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in("fails:1"))
	require.ErrorContains(t, s.destroy(), "exited with code 3")
	assert.False(t, w.exists("Pod", "second"), "hook-failed")
	s.in(s.process.again(t)).mustUp("update", in("shop:1"))
	require.NoError(t, s.destroy())
	assert.Equal(t, []string{"first", "second", "second"}, w.inOrder())
	assert.False(t, w.exists("Pod", "first"), "hook-succeeded")
	assert.True(t, w.exists("Pod", "second"))
}
