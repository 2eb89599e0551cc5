package rpc_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAWaitThatTimesOut(t *testing.T) {
	t.Parallel()
	t.Run("fails, is saved, and leaves the object untouched; the retry waits only, in place [W12] [W13]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		w.create(w.deployment(t, "web"))
		before := w.get("Deployment", "web")
		take := requests(t, user)
		in := waiting(refTo(w.deployment(t, "web")), until("rollout", true, shortTime))
		s := start(t, inline(user)).wait(t, "web")
		did, err := s.up(in)
		assert.Equal(t, "create", did)
		text := requireWaitPending(t, s, err)
		assert.Contains(t, text, "timed out after 1s waiting for the rollout")
		assert.Contains(t, text, "The object was left as it is")
		assert.Equal(t, "apps/v1/Deployment/"+w.namespace+"/web", string(s.id))
		id := s.id

		s.in(start(t, inline(user)))
		did, err = s.up(in)
		assert.Equal(t, "update", did, "it is never replaced")
		requireWaitPending(t, s, err)
		assert.Equal(t, id, s.id)
		after := w.get("Deployment", "web")
		assert.Equal(t, before.GetResourceVersion(), after.GetResourceVersion())
		assert.Equal(t, before.GetManagedFields(), after.GetManagedFields())

		w.report("Deployment", "web", object(t, "{observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2}"))
		s.refresh = false // without the read before it, which would settle the matter
		s.in(start(t, inline(user))).mustUp("update", in)
		requireWaited(t, s)
		assert.Equal(t, id, s.id)
		s.mustUp("same", in)
		onlyReads(t, take())
	})
	t.Run("says so cleanly after a millisecond [W11]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := start(t, inline(newUser(t))).wait(t, "it")
		err := s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.never", noTime)))
		text := requireWaitPending(t, s, err)
		assert.Contains(t, text, "ConfigMap "+w.namespace+"/it: timed out after ")
		assert.Contains(t, text, "waiting for data.never")
		assert.NotContains(t, text, "context")
		assert.LessOrEqual(t, strings.Count(text, "\n"), 8)
	})
	t.Run("makes no write request when it is destroyed, and needs no cluster for it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s, _ := failedWait(t, start(t, inline(newUser(t))).wait(t, "it"), refTo(w.configMap("it", nil)), map[string]any{"field": "data.never"})
		host, called := silence(t)
		kept := s.stored
		require.NoError(t, s.in(start(t, map[string]any{"host": host, "token": "t"})).remove())
		assert.Zero(t, called())
		s.stored = kept
		require.NoError(t, s.destroy(), "the read before it asks, and needs no answer")
		assert.True(t, w.exists("ConfigMap", "it"))
	})
}

func TestOneBudgetForAWait(t *testing.T) {
	t.Parallel()
	// took is how long a failed wait took, and what it said.
	took := func(t *testing.T, s *session, wait func() error) (time.Duration, string) {
		t.Helper()
		began := time.Now()
		err := wait()
		passed := time.Since(began)
		return passed, requireWaitPending(t, s, err)
	}
	for _, name := range []string{"timeout", "not-found", "context-deadline-exceeded", "kind-unknown"} {
		t.Run("whatever the object is called: "+name+" [W17]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := start(t, inline(newUser(t))).wait(t, name)
			passed, text := took(t, s, func() error {
				return s.create(waiting(refTo(w.configMap(name, nil)), until("field", "data.a", shortTime)))
			})
			assert.GreaterOrEqual(t, passed, time.Second)
			assert.Less(t, passed, 5*time.Second)
			assert.Contains(t, text, "timed out after 1s")
			assert.Contains(t, text, "it does not exist", "[W15]")
		})
	}
	t.Run("for a kind and an object that come late, and an object that is not ready then [W17] [W16] [W15]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		group := w.group()
		s := start(t, g.connection()).wait(t, "it")
		gadget := custom(t, group, "Gadget", w.namespace, "{size: 3}")
		done := make(chan string, 1)
		began := time.Now()
		var passed time.Duration
		go func() {
			err := s.create(waiting(refTo(gadget), until("field", "spec.never", "6s")))
			passed = time.Since(began)
			done <- fmt.Sprint(err)
		}()
		seen := map[string]int{}
		sees := func(request string) func() bool {
			return func() bool {
				for _, r := range g.takeSeen() {
					seen[r]++
				}
				return seen[request] > 0
			}
		}
		eventually(t, sees("discovery "+group+"/v1"), "the kind is asked for")
		w.define(definitionOf(t, group, "Gadget", sized))
		eventually(t, sees("WATCH"), "the object is watched for")
		_, err := w.client.Resource(customKind(group, "Gadget")).Namespace(w.namespace).Create(t.Context(), unstructuredOf(gadget), createOptions)
		require.NoError(t, err)
		text := <-done
		assert.GreaterOrEqual(t, passed, 6*time.Second)
		assert.Less(t, passed, 9*time.Second)
		assert.Contains(t, text, "timed out after 6s")
		assert.Contains(t, text, "spec.never is not set", "it was seen at the end")
	})
	t.Run("an unknown kind within a short timeout is called that [W16] [W17]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).wait(t, "it")
		passed, text := took(t, s, func() error {
			return s.create(waiting(refTo(custom(t, w.group(), "Gadget", w.namespace, "{}")), until("field", "spec.a", shortTime)))
		})
		assert.GreaterOrEqual(t, passed, time.Second)
		assert.Less(t, passed, 5*time.Second)
		assert.Contains(t, text, "timed out after 1s")
		assert.Contains(t, text, "Gadget")
		assert.Contains(t, text, w.group()+"/v1")
		assert.Contains(t, text, "CustomResourceDefinition")
		assert.NotContains(t, text, "had not answered")
	})
	t.Run("customTimeouts alone, for Create and Update [W17]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := start(t, inline(newUser(t))).wait(t, "it")
		s.timeout = 1
		in := waiting(refTo(w.configMap("it", nil)), map[string]any{"field": "data.never"})
		for _, want := range []string{"create", "update"} {
			passed, text := took(t, s, func() error {
				did, err := s.up(in)
				assert.Equal(t, want, did)
				return err
			})
			assert.GreaterOrEqual(t, passed, time.Second)
			assert.Less(t, passed, 5*time.Second)
			assert.Contains(t, text, "timed out after ")
			assert.Contains(t, text, "data.never is not set")
		}
	})
	for what, c := range map[string]struct {
		own    string
		custom float64
	}{"waitFor.timeout": {shortTime, 60}, "customTimeouts": {longTime, 1}} {
		t.Run("the shorter of both, here "+what+" [W17]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := start(t, inline(newUser(t))).wait(t, "it")
			s.timeout = c.custom
			passed, _ := took(t, s, func() error { return s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.a", c.own))) })
			assert.GreaterOrEqual(t, passed, time.Second)
			assert.Less(t, passed, 5*time.Second)
		})
	}
}

func TestWhatATimeoutSays(t *testing.T) {
	t.Parallel()
	t.Run("the last values and conditions, the reasons of the pods, the events, and what to do [W28]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		uid := w.create(w.deployment(t, "web")).GetUID()
		w.report("Deployment", "web", condition(t, `type: Available, status: "False", reason: MinimumReplicasUnavailable, message: Deployment does not have minimum availability.`))
		w.report("Deployment", "web", object(t, "{observedGeneration: 1, replicas: 2, updatedReplicas: 2, unavailableReplicas: 2}"))
		pods := map[string]string{
			"web-a": `{state: {waiting: {reason: ImagePullBackOff, message: Back-off pulling image "nginx:1"}}}`,
			"web-b": `{state: {waiting: {reason: CrashLoopBackOff}}, restartCount: 4, lastState: {terminated: {exitCode: 3, reason: Error, message: no database}}}`,
			"web-c": `{ready: true, state: {running: {}}}`,
		}
		for name, state := range pods {
			pod := w.create(object(t, `{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: %s, labels: {app: web}},
				spec: {containers: [{name: web, image: "nginx:1"}]}}`, name, w.namespace))
			status := object(t, "{phase: Running, containerStatuses: [%s]}", state)
			container, _ := status["containerStatuses"].([]any)[0].(map[string]any)
			maps.Copy(container, map[string]any{"name": "web", "image": "nginx:1", "imageID": ""})
			w.report("Pod", name, status)
			if name == "web-a" {
				w.create(object(t, `{apiVersion: v1, kind: Event, metadata: {name: pull, namespace: %s}, type: Warning, reason: Failed,
					message: "Failed to pull image: not found", count: 7, involvedObject: {kind: Pod, name: %s, uid: %s, namespace: %[1]s}}`,
					w.namespace, name, string(pod.GetUID())))
			}
		}
		w.create(object(t, `{apiVersion: v1, kind: Event, metadata: {name: quota, namespace: %s}, type: Warning, reason: FailedCreate,
			message: "exceeded quota", involvedObject: {kind: Deployment, name: web, uid: %s, namespace: %[1]s}}`, w.namespace, string(uid)))
		in := waiting(refTo(w.deployment(t, "web")), map[string]any{
			"rollout": true, "fieldValue": map[string]any{"spec.replicas": "3", "status.readyReplicas": "3"}, "timeout": shortTime,
		})
		s := start(t, inline(newUser(t))).wait(t, "web")
		err := s.create(in)
		text := requireWaitPending(t, s, err)
		for _, want := range []string{
			"Deployment " + w.namespace + "/web: timed out after 1s waiting for",
			`spec.replicas is "2", it should be "3"`, `status.readyReplicas is not set, it should be "3"`, "0 of 2 updated replicas are available",
			"condition Available=False (MinimumReplicasUnavailable): Deployment does not have minimum availability.",
			`pod web-a: container web: ImagePullBackOff: Back-off pulling image "nginx:1"`,
			"pod web-b: container web: CrashLoopBackOff, restarted 4 times, exited with code 3 (Error): no database",
			"event of pod web-a: Failed: Failed to pull image: not found (7 times, last ",
			"event: FailedCreate: exceeded quota",
			"Next: correct the image, or imagePullSecrets", "or give it more time with waitFor.timeout",
		} {
			assert.Contains(t, text, want)
		}
		assert.NotContains(t, text, "web-c")
		assert.LessOrEqual(t, strings.Count(text, "\n"), 25)
		for line := range strings.SplitSeq(text, "\n") {
			assert.LessOrEqual(t, len(line), 300)
		}
	})
	t.Run("that the object never appeared, cluster-scoped [W15]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		ref := map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "name": w.namespace + "-absent"}
		s := start(t, inline(newUser(t))).wait(t, "role")
		err := s.create(waiting(ref, until("field", "rules", shortTime)))
		text := requireWaitPending(t, s, err)
		assert.Contains(t, text, "ClusterRole "+w.namespace+"-absent: timed out after 1s")
		assert.Contains(t, text, "it does not exist")
		assert.Contains(t, text, "correct apiVersion, kind, namespace and name")
	})
	t.Run("what holds up a deletion [W9]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		held := w.configMap("held", nil)
		held["metadata"].(map[string]any)["finalizers"] = []any{"example.com/hold"}
		w.create(held)
		w.delete("ConfigMap", "held")
		s := start(t, inline(newUser(t))).wait(t, "held")
		err := s.create(waiting(refTo(held), until("deleted", true, shortTime)))
		assert.Contains(t, requireWaitPending(t, s, err), "held by the finalizers example.com/hold")
		assert.Contains(t, err.Error(), "waiting for deletion")
	})
}
