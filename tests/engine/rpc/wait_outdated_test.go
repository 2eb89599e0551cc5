package rpc_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAStatusThatIsBehindIsNoEvidence has a Deployment of generation 2 whose status is about generation 1.
func TestAStatusThatIsBehindIsNoEvidence(t *testing.T) {
	t.Parallel()
	const behind = "the status is about generation 1, the object is at 2"
	for what, c := range map[string]struct {
		waitFor m
		missing string
	}{
		"a field below status [D11]":            {m{"field": "status.readyReplicas"}, "status.readyReplicas is out of date: " + behind},
		"a value below status [D11]":            {m{"fieldValue": m{"status.readyReplicas": "1"}}, `status.readyReplicas = "1" is out of date: ` + behind},
		"a field that a descendant finds [D11]": {m{"field": "$..readyReplicas"}, "$..readyReplicas is out of date: " + behind},
		"an expression [D11]":                   {m{"expression": "object.status.readyReplicas == 1"}, "object.status.readyReplicas == 1 is out of date: " + behind},
		"an expression about absence [D11]":     {m{"expression": "!has(object.status.collisionCount)"}, "is out of date: " + behind},
		"failWhen [D11]": {m{"field": "metadata.annotations.done", "failWhen": "object.status.readyReplicas == 1"},
			"metadata.annotations.done is not set"},
		"a failure that ends the wait by itself [D11]": {m{"field": "metadata.annotations.done"}, "metadata.annotations.done is not set"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create(w.deployment(t, "it"))
			w.patch("Deployment", "it", m{"spec": m{"minReadySeconds": 1}})
			status := condition(t, `type: Progressing, status: "False", reason: ProgressDeadlineExceeded, message: too late`)
			maps.Copy(status, (m{"observedGeneration": 1, "replicas": 1, "readyReplicas": 1}))
			w.report("Deployment", "it", status)
			looked, _ := failedWait(t, start(t, inline(newUser(t))).wait(t, "looked"), refTo(w.deployment(t, "it")), c.waitFor)
			assert.Contains(t, looks(t, looked), c.missing)

			followed := start(t, inline(newUser(t))).wait(t, "followed")
			waitFor := clone(c.waitFor)
			waitFor["timeout"] = longTime
			done := w.begin("it", func() error { return followed.create(waiting(refTo(w.deployment(t, "it")), waitFor)) })
			require.Empty(t, done, "it is still being waited for")
			if c.waitFor["field"] == "metadata.annotations.done" {
				w.patch("Deployment", "it", m{"metadata": m{"annotations": m{"done": "yes"}}})
			} else {
				w.report("Deployment", "it", m{"observedGeneration": 2, "conditions": nil})
			}
			require.NoError(t, ended(t, done))
			requireWaited(t, followed)
		})
	}
	t.Run("a failure is of this generation again when the status is [D11]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.deployment(t, "it"))
		w.report("Deployment", "it", m{"observedGeneration": 1, "replicas": 1, "readyReplicas": 1})
		in := waiting(refTo(w.deployment(t, "it")), m{"field": "metadata.annotations.done", "failWhen": "object.status.readyReplicas == 1", "timeout": longTime})
		s := start(t, inline(newUser(t))).wait(t, "it")
		assert.Contains(t, requireWaitPending(t, s, s.create(in)), "failWhen is true")

		w.patch("Deployment", "it", m{"spec": m{"minReadySeconds": 1}})
		done := w.begin("it", func() error { _, err := s.up(in); return err })
		require.Empty(t, done, "the manifest was corrected, so the old status says nothing")
		w.report("Deployment", "it", m{"observedGeneration": 2, "readyReplicas": 0})
		w.patch("Deployment", "it", m{"metadata": m{"annotations": m{"done": "yes"}}})
		require.NoError(t, ended(t, done))
	})
	t.Run("what is not below status holds [D11]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.deployment(t, "it"))
		w.patch("Deployment", "it", m{"spec": m{"minReadySeconds": 1}})
		w.report("Deployment", "it", m{"observedGeneration": 1})
		p := start(t, inline(newUser(t)))
		for name, waitFor := range map[string]m{
			"field": {"field": "spec.replicas"}, "value": {"fieldValue": m{"spec.minReadySeconds": "1"}}, "expression": {"expression": "object.spec.minReadySeconds == 1"},
		} {
			waitFor["timeout"] = longTime
			p.wait(t, name).mustUp("create", waiting(refTo(w.deployment(t, "it")), waitFor))
		}
		failing := p.wait(t, "failing")
		err := failing.create(waiting(refTo(w.deployment(t, "it")), m{"condition": "Available", "failWhen": "object.spec.minReadySeconds == 1", "timeout": longTime}))
		assert.Contains(t, requireWaitPending(t, failing, err), "failWhen is true")
	})
}

func TestWhatIsBeingDeletedIsReadyForNothingElse(t *testing.T) {
	t.Parallel()
	const says = "it is being deleted and held by the finalizers example.com/hold"
	terminating := func(t *testing.T) world {
		w := newWorld(t)
		held := w.configMap("it", m{"a": "1"})
		held["metadata"].(map[string]any)["finalizers"] = []any{"example.com/hold"}
		w.create(held)
		w.delete("ConfigMap", "it")
		return w
	}
	release := func(w world) { w.patch("ConfigMap", "it", m{"metadata": m{"finalizers": nil}}) }
	for what, waitFor := range map[string]m{
		"a field [D11]": {"field": "data.a"}, "a value [D11]": {"fieldValue": m{"data.a": "1"}}, "an expression [D11]": {"expression": "object.data.a == '1'"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := terminating(t)
			ref := refTo(w.configMap("it", nil))
			p := start(t, inline(newUser(t)))
			looked, _ := failedWait(t, p.wait(t, "looked"), ref, waitFor)
			assert.Contains(t, looks(t, looked), says)

			timed := clone(waitFor)
			timed["timeout"] = "3s"
			s := p.wait(t, "timed")
			text := requireWaitPending(t, s, s.create(waiting(ref, timed)))
			assert.Contains(t, text, "timed out after ")
			assert.Contains(t, text, says)
			assert.Contains(t, text, "find out who deleted it")
			assert.Contains(t, strings.Join(p.log.statuses(), "\n"), "Waiting: "+says)

			timed["timeout"] = longTime
			followed := p.wait(t, "followed")
			done := w.begin("it", func() error { return followed.create(waiting(ref, timed)) })
			release(w)
			assert.Contains(t, requireWaitPending(t, followed, ended(t, done)), "the object was deleted")
		})
	}
	t.Run("its deletion is waited for as before [D11]", func(t *testing.T) {
		t.Parallel()
		w := terminating(t)
		s := start(t, inline(newUser(t))).wait(t, "it")
		done := w.begin("it", func() error {
			return s.create(waiting(refTo(w.configMap("it", nil)), until("deleted", true, longTime)))
		})
		release(w)
		require.NoError(t, ended(t, done))
		requireWaited(t, s)
	})
	t.Run("what a Patch waits for does not hold either [D11]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		patch := patching(w.configMap("it", nil), setting("patch", data("a", "9")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patch)
		w.goingOn("ConfigMap", "it")
		for range 2 {
			did, err := s.up(with(t, patch, "waitFor", until("field", "data.a", "1s")))
			assert.Equal(t, "update", did)
			assert.Contains(t, requirePatchWaits(t, s, err), says)
		}
	})
}
