package typed

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// builder makes the content of an extension of the kinds in a catalog.
type builder struct {
	*catalog

	content content
	// types are the tokens of the types that were made, and names the types that have a token: two that differ only in case would be
	// one file in some languages.
	types map[place]string
	names map[string]place
}

// place is where a type is defined: a definition of its own, or a place inside one.
type place struct{ document, path string }

// contentOf makes the content of the kinds in a catalog.
func contentOf(c *catalog) content {
	b := &builder{
		catalog: c, content: content{Kinds: map[string]fieldsOfKind{}, Types: map[string]schema.ComplexTypeSpec{}},
		types: map[place]string{}, names: map[string]place{},
	}
	for _, k := range c.Kinds {
		b.addKind(k)
	}
	return b.content
}

// identifying are the fields that a type stands for, and the status, which the cluster writes.
var identifying = []string{"apiVersion", "kind", "status"}

const metadataField = "metadata"

// addKind adds a class.
func (b *builder) addKind(k Kind) {
	doc := b.Documents[k.APIVersion()]
	name, root := doc.root(k)
	at := scope{doc: doc, document: k.APIVersion(), module: k.module(), name: k.Kind, path: k.Kind, builtin: builtinName.MatchString(name)}
	fields, required := map[string]schema.PropertySpec{}, []string{metadataField}
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		property := root.Properties[name]
		if slices.Contains(identifying, name) || name == metadataField || property == nil {
			continue
		}
		spec := b.property(at.in(name), property)
		spec.Secret = k.isSecret() && (name == "data" || name == "stringData")
		fields[atTop.encode(name)] = spec
		if slices.Contains(root.Required, name) && !at.hasDefault(property) {
			required = append(required, atTop.encode(name))
		}
	}
	fields[metadataField] = schema.PropertySpec{TypeSpec: b.metadata(), Description: "The object's name, namespace, labels and annotations."}
	b.content.Kinds[k.Token()] = fieldsOfKind{Description: root.Description, Fields: fields, Required: required}
}

// metadata is the type of the metadata of objects that are applied: what a program can set, with a name. Templates inside objects have
// the type that the cluster describes.
func (b *builder) metadata() schema.TypeSpec {
	const token = base + ":meta/v1:NamedMeta"
	text := schema.TypeSpec{Type: "string"}
	texts := schema.TypeSpec{Type: "object", AdditionalProperties: &text}
	property := func(spec schema.TypeSpec, description string) schema.PropertySpec {
		return schema.PropertySpec{TypeSpec: spec, Description: description}
	}
	b.content.Types[token] = schema.ComplexTypeSpec{ObjectTypeSpec: schema.ObjectTypeSpec{
		Type: "object", Required: []string{"name"}, Description: "The metadata of an object with a name.",
		Properties: map[string]schema.PropertySpec{
			"name":            property(text, "The name of the object."),
			"namespace":       property(text, "The namespace of the object. Default: the provider's."),
			"labels":          property(texts, "The labels of the object."),
			"annotations":     property(texts, "The annotations of the object."),
			"finalizers":      property(schema.TypeSpec{Type: "array", Items: &text}, "What has to happen before the object is gone."),
			"ownerReferences": property(schema.TypeSpec{Type: "array", Items: &anything}, "The objects with which this one is deleted."),
		},
	}}
	b.names[strings.ToLower(token)] = place{path: token}
	return reference(token)
}

// tokenFor returns the token of the type at a place. isNew means that its content is still to be made.
func (b *builder) tokenFor(at place, module, name string) (token string, isNew bool) {
	if token, made := b.types[at]; made {
		return token, false
	}
	token = base + ":" + module + ":" + name
	for n := 2; ; n++ {
		if _, taken := b.names[strings.ToLower(token)]; !taken {
			break
		}
		token = base + ":" + module + ":" + name + numeral(n)
	}
	b.types[at], b.names[strings.ToLower(token)] = token, at
	return token, true
}
