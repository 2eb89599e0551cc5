package class_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/argocdtest"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

func TestWhatAnObjectSaysOfItsEnvironment(t *testing.T) {
	const says, waits = "The pod does not start.", "The Environment has not been looked at since the last change."
	for name, c := range map[string]struct {
		generation       int64 // of the object, of which the Environment was told the first
		deleted, ends    bool  // the object, and its Environment
		observed, wanted int64 // of the Environment
		message          string
	}{
		"the Environment is as the object says":              {1, false, false, 1, 1, says},
		"the object has changed":                             {2, false, false, 1, 1, waits},
		"the Environment has changed":                        {1, false, false, 1, 2, waits},
		"a deleted object, whose Environment is not yet":     {2, true, false, 1, 1, waits},
		"a deleted object, and nobody has looked":            {2, true, true, 1, 2, waits},
		"a deleted object, whose Environment cannot destroy": {2, true, true, 2, 2, says},
	} {
		t.Run(name, func(t *testing.T) {
			now := metav1.Now()
			instance, environment := &unstructured.Unstructured{}, &v1alpha1.Environment{}
			instance.SetGeneration(c.generation)
			environment.Annotations = map[string]string{v1alpha1.AnnotationInstanceGeneration: "1"}
			environment.Generation, environment.Status.ObservedGeneration = c.wanted, c.observed
			environment.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Message: says}}
			if c.deleted {
				instance.SetDeletionTimestamp(&now)
			}
			if c.ends {
				environment.DeletionTimestamp = &now
			}
			assert.Equal(t, c.message, class.StatusOf(instance, environment).Conditions[0].Message)
		})
	}
}

func TestArgoCDSeesWhatBecomesOfAnObject(t *testing.T) { // [X70]
	ready := func(holds metav1.ConditionStatus, reason string) metav1.Condition {
		return metav1.Condition{Type: v1alpha1.ConditionReady, Status: holds, Reason: reason, Message: reason + "."}
	}
	for wanted, conditions := range map[string][]metav1.Condition{
		"Healthy":     {ready(metav1.ConditionTrue, "Applied")},
		"Progressing": {ready(metav1.ConditionFalse, "Updating"), {Type: v1alpha1.ConditionReconciling, Status: metav1.ConditionTrue}},
		"Degraded":    {ready(metav1.ConditionFalse, "UpdateFailed"), {Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue}},
	} {
		environment := &v1alpha1.Environment{}
		environment.Annotations = map[string]string{v1alpha1.AnnotationInstanceGeneration: "3"}
		environment.Status.Conditions = conditions
		instance := &unstructured.Unstructured{Object: map[string]any{}}
		instance.SetGeneration(3)
		said, err := runtime.DefaultUnstructuredConverter.ToUnstructured(new(class.StatusOf(instance, environment)))
		require.NoError(t, err)
		instance.Object["status"] = said
		health, message := argocdtest.Health(t, "../../config/argocd/argocd-cm.yaml", v1alpha1.InstanceGroupVersion.Group+"/*", instance)
		assert.Equal(t, wanted, health)
		assert.Equal(t, conditions[0].Message, message)
		instance.SetGeneration(4)
		health, _ = argocdtest.Health(t, "../../config/argocd/argocd-cm.yaml", v1alpha1.InstanceGroupVersion.Group+"/*", instance)
		assert.Equal(t, "Progressing", health, "the operator has not seen the last change")
	}
}
