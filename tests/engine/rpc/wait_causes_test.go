package rpc_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// serveLog answers requests for logs of pods, which the nodes of this cluster do not keep, and returns what was asked.
func (g *gateway) serveLog(log string) (asked func() []string) {
	var mu sync.Mutex
	var queries []string
	g.always(isLog, func(w http.ResponseWriter, r *http.Request, _ func() *httptest.ResponseRecorder) {
		mu.Lock()
		queries = append(queries, r.URL.RequestURI())
		mu.Unlock()
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte(log))
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return queries
	}
}

func isLog(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/log") }

// crashing is a pod whose container has failed and is in a state.
func (w world) crashing(t *testing.T, state string) map[string]any {
	t.Helper()
	pod := object(t, `{apiVersion: v1, kind: Pod, metadata: {name: it, namespace: %s}, spec: {containers: [{name: app, image: nginx}]}}`, w.namespace)
	w.create(pod)
	w.report("Pod", "it", object(t, `{phase: Running, conditions: [{type: Ready, status: "False"}], containerStatuses: [
		{name: app, image: nginx, imageID: "", ready: false, restartCount: 3, %s}]}`, state))
	return pod
}

const (
	waitsToRestart = `state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, reason: Error}}`
	hasJustFailed  = `state: {terminated: {exitCode: 1, reason: Error}}`
)

func TestTheLogOfAContainerThatFailed(t *testing.T) {
	t.Parallel()
	// failure is what a wait for a pod says that times out.
	failure := func(t *testing.T, g *gateway, pod map[string]any) string {
		t.Helper()
		s := start(t, g.connection()).wait(t, "it")
		return requireWaitPending(t, s, s.create(waiting(refTo(pod), until("condition", "Ready", shortTime))))
	}
	t.Run("is printed as it ends, line by line, of the run before where it waits to restart [D38] [D38 b] [W33]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		asked := g.serveLog("connecting to db:5432\n\x1b[31mpanic: no database at db:5432\x1b[0m\n\tgoroutine 1\n\n")
		text := failure(t, g, w.crashing(t, waitsToRestart))
		assert.Contains(t, text, "container app: CrashLoopBackOff, restarted 3 times, exited with code 1 (Error)\n"+
			"      Its log ends:\n        connecting to db:5432\n        panic: no database at db:5432\n         goroutine 1\n  Next: ")
		assert.Contains(t, text, "--previous`")
		require.Len(t, asked(), 1)
		for _, parameter := range []string{"/namespaces/" + w.namespace + "/pods/it/log?", "container=app", "previous=true", "tailLines=10"} {
			assert.Contains(t, asked()[0], parameter)
		}
	})
	t.Run("is that of the run which has just failed, with the number of restarts [D38 b]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		asked := g.serveLog("FATAL: relation orders already exists\n")
		text := failure(t, g, w.crashing(t, hasJustFailed))
		assert.Contains(t, text, "container app: restarted 3 times, exited with code 1 (Error)\n"+
			"      Its log ends:\n        FATAL: relation orders already exists\n")
		assert.NotContains(t, text, "--previous")
		require.Len(t, asked(), 1)
		assert.NotContains(t, asked()[0], "previous")
	})
	t.Run("has ten lines and 2 KiB at most, from the end [D38 b]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		g.serveLog(strings.Repeat(strings.Repeat("x", 400)+"\n", 9) + "the cause\n")
		text := failure(t, g, w.crashing(t, hasJustFailed))
		_, log, _ := strings.Cut(text, "Its log ends:\n")
		log, _, _ = strings.Cut(log, "  Next:")
		assert.LessOrEqual(t, len(log), 2<<10)
		assert.True(t, strings.HasSuffix(log, "        the cause\n"))
		assert.Equal(t, 6, strings.Count(log, "\n"), "lines of 400 bytes, and the last")
	})
	for what, answer := range map[string]func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder){
		"may not be read":       refuse(403, metav1.StatusReasonForbidden, `pods "it" is forbidden: User "u" cannot get resource "pods/log"`),
		"cannot be read":        refuse(500, metav1.StatusReasonInternalError, "dial tcp: connect: connection refused"),
		"is not there any more": refuse(400, metav1.StatusReasonBadRequest, `previous terminated container "app" in pod "it" not found`),
	} {
		t.Run("is left out where it "+what+", and the command to see it is said [D38 b] [W33]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			g.always(isLog, answer)
			text := failure(t, g, w.crashing(t, waitsToRestart))
			assert.NotContains(t, text, "log ends")
			assert.NotContains(t, text, "forbidden")
			assert.Contains(t, text, "kubectl logs --namespace "+w.namespace+" it --container app --previous")
		})
	}
	t.Run("shows no secret of the program, whichever resource has it [D38 b]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		g.serveLog("cannot log in with correct-horse-battery\n")
		p := start(t, g.connection())
		p.resource(t, "credentials").mustUp("create", program(object(t,
			`{apiVersion: v1, kind: Secret, metadata: {name: credentials, namespace: %s}, stringData: {password: correct-horse-battery}}`, w.namespace)))
		s := p.wait(t, "it")
		text := requireWaitPending(t, s, s.create(waiting(refTo(w.crashing(t, hasJustFailed)), until("condition", "Ready", shortTime))))
		assert.Contains(t, text, "cannot log in with [secret]")
		assert.NotContains(t, s.process.log.all(), "correct-horse-battery")
	})
}

func TestTheCausesOfAWaitThatTimesOut(t *testing.T) {
	t.Parallel()
	failedWait := func(t *testing.T, target map[string]any, criterion string, value any) string {
		t.Helper()
		s := start(t, inline(newUser(t))).wait(t, "it")
		return requireWaitPending(t, s, s.create(waiting(refTo(target), until(criterion, value, shortTime))))
	}
	// why is the part of a report that says why.
	why := func(text string) string {
		_, text, _ = strings.Cut(text, "  Why:\n")
		text, _, _ = strings.Cut(text, "  Next:")
		return text
	}
	refusal := `admission webhook "policies.example.com" denied the request: ` + strings.Repeat("a container has no limits; ", 20) + "ask the platform team"
	t.Run("pods that are refused, in the words of who refuses them [D38 c]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.deployment(t, "web"))
		w.report("Deployment", "web", object(t, `{observedGeneration: 1, conditions: [
			{type: ReplicaFailure, status: "True", reason: FailedCreate, message: %q, lastTransitionTime: "2024-01-01T00:00:00Z"}]}`, refusal))
		text := failedWait(t, w.deployment(t, "web"), "rollout", true)
		assert.Contains(t, why(text), "    its pods cannot be created: FailedCreate: "+refusal+"\n")
		assert.Contains(t, text, "  Next: correct the pod template, or change what refuses it")
		assert.Equal(t, 1, strings.Count(text, "ask the platform team"), "it is said once")
	})
	t.Run("pods that are refused for another reason by now, which the condition does not say [D38 c]", func(t *testing.T) {
		t.Parallel()
		const unanswered, stale = `failed calling webhook "policies.example.com": connection refused`, "ask the platform team"
		for name, example := range map[string]struct{ kind, at, want string }{
			"by the event of a ReplicaSet":          {"Deployment", "2024-01-01T00:05:00Z", refusal},
			"by an event of its own":                {"ReplicaSet", "2024-01-01T00:05:00Z", refusal},
			"an event of before counts for nothing": {"Deployment", "2023-12-31T00:00:00Z", unanswered},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				target := w.deployment(t, "web")
				uid := w.create(target).GetUID()
				replicas := w.deployment(t, "web-1")
				replicas["kind"] = "ReplicaSet"
				replicas["metadata"].(map[string]any)["labels"] = map[string]any{"app": "web"}
				if example.kind == "ReplicaSet" {
					target = replicas
				} else {
					replicas["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{
						"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": string(uid), "controller": true,
					}}
				}
				of := string(w.create(replicas).GetUID())
				w.report(example.kind, unstructuredOf(target).GetName(), object(t, `{observedGeneration: 1, replicas: 0, conditions: [
					{type: ReplicaFailure, status: "True", reason: FailedCreate, message: %q, lastTransitionTime: "2024-01-01T00:00:00Z"}]}`, unanswered))
				w.create(object(t, `{apiVersion: v1, kind: Event, metadata: {name: e, namespace: %s}, type: Warning, reason: FailedCreate,
					message: %q, count: 1, lastTimestamp: %q, involvedObject: {apiVersion: apps/v1, kind: ReplicaSet, name: web-1, namespace: %s, uid: %s}}`,
					w.namespace, "Error creating: "+refusal, example.at, w.namespace, of))
				text := failedWait(t, target, "expression", "object.status.readyReplicas == 1")
				assert.Contains(t, why(text), "    its pods cannot be created: FailedCreate: "+example.want+"\n")
				if example.want == refusal {
					assert.NotContains(t, text, unanswered)
					assert.Equal(t, 1, strings.Count(text, stale), "it is said once")
				}
			})
		}
	})
	t.Run("pods that are refused, of a kind that only reports it as an event [D38 c]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: it, namespace: %s},
			spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}}}`, w.namespace)
		uid := string(w.create(job).GetUID())
		w.create(object(t, `{apiVersion: v1, kind: Event, metadata: {name: e, namespace: %s}, type: Warning, reason: FailedCreate, message: %q,
			count: 1, involvedObject: {apiVersion: batch/v1, kind: Job, name: it, namespace: %s, uid: %s}}`, w.namespace, refusal, w.namespace, uid))
		w.report("Job", "it", object(t, "{startTime: \"2024-01-01T00:00:00Z\"}"))
		text := failedWait(t, job, "condition", "Complete")
		assert.Contains(t, why(text), "event: FailedCreate: "+refusal)
		assert.Contains(t, text, "  Next: correct the pod template, or change what refuses it")
	})
	t.Run("are not what is no warning: that is shown apart [D38 c]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		uid := string(w.create(w.configMap("it", nil)).GetUID())
		w.create(object(t, `{apiVersion: v1, kind: Event, metadata: {name: e, namespace: %s}, type: Normal, reason: Synced, message: all is well,
			count: 1, involvedObject: {apiVersion: v1, kind: ConfigMap, name: it, namespace: %s, uid: %s}}`, w.namespace, w.namespace, uid))
		text := failedWait(t, w.configMap("it", nil), "field", "data.never")
		assert.NotContains(t, text, "Why:")
		assert.Contains(t, text, "  Reported last, not as a warning:\n    event: Synced: all is well")
	})
	t.Run("a status that nothing writes [D38 d]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		group := w.group()
		w.define(definitionOf(t, group, "Gadget", sized))
		w.served(group, "Gadget")
		gadget := custom(t, group, "Gadget", w.namespace, "{size: 3}")
		_, err := w.client.Resource(customKind(group, "Gadget")).Namespace(w.namespace).Create(t.Context(), unstructuredOf(gadget), metav1.CreateOptions{})
		require.NoError(t, err)
		const says = "nothing has written a status yet; does its controller run?"
		for criterion, value := range map[string]any{"condition": "Ready", "field": "status.address", "expression": "object.status.ok"} {
			text := failedWait(t, gadget, criterion, value)
			assert.Contains(t, why(text), says)
			assert.Contains(t, text, "  Next: see that the controller of Gadget of "+group+"/v1 runs")
		}
		assert.NotContains(t, failedWait(t, gadget, "field", "spec.never"), says)
	})
}
