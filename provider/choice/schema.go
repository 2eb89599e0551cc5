package choice

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const types = "#/types/"

// InSchema describes the enums of a schema, and has the inputs take plain strings beside them. What is read back is a
// plain string: the values of the configuration, and what the provider says of itself.
func InSchema(spec *schema.PackageSpec) {
	for _, resource := range spec.Resources {
		relax(spec, resource.InputProperties)
	}
	relax(spec, spec.Provider.InputProperties)
	for _, members := range slices.Collect(maps.Values(spec.Types)) {
		relax(spec, members.Properties)
	}
	for _, function := range spec.Functions {
		if function.Inputs != nil {
			describe(spec, function.Inputs.Properties)
		}
	}
	for _, properties := range []map[string]schema.PropertySpec{spec.Provider.Properties, spec.Config.Variables} {
		for name, property := range properties {
			if _, _, ok := enum(spec, property.TypeSpec); ok {
				property.TypeSpec = schema.TypeSpec{Type: "string"}
				properties[name] = property
			}
		}
	}
}

func relax(spec *schema.PackageSpec, inputs map[string]schema.PropertySpec) {
	for name, input := range inputs {
		relaxed := &input.TypeSpec
		if input.Items != nil {
			relaxed = input.Items
		}
		if token, words, ok := enum(spec, *relaxed); ok {
			spec.Types[token] = described(words, name)
			*relaxed = schema.TypeSpec{Type: "string", OneOf: []schema.TypeSpec{{Type: "string"}, {Ref: types + token}}}
			inputs[name] = input
		}
	}
}

// describe describes the enums of inputs.
func describe(spec *schema.PackageSpec, inputs map[string]schema.PropertySpec) {
	for name, input := range inputs {
		if token, words, ok := enum(spec, input.TypeSpec); ok {
			spec.Types[token] = described(words, name)
		}
	}
}

func described(words schema.ComplexTypeSpec, input string) schema.ComplexTypeSpec {
	words.Description = fmt.Sprintf("The values of the input `%s`.", input)
	return words
}

// enum returns the enum that is the type of a property.
func enum(spec *schema.PackageSpec, property schema.TypeSpec) (token string, words schema.ComplexTypeSpec, ok bool) {
	if len(property.Ref) <= len(types) {
		return "", schema.ComplexTypeSpec{}, false
	}
	token = property.Ref[len(types):]
	words, ok = spec.Types[token]
	return token, words, ok && len(words.Enum) > 0
}
