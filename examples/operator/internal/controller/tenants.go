package controller

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// instanceOf is the object of a class that an Environment was made for, nil if it was made by hand. The class confirms what the Environment
// says of itself: who may write an Environment must not make the operator speak of objects of others.
func (r *Reconciler) instanceOf(ctx context.Context, environment *v1alpha1.Environment) *metav1.PartialObjectMetadata {
	name := environment.Labels[v1alpha1.LabelClass]
	if name == "" || !r.Options.Classes {
		return nil
	}
	of := &v1alpha1.EnvironmentClass{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: name}, of); err != nil {
		return nil // The class was deleted by force.
	}
	instance := class.InstanceOf(environment)
	if of.Spec.Namespace != environment.Namespace || environment.Name != class.EnvironmentName(of, instance) {
		return nil
	}
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: instance.Namespace, Name: instance.Name, UID: types.UID(environment.Annotations[v1alpha1.AnnotationInstanceUID]),
	}}
	object.SetGroupVersionKind(of.InstanceKind())
	return object
}

// tenantOf is the namespace that an Environment is for: all Environments of a class are in one, and the tenants in those of its objects.
func (r *Reconciler) tenantOf(ctx context.Context, environment *v1alpha1.Environment) string {
	if object := r.instanceOf(ctx, environment); object != nil {
		return object.Namespace
	}
	return environment.Namespace
}

func asInstance(object *metav1.PartialObjectMetadata) *plan.Instance {
	if object == nil {
		return nil
	}
	return &plan.Instance{Kind: object.Kind, Namespace: object.Namespace, Name: object.Name}
}

// tell tells people of what has happened by events: at the Environment, and at the object of a class what is for who has that.
func (r *Reconciler) tell(ctx context.Context, environment *v1alpha1.Environment, events []plan.Event) {
	for _, event := range events {
		r.say(environment, event)
		if event.ForTenant {
			if object := r.instanceOf(ctx, environment); object != nil {
				r.say(object, event)
			}
		}
	}
}
