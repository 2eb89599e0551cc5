package v1alpha1

import "k8s.io/apimachinery/pkg/runtime/schema"

// InstanceGroupVersion is the group and version of all kinds that classes make. There is one group for all of them, so that one policy
// and one rule of RBAC can speak of all.
var InstanceGroupVersion = schema.GroupVersion{Group: "apps.platform.example.com", Version: "v1alpha1"}

const (
	// LabelClass names the class of a definition, a revision, an Environment or a copied Secret.
	LabelClass = "platform.example.com/class"
	// AnnotationInstance names the object of a tenant that an Environment is for: its namespace, "/" and its name.
	AnnotationInstance = "platform.example.com/instance"
	// AnnotationInstanceUID is its uid.
	AnnotationInstanceUID = "platform.example.com/instance-uid"
	// AnnotationInstanceGeneration is its generation that the spec of the Environment was made of.
	AnnotationInstanceGeneration = "platform.example.com/instance-generation"
	// AnnotationRevision is the revision of the class that the spec of an Environment was made of.
	AnnotationRevision = "platform.example.com/revision"
	// AnnotationFailedBefore is that revision, if the Environment failed already when it reached it.
	AnnotationFailedBefore = "platform.example.com/failed-before"
	// AnnotationTemplate is the template of a revision.
	AnnotationTemplate = "platform.example.com/template"
	// ClassFinalizer holds a class until no object of its kind exists.
	ClassFinalizer = "platform.example.com/class"
	// InstanceFinalizer holds an object of a tenant until its Environment is gone.
	InstanceFinalizer = "platform.example.com/instance"
)

// InstanceKind is the kind that the class makes.
func (c *EnvironmentClass) InstanceKind() schema.GroupVersionKind {
	return InstanceGroupVersion.WithKind(c.Spec.Kind.Kind)
}

// DefinitionName is the name of the CustomResourceDefinition of that kind.
func (c *EnvironmentClass) DefinitionName() string {
	return c.Spec.Kind.Plural + "." + InstanceGroupVersion.Group
}
