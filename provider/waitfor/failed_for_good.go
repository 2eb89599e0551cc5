package waitfor

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// hasEnded reports whether an object is a failed Job or Pod, which never leaves that state.
func hasEnded(object *unstructured.Unstructured) bool {
	switch object.GroupVersionKind().GroupKind() {
	case kinds.Job:
		return readiness.JobEnding(object).Type == string(batchv1.JobFailed)
	case kinds.Pod:
		phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
		return phase == "Failed"
	}
	return false
}

// wayOut explains how to run a failed Job or Pod again: by creating a new one. A replacement by `pulumi up --replace`
// does not help: without deleteBeforeReplace it creates the new object first, which collides with the old object of the
// same name.
func wayOut(ended *unstructured.Unstructured) string {
	return fmt.Sprintf("A %s that has failed does not run again: change its manifest, or delete it with "+
		"`kubectl delete %s --namespace %s %s` %s, so that the next `pulumi up` creates it again, if it is part of the program, and waits for it.",
		ended.GetKind(), strings.ToLower(ended.GetKind()), ended.GetNamespace(), ended.GetName(), kinds.LostWith(ended.GroupVersionKind().GroupKind()))
}
