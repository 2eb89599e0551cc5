// Package reference is the shape in which resources point at a Kubernetes
// object: what KubeObject and Patch give out and what Wait takes.
package reference

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)

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
	a.Describe(&r, texts.Of("ResourceRef"))
	texts.Describe(a, "ResourceRef", r)
}
