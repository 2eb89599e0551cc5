package rpc_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAWaitThatCannotSucceedFailsAtOnce has timeouts far longer than a failure may take.
func TestAWaitThatCannotSucceedFailsAtOnce(t *testing.T) {
	t.Parallel()
	type hopeless struct {
		object  func(w world) map[string]any
		waitFor map[string]any
		fail    func(w world)
		says    string
	}
	job := func(w world) map[string]any {
		return object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: it, namespace: %s},
			spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}}}`, w.namespace)
	}
	pod := func(w world) map[string]any {
		return object(t, `{apiVersion: v1, kind: Pod, metadata: {name: it, namespace: %s}, spec: {containers: [{name: c, image: nginx}]}}`, w.namespace)
	}
	deployment := func(w world) map[string]any { return w.deployment(t, "it") }
	configMap := func(w world) map[string]any { return w.configMap("it", nil) }
	exceeded := func(w world) {
		status := condition(t, `type: Progressing, status: "False", reason: ProgressDeadlineExceeded, message: ReplicaSet has timed out progressing.`)
		status["observedGeneration"] = 1
		w.report("Deployment", "it", status)
	}
	for what, c := range map[string]hopeless{
		"a Job that failed [W14]": {
			job, map[string]any{"condition": "Complete"},
			func(w world) {
				status := object(t, `{startTime: "2024-01-01T00:00:00Z", failed: 1, conditions: [
					{type: FailureTarget, status: "True", reason: BackoffLimitExceeded, message: it has reached the limit, lastTransitionTime: "2024-01-01T00:00:00Z"},
					{type: Failed, status: "True", reason: BackoffLimitExceeded, message: it has reached the limit, lastTransitionTime: "2024-01-01T00:00:00Z"}]}`)
				w.report("Job", "it", status)
			},
			"condition Failed=True (BackoffLimitExceeded): it has reached the limit",
		},
		"a Pod that failed [W14]": {
			pod, map[string]any{"condition": "Ready"},
			func(w world) {
				w.report("Pod", "it", object(t, "{phase: Failed, reason: Evicted, message: the node was low on memory}"))
			},
			"the pod has failed: Evicted: the node was low on memory",
		},
		"a Deployment that exceeded its progress deadline, waited for by rollout [W14]": {
			deployment, map[string]any{"rollout": true}, exceeded, "ProgressDeadlineExceeded",
		},
		"a Deployment that exceeded its progress deadline, waited for by a condition [W14]": {
			deployment, map[string]any{"condition": "Available"}, exceeded, "ProgressDeadlineExceeded",
		},
		"an object that is deleted [W14]": {
			configMap, map[string]any{"field": "data.never"}, func(w world) { w.delete("ConfigMap", "it") }, "the object was deleted",
		},
		"failWhen [W14]": {
			configMap, map[string]any{"field": "data.never", "failWhen": "object.data.phase == 'Lost'"},
			func(w world) { w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"phase": "Lost"}}) },
			"failWhen is true: object.data.phase == 'Lost'",
		},
		"failWhen on the way to deletion [W14]": {
			configMap, map[string]any{"deleted": true, "failWhen": "has(object.data.kept)"},
			func(w world) { w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"kept": "x"}}) }, "failWhen is true",
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := start(t, inline(newUser(t)))
			w.create(c.object(w))
			waitFor := clone(c.waitFor)
			waitFor["timeout"] = longTime
			in := waiting(refTo(c.object(w)), waitFor)

			s := p.wait(t, "meanwhile")
			done := w.begin("it", func() error { return s.create(in) })
			c.fail(w)
			text := requireWaitPending(t, s, ended(t, done))
			assert.Contains(t, text, "failed after ")
			assert.Contains(t, text, c.says)
			if c.says == "the object was deleted" {
				assert.Contains(t, text, "find out who deleted it")
				return
			}
			assert.Contains(t, text, "fix ")
			before := p.wait(t, "before")
			began := time.Now()
			err := before.create(in)
			assert.Less(t, time.Since(began), 10*time.Second)
			assert.Contains(t, requireWaitPending(t, before, err), c.says)
			looked := looks(t, before)
			assert.Contains(t, looked, c.says)
			if kind, ends := map[string]string{"a Job that failed [W14]": "job", "a Pod that failed [W14]": "pod"}[what]; ends {
				wayOut := "does not run again: change its manifest, or delete it with `kubectl delete " + kind + " --namespace " + w.namespace + " it`"
				assert.Contains(t, text, wayOut, "[D38 a]")
				assert.Contains(t, looked, wayOut, "[D38 a]")
				assert.NotContains(t, looked, "waits again, in place", "[D38 a]")
			}
		})
	}
	t.Run("an object that is re-created while nobody watches [W14]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("it", nil))
		s := start(t, g.connection()).wait(t, "it")
		done := w.begin("it", func() error {
			return s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", longTime)))
		})
		g.next(isWatch, func(answer http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
			w.delete("ConfigMap", "it")
			w.create(w.configMap("it", map[string]any{"ready": "yes"}))
			refuse(410, metav1.StatusReasonExpired, "too old resource version")(answer, r, forward)
		})
		g.server.CloseClientConnections()
		text := requireWaitPending(t, s, ended(t, done))
		assert.Contains(t, text, "the object was deleted, and another one has its name now")
	})
	t.Run("an object with another uid than that which is meant [W14]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		first := w.create(w.configMap("it", nil))
		w.delete("ConfigMap", "it")
		second := w.create(w.configMap("it", nil))
		ref := refTo(w.configMap("it", nil))
		ref["uid"] = string(first.GetUID())
		s := start(t, inline(newUser(t))).wait(t, "it")
		err := s.create(waiting(ref, until("field", "data.a", longTime)))
		assert.Contains(t, requireWaitPending(t, s, err), "another one has its name now")
		assert.Contains(t, looks(t, s), "another one has its name now")
		ref["uid"] = string(second.GetUID())
		s.mustUp("update", waiting(ref, until("field", "data.a", longTime)))
		requireWaited(t, s)
	})
	t.Run("an object that is gone, with the uid that is meant [W14]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		ref := refTo(w.configMap("it", nil))
		ref["uid"] = "1b1a9f0e-0000-0000-0000-000000000000"
		s := start(t, inline(newUser(t))).wait(t, "it")
		err := s.create(waiting(ref, until("field", "data.a", longTime)))
		assert.Contains(t, requireWaitPending(t, s, err), "the object was deleted")
	})
	t.Run("not for the deletion of an object that is re-created: the old one is gone [W9]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		first := w.create(w.configMap("it", nil))
		w.delete("ConfigMap", "it")
		w.create(w.configMap("it", nil))
		ref := refTo(w.configMap("it", nil))
		ref["uid"] = string(first.GetUID())
		in := waiting(ref, until("deleted", true, longTime))
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", in)
		requireWaited(t, s)
		s.mustRead().mustUp("same", in)
	})
	t.Run("not for what was so before the newest change of the object [W14]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.deployment(t, "it"))
		exceeded(w)
		w.patch("Deployment", "it", map[string]any{"spec": map[string]any{"replicas": 1}})
		s := start(t, inline(newUser(t))).wait(t, "it")
		done := w.begin("it", func() error { return s.create(waiting(refTo(w.deployment(t, "it")), until("rollout", true, longTime))) })
		status := condition(t, `type: Progressing, status: "True", reason: NewReplicaSetAvailable, message: ""`)
		maps.Copy(status, object(t, "{observedGeneration: 2, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1}"))
		w.report("Deployment", "it", status)
		require.NoError(t, ended(t, done))
	})
}

func TestAWaitForWhatIsNotThereYet(t *testing.T) {
	t.Parallel()
	t.Run("namespaced [W15]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		take := requests(t, user)
		s := start(t, inline(user)).wait(t, "it")
		done := w.begin("it", func() error {
			return s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", longTime)))
		})
		w.create(w.configMap("other", map[string]any{"ready": "yes"}))
		w.create(w.configMap("it", nil))
		require.Empty(t, done, "it is not ready yet")
		w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"ready": "yes"}})
		require.NoError(t, ended(t, done))
		assert.Equal(t, "yes", at(t, s.outputs, "status.data.ready"))
		assert.EqualValues(t, w.get("ConfigMap", "it").GetUID(), at(t, s.outputs, "__uid"))
		assert.Equal(t, []string{"discovery v1", "GET", "LIST", "WATCH", clusterID}, take())
	})
	t.Run("cluster-scoped [W15]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		name := w.namespace + "-late"
		role := object(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s}, rules: [{verbs: [get], nonResourceURLs: [/x]}]}`, name)
		s := start(t, inline(newUser(t))).wait(t, "it")
		done := w.begin(name, func() error { return s.create(waiting(refTo(role), until("field", "rules[0].verbs", longTime))) })
		w.create(role)
		require.NoError(t, ended(t, done))
		assert.Equal(t, []any{"get"}, at(t, s.outputs, "status.rules[0].verbs"))
		assert.Equal(t, "rbac.authorization.k8s.io/v1/ClusterRole/"+name, string(s.id))
	})
	t.Run("the answers of an API server that is in trouble at first [W25]", func(t *testing.T) {
		t.Parallel()
		for what, fault := range faults {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				w, g := newWorld(t), newGateway(t)
				w.create(w.configMap("it", nil))
				g.next(isDiscovery, fault)
				g.next(isDiscovery, fault)
				s := start(t, g.connection()).wait(t, "it")
				s.mustUp("create", waiting(refTo(w.configMap("it", nil)), until("field", "data.a", longTime)))
				assert.GreaterOrEqual(t, tally(g.takeSeen())["discovery v1"], 2)
			})
		}
	})
}
