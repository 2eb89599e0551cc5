package class

import (
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// Status is what a tenant sees of its object.
type Status struct {
	ObservedGeneration int64                           `json:"observedGeneration"`
	Conditions         []metav1.Condition              `json:"conditions,omitempty"`
	Environment        string                          `json:"environment,omitempty"`
	ResourceCount      int32                           `json:"resourceCount,omitempty"`
	Outputs            map[string]apiextensionsv1.JSON `json:"outputs,omitempty"`
	OutputsSecretName  string                          `json:"outputsSecretName,omitempty"`
}

// conditions are those of an Environment that its tenant sees.
var conditions = []string{
	v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled, v1alpha1.ConditionDriftDetected, v1alpha1.ConditionSuspended,
}

// StatusOf is the status of an object with this Environment. What the Environment says of an earlier spec counts for nothing but its
// outputs, which are those of the last run.
func StatusOf(instance *unstructured.Unstructured, environment *v1alpha1.Environment) Status {
	status := Status{
		ObservedGeneration: instance.GetGeneration(), Environment: environment.Namespace + "/" + environment.Name,
		ResourceCount: environment.Status.ResourceCount, Outputs: environment.Status.Outputs,
	}
	if !IsCurrent(instance, environment) {
		status.Conditions = waits(instance, "Progressing", "The Environment has not been looked at since the last change.")
		return status
	}
	for _, kind := range conditions {
		if condition := meta.FindStatusCondition(environment.Status.Conditions, kind); condition != nil {
			mirrored := *condition
			mirrored.ObservedGeneration = instance.GetGeneration()
			status.Conditions = append(status.Conditions, mirrored)
		}
	}
	return status
}

// IsCurrent says whether the conditions of an Environment are about the present spec of its object, or about its deletion: that is another
// generation of the object, of which its Environment is not told.
func IsCurrent(instance *unstructured.Unstructured, environment *v1alpha1.Environment) bool {
	if instance.GetDeletionTimestamp() != nil {
		return !environment.DeletionTimestamp.IsZero() && environment.Status.ObservedGeneration == environment.Generation
	}
	return environment.Annotations[v1alpha1.AnnotationInstanceGeneration] == strconv.FormatInt(instance.GetGeneration(), 10) &&
		environment.Status.ObservedGeneration == environment.Generation
}

// Waits is the status of an object that gets no Environment, or whose Environment is not brought up to date, as long as something holds.
func Waits(instance *unstructured.Unstructured, environment *v1alpha1.Environment, reason, message string) Status {
	status := Status{ObservedGeneration: instance.GetGeneration(), Conditions: waits(instance, reason, message)}
	if environment != nil {
		before := StatusOf(instance, environment)
		status.Environment, status.Outputs, status.ResourceCount = before.Environment, before.Outputs, before.ResourceCount
	}
	return status
}

// Reason is that of Ready.
func (s Status) Reason() string {
	if ready := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionReady); ready != nil {
		return ready.Reason
	}
	return ""
}

func waits(instance *unstructured.Unstructured, reason, message string) []metav1.Condition {
	condition := func(kind string, status metav1.ConditionStatus) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: instance.GetGeneration()}
	}
	return []metav1.Condition{
		condition(v1alpha1.ConditionReady, metav1.ConditionFalse), condition(v1alpha1.ConditionReconciling, metav1.ConditionTrue),
	}
}
