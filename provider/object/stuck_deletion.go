package object

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// removable returns the finalizers that forceDestroy removes from an object.
func removable(live *unstructured.Unstructured) []string {
	return slices.DeleteFunc(slices.Clone(live.GetFinalizers()), func(name string) bool { return name == kinds.InstancesFinalizer })
}

// holding says in one line what blocks the deletion of a terminating object.
func holding(live *unstructured.Unstructured) string {
	if live == nil {
		return "waiting for the API server"
	}
	if failing := failingCleanUp(live); failing != "" {
		return failing
	}
	if namespace, name := claimOf(live); name != "" {
		return fmt.Sprintf("held by the PersistentVolumeClaim %s/%s", namespace, name)
	}
	switch held := live.GetFinalizers(); {
	case len(held) == 1:
		return "held by the finalizer " + held[0]
	case len(held) > 1:
		return "held by the finalizers " + strings.Join(held, ", ")
	case len(finalizers(live)) > 0:
		return "what is in it is being deleted" // only a namespace has other blockers
	}
	return "waiting for it to terminate"
}

// blockersOf explains, one line each, what the finalizers stand for and, for a namespace, what is left in it.
func blockersOf(live *unstructured.Unstructured) string {
	if live == nil {
		return ""
	}
	var b strings.Builder
	if namespace, name := claimOf(live); name != "" {
		return fmt.Sprintf("  %s: the volume is bound to this claim, and goes after it. If the data may be deleted, run: "+
			"kubectl delete pvc --namespace %s %s\n", kinds.VolumeFinalizer, namespace, name)
	}
	for _, finalizer := range finalizers(live) {
		fmt.Fprintf(&b, "  %s: %s.\n", finalizer, cmp.Or(kinds.FinalizerMeaning(finalizer),
			"its controller has not removed it; check whether the controller still runs"))
	}
	// The conditions of a terminating namespace list the remaining kinds, how many objects each has, and the
	// finalizers that hold them.
	failing := failingCleanUp(live)
	for _, condition := range emptying(live) {
		if !strings.HasSuffix(failing, condition.message) { // said already
			fmt.Fprintf(&b, "  %s\n", condition.message)
		}
	}
	return b.String()
}

// unfinished is a condition of a namespace that says why it is not empty yet.
type unfinished struct{ kind, message string }

func emptying(live *unstructured.Unstructured) []unfinished {
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	var all []unfinished
	for _, condition := range conditions {
		condition, _ := condition.(map[string]any)
		kind, _ := condition["type"].(string)
		message, _ := condition["message"].(string)
		if isNamespace(live) && strings.HasPrefix(kind, "Namespace") && condition["status"] == "True" && message != "" {
			all = append(all, unfinished{kind, message})
		}
	}
	return all
}

// failingCleanUp says why a namespace cannot be emptied, as opposed to what is still in it: for example, an API group
// does not answer, so it is unknown whether it has objects there.
func failingCleanUp(live *unstructured.Unstructured) string {
	for _, condition := range emptying(live) {
		switch condition.kind {
		case "NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure":
			return "the namespace cannot be emptied while an API group does not answer (see `kubectl get apiservice`): " + condition.message
		case "NamespaceDeletionContentFailure":
			return "the namespace cannot be emptied: " + condition.message
		}
	}
	return ""
}

// claimOf names the claim that holds a PersistentVolume that is being deleted.
func claimOf(live *unstructured.Unstructured) (namespace, name string) {
	if live == nil || live.GroupVersionKind().GroupKind() != kinds.PersistentVolume || !slices.Contains(live.GetFinalizers(), kinds.VolumeFinalizer) {
		return "", ""
	}
	namespace, _, _ = unstructured.NestedString(live.Object, "spec", "claimRef", "namespace")
	name, _, _ = unstructured.NestedString(live.Object, "spec", "claimRef", "name")
	return namespace, name
}

// lastResort explains whether forceDestroy helps.
func lastResort(live *unstructured.Unstructured) string {
	switch _, claim := claimOf(live); {
	case claim != "":
		return "forceDestroy would remove the volume under a claim that still uses it"
	case live == nil || len(removable(live)) > 0:
		return "As a last resort, set forceDestroy to true and run `pulumi up`, which saves it, before this command: after the " +
			"timeout it removes the finalizers, and leaves behind what they protect"
	case failingCleanUp(live) != "":
		return "forceDestroy cannot help: repair the API group, or, if it is no longer needed, delete its APIService " + kinds.LostWith(kinds.APIService)
	case len(live.GetFinalizers()) == 0:
		return "It has no finalizers of its own that forceDestroy could remove"
	default:
		return "Remove what blocks the deletion of those objects: forceDestroy never removes " + kinds.InstancesFinalizer +
			", because they would come back with the next definition of that name"
	}
}

// finalizers lists the finalizers of an object and, of a namespace, those in its spec.
func finalizers(live *unstructured.Unstructured) []string {
	inSpec, _, _ := unstructured.NestedStringSlice(live.Object, "spec", "finalizers")
	if !isNamespace(live) {
		inSpec = nil
	}
	return append(live.GetFinalizers(), inSpec...)
}

func isNamespace(live *unstructured.Unstructured) bool {
	return live.GroupVersionKind().GroupKind() == kinds.Namespace
}
