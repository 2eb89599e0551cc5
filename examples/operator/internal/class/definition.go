package class

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// propertyName is how a property may be named: a key of configuration with ":" would configure a provider, and one with "." or "[" is
// a path.
var propertyName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// Definition is the CustomResourceDefinition of a class. An error says what is wrong with the class.
func Definition(class *v1alpha1.EnvironmentClass) (*apiextensionsv1.CustomResourceDefinition, error) {
	spec, err := specOf(class)
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

// specOf is the schema of the spec of the objects: that of the class, and the references to Secrets.
func specOf(class *v1alpha1.EnvironmentClass) (*apiextensionsv1.JSONSchemaProps, error) {
	spec := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(class.Spec.Schema.Raw, spec); err != nil {
		return nil, fmt.Errorf("spec.schema is no schema: %w", err)
	}
	if spec.Type != "" && spec.Type != "object" {
		return nil, fmt.Errorf("spec.schema describes %q, and spec of an object is always an object", spec.Type)
	}
	if spec.XPreserveUnknownFields != nil || spec.AdditionalProperties != nil {
		return nil, errors.New("spec.schema may not allow all properties: tenants could configure providers. Name each in properties")
	}
	spec.Type = "object"
	if spec.Properties == nil {
		spec.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
	}
	for _, name := range class.Spec.Secrets {
		if _, has := spec.Properties[name]; has {
			return nil, fmt.Errorf("%q is in spec.secrets and in spec.schema.properties", name)
		}
		spec.Properties[name] = reference()
	}
	template := class.Spec.Template
	for _, name := range slices.Sorted(maps.Keys(spec.Properties)) {
		_, config := template.Config[name]
		_, secret := template.SecretConfig[name]
		_, from := template.ConfigFrom[name]
		switch {
		case !propertyName.MatchString(name):
			return nil, fmt.Errorf("spec.schema.properties has %q. The name of a property has letters, digits, _ and - only", name)
		case config || secret || from:
			return nil, fmt.Errorf("spec.schema lets tenants set %q, which spec.template sets already. Remove one of them", name)
		}
	}
	return spec, nil
}

func reference() apiextensionsv1.JSONSchemaProps {
	name := apiextensionsv1.JSONSchemaProps{Type: "string", MinLength: new(int64(1)), MaxLength: new(int64(253))}
	return apiextensionsv1.JSONSchemaProps{
		Type: "object", Required: []string{"secretKeyRef"}, Description: "A secret value.",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"secretKeyRef": {
			Type: "object", Required: []string{"name", "key"}, Description: "A key of a Secret of this namespace.",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": name, "key": name},
		}},
	}
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
