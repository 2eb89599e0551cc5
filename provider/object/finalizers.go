package object

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// cleanupFinalizer holds a CustomResourceDefinition until the API server has deleted the objects of its kind. What it has
// not deleted stays in the API server's store and is back with the next definition of that name.
const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

// removable are the finalizers of an object that forceDestroy removes.
func removable(live *unstructured.Unstructured) []string {
	return slices.DeleteFunc(slices.Clone(live.GetFinalizers()), func(name string) bool { return name == cleanupFinalizer })
}

// finalizerMeanings explain the finalizers of Kubernetes itself. A finalizer is
// a promise of some controller to do something first, and removes it when done.
var finalizerMeanings = map[string]string{
	"kubernetes.io/pvc-protection":                "a pod still uses the claim; it goes when the last such pod has gone",
	"kubernetes.io/pv-protection":                 "the volume is still bound to a claim",
	"foregroundDeletion":                          "objects that it owns are being deleted first",
	"orphan":                                      "objects that it owns are being released first",
	"kubernetes":                                  "the namespace is being emptied",
	"batch.kubernetes.io/job-tracking":            "the Job that counts this pod has not counted it yet",
	"service.kubernetes.io/load-balancer-cleanup": "the cloud's load balancer is being removed",
	cleanupFinalizer:                              "objects of the kind still exist and are being deleted",
}

// holding says in one line what keeps a terminating object.
func holding(live *unstructured.Unstructured) string {
	if live == nil {
		return "waiting for the API server"
	}
	switch held := live.GetFinalizers(); {
	case len(held) == 1:
		return "held by the finalizer " + held[0]
	case len(held) > 1:
		return "held by the finalizers " + strings.Join(held, ", ")
	case len(finalizers(live)) > 0:
		return "what is in it is being deleted" // only a namespace has others
	}
	return "waiting for it to terminate"
}

// diagnosis explains, a line each, what the finalizers stand for and, for a
// namespace, what is left in it.
func diagnosis(live *unstructured.Unstructured) string {
	if live == nil {
		return ""
	}
	var b strings.Builder
	for _, finalizer := range finalizers(live) {
		meaning, ok := finalizerMeanings[finalizer]
		if !ok {
			meaning = "its controller has not removed it; look whether that still runs"
		}
		fmt.Fprintf(&b, "  %s: %s.\n", finalizer, meaning)
	}
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, condition := range conditions {
		condition, _ := condition.(map[string]any)
		kind, _ := condition["type"].(string)
		message, _ := condition["message"].(string)
		// The conditions of a terminating namespace say which kinds remain, how many of
		// each, and which finalizers hold them.
		if strings.HasPrefix(kind, "Namespace") && condition["status"] == "True" && message != "" {
			fmt.Fprintf(&b, "  %s\n", message)
		}
	}
	return b.String()
}

// finalizers lists the finalizers of an object and, of a namespace, those in its spec.
func finalizers(live *unstructured.Unstructured) []string {
	inSpec, _, _ := unstructured.NestedStringSlice(live.Object, "spec", "finalizers")
	if live.GetKind() != "Namespace" {
		inSpec = nil
	}
	return append(live.GetFinalizers(), inSpec...)
}
