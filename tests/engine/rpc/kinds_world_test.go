package rpc_test

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// kindWorld is a cluster of the test's own, with the controllers that finish deletions.
type kindWorld struct {
	cluster    *cluster.Cluster
	user       cluster.User
	client     dynamic.Interface
	mapper     meta.RESTMapper
	namespaces []string
	heard      warnings
}

func newKindWorld(t *testing.T) *kindWorld {
	t.Helper()
	c := cluster.ForTest(t, cluster.Options{ControllerManager: true})
	user, err := c.AddUser("kinds", "system:masters")
	require.NoError(t, err)
	k := &kindWorld{cluster: c, user: user}
	config := rest.CopyConfig(c.RESTConfig())
	config.QPS, config.WarningHandler = -1, &k.heard
	k.client, err = dynamic.NewForConfig(config)
	require.NoError(t, err)
	asker, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	k.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(asker))

	content, err := os.ReadFile("testdata/kinds/definitions/definitions.yaml")
	require.NoError(t, err)
	for document := range strings.SplitSeq(string(content), "\n---\n") {
		k.define(t, document)
	}
	// The garbage collector finishes the deletion of no kind that it does not know. It looks for new ones every half a
	// minute, and when it starts.
	require.NoError(t, c.ControllerManager.Restart(t.Context()))
	return k
}

// define makes a custom kind and waits until it is served.
func (k *kindWorld) define(t *testing.T, document string) {
	t.Helper()
	var definition unstructured.Unstructured
	require.NoError(t, yaml.Unmarshal([]byte(document), &definition.Object))
	_, err := k.client.Resource(definitions).Create(t.Context(), &definition, metav1.CreateOptions{})
	require.NoError(t, err)
	awaitEstablished(t, k.client, definition.GetName())
}

// awaitEstablished waits until a kind is served. Before, its definition may change in every respect.
func awaitEstablished(t *testing.T, client dynamic.Interface, name string) {
	t.Helper()
	eventually(t, func() bool {
		live, err := client.Resource(definitions).Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
		return slices.ContainsFunc(conditions, func(condition any) bool {
			fields, _ := condition.(map[string]any)
			return fields["type"] == "Established" && fields["status"] == "True"
		})
	}, name+" is established")
}

// awaitNamespaces waits until pods are admitted.
func (k *kindWorld) awaitNamespaces(t *testing.T) {
	t.Helper()
	for _, namespace := range k.namespaces {
		accounts := k.client.Resource(resources["ServiceAccount"]).Namespace(namespace)
		eventually(t, func() bool {
			_, err := accounts.Get(t.Context(), "default", metav1.GetOptions{})
			return err == nil
		}, "service account of "+namespace)
	}
}

func (k *kindWorld) mapping(t *testing.T, object *unstructured.Unstructured) *meta.RESTMapping {
	t.Helper()
	kind := object.GroupVersionKind()
	mapping, err := k.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	require.NoError(t, err)
	return mapping
}

// objects is where the object of the case is, and its name.
func (c *kindCase) objects(t *testing.T) (dynamic.ResourceInterface, string) {
	t.Helper()
	object := &unstructured.Unstructured{Object: c.full}
	client := c.world.client.Resource(c.world.mapping(t, object).Resource)
	if object.GetNamespace() == "" {
		return client, object.GetName()
	}
	return client.Namespace(object.GetNamespace()), object.GetName()
}

func (c *kindCase) get(t *testing.T) (*unstructured.Unstructured, error) {
	t.Helper()
	objects, name := c.objects(t)
	return objects.Get(t.Context(), name, metav1.GetOptions{})
}

// accepts reports whether the API server would create the object.
func (c *kindCase) accepts(t *testing.T, manifest map[string]any) bool {
	t.Helper()
	objects, name := c.objects(t)
	object := (&unstructured.Unstructured{Object: manifest}).DeepCopy()
	_, err := objects.Apply(t.Context(), name, object, metav1.ApplyOptions{FieldManager: "asking", DryRun: []string{metav1.DryRunAll}})
	return err == nil
}

// replace puts the object in the place of the live one, as kubectl edit and kubectl replace do.
func (c *kindCase) replace(t *testing.T, object *unstructured.Unstructured, dryRun bool) (*unstructured.Unstructured, error) {
	t.Helper()
	objects, _ := c.objects(t)
	options := metav1.UpdateOptions{FieldManager: "intern", FieldValidation: "Strict"}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return objects.Update(t.Context(), object, options)
}

// disturb makes the changes. A controller may write the object at the same time.
func (c *kindCase) disturb(t *testing.T, changes []change) error {
	t.Helper()
	for {
		live, err := c.get(t)
		if err != nil {
			return err
		}
		for _, change := range changes {
			change.make(live.Object)
		}
		if _, err = c.replace(t, live, false); !apierrors.IsConflict(err) {
			return err
		}
	}
}

// addForeign adds a label and an annotation.
func (c *kindCase) addForeign(t *testing.T) error {
	t.Helper()
	objects, name := c.objects(t)
	patch := `{"metadata": {"labels": {"theirs.example.com/a": "yes"}, "annotations": {"theirs.example.com/b": "yes"}}}`
	_, err := objects.Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "intern"})
	return err
}

// remove removes what a story that went wrong has left behind, whatever holds it.
func (c *kindCase) remove(t *testing.T) {
	t.Helper()
	objects, name := c.objects(t)
	policy := metav1.DeletePropagationBackground
	if err := objects.Delete(t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &policy}); apierrors.IsNotFound(err) {
		return
	}
	eventually(t, func() bool {
		_, err := objects.Get(t.Context(), name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, name+" is gone")
}

// aggregator is the controller of aggregated ClusterRoles. It applies the rules, and so can make a role again that was
// deleted at the same moment.
const aggregator = "clusterrole-aggregation-controller"

// removeMadeAgain removes the object of an earlier story that the aggregator has made again.
func (c *kindCase) removeMadeAgain(t *testing.T) {
	t.Helper()
	live, err := c.get(t)
	if err != nil {
		return
	}
	for _, entry := range live.GetManagedFields() {
		if entry.Manager != aggregator {
			return
		}
	}
	c.remove(t)
}

// saidNoMore wants the user to have been warned of nothing but what the API server warns every client of, and of fields that the
// object really lacks, because the feature that they belong to is off.
func (c *kindCase) saidNoMore(t *testing.T, manifest map[string]any, said []string) error {
	t.Helper()
	if len(said) == 0 {
		return nil
	}
	live, err := c.get(t)
	if err != nil {
		return err
	}
	said = slices.DeleteFunc(said, func(text string) bool {
		_, names, dropped := strings.Cut(text, "did not keep them: ")
		names, _, _ = strings.Cut(names, "\n")
		for name := range strings.SplitSeq(names, ", ") {
			_, has, err := unstructured.NestedFieldNoCopy(live.Object, strings.Split(name, ".")...)
			dropped = dropped && !has && err == nil
		}
		return dropped
	})
	if _, err := c.replace(t, live, true); err != nil {
		return err
	}
	c.accepts(t, manifest)
	for _, text := range said {
		if !c.world.heard.has(text) {
			return errors.New(text)
		}
	}
	return nil
}

// warnings are what the API server warns its other clients of.
type warnings struct{ texts sync.Map }

// HandleWarningHeader implements rest.WarningHandler.
func (w *warnings) HandleWarningHeader(_ int, _ string, text string) { w.texts.Store(text, true) }

func (w *warnings) has(text string) bool {
	_, ok := w.texts.Load(text)
	return ok
}

// sameObject compares what there is of two objects, what only the API server and controllers write aside.
func sameObject(a, b *unstructured.Unstructured) error {
	before, after := substance(a), substance(b)
	if reflect.DeepEqual(before, after) {
		return nil
	}
	x, _ := yaml.Marshal(before)
	y, _ := yaml.Marshal(after)
	return fmt.Errorf("it is not what it was:\n%s\nbut:\n%s", x, y)
}

// substance is an object without what says how it came about.
func substance(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	object.SetFinalizers(slices.DeleteFunc(object.GetFinalizers(), func(finalizer string) bool {
		// A controller adds its protection in its own time.
		return strings.Contains(finalizer, "k8s.io") || strings.Contains(finalizer, "kubernetes.io")
	}))
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "deployment.kubernetes.io/revision")
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "deprecated.daemonset.template.generation")
	delete(object.Object, "status")
	ports, _, _ := unstructured.NestedSlice(object.Object, "spec", "ports")
	for _, port := range ports {
		if port, ok := port.(map[string]any); ok {
			delete(port, "nodePort") // allocated, and again for a port that was removed
		}
	}
	if len(ports) > 0 {
		_ = unstructured.SetNestedSlice(object.Object, ports, "spec", "ports")
	}
	if _, sum := object.Object["aggregationRule"]; sum {
		delete(object.Object, "rules")
	}
	withoutEmpty(object.Object)
	return object.Object
}

// withoutEmpty removes empty maps and lists, which the API server keeps or drops as the kind's Go type has it.
func withoutEmpty(tree any) (empty bool) {
	switch tree := tree.(type) {
	case map[string]any:
		for key, v := range tree {
			if withoutEmpty(v) {
				delete(tree, key)
			}
		}
		return len(tree) == 0
	case []any:
		for _, v := range tree {
			withoutEmpty(v)
		}
		return len(tree) == 0
	}
	return tree == nil
}

func isHollow(tree any) bool {
	object, isMap := tree.(map[string]any)
	list, isList := tree.([]any)
	return isMap && len(object) == 0 || isList && len(list) == 0
}
