package rpc_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// controlled is a cluster whose controllers run. Pods get a node and no more: their kubelet is the test.
var controlled = cluster.Shared{Options: cluster.Options{
	ControllerManager: true, Scheduler: true, Nodes: 1, Stages: []string{`
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: left-alone}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions: [{key: .metadata.deletionTimestamp, operator: DoesNotExist}]
  weight: 1
  next: {}
`},
}}

// TestReadinessByRealControllers waits for objects at moments between their creation and being ready.
func TestReadinessByRealControllers(t *testing.T) {
	t.Parallel()
	c := controlled.Get(t)
	client, err := dynamic.NewForConfig(c.RESTConfig())
	require.NoError(t, err)
	const pods = `template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}`
	const selected = `selector: {matchLabels: {app: web}}, ` + pods
	running := `{phase: Running, conditions: [{type: Ready, status: "True"}, {type: ContainersReady, status: "True"}, {type: Initialized, status: "True"}]}`
	for what, test := range map[string]struct {
		manifests []string // the last is waited for
		// waits is what is said on the way.
		waits string
		pods  string // what becomes of its pods
		come  func(w world)
	}{
		"a Deployment":            {[]string{`{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 2, ` + selected + `}}`}, "0 of 2 updated replicas are available", running, nil},
		"a StatefulSet":           {[]string{`{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 2, serviceName: web, ` + selected + `}}`}, "pods to be ready", running, nil},
		"a DaemonSet":             {[]string{`{apiVersion: apps/v1, kind: DaemonSet, spec: {` + selected + `}}`}, "0 of 1 updated pods are available", running, nil},
		"a ReplicaSet":            {[]string{`{apiVersion: apps/v1, kind: ReplicaSet, spec: {replicas: 2, ` + selected + `}}`}, "0/2 replicas ready", running, nil},
		"a ReplicationController": {[]string{`{apiVersion: v1, kind: ReplicationController, spec: {replicas: 2, selector: {app: web}, ` + pods + `}}`}, "0/2 replicas ready", running, nil},
		"a Pod":                   {[]string{`{apiVersion: v1, kind: Pod, metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}`}, "Pending", running, nil},
		"a Job": {
			[]string{`{apiVersion: batch/v1, kind: Job, spec: {template: {metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: web, image: nginx}]}}}}`},
			"not complete: 1 pods active", "{phase: Succeeded}", nil,
		},
		"a budget": {
			[]string{`{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 2, ` + selected + `}}`, `{apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}}`},
			"0/1 healthy pods", running, nil,
		},
		"an autoscaler": {
			[]string{`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: it}}}`},
			"condition AbleToScale=False (FailedGetScale)", "", func(w world) {
				w.create(w.written(`{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 2, ` + selected + `}}`))
			},
		},
		"a claim": {
			[]string{`{apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: example.org/none, volumeBindingMode: Immediate}`,
				`{apiVersion: v1, kind: PersistentVolumeClaim, spec: {accessModes: [ReadWriteOnce], storageClassName: NAME, resources: {requests: {storage: 1Gi}}}}`},
			"Pending", "", func(w world) {
				w.create(w.written(`{apiVersion: v1, kind: PersistentVolume, spec: {accessModes: [ReadWriteOnce], storageClassName: NAME, capacity: {storage: 1Gi}, hostPath: {path: /nowhere}}}`))
			},
		},
	} {
		t.Run("of "+what+" [W31]", func(t *testing.T) {
			t.Parallel()
			w := world{t, client, c.Namespace(t)}
			var manifest m
			for _, text := range test.manifests {
				manifest = w.written(text)
				w.create(manifest)
			}
			p := start(t, inline(c.Admin()))
			s, done := p.wait(t, "it"), make(chan error, 1)
			go func() { done <- s.create(waiting(refTo(manifest), until("ready", true, longTime))) }()
			eventually(t, func() bool { return strings.Contains(strings.Join(p.log.statuses(), "\n"), test.waits) }, "it is waited for, and "+test.waits)
			require.Empty(t, done, "it is still being waited for")
			if test.come != nil {
				test.come(w)
			}
			if test.pods != "" {
				w.runPods(c, test.pods, func() bool { return len(done) > 0 }, "the wait ends")
			}
			require.NoError(t, ended(t, done))
			requireWaited(t, s)
			assert.Empty(t, s.warned())
		})
	}
	t.Run("of a claim that waits for its first pod [W31]", func(t *testing.T) {
		t.Parallel()
		w := world{t, client, c.Namespace(t)}
		w.create(w.written(`{apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: example.org/none, volumeBindingMode: WaitForFirstConsumer}`))
		claim := w.written(`{apiVersion: v1, kind: PersistentVolumeClaim, spec: {accessModes: [ReadWriteOnce], storageClassName: NAME, resources: {requests: {storage: 1Gi}}}}`)
		w.create(claim)
		s := start(t, inline(c.Admin())).wait(t, "it").mustUp("create", waiting(refTo(claim), until("ready", true, "20s")))
		assert.Contains(t, s.warned(), "(WaitForFirstConsumer)")
	})
}

// TestARolloutIsCompleteWhenPodsStayReady waits for pods that are ready at once, as those without a readiness probe are, also
// when they are about to crash.
func TestARolloutIsCompleteWhenPodsStayReady(t *testing.T) {
	t.Parallel()
	c := controlled.Get(t)
	client, err := dynamic.NewForConfig(c.RESTConfig())
	require.NoError(t, err)
	const spec = `minReadySeconds: 500, selector: {matchLabels: {app: web}},
		template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}`
	for kind, test := range map[string]struct{ spec, ready, waits string }{
		"Deployment":  {"replicas: 1, " + spec, "readyReplicas", "0 of 1 updated replicas are available"},
		"StatefulSet": {"replicas: 1, serviceName: web, " + spec, "readyReplicas", "0 of 1 pods are available"},
		"DaemonSet":   {spec, "numberReady", "0 of 1 updated pods are available"},
	} {
		t.Run("for minReadySeconds, of a "+kind+" [W5]", func(t *testing.T) {
			t.Parallel()
			w := world{t, client, c.Namespace(t)}
			manifest := w.written(`{apiVersion: apps/v1, kind: ` + kind + `, spec: {` + test.spec + `}}`)
			w.create(manifest)
			p := start(t, inline(c.Admin()))
			s, done := p.wait(t, "it"), make(chan error, 1)
			go func() { done <- s.create(waiting(refTo(manifest), until("rollout", true, longTime))) }()
			// Only now: this test may have waited for its turn longer than the pod has to stay ready.
			running := `{phase: Running, conditions: [{type: Ready, status: "True", lastTransitionTime: "` + time.Now().UTC().Format(time.RFC3339) + `"}]}`
			w.runPods(c, running, func() bool {
				said := p.log.statuses()
				return w.value(kind, "it", "status", test.ready) == int64(1) && len(said) > 0 && strings.Contains(said[len(said)-1], test.waits)
			}, "the pod is ready, and that is not enough")
			require.Empty(t, done, "the pod is ready, and may crash at once")
			w.patch(kind, "it", m{"spec": m{"minReadySeconds": 1}})
			require.NoError(t, ended(t, done))
			requireWaited(t, s)
		})
	}
}

// written is a manifest with a name in the namespace of the test. Objects in no namespace, and NAME, are named after it.
func (w world) written(text string) m {
	w.t.Helper()
	manifest := object(w.t, "%s", strings.ReplaceAll(text, "NAME", w.namespace))
	metadata, _ := manifest["metadata"].(m)
	if metadata == nil {
		metadata = m{}
	}
	metadata["name"], metadata["namespace"] = "it", w.namespace
	if kind := manifest["kind"]; kind == "StorageClass" || kind == "PersistentVolume" {
		metadata["name"] = w.namespace
		delete(metadata, "namespace")
	}
	manifest["metadata"] = metadata
	return manifest
}

// runPods is the kubelet of all pods of the namespace until something has come true.
func (w world) runPods(c *cluster.Cluster, status string, until func() bool, what string) {
	w.t.Helper()
	reported := map[string]bool{}
	eventually(w.t, func() bool {
		pods, err := c.Client().CoreV1().Pods(w.namespace).List(w.t.Context(), metav1.ListOptions{})
		require.NoError(w.t, err)
		for _, pod := range pods.Items {
			if pod.Spec.NodeName != "" && pod.Status.Phase == corev1.PodPending && !reported[pod.Name] {
				w.report("Pod", pod.Name, withTimes(object(w.t, "%s", status)))
				reported[pod.Name] = true
			}
		}
		return until()
	}, what)
}
