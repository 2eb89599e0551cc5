package lives_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// m is a YAML map.
type m = map[string]any

// tester is a test or a life of rapid.
type tester interface {
	require.TestingT
	Helper()
	Logf(format string, args ...any)
	Context() context.Context
	Cleanup(func())
}

// place is a namespace with a stack whose program makes objects in it.
type place struct {
	tester
	cluster   *cluster.Cluster
	namespace string
	stack     *engine.Stack
	program   []declared
}

// clients are the clients of the test process, and what is installed once.
var clients struct {
	once    sync.Once
	cluster *cluster.Cluster
	dynamic dynamic.Interface
	err     error
}

// prepare starts the cluster, installs what all lives share, and has the provider in this process find it.
func prepare(t testing.TB) {
	t.Helper()
	clients.once.Do(func() {
		c := shared.Get(t)
		clients.cluster, clients.err = c, os.Setenv("KUBECONFIG", c.KubeconfigFile())
		if clients.err != nil {
			return
		}
		config := c.RESTConfig()
		config.UserAgent = "lives"
		if clients.dynamic, clients.err = dynamic.NewForConfig(config); clients.err == nil {
			clients.err = install(context.Background())
		}
	})
	require.NoError(t, clients.err)
}

// newPlace makes a place in a world: see [worlds].
func newPlace(t tester, world string) *place {
	t.Helper()
	c := clients.cluster
	dir, err := os.MkdirTemp("", "life-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &engine.Stack{Name: "dev", Dir: filepath.Join(dir, "project"), Backend: filepath.Join(dir, "states"), SecretsProvider: engine.Keeper}
	require.NoError(t, os.Mkdir(s.Dir, 0o700))
	require.NoError(t, os.Mkdir(s.Backend, 0o700))
	return &place{tester: t, cluster: c, namespace: newNamespace(t, c, world), stack: s}
}

// newNamespace makes a namespace in a world. Its account is there at once, without which pods are refused.
func newNamespace(t tester, c *cluster.Cluster, world string) string {
	t.Helper()
	namespaces := c.Client().CoreV1().Namespaces()
	made, err := namespaces.Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "life-", Labels: map[string]string{worldLabel: world}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = namespaces.Delete(context.Background(), made.Name, metav1.DeleteOptions{}) })
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	if _, err := c.Client().CoreV1().ServiceAccounts(made.Name).Create(t.Context(), account, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}
	return made.Name
}

// resources are the kinds of the lives.
var resources = map[string]schema.GroupVersionResource{
	"ConfigMap":             {Version: "v1", Resource: "configmaps"},
	"Secret":                {Version: "v1", Resource: "secrets"},
	"Service":               {Version: "v1", Resource: "services"},
	"Pod":                   {Version: "v1", Resource: "pods"},
	"PersistentVolumeClaim": {Version: "v1", Resource: "persistentvolumeclaims"},
	"PersistentVolume":      {Version: "v1", Resource: "persistentvolumes"},
	"Namespace":             {Version: "v1", Resource: "namespaces"},
	"Deployment":            {Group: "apps", Version: "v1", Resource: "deployments"},
	"StatefulSet":           {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"Job":                   {Group: "batch", Version: "v1", Resource: "jobs"},
	"ClusterRole":           {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"Sized":                 {Group: "lives.example.com", Version: "v1", Resource: "sizeds"},
	"Plain":                 {Group: "lives.example.com", Version: "v1", Resource: "plains"},

	"StorageClass":                     {Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"},
	"RuntimeClass":                     {Group: "node.k8s.io", Version: "v1", Resource: "runtimeclasses"},
	"CustomResourceDefinition":         {Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	"MutatingAdmissionPolicy":          {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingadmissionpolicies"},
	"MutatingAdmissionPolicyBinding":   {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingadmissionpolicybindings"},
	"ValidatingAdmissionPolicy":        {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"},
	"ValidatingAdmissionPolicyBinding": {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"},
}

// unscoped are those of them that are in no namespace.
var unscoped = map[string]bool{"ClusterRole": true, "PersistentVolume": true}

// client is for the objects of a kind in a namespace.
func client(kind, namespace string) dynamic.ResourceInterface {
	resource, ok := resources[kind]
	if !ok {
		panic("no resource of kind " + kind)
	}
	if unscoped[kind] {
		return clients.dynamic.Resource(resource)
	}
	return clients.dynamic.Resource(resource).Namespace(namespace)
}

// live is the object, or nil where there is none.
func (p *place) live(kind, name string) *unstructured.Unstructured {
	p.Helper()
	return liveIn(p, p.namespace, kind, name)
}

func liveIn(t tester, namespace, kind, name string) *unstructured.Unstructured {
	t.Helper()
	got, err := client(kind, namespace).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(t, err)
	return got
}

// uid is that of the object, "" where there is none.
func (p *place) uid(kind, name string) types.UID {
	p.Helper()
	if live := p.live(kind, name); live != nil {
		return live.GetUID()
	}
	return ""
}

// edit has somebody else change an object by a merge patch in YAML.
func (p *place) edit(kind, name, patch string, subresources ...string) {
	p.Helper()
	require.NoError(p, editIn(p.Context(), p.namespace, kind, name, patch, subresources...))
}

func editIn(ctx context.Context, namespace, kind, name, patch string, subresources ...string) error {
	body, err := yaml.YAMLToJSON([]byte(patch))
	if err != nil {
		return err
	}
	_, err = client(kind, namespace).Patch(ctx, name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: neighbour}, subresources...)
	return err
}

// neighbour is the manager of those who edit objects.
const neighbour = "neighbour"

// eventually waits for something that a controller does.
func (p *place) eventually(what string, holds func() bool) {
	p.Helper()
	require.NoError(p, eventually(p.Context(), holds), "%s", what)
}

func eventually(ctx context.Context, holds func() bool) error {
	return wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(context.Context) (bool, error) { return holds(), nil })
}

// parse reads a manifest, with numbers as an API server has them.
func parse(text string) m {
	body, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("%v in:\n%s", err, text))
	}
	return numbers(body)
}

func parsef(text string, args ...any) m { return parse(fmt.Sprintf(text, args...)) }

// numbers decodes JSON with whole numbers as int64.
func numbers(body []byte) m {
	var object unstructured.Unstructured
	var plain m
	if err := json.Unmarshal(body, &plain); err != nil {
		panic(err)
	}
	kind, version := plain["kind"], plain["apiVersion"]
	plain["kind"], plain["apiVersion"] = "Any", "v1" // what it needs to read
	body, err := json.Marshal(plain)
	if err == nil {
		err = object.UnmarshalJSON(body)
	}
	if err != nil {
		panic(err)
	}
	for key, value := range map[string]any{"kind": kind, "apiVersion": version} {
		if object.Object[key] = value; value == nil {
			delete(object.Object, key)
		}
	}
	return object.Object
}
