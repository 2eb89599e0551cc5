package typed

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// anything is the type of what the languages cannot check.
var anything = schema.TypeSpec{Ref: "pulumi.json#/Any"}

func reference(token string) schema.TypeSpec { return schema.TypeSpec{Ref: "#/types/" + token} }

func numeral(n int) string { return strconv.Itoa(n) }

// scope is where a definition is, and what a type there is called.
type scope struct {
	doc      document
	document string // "" for the definitions that all documents of a cluster share
	module   string
	name     string
	path     string
	depth    int
	// builtin means that Kubernetes itself has the definition. Its defaults are zero values of Go, which the API server does not apply.
	builtin bool
}

// in is the scope of a property.
func (s scope) in(property string) scope {
	s.name += className(property)
	s.path += "." + property
	s.depth++
	return s
}

// hasDefault reports whether the API server fills in a property that a program leaves out.
func (s scope) hasDefault(property *definition) bool {
	if property.Default == nil || !s.builtin {
		return property.Default != nil
	}
	if values, isMap := property.Default.(map[string]any); isMap {
		return len(values) > 0
	}
	return !reflect.ValueOf(property.Default).IsZero()
}

// builtinName is how Kubernetes names definitions: io.k8s.api.apps.v1.Deployment, io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta.
var builtinName = regexp.MustCompile(`^io\.k8s\.(?:api|(?:apimachinery|apiextensions-apiserver|kube-aggregator)\.pkg\.apis)\.([a-z0-9]+)\.(v[a-z0-9]+)\.(\w+)$`)

// target is the scope of a definition with a name of its own.
func (s scope) target(name string, d *definition) scope {
	parts := builtinName.FindStringSubmatch(name)
	if parts == nil {
		class := name[strings.LastIndex(name, ".")+1:]
		return scope{doc: s.doc, document: s.document, module: s.module, name: className(class), path: name}
	}
	class := parts[3]
	if len(d.Kinds) > 0 {
		class += "Fields" // the kind may be a class, too
	}
	return scope{doc: s.doc, module: parts[1] + "/" + parts[2], name: class, path: name, builtin: true}
}

// property is the type of a property, with its description.
func (b *builder) property(at scope, d *definition) schema.PropertySpec {
	return schema.PropertySpec{TypeSpec: b.typeOf(at, d), Description: d.Description}
}

// deepest is how far definitions are followed. Only a list or a map of itself is deeper.
const deepest = 100

// typeOf is the type of a definition.
func (b *builder) typeOf(at scope, d *definition) schema.TypeSpec {
	at.depth++
	if d == nil || at.depth > deepest {
		return anything
	}
	if name, ok := d.target(); ok {
		target := at.doc[name]
		if target == nil {
			return anything
		}
		if len(target.Properties) == 0 {
			return b.inline(at, target)
		}
		return b.object(at.target(name, target), target)
	}
	return b.inline(at, d)
}

// inline is the type of a definition that is not a reference.
func (b *builder) inline(at scope, d *definition) schema.TypeSpec {
	switch {
	case d.Ref != "", len(d.AllOf) > 0 && d.Type == "", d.Preserve, d.Embedded:
		return anything
	case d.IntOrString, d.Format == "int-or-string":
		return union("integer", "string")
	case isQuantity(d):
		return union("string", "number")
	}
	switch d.Type {
	case "string":
		return b.text(at, d)
	case "integer", "boolean", "number":
		return schema.TypeSpec{Type: d.Type}
	case "array":
		items := b.typeOf(at, d.Items)
		return schema.TypeSpec{Type: "array", Items: &items}
	case "object":
		return b.objectOrMap(at, d)
	}
	return anything
}

// isQuantity reports whether a definition is a quantity, which is a text or a number.
func isQuantity(d *definition) bool {
	return d.Type == "" && len(d.OneOf) == 2 && d.OneOf[0] != nil && d.OneOf[1] != nil && d.OneOf[0].Type == "string" && d.OneOf[1].Type == "number"
}

func union(types ...string) schema.TypeSpec {
	var spec schema.TypeSpec
	for _, t := range types {
		spec.OneOf = append(spec.OneOf, schema.TypeSpec{Type: t})
	}
	return spec
}

func (b *builder) objectOrMap(at scope, d *definition) schema.TypeSpec {
	switch {
	case len(d.Properties) > 0 && d.Values == nil:
		return b.object(at, d)
	case len(d.Properties) == 0 && d.Values != nil && d.Values.definition != nil:
		values := b.typeOf(at, d.Values.definition)
		return schema.TypeSpec{Type: "object", AdditionalProperties: &values}
	default:
		return anything
	}
}

// object is the type of an object with properties.
func (b *builder) object(at scope, d *definition) schema.TypeSpec {
	token, isNew := b.tokenFor(place{at.document, at.path}, at.module, at.name)
	if !isNew {
		return reference(token)
	}
	properties, required := map[string]schema.PropertySpec{}, []string(nil)
	for _, name := range slices.Sorted(maps.Keys(d.Properties)) {
		property := d.Properties[name]
		if property == nil {
			property = &definition{}
		}
		properties[nested.encode(name)] = b.property(at.in(name), property)
		if slices.Contains(d.Required, name) && !at.hasDefault(property) {
			required = append(required, nested.encode(name))
		}
	}
	b.content.Types[token] = schema.ComplexTypeSpec{ObjectTypeSpec: schema.ObjectTypeSpec{
		Type: "object", Description: d.Description, Properties: properties, Required: required,
	}}
	return reference(token)
}

// text is the type of a text, which may be one of a few words.
func (b *builder) text(at scope, d *definition) schema.TypeSpec {
	words, ok := wordsOf(d)
	if !ok {
		return schema.TypeSpec{Type: "string"}
	}
	token, isNew := b.tokenFor(place{at.document, at.path}, at.module, at.name)
	if isNew {
		b.content.Types[token] = schema.ComplexTypeSpec{ObjectTypeSpec: schema.ObjectTypeSpec{Type: "string", Description: d.Description}, Enum: words}
	}
	return reference(token)
}

// wordsOf returns the words of an enumeration. ok is false if there are none, or if not all of them can have names: then a text may be
// any, so that the language refuses nothing that the API server accepts.
func wordsOf(d *definition) (words []schema.EnumValueSpec, ok bool) {
	names := map[string]bool{}
	for _, value := range d.Enum {
		word, isText := value.(string)
		name := className(word)
		if !isText || !startsWithLetter(name) || names[strings.ToLower(name)] {
			return nil, false
		}
		names[strings.ToLower(name)] = true
		words = append(words, schema.EnumValueSpec{Name: name, Value: word})
	}
	return words, len(words) > 0
}

// className makes a part of the name of a class from any name.
func className(name string) string {
	var out strings.Builder
	upper := true
	for _, r := range name {
		if !isLetterOrDigit(r) {
			upper = true
			continue
		}
		if upper {
			out.WriteString(strings.ToUpper(string(r)))
		} else {
			out.WriteRune(r)
		}
		upper = false
	}
	return out.String()
}

func isLetterOrDigit(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
