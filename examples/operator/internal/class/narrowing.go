package class

import (
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// Narrowing says what a new schema would refuse, or drop, of an object that the old one allows; "" if it only adds. The API server would
// store the new schema, and remove the fields with the next write of each object.
func Narrowing(before, after *apiextensionsv1.CustomResourceDefinition) string {
	if len(before.Spec.Versions) != 1 || before.Spec.Versions[0].Schema == nil {
		return "spec.versions is not as the operator writes it"
	}
	specOf := func(definition *apiextensionsv1.CustomResourceDefinition) apiextensionsv1.JSONSchemaProps {
		return definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	}
	return narrower("spec", specOf(before), specOf(after))
}

func narrower(path string, before, after apiextensionsv1.JSONSchemaProps) string {
	if before.Type != after.Type {
		return fmt.Sprintf("%s was of the type %q and would be of %q", path, before.Type, after.Type)
	}
	for _, name := range after.Required {
		property, existed := before.Properties[name]
		if !slices.Contains(before.Required, name) && (!existed || property.Default == nil) && after.Properties[name].Default == nil {
			return fmt.Sprintf("%s.%s would be required", path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before.Properties)) {
		now, has := after.Properties[name]
		if !has {
			return fmt.Sprintf("%s.%s would be removed", path, name)
		}
		if says := narrower(path+"."+name, before.Properties[name], now); says != "" {
			return says
		}
	}
	if says := narrowerEnum(path, before.Enum, after.Enum); says != "" {
		return says
	}
	if before.Items != nil && after.Items != nil && before.Items.Schema != nil && after.Items.Schema != nil {
		if says := narrower(path+"[]", *before.Items.Schema, *after.Items.Schema); says != "" {
			return says
		}
	}
	if says := narrowerBounds(path, before, after); says != "" {
		return says
	}
	if !equality.Semantic.DeepEqual(limits(before), limits(after)) && !isFree(before, after) {
		return fmt.Sprintf("what %s may be would be bounded in another way", path)
	}
	return ""
}

func narrowerEnum(path string, before, after []apiextensionsv1.JSON) string {
	if len(after) == 0 {
		return ""
	}
	if len(before) == 0 {
		return path + " would be one of a list"
	}
	for _, value := range before {
		if !slices.ContainsFunc(after, func(other apiextensionsv1.JSON) bool { return string(other.Raw) == string(value.Raw) }) {
			return fmt.Sprintf("%s could no longer be %s", path, value.Raw)
		}
	}
	return ""
}

// bound is one of the largest or smallest values, lengths and numbers that a schema allows.
type bound struct {
	name      string
	value     *float64
	exclusive bool
	// least says that more is allowed the smaller it is.
	least bool
}

func boundsOf(schema apiextensionsv1.JSONSchemaProps) []bound {
	whole := func(value *int64) *float64 {
		if value == nil {
			return nil
		}
		return new(float64(*value))
	}
	return []bound{
		{name: "maximum", value: schema.Maximum, exclusive: schema.ExclusiveMaximum},
		{name: "minimum", value: schema.Minimum, exclusive: schema.ExclusiveMinimum, least: true},
		{name: "maxLength", value: whole(schema.MaxLength)}, {name: "minLength", value: whole(schema.MinLength), least: true},
		{name: "maxItems", value: whole(schema.MaxItems)}, {name: "minItems", value: whole(schema.MinItems), least: true},
		{name: "maxProperties", value: whole(schema.MaxProperties)}, {name: "minProperties", value: whole(schema.MinProperties), least: true},
	}
}

// narrowerBounds allows a bound to move outwards, and to go.
func narrowerBounds(path string, before, after apiextensionsv1.JSONSchemaProps) string {
	now := boundsOf(after)
	for i, was := range boundsOf(before) {
		is := now[i]
		switch {
		case is.value == nil:
		case was.value == nil:
			return fmt.Sprintf("%s would have the %s %v", path, is.name, *is.value)
		case *is.value == *was.value && (was.exclusive || !is.exclusive):
		case *is.value == *was.value || (*is.value < *was.value) != is.least:
			return fmt.Sprintf("%s had the %s %v and would have %v%s", path, is.name, *was.value, *is.value, map[bool]string{true: ", without that value itself"}[is.exclusive])
		}
	}
	return ""
}

// isFree says whether nothing bounds a value any more. Fields that are in no schema need one that lets them through.
func isFree(before, after apiextensionsv1.JSONSchemaProps) bool {
	passing := before.AdditionalProperties != nil || before.XPreserveUnknownFields != nil || before.XEmbeddedResource || before.XIntOrString
	return !passing && equality.Semantic.DeepEqual(limits(after), apiextensionsv1.JSONSchemaProps{})
}

// limits are what bounds a value in ways that are not compared one by one: any other is refused, except none at all.
func limits(schema apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
	schema.ID, schema.Description, schema.Title, schema.Example, schema.ExternalDocs = "", "", "", nil, nil
	schema.Type, schema.Default, schema.Enum, schema.Required, schema.Properties = "", nil, nil, nil, nil
	schema.Maximum, schema.ExclusiveMaximum, schema.Minimum, schema.ExclusiveMinimum = nil, false, nil, false
	schema.MaxLength, schema.MinLength, schema.MaxItems, schema.MinItems = nil, nil, nil, nil
	schema.MaxProperties, schema.MinProperties = nil, nil
	if schema.Items != nil && schema.Items.Schema != nil {
		schema.Items = nil
	}
	return schema
}
