package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

// revisionFor is the revision that an Environment is on, and the newest one for a new Environment.
func (r *instanceReconciler) revisionFor(ctx context.Context, of *v1alpha1.EnvironmentClass, environment *v1alpha1.Environment) (*class.Revision, string, error) {
	name := of.Status.Revision
	if environment != nil {
		name = environment.Annotations[v1alpha1.AnnotationRevision]
	}
	if name == "" {
		return nil, fmt.Sprintf("The class %s has no program yet.", of.Name), nil
	}
	return r.open(ctx, of, name)
}

// open reads a revision, or says why there is none.
func (r *instanceReconciler) open(ctx context.Context, of *v1alpha1.EnvironmentClass, name string) (*class.Revision, string, error) {
	kept := &corev1.ConfigMap{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: of.Spec.Namespace, Name: name}, kept)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Sprintf("The revision %s of the class %s is not there any more. It goes on with the next one.", name, of.Name), nil
	}
	if err != nil {
		return nil, "", err
	}
	revision, err := class.Open(of.Name, kept)
	if err != nil {
		return nil, err.Error() + ".", nil
	}
	return revision, "", nil
}

// withheld are the keys that an object does not give to a revision. A kind that is made of a program has the keys of the newest one at once, and
// keeps those that it loses. At rest every program knows what its objects have, and nothing is asked for.
func (r *instanceReconciler) withheld(
	ctx context.Context, of *v1alpha1.EnvironmentClass, revision *class.Revision, instance *unstructured.Unstructured,
) ([]string, error) {
	if of.Spec.Schema != nil || revision.Template.Program.Image != "" {
		return nil, nil
	}
	unknown := class.Unknown(revision, instance)
	if len(unknown) == 0 {
		return nil, nil
	}
	newest := revision
	if of.Status.Revision != revision.Name {
		var err error
		if newest, _, err = r.open(ctx, of, of.Status.Revision); err != nil {
			return nil, err
		}
	}
	kind := &apiextensionsv1.CustomResourceDefinition{}
	if err := r.Direct.Get(ctx, client.ObjectKey{Name: of.DefinitionName()}, kind); client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	return class.Withheld(unknown, newest, kind, instance), nil
}
