package rpc_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// resources are the kinds that the tests use.
var resources = map[string]schema.GroupVersionResource{
	"ConfigMap":      {Version: "v1", Resource: "configmaps"},
	"Secret":         {Version: "v1", Resource: "secrets"},
	"Service":        {Version: "v1", Resource: "services"},
	"Namespace":      {Version: "v1", Resource: "namespaces"},
	"ResourceQuota":  {Version: "v1", Resource: "resourcequotas"},
	"ServiceAccount": {Version: "v1", Resource: "serviceaccounts"},
	"Pod":            {Version: "v1", Resource: "pods"},
	"Event":          {Version: "v1", Resource: "events"},
	"Deployment":     {Group: "apps", Version: "v1", Resource: "deployments"},
	"StatefulSet":    {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"DaemonSet":      {Group: "apps", Version: "v1", Resource: "daemonsets"},
	"Job":            {Group: "batch", Version: "v1", Resource: "jobs"},
	"ClusterRole":    {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},

	"PersistentVolumeClaim": {Version: "v1", Resource: "persistentvolumeclaims"},
	"PodDisruptionBudget":   {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},

	"APIService":               {Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"},
	"CustomResourceDefinition": definitions,
	"HorizontalPodAutoscaler":  {Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
	"Ingress":                  {Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"},
	"PersistentVolume":         {Version: "v1", Resource: "persistentvolumes"},
	"ReplicaSet":               {Group: "apps", Version: "v1", Resource: "replicasets"},
	"ReplicationController":    {Version: "v1", Resource: "replicationcontrollers"},
	"StorageClass":             {Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"},
}

// clusterWide are the kinds of resources whose objects are in no namespace.
var clusterWide = []string{
	"APIService", "ClusterRole", "CustomResourceDefinition", "Namespace", "PersistentVolume", "StorageClass",
}

// users counts the users that were made, so that each has its own name.
var users atomic.Int64

// newUser is an administrator of the test's own, by whose name its requests are found in the audit log.
func newUser(t testing.TB) cluster.User {
	t.Helper()
	user, err := shared.Get(t).AddUser(fmt.Sprintf("tester-%d", users.Add(1)), "system:masters")
	require.NoError(t, err)
	return user
}

// inline is the connection of a user, as provider configuration or as clusterConnection.
func inline(user cluster.User) map[string]any {
	connection := map[string]any{"host": user.Host, "clusterCaCertificate": string(user.CACertificate)}
	if user.Token != "" {
		connection["token"] = user.Token
	} else {
		connection["clientCertificate"] = string(user.ClientCertificate)
		connection["clientKey"] = string(user.ClientKey)
	}
	return connection
}

// requests follows what one user asks the API server from now on.
func requests(t testing.TB, user cluster.User) (take func() []string) {
	t.Helper()
	c := shared.Get(t)
	mark, err := c.AuditMark()
	require.NoError(t, err)
	return func() []string {
		t.Helper()
		next, err := c.AuditMark()
		require.NoError(t, err)
		all, err := c.RequestsSince(mark)
		require.NoError(t, err)
		mark = next
		var mine []string
		for _, r := range all.Where(func(r cluster.Request) bool { return r.User == user.Name }) {
			mine = append(mine, describeRequest(strings.ToUpper(r.Verb), r.URI))
		}
		return mine
	}
}

// clusterIDPath is what the provider asks to know which cluster it talks to, and clusterID how that is counted.
const clusterIDPath, clusterID = "/api/v1/namespaces/kube-system", "cluster id"

// describeRequest says what a request is for in a word or two.
func describeRequest(verb, uri string) string {
	path, query, _ := strings.Cut(uri, "?")
	switch {
	case path == clusterIDPath:
		return clusterID
	case !strings.Contains(path, "/namespaces"):
		return "discovery " + strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/")
	case strings.Contains(query, "watch=true"):
		return "WATCH"
	case strings.Contains(query, "dryRun=All"):
		return verb + " dry-run"
	default:
		return verb
	}
}

func tally(requests []string) map[string]int {
	counts := map[string]int{}
	for _, request := range requests {
		counts[request]++
	}
	return counts
}

// world is everybody else who works on the cluster.
type world struct {
	t         testing.TB
	client    dynamic.Interface
	namespace string
}

// newWorld makes a namespace for the test.
func newWorld(t testing.TB) world {
	t.Helper()
	c := shared.Get(t)
	client, err := dynamic.NewForConfig(c.RESTConfig())
	require.NoError(t, err)
	return world{t, client, c.Namespace(t)}
}

func (w world) objects(kind string) dynamic.ResourceInterface {
	if slices.Contains(clusterWide, kind) {
		return w.client.Resource(resources[kind])
	}
	return w.client.Resource(resources[kind]).Namespace(w.namespace)
}

func (w world) get(kind, name string) *unstructured.Unstructured {
	w.t.Helper()
	live, err := w.objects(kind).Get(w.t.Context(), name, metav1.GetOptions{})
	require.NoError(w.t, err)
	return live
}

func (w world) exists(kind, name string) bool {
	w.t.Helper()
	_, err := w.objects(kind).Get(w.t.Context(), name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		require.NoError(w.t, err)
	}
	return err == nil
}

// value is a field of the live object.
func (w world) value(kind, name string, path ...string) any {
	w.t.Helper()
	v, _, err := unstructured.NestedFieldNoCopy(w.get(kind, name).Object, path...)
	require.NoError(w.t, err)
	return v
}

// create makes an object that we know nothing of.
func (w world) create(object map[string]any) *unstructured.Unstructured {
	w.t.Helper()
	kind, _ := object["kind"].(string)
	created, err := w.objects(kind).Create(w.t.Context(), &unstructured.Unstructured{Object: object},
		metav1.CreateOptions{FieldManager: "intern"})
	require.NoError(w.t, err)
	return created
}

// patch changes fields as kubectl edit and controllers do. null removes one.
func (w world) patch(kind, name string, patch map[string]any) *unstructured.Unstructured {
	w.t.Helper()
	body, err := json.Marshal(patch)
	require.NoError(w.t, err)
	live, err := w.objects(kind).Patch(w.t.Context(), name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: "intern"})
	require.NoError(w.t, err)
	return live
}

// jsonPatch changes places in lists.
func (w world) jsonPatch(kind, name string, operations ...map[string]any) {
	w.t.Helper()
	body, err := json.Marshal(operations)
	require.NoError(w.t, err)
	_, err = w.objects(kind).Patch(w.t.Context(), name, types.JSONPatchType, body, metav1.PatchOptions{FieldManager: "intern"})
	require.NoError(w.t, err)
}

// apply takes fields by force, under another field manager.
func (w world) apply(manager string, object map[string]any) {
	w.t.Helper()
	kind, _ := object["kind"].(string)
	_, err := w.objects(kind).Apply(w.t.Context(), name(object), &unstructured.Unstructured{Object: object},
		metav1.ApplyOptions{FieldManager: manager, Force: true})
	require.NoError(w.t, err)
}

// delete removes an object at once.
func (w world) delete(kind, name string) {
	w.t.Helper()
	policy := metav1.DeletePropagationBackground
	require.NoError(w.t, w.objects(kind).Delete(w.t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &policy}))
}

func name(object map[string]any) string {
	return (&unstructured.Unstructured{Object: object}).GetName()
}

// eventually waits until a condition holds.
func eventually(t testing.TB, holds func() bool, what string) {
	t.Helper()
	require.Eventually(t, holds, 20*time.Second, 20*time.Millisecond, what)
}

var listAll = metav1.ListOptions{}

// deployment is a workload with a keyed list.
func (w world) deployment(t testing.TB, name string) map[string]any {
	t.Helper()
	return object(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: %s, namespace: %s}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx:1
        env:
        - {name: A, value: "1"}
        - {name: B, value: "2"}
        - {name: C, value: "3"}
        ports:
        - {containerPort: 80}
`, name, w.namespace)
}
