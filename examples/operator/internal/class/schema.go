package class

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// propertyName is how a property may be named: a key of configuration with ":" would configure a provider, and one with "." or "[" is
// a path.
var propertyName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// specOf is the schema of the spec of the objects: that of the class, or of the program of a revision, and the references to Secrets.
func specOf(class *v1alpha1.EnvironmentClass, revision *Revision) (*apiextensionsv1.JSONSchemaProps, error) {
	spec, from, template := &apiextensionsv1.JSONSchemaProps{}, "spec.schema.properties", class.Spec.Template
	var err error
	if class.Spec.Schema != nil {
		spec, err = writtenSchema(class.Spec.Schema.Raw)
	} else {
		spec, err = declaredSchema(revision, class.Spec.Secrets)
		from, template = "config of the program", revision.Template
	}
	if err != nil {
		return nil, err
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
	set := keysOf(&template)
	for _, name := range slices.Sorted(maps.Keys(spec.Properties)) {
		switch {
		case !propertyName.MatchString(name):
			return nil, fmt.Errorf("%s has %q. The name of a property has letters, digits, _ and - only, and begins with no digit and no -", from, name)
		case slices.Contains(set, name):
			return nil, fmt.Errorf("tenants could set %q, and spec.template sets it already. Remove one of them", name)
		}
	}
	return spec, nil
}

// writtenSchema is the schema that a class has.
func writtenSchema(raw []byte) (*apiextensionsv1.JSONSchemaProps, error) {
	spec := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(raw, spec); err != nil {
		return nil, fmt.Errorf("spec.schema is no schema: %w", err)
	}
	if spec.Type != "" && spec.Type != "object" {
		return nil, fmt.Errorf("spec.schema describes %q, and spec of an object is always an object", spec.Type)
	}
	if spec.XPreserveUnknownFields != nil || spec.AdditionalProperties != nil {
		return nil, errors.New("spec.schema may not allow all properties: tenants could configure providers. Name each in properties")
	}
	return spec, nil
}

// keysOf are the keys of configuration that a template sets. Tenants do not.
func keysOf(template *v1alpha1.EnvironmentSpec) []string {
	return slices.Concat(
		slices.Collect(maps.Keys(template.Config)), slices.Collect(maps.Keys(template.SecretConfig)), slices.Collect(maps.Keys(template.ConfigFrom)),
	)
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
