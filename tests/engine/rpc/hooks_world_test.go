package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

const (
	taskType         = tokens.Type("k8sconnect:index:Task")
	releaseHooksType = tokens.Type("k8sconnect:index:ReleaseHooks")
)

// hookWorld is a namespace in which Jobs run, and the way to it.
type hookWorld struct {
	world

	cluster *cluster.Cluster
	gate    *gateway

	mu sync.Mutex
	// held are the names of Jobs whose pods neither succeed nor fail.
	held map[string]bool
	// ran are the Jobs that were seen, by name, in the order in which they began.
	ran   map[string][]types.UID
	order []string
}

func newHookWorld(t testing.TB) *hookWorld {
	t.Helper()
	c := controlled.Get(t)
	client, err := dynamic.NewForConfig(c.RESTConfig())
	require.NoError(t, err)
	w := &hookWorld{
		world: world{t, client, c.Namespace(t)}, cluster: c, gate: newGatewayOf(t, c.Admin()), held: map[string]bool{}, ran: map[string][]types.UID{},
	}
	eventually(t, func() bool { return w.exists("ServiceAccount", "default") }, "the namespace has its account")
	t.Cleanup(w.tellWhatIsLeft)
	stopped := make(chan struct{})
	t.Cleanup(func() { <-stopped })
	go func() {
		defer close(stopped)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-t.Context().Done():
				return
			case <-tick.C:
				w.runPods()
			}
		}
	}()
	return w
}

// tellWhatIsLeft shows the Jobs and their pods to who wants to know why the test has failed.
func (w *hookWorld) tellWhatIsLeft() {
	if !w.t.Failed() {
		return
	}
	for _, kind := range []string{"Job", "Pod"} {
		list, err := w.objects(kind).List(context.Background(), listAll)
		if err != nil {
			w.t.Log(err)
			continue
		}
		for _, item := range list.Items {
			text, _ := json.Marshal(item.Object)
			w.t.Logf("%s", text)
		}
	}
}

// runPods is the kubelet: the image of a pod says how it ends.
func (w *hookWorld) runPods() {
	pods, err := w.cluster.Client().CoreV1().Pods(w.namespace).List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		return // The test is over.
	}
	for _, pod := range pods.Items {
		job, uid := pod.Name, pod.UID
		if owner := metav1.GetControllerOf(&pod); owner != nil {
			job, uid = owner.Name, owner.UID
		}
		w.mu.Lock()
		held := w.held[job]
		if !slices.Contains(w.ran[job], uid) {
			w.ran[job] = append(w.ran[job], uid)
			w.order = append(w.order, job)
		}
		w.mu.Unlock()
		if held || pod.Spec.NodeName == "" || pod.Status.Phase != corev1.PodPending {
			continue
		}
		image := pod.Spec.Containers[0].Image
		phase, code := corev1.PodSucceeded, int32(0)
		if strings.HasPrefix(image, "fails:") {
			phase, code = corev1.PodFailed, 3
		}
		message := "says " + image
		for _, env := range pod.Spec.Containers[0].Env {
			message += " " + env.Value
		}
		pod.Status.Phase = phase
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: pod.Spec.Containers[0].Name, Image: image,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Message: message, FinishedAt: metav1.Now()}},
		}}
		_, _ = w.cluster.Client().CoreV1().Pods(w.namespace).UpdateStatus(w.t.Context(), &pod, metav1.UpdateOptions{})
	}
}

// hold keeps the pods of a Job from ending until release.
func (w *hookWorld) hold(job string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[job] = true
}

func (w *hookWorld) release(job string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[job] = false
}

// runs is how many Jobs of a name have begun.
func (w *hookWorld) runs(job string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.ran[job])
}

// inOrder are the names of the Jobs that have begun, in that order.
func (w *hookWorld) inOrder() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.order)
}

// begins waits until a Job of this name has begun.
func (w *hookWorld) begins(job string) {
	w.t.Helper()
	eventually(w.t, func() bool { return w.runs(job) > 0 }, job+" begins")
}

// start runs a provider whose requests go through the gateway.
func (w *hookWorld) start() *process { return start(w.t, w.gate.connection()) }

// task adds a Task to the stack.
func (p *process) task(t testing.TB, name string) *session {
	return &session{t: t, process: p, urn: urnOfType(taskType, name)}
}

// releaseHooks adds delete hooks to the stack.
func (p *process) releaseHooks(t testing.TB, name string) *session {
	return &session{t: t, process: p, urn: urnOfType(releaseHooksType, name)}
}

// job is a Job whose image says how it ends.
func (w *hookWorld) job(name, image string, spec ...map[string]any) map[string]any {
	job := object(w.t, `
apiVersion: batch/v1
kind: Job
metadata: {name: %s, namespace: %s}
spec:
  backoffLimit: 0
  template:
    spec: {restartPolicy: Never, terminationGracePeriodSeconds: 0, containers: [{name: main, image: "%s"}]}
`, name, w.namespace, image)
	for _, fields := range spec {
		maps.Copy(job["spec"].(map[string]any), fields)
	}
	return job
}

func (w *hookWorld) account(name string) map[string]any {
	return object(w.t, `{apiVersion: v1, kind: ServiceAccount, metadata: {name: %s, namespace: %s}}`, name, w.namespace)
}

// hookOf are the hidden input of a hook, and others.
func hookOf(release string, more map[string]any, inputs ...map[string]any) map[string]any {
	hook := map[string]any{"release": release}
	maps.Copy(hook, more)
	all := map[string]any{"__hook": hook}
	for _, in := range inputs {
		maps.Copy(all, in)
	}
	return all
}

// hookStep is a step of delete hooks.
func hookStep(manifest map[string]any, deleteAfter ...any) map[string]any {
	s := map[string]any{"manifest": manifest}
	if len(deleteAfter) > 0 {
		s["deleteAfter"] = deleteAfter
	}
	return s
}

// deleteHooks is what a Chart gives to its delete hooks.
func deleteHooks(more map[string]any, steps ...any) resource.PropertyMap {
	in := map[string]any{"release": "shop", "steps": steps}
	if steps == nil {
		in["steps"] = []any{}
	}
	maps.Copy(in, more)
	return resource.NewPropertyMapFromMap(in)
}

// isWrite reports whether a request changes something in the namespace.
func (w *hookWorld) isWrite(r *http.Request) bool {
	return r.Method != http.MethodGet && strings.Contains(r.URL.Path, "/namespaces/"+w.namespace+"/")
}

var errNotKilled = errors.New("it was not killed")

// killedAt does something in a process that is killed when the API server has acted on its nth write, counted from 0, and goes on
// with another process, whose engine has saved nothing. The error is errNotKilled if there were fewer writes.
func (w *hookWorld) killedAt(s *session, n int, do func() error) error {
	w.t.Helper()
	acted := make(chan struct{})
	seen := -1
	w.gate.always(func(r *http.Request) bool {
		if w.isWrite(r) {
			seen++ // under the gateway's lock
		}
		return seen >= n
	}, func(_ http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
		select {
		case <-acted: // Dead processes ask nothing.
		default:
			forward()
			close(acted)
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	})
	done, before := make(chan error, 1), s.stored
	go func() { done <- do() }()
	select {
	case <-acted:
	case err := <-done:
		w.gate.heal()
		require.NoError(w.t, err)
		return errNotKilled
	case <-time.After(30 * time.Second):
		require.Fail(w.t, "neither a write nor an end")
	}
	s.process.kill()
	_ = ended(w.t, done) // with whatever a dead process says
	s.process.ended()
	w.gate.heal()
	s.stored = before
	s.in(s.process.again(w.t))
	return nil
}

// countJobs is how many Jobs the namespace has.
func (w *hookWorld) countJobs() int {
	w.t.Helper()
	list, err := w.objects("Job").List(w.t.Context(), listAll)
	require.NoError(w.t, err)
	return len(list.Items)
}

// keptFor is the time to live of a Job in seconds; nil means that it stays.
func (w *hookWorld) keptFor(job string) any {
	w.t.Helper()
	return w.value("Job", job, "spec", "ttlSecondsAfterFinished")
}

// finish has a Job of others end, as its controller would.
func (w *hookWorld) finish(job string) {
	w.t.Helper()
	eventually(w.t, func() bool {
		text, err := json.Marshal(w.value("Job", job, "status", "conditions"))
		return err == nil && strings.Contains(string(text), `"Complete"`)
	}, fmt.Sprint(job, " ends"))
}

// uid identifies an object; empty if there is none.
func (w *hookWorld) uid(kind, name string) types.UID {
	w.t.Helper()
	live, err := w.objects(kind).Get(w.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return ""
	}
	require.NoError(w.t, err)
	return live.GetUID()
}
