package class

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// declaredSchema is the schema of what a program declares under config, without what the template or the program itself sets. Of the keys that
// are secret, tenants get those of the list, which have no property here: others would be stored in clear.
func declaredSchema(revision *Revision, secrets []string) (*apiextensionsv1.JSONSchemaProps, error) {
	project, err := stack.Project(revision.Files, "")
	if err != nil {
		return nil, err
	}
	spec, set := &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{}}, keysOf(&revision.Template)
	keys := stack.Declared(project)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		declared, reference := keys[key], slices.Contains(secrets, key)
		if declared.Value != nil || declared.Secret && !reference || stack.Sets(project, set, key) {
			continue
		}
		if !reference {
			if spec.Properties[key], err = property(declared); err != nil {
				return nil, fmt.Errorf("config of the program has %q, %w", key, err)
			}
		}
		if stack.Requires(declared) {
			spec.Required = append(spec.Required, key)
		}
	}
	return spec, nil
}

// property is the schema of one key.
func property(declared workspace.ProjectConfigType) (apiextensionsv1.JSONSchemaProps, error) {
	kind := declared.TypeName()
	if kind == "" {
		kind = typeOf(declared.Default)
	}
	if kind == "" {
		return apiextensionsv1.JSONSchemaProps{}, fmt.Errorf("which has no type. Declare it in %s, or write spec.schema", stack.ProjectFile)
	}
	made := schemaOf(kind, declared.Items)
	made.Description = declared.Description
	if declared.Default == nil {
		return made, nil
	}
	raw, err := json.Marshal(asType(kind, declared.Items, declared.Default))
	if err != nil {
		return made, fmt.Errorf("whose default is no JSON: %w", err)
	}
	made.Default = &apiextensionsv1.JSON{Raw: raw}
	return made, nil
}

// schemaOf is the schema of a type. Pulumi says nothing of what is in an object.
func schemaOf(kind string, items *workspace.ProjectConfigItemsType) apiextensionsv1.JSONSchemaProps {
	made := apiextensionsv1.JSONSchemaProps{Type: kind}
	switch {
	case kind == "object":
		made.XPreserveUnknownFields = new(true)
	case kind == "array" && items != nil:
		of := schemaOf(items.Type, items.Items)
		made.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &of}
	}
	return made
}

// typeOf is the type of a default, as in "replicas: 2"; empty if it does not say the whole type.
func typeOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case int:
		return "integer"
	case float64:
		return "number"
	case map[string]any:
		return "object"
	}
	return ""
}

// asType is a default in its type: Pulumi takes numbers and booleans that are written as texts.
func asType(kind string, items *workspace.ProjectConfigItemsType, value any) any {
	switch of := value.(type) {
	case string:
		if number, err := strconv.ParseInt(of, 10, 64); err == nil && kind == "integer" {
			return number
		}
		if kind == "boolean" {
			return of == "true"
		}
	case []any:
		typed := []any{}
		for _, item := range of {
			if items != nil {
				item = asType(items.Type, items.Items, item)
			}
			typed = append(typed, item)
		}
		return typed
	}
	return value
}
