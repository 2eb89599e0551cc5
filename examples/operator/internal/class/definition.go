package class

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// Definition is the CustomResourceDefinition of a class. Without a schema of its own it has that of a revision's program. An error says what
// is wrong with the class or the program.
func Definition(class *v1alpha1.EnvironmentClass, revision *Revision) (*apiextensionsv1.CustomResourceDefinition, error) {
	spec, err := specOf(class, revision)
	if err != nil {
		return nil, err
	}
	column := func(name, kind, path string) apiextensionsv1.CustomResourceColumnDefinition {
		return apiextensionsv1.CustomResourceColumnDefinition{Name: name, Type: kind, JSONPath: path}
	}
	object := apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"apiVersion": {Type: "string"}, "kind": {Type: "string"}, "metadata": {Type: "object"}, "spec": *spec, "status": status(),
		},
	}
	if len(spec.Required) > 0 {
		object.Required = []string{"spec"}
	}
	kind := class.Spec.Kind
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: class.DefinitionName(), Labels: map[string]string{v1alpha1.LabelClass: class.Name}},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: v1alpha1.InstanceGroupVersion.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: kind.Kind, ListKind: kind.Kind + "List", Plural: kind.Plural, Singular: strings.ToLower(kind.Kind)},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: v1alpha1.InstanceGroupVersion.Version, Served: true, Storage: true,
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &object},
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				AdditionalPrinterColumns: []apiextensionsv1.CustomResourceColumnDefinition{
					column("Ready", "string", `.status.conditions[?(@.type=="Ready")].status`),
					column("Deleting", "date", ".metadata.deletionTimestamp"),
					column("Age", "date", ".metadata.creationTimestamp"),
					column("Message", "string", `.status.conditions[?(@.type=="Ready")].message`),
				},
			}},
		},
	}, nil
}

// status is the same for all kinds.
func status() apiextensionsv1.JSONSchemaProps {
	text, number := apiextensionsv1.JSONSchemaProps{Type: "string"}, apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int64"}
	return apiextensionsv1.JSONSchemaProps{
		Type: "object", Default: &apiextensionsv1.JSON{Raw: []byte(`{"observedGeneration":-1}`)},
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"observedGeneration": number,
			"environment":        text,
			"resourceCount":      number,
			"outputs":            {Type: "object", XPreserveUnknownFields: new(true)},
			"outputsSecretName":  text,
			"conditions": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object", Required: []string{"type", "status"},
				Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"type": text, "status": text, "reason": text, "message": text, "observedGeneration": number,
					"lastTransitionTime": {Type: "string", Format: "date-time"},
				},
			}}},
		},
	}
}
