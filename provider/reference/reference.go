// Package reference is the shape in which resources point at a Kubernetes
// object: what KubeObject and Patch give out and what Wait takes.
package reference

import "github.com/pulumi/pulumi-go-provider/infer"

// ResourceRef points at one Kubernetes object.
type ResourceRef struct {
	APIVersion string  `pulumi:"apiVersion"`
	Kind       string  `pulumi:"kind"`
	Namespace  *string `pulumi:"namespace,optional"`
	Name       string  `pulumi:"name"`
	UID        *string `pulumi:"uid,optional"`
	Revision   *string `pulumi:"revision,optional"`
}

var _ infer.Annotated = (*ResourceRef)(nil)

// Annotate describes the type for the schema.
func (r *ResourceRef) Annotate(a infer.Annotator) {
	a.SetToken("index", "ResourceRef")
	a.Describe(&r, "Points at one Kubernetes object.")
	a.Describe(&r.APIVersion, "The group and version, such as `apps/v1` or `v1`.")
	a.Describe(&r.Kind, "The kind, such as `Deployment`.")
	a.Describe(&r.Namespace, "The namespace. Absent for cluster-scoped objects. Default where it is an input: that of the provider "+
		"or of the kubeconfig's context, else `default`.")
	a.Describe(&r.Name, "The name.")
	a.Describe(&r.UID, "The uid that the API server gave to the object. It changes when the object is made anew. Not needed "+
		"where it is an input.")
	a.Describe(&r.Revision, "Changes when this resource changes the object, and not when a controller does. "+
		"What depends on it runs again exactly when something was applied. Not needed where it is an input.")
}
