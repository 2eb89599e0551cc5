// Package ownership says which objects are an Environment's.
//
// A name proves nothing: users choose some of the names, and objects of others may have the rest already. So whatever is read to decide
// by, written or deleted is asked for here first, and an object of others under a name that is needed is a taken name: the Environment
// waits and says so, and the object stays as it is.
//
// What has to outlive an Environment, its state and what belongs to it, is known by labels: a restored backup has other uids. What
// belongs to one run is known by the uid, so that nothing of an earlier Environment of the same name counts.
package ownership

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// AnnotationUID is the uid of the Environment that a Job is of: one that deletes itself must not own its Jobs.
const AnnotationUID = "platform.example.com/environment-uid"

// Labels are those of an object that is this part of an Environment. Leases and the Secret with the outputs are no part of the state.
func Labels(environment, part string) map[string]string {
	labels := map[string]string{v1alpha1.LabelEnvironment: environment}
	if part != "" {
		labels[v1alpha1.LabelPart] = part
	}
	return labels
}

// IsPart says whether an object is this part of an Environment's state, or with no part a Lease of it.
func IsPart(object metav1.Object, environment, part string) bool {
	labels := object.GetLabels()
	return environment != "" && labels[v1alpha1.LabelEnvironment] == environment && labels[v1alpha1.LabelPart] == part
}

// IsOfAState says whether an object is a part of any Environment's state, by its label or by the finalizer that holds it.
func IsOfAState(object metav1.Object) bool {
	return object.GetLabels()[v1alpha1.LabelPart] != "" || slices.Contains(object.GetFinalizers(), v1alpha1.StateFinalizer)
}

// IsOutputs says whether a Secret is for the outputs of an Environment, or was before that was restored from a backup. A part of a
// state never is.
func IsOutputs(secret metav1.Object, environment *v1alpha1.Environment) bool {
	return !IsOfAState(secret) &&
		(metav1.IsControlledBy(secret, environment) || IsPart(secret, environment.Name, ""))
}

// IsJob says whether a Job is of this Environment, not of an earlier one of the same name.
func IsJob(job metav1.Object, environment *v1alpha1.Environment) bool {
	return environment.UID != "" && job.GetAnnotations()[AnnotationUID] == string(environment.UID)
}

// IsPod says whether a pod is of a Job that is named as those of this Environment are, also if that Job was deleted and the pod left. The
// pods of an earlier Environment of the same name are, too: they may be at work on the same state. The label alone says nothing.
func IsPod(pod metav1.Object, environment *v1alpha1.Environment) bool {
	labels := pod.GetLabels()
	job := environment.Name + "-" + labels[v1alpha1.LabelSerial]
	if labels[v1alpha1.LabelEnvironment] != environment.Name || labels[batchv1.JobNameLabel] != job {
		return false
	}
	owner := metav1.GetControllerOf(pod)
	return owner == nil || owner.Kind == "Job" && owner.APIVersion == batchv1.SchemeGroupVersion.String() && owner.Name == job
}
