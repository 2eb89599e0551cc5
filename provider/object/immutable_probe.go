package object

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// tryAsNew applies the manifest alone as a new object, as a dry-run. The answer is the object that a replacement
// would create.
func (t target) tryAsNew(ctx context.Context, in inputs, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return t.probe(ctx, t.object(in.applied), in.applied, live)
}

// probe applies an object as a new one under an unused name, as a dry-run. It leaves out what the live object occupies
// (its addresses and ports), because no other object can have that while the live object exists. It tries addresses
// that the live object does not have, because they may be invalid or belong to another object.
func (t target) probe(
	ctx context.Context, object *unstructured.Unstructured, sent map[string]any, live *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	object = object.DeepCopy()
	object.SetName(fmt.Sprintf("k8sconnect-probe-%s", rand.String(10)))
	dropAllocated(object, sent, live)
	result, err := t.Cluster.Apply(ctx, object, cluster.ApplyOptions{
		FieldManager: t.Manager, Force: true, CreateOnly: true, DryRun: true,
	})
	if err != nil {
		return nil, err
	}
	result.Object.SetName(t.Ref.Name)
	return result.Object, nil
}

// copyOf returns a live object as a manifest for a second one like it. Owner references and finalizers stay, because a
// manifest can contradict them, even if others have set them.
func copyOf(object map[string]any) *unstructured.Unstructured {
	result := &unstructured.Unstructured{Object: values.DeepCopy(object).(map[string]any)}
	delete(result.Object, "status")
	if metadata, ok := result.Object["metadata"].(map[string]any); ok {
		for _, key := range []string{
			"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
			"managedFields", "selfLink", "generateName",
		} {
			delete(metadata, key)
		}
	}
	return result
}

// dropAllocated removes what only one object in the cluster can have and the live object has: addresses, ports, and
// names that the API server derives from its uid.
func dropAllocated(object *unstructured.Unstructured, sent map[string]any, live *unstructured.Unstructured) {
	switch object.GroupVersionKind().GroupKind() {
	case kinds.Service:
		dropAddresses(object, sent, live)
	case kinds.Job:
		dropGenerated(object, live)
	case kinds.Pod:
		// Ephemeral containers can only be added to a running Pod.
		unstructured.RemoveNestedField(object.Object, "spec", "ephemeralContainers")
	}
}

// allocated lists the fields in which the API server puts addresses and ports; they are not defaults.
var allocated = map[string]bool{"clusterIP": true, "clusterIPs": true, "nodePort": true, "healthCheckNodePort": true}

func dropAddresses(object *unstructured.Unstructured, sent map[string]any, live *unstructured.Unstructured) {
	held := func(field string) bool {
		wanted, _, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", field)
		has, _, _ := unstructured.NestedFieldNoCopy(live.Object, "spec", field)
		return wanted != "None" && reflect.DeepEqual(wanted, has)
	}
	// If one of the two changes and the other is sent unchanged, they contradict each other.
	_, listed, _ := unstructured.NestedFieldNoCopy(sent, "spec", "clusterIPs")
	address := held("clusterIP")
	if held("clusterIPs") && (address || !listed) {
		unstructured.RemoveNestedField(object.Object, "spec", "clusterIPs")
	}
	if address {
		unstructured.RemoveNestedField(object.Object, "spec", "clusterIP")
	}
	if held("healthCheckNodePort") {
		unstructured.RemoveNestedField(object.Object, "spec", "healthCheckNodePort")
	}
	taken := sets.New[any]()
	ports, _, _ := unstructured.NestedSlice(live.Object, "spec", "ports")
	for _, port := range ports {
		if port, ok := port.(map[string]any); ok {
			taken.Insert(port["nodePort"])
		}
	}
	ports, _, _ = unstructured.NestedSlice(object.Object, "spec", "ports")
	for _, port := range ports {
		if port, ok := port.(map[string]any); ok && taken.Has(port["nodePort"]) {
			delete(port, "nodePort")
		}
	}
	if ports != nil {
		_ = unstructured.SetNestedSlice(object.Object, ports, "spec", "ports")
	}
}

// dropGenerated removes a Job's selector and its labels, unless the user chose them.
func dropGenerated(object, live *unstructured.Unstructured) {
	if manual, _, _ := unstructured.NestedBool(object.Object, "spec", "manualSelector"); manual {
		return
	}
	unstructured.RemoveNestedField(object.Object, "spec", "selector")
	for _, labels := range [][]string{{"metadata", "labels"}, {"spec", "template", "metadata", "labels"}} {
		for _, label := range []string{
			"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name",
		} {
			at := append(slices.Clip(labels), label)
			wanted, _, _ := unstructured.NestedFieldNoCopy(object.Object, at...)
			if has, _, _ := unstructured.NestedFieldNoCopy(live.Object, at...); wanted == has {
				unstructured.RemoveNestedField(object.Object, at...)
			}
		}
	}
}

// addressTaken refuses a Service an address that another object has. A dry-run does not check that, and the Service
// would be deleted before anyone noticed.
func (t target) addressTaken(ctx context.Context, in inputs, live *unstructured.Unstructured) error {
	address, _, _ := unstructured.NestedString(in.applied, "spec", "clusterIP")
	held, _, _ := unstructured.NestedString(live.Object, "spec", "clusterIP")
	if t.Ref.APIVersion != "v1" || t.Ref.Kind != "Service" || address == "" || address == "None" || address == held {
		return nil
	}
	resolved, err := t.Cluster.Resolve(ctx, "networking.k8s.io/v1", "IPAddress", "", address)
	var taken *unstructured.Unstructured
	if err == nil {
		taken, err = t.Cluster.Get(ctx, resolved.Ref)
	}
	switch {
	case failure.Gone(err):
		// The address is free, or the API server does not keep addresses as objects and the create decides.
		return nil
	case err != nil:
		// Uncertainty is no reason to delete anything.
		return tracked.Refused(failure.ReasonImmutable, "%s: spec.clusterIP can only be changed by replacing the object, and it could not be decided whether %s "+
			"is free. It was not touched.\n"+
			"Allow reading it (get ipaddresses in networking.k8s.io); or, %s\n%v", t.Ref, address, t.deletionByHand(), t.Explain("read the address of", err, in.sensitive()))
	}
	namespace, _, _ := unstructured.NestedString(taken.Object, "spec", "parentRef", "namespace")
	name, _, _ := unstructured.NestedString(taken.Object, "spec", "parentRef", "name")
	return tracked.Refused(failure.ReasonImmutable, "%s: spec.clusterIP can only be changed by replacing the object, and %s belongs to Service %s/%s. "+
		"It was not touched.", t.Ref, address, namespace, name)
}
