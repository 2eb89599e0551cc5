package typed

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// The tokens of the types of what is ours at a resource.
const (
	optionsToken = base + ":index:KindOptions"
	appliedToken = base + ":index:KindApplied"
)

// basePackage is what an extension's schema has from the base package: the options and the outputs of a KubeObject.
type basePackage struct {
	version string
	spec    schema.PackageSpec
	object  schema.ResourceSpec
}

// parseBase reads the schema of the base package.
func parseBase(text, version, object string) (basePackage, error) {
	b := basePackage{version: version}
	if err := json.Unmarshal([]byte(text), &b.spec); err != nil {
		return b, fmt.Errorf("schema of the base package: %w", err)
	}
	b.object = b.spec.Resources[object]
	return b, nil
}

// schemaOf makes the schema of an extension. goPath is the import path of the package for Go, or empty.
func (b basePackage) schemaOf(name, version, goPath string, c content, value []byte) (string, error) {
	spec := schema.PackageSpec{
		Name: name, Version: version, Namespace: b.spec.Namespace, DisplayName: b.spec.DisplayName + " " + name,
		Description: "Classes for kinds of Kubernetes objects, served by " + base + ".",
		Publisher:   b.spec.Publisher, License: b.spec.License, Homepage: b.spec.Homepage, Repository: b.spec.Repository,
		// Without the place where the plugin comes from, the engine would make a second default provider.
		PluginDownloadURL:   b.spec.PluginDownloadURL,
		AllowedPackageNames: []string{base},
		Meta:                &schema.MetadataSpec{SupportPack: true},
		Types:               maps.Clone(c.Types),
		Resources:           map[string]schema.ResourceSpec{},
		ExtensionParameterization: &schema.ExtensionParameterizationSpec{
			BaseProvider: schema.BaseProviderRefSpec{Name: base, Version: b.version}, Parameter: value,
		},
	}
	for _, property := range b.object.InputProperties {
		b.addWords(spec.Types, &property.TypeSpec)
	}
	spec.Types[optionsToken] = b.own(b.object.InputProperties, nil, "How the object is applied and deleted.")
	spec.Types[appliedToken] = b.own(b.object.Properties, b.object.Required, "The object that was applied, and who owns its fields.")
	for token, kind := range c.Kinds {
		inputs, outputs := maps.Clone(kind.Fields), maps.Clone(kind.Fields)
		inputs[Options] = schema.PropertySpec{TypeSpec: reference(optionsToken), Description: "How the object is applied and deleted."}
		outputs[Options] = schema.PropertySpec{TypeSpec: reference(appliedToken), Description: "The object that was applied, and who owns its fields."}
		spec.Resources[token] = schema.ResourceSpec{
			ObjectTypeSpec: schema.ObjectTypeSpec{
				Type: "object", Description: kind.Description, Properties: outputs, Required: append([]string{Options}, kind.Required...),
			},
			InputProperties: inputs, RequiredInputs: kind.Required,
		}
	}
	var err error
	if spec.Language, err = b.languages(name, goPath, spec); err != nil {
		return "", err
	}
	text, err := json.Marshal(spec)
	return string(text), err
}

// own makes a type of properties of a KubeObject, except the manifest, which the fields of the kind are.
func (b basePackage) own(properties map[string]schema.PropertySpec, required []string, description string) schema.ComplexTypeSpec {
	result := map[string]schema.PropertySpec{}
	for name, property := range properties {
		if !slices.Contains(manifestKeys, name) {
			property.TypeSpec = b.fromOutside(property.TypeSpec)
			result[name] = property
		}
	}
	return schema.ComplexTypeSpec{ObjectTypeSpec: schema.ObjectTypeSpec{
		Type: "object", Description: description, Properties: result, Required: required,
	}}
}

// wordsIn returns the type of words of the base package that a reference leads to. An extension has such types of its own: the
// generator for Java looks for all words in the package that it writes. A copy does no harm, because these properties take any text.
func (b basePackage) wordsIn(ref string) (token string, ok bool) {
	token, isLocal := strings.CutPrefix(ref, "#/types/")
	return token, isLocal && len(b.spec.Types[token].Enum) > 0
}

// addWords adds the types of all words in a type.
func (b basePackage) addWords(to map[string]schema.ComplexTypeSpec, t *schema.TypeSpec) {
	if t == nil {
		return
	}
	if token, ok := b.wordsIn(t.Ref); ok {
		to[token] = b.spec.Types[token]
	}
	for i := range t.OneOf {
		b.addWords(to, &t.OneOf[i])
	}
	b.addWords(to, t.Items)
	b.addWords(to, t.AdditionalProperties)
}

// fromOutside returns a type of the base package as another package refers to it. A copy would be another type in Go, and a Wait would
// not take the resourceRef.
func (b basePackage) fromOutside(t schema.TypeSpec) schema.TypeSpec {
	if _, words := b.wordsIn(t.Ref); strings.HasPrefix(t.Ref, "#/types/") && !words {
		t.Ref = fmt.Sprintf("/%s/v%s/schema.json%s", base, b.version, t.Ref)
	}
	for i := range t.OneOf {
		if i == 0 {
			t.OneOf = slices.Clone(t.OneOf)
		}
		t.OneOf[i] = b.fromOutside(t.OneOf[i])
	}
	if t.Items != nil {
		items := b.fromOutside(*t.Items)
		t.Items = &items
	}
	if t.AdditionalProperties != nil {
		values := b.fromOutside(*t.AdditionalProperties)
		t.AdditionalProperties = &values
	}
	return t
}
