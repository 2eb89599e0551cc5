package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// workloads is a cluster in which pods get a node and become ready, and Jobs complete. Pods with
// the label "kubelet: test" get a node and no more: their kubelet is the test. What clouds and
// storage drivers do is the test's business too.
var workloads = cluster.Shared{Options: cluster.Options{
	ControllerManager: true, Scheduler: true, Nodes: 1, Audit: true, PodNetwork: true, Stages: []string{leftAlone},
}}

// leftAlone keeps kwok from playing the kubelet of some pods: it wins over all that kwok would
// do with them while they run, and does nothing.
const leftAlone = `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata:
  name: left-alone
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchLabels: {kubelet: test}
    matchExpressions:
    - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
  weight: 1
  next: {}
`

// status changes the status of an object as its controller, its kubelet or a cloud would, by a
// merge patch in YAML.
func (k *kube) status(t testing.TB, id, patch string) {
	t.Helper()
	client, name := k.must(t, id)
	body, err := yaml.YAMLToJSON([]byte(patch))
	require.NoError(t, err)
	_, err = client.Patch(t.Context(), name, types.MergePatchType, body, metav1.PatchOptions{}, "status")
	require.NoError(t, err)
}

// create creates an object from its manifest in YAML.
func (k *kube) create(t testing.TB, id, manifest string) *unstructured.Unstructured {
	t.Helper()
	return k.createAs(t, id, "", manifest)
}

// createAs creates an object with a field manager, as Helm 3 and `kubectl create` do.
func (k *kube) createAs(t testing.TB, id, manager, manifest string) *unstructured.Unstructured {
	t.Helper()
	client, _ := k.must(t, id)
	object := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(manifest), &object.Object))
	created, err := client.Create(t.Context(), object, metav1.CreateOptions{FieldManager: manager})
	require.NoError(t, err)
	return created
}

// thePod waits until the objects with a label have a pod which has a node, and returns its ID.
func (k *kube) thePod(t testing.TB, space, selector string) string {
	t.Helper()
	var id string
	eventually(t, "a pod of "+selector, func() bool {
		client, _ := k.must(t, "v1/Pod/"+space+"/any")
		list, err := client.List(t.Context(), metav1.ListOptions{LabelSelector: selector})
		require.NoError(t, err)
		if len(list.Items) == 0 || at(list.Items[0].Object, "spec", "nodeName") == nil {
			return false
		}
		id = "v1/Pod/" + space + "/" + list.Items[0].GetName()
		return true
	})
	return id
}

// report writes an event about an object that was seen for the last time at a certain time.
func (k *kube) report(t testing.TB, c *cluster.Cluster, id, kind, reason, message string, count int32, last time.Time) {
	t.Helper()
	object, at := k.get(t, id), metav1.NewTime(last)
	_, err := c.Client().CoreV1().Events(object.GetNamespace()).Create(t.Context(), &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{GenerateName: object.GetName() + ".", Namespace: object.GetNamespace()},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace(),
			Name: object.GetName(), UID: object.GetUID(),
		},
		Type: kind, Reason: reason, Message: message, Count: count, FirstTimestamp: at, LastTimestamp: at,
		Source: corev1.EventSource{Component: "kubelet"},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// waitsFor waits until a user watches so many objects since the mark. A wait begins to watch
// when the first state that it has seen was not what it waits for.
func waitsFor(t testing.TB, c *cluster.Cluster, user cluster.User, mark cluster.AuditMark, objects int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d objects are watched", objects), func() bool {
		requests, err := c.RequestsSince(mark)
		require.NoError(t, err)
		watched := map[string]bool{}
		for _, request := range requests.Where(by(user)) {
			if request.Verb == "watch" {
				object, _ := objectAndVerb(request)
				watched[request.Path()+" "+object] = true
			}
		}
		return len(watched) >= objects
	})
}
