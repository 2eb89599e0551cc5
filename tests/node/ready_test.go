//go:build linux && node

package node

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// readied is an object, the wait until it is ready, and what depends on that.
const readied = `
resources:
  workload:
    type: k8sconnect:KubeObject
    properties:
      manifest: $MANIFEST
  ready:
    type: k8sconnect:Wait
    properties: {resourceRef: "${workload.resourceRef}", waitFor: {ready: true, timeout: 4m}}
  after:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: $NS}, data: {version: "$VERSION"}}
    options: {dependsOn: ["${ready}"]}
`

// serving is the content of a pod that begins when the gate of its version is open, and serves when its own is.
const serving = `terminationGracePeriodSeconds: 1, volumes: [{name: gates, hostPath: {path: $GATES, type: Directory}}],
  initContainers: [{name: init, image: "workload:1", args: [wait], env: [{name: GATE, value: "begin-$VERSION"}], volumeMounts: [{name: gates, mountPath: /gates}]}],
  containers: [{name: main, image: "workload:$VERSION", args: [serve], volumeMounts: [{name: gates, mountPath: /gates}],
    readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1}}]`

// served is the rest of a workload whose pods serve.
const served = `selector: {matchLabels: {app: it}}, template: {metadata: {labels: {app: it}}, spec: {` + serving + `}}`

func TestReadyIsRightAtEachMoment(t *testing.T) {
	for _, test := range []struct {
		kind     string
		manifest string
		pods     int
		// versions are those that it gets one after the other.
		versions []string
	}{
		{"Deployment", `{apiVersion: apps/v1, kind: Deployment, metadata: $META, spec: {replicas: 2, ` + served + `}}`, 2, []string{"1", "2"}},
		{"StatefulSet", `{apiVersion: apps/v1, kind: StatefulSet, metadata: $META, spec: {replicas: 2, serviceName: it, ` + served + `}}`, 2, []string{"1", "2"}},
		{"DaemonSet", `{apiVersion: apps/v1, kind: DaemonSet, metadata: $META, spec: {` + served + `}}`, 1, []string{"1", "2"}},
		{"ReplicaSet", `{apiVersion: apps/v1, kind: ReplicaSet, metadata: $META, spec: {replicas: 2, ` + served + `}}`, 2, []string{"1"}},
		{
			"ReplicationController", `{apiVersion: v1, kind: ReplicationController, metadata: $META, spec: {replicas: 2, selector: {app: it},
			template: {metadata: {labels: {app: it}}, spec: {` + serving + `}}}}`, 2, []string{"1"},
		},
		// Not the update of its image: for a moment the kubelet says of the new one what is true of the old container.
		{"Pod", `{apiVersion: v1, kind: Pod, metadata: $META, spec: {` + serving + `}}`, 1, []string{"1"}},
		{
			"Job", `{apiVersion: batch/v1, kind: Job, metadata: $META, spec: {completions: 2, parallelism: 2, template: {spec: {restartPolicy: Never,
			volumes: [{name: gates, hostPath: {path: $GATES, type: Directory}}],
			initContainers: [{name: init, image: "workload:1", args: [wait], env: [{name: GATE, value: "begin-$VERSION"}], volumeMounts: [{name: gates, mountPath: /gates}]}],
			containers: [{name: main, image: "workload:$VERSION", args: [wait], volumeMounts: [{name: gates, mountPath: /gates}]}]}}}}`, 2, []string{"1"},
		},
	} {
		t.Run("of a "+test.kind, func(t *testing.T) {
			s := newStack(t)
			g := newGates(t)
			pods := watchPods(t, s)
			for _, version := range test.versions {
				step(t, "version "+version+" is ready when all its pods are, and not a moment before [N15]", func(t *testing.T) {
					manifest := strings.ReplaceAll(test.manifest, "$META", "{name: it, namespace: $NS}")
					s.program(t, strings.NewReplacer("$VERSION", version, "$GATES", g.dir).Replace(strings.ReplaceAll(readied, "$MANIFEST", manifest)))
					up := s.start(t, "up", "--yes", "--skip-preview")
					pods.eventually(t, up, func(p pod) bool { return p.version == version && p.initialising })
					g.open(t, "begin-"+version)
					opened := map[string]bool{}
					for len(opened) < test.pods {
						name := pods.eventually(t, up, func(p pod) bool { return p.version == version && p.runs && !p.done && !opened[p.name] })
						g.open(t, version+"-"+name)
						opened[name] = true
						if len(opened) < test.pods {
							pods.eventually(t, up, func(p pod) bool { return p.version == version && p.name == name && p.done })
						}
					}
					up.succeeds(t)
					after, err := strconv.ParseInt(s.kubectl(t, "get", "configmap", "after", "--output=jsonpath={.metadata.resourceVersion}"), 10, 64)
					require.NoError(t, err)
					done := pods.doneAt(version)
					assert.Len(t, done, test.pods)
					for name, at := range done {
						assert.Less(t, at, after, "%s was done before what depends on it", name)
					}
				})
			}
			s.previewEmpty(t)
			s.destroy(t)
		})
	}
}

// pod is what there is to know of a pod at a moment.
type pod struct {
	name, version string
	initialising  bool  // its first container works
	runs          bool  // its main container does, in this version
	done          bool  // that is ready or has succeeded
	at            int64 // the revision
}

func podAt(t *testing.T, object *corev1.Pod) pod {
	p := pod{name: object.Name}
	_, p.version, _ = strings.Cut(object.Spec.Containers[0].Image, ":")
	var err error
	p.at, err = strconv.ParseInt(object.ResourceVersion, 10, 64)
	assert.NoError(t, err)
	for _, c := range object.Status.InitContainerStatuses {
		p.initialising = c.State.Running != nil
	}
	for _, c := range object.Status.ContainerStatuses {
		updated := strings.HasSuffix(c.Image, ":"+p.version)
		p.runs = updated && c.State.Running != nil
		p.done = updated && c.Ready
		if object.Spec.RestartPolicy == corev1.RestartPolicyNever { // it is to end
			p.done = c.State.Terminated != nil && c.State.Terminated.ExitCode == 0
		}
	}
	return p
}

// podHistory is what has become of the pods of a namespace.
type podHistory struct {
	mu    sync.Mutex
	last  map[string]pod
	first map[string]pod // by version and name, how it was when it was done for the first time
}

// watchPods sees every change of the pods until the test ends.
func watchPods(t *testing.T, s *stack) *podHistory {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	watch, err := s.cluster.Client().CoreV1().Pods(s.space).Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	h := &podHistory{last: map[string]pod{}, first: map[string]pod{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for event := range watch.ResultChan() {
			if object, ok := event.Object.(*corev1.Pod); ok {
				h.see(podAt(t, object))
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return h
}

func (h *podHistory) see(p pod) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last[p.name] = p
	key := p.version + " " + p.name
	if _, known := h.first[key]; p.done && !known {
		h.first[key] = p
	}
}

// eventually waits until a pod is as it has to be, and returns its name. Meanwhile and at that moment the command goes on.
func (h *podHistory) eventually(t *testing.T, up *running, is func(p pod) bool) (name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, p := range h.last {
			if is(p) {
				name = p.name
				return true
			}
		}
		return len(up.ended) > 0
	}, patience, 50*time.Millisecond, "%s", h)
	up.goesOn(t)
	return name
}

// String is how the pods are now.
func (h *podHistory) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return fmt.Sprintf("%+v", h.last)
}

// doneAt is when each pod of a version was done for the first time.
func (h *podHistory) doneAt(version string) map[string]int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := map[string]int64{}
	for key, p := range h.first {
		if strings.HasPrefix(key, version+" ") {
			at[p.name] = p.at
		}
	}
	return at
}
