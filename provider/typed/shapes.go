package typed

import (
	"strings"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// shape is the table of the fields of a type whose names are others in the schema. A nil shape has none: what is there is the same on
// both sides. Keys of maps are never fields, so only a table can say which names to translate.
type shape struct {
	fields  map[string]field  // of an object, by the name in the schema
	encoded map[string]string // the names in the schema, by the name of the field
	each    *shape            // of the items of a list and the values of a map
}

type field struct {
	name  string
	shape *shape
}

// shapesOf returns the shapes of the kinds of a content, by token.
func shapesOf(c content) map[string]*shape {
	s := shaper{types: c.Types, made: map[string]*shape{}}
	shapes := map[string]*shape{}
	for token, kind := range c.Kinds {
		shapes[token] = s.object(kind.Fields, atTop, &shape{})
	}
	for token, found := range shapes {
		if !found.translates(map[*shape]bool{}) {
			delete(shapes, token)
		}
	}
	return shapes
}

type shaper struct {
	types map[string]schema.ComplexTypeSpec
	made  map[string]*shape
}

func (s shaper) object(properties map[string]schema.PropertySpec, at level, into *shape) *shape {
	into.fields, into.encoded = map[string]field{}, map[string]string{}
	for encoded, property := range properties {
		name := at.decode(encoded)
		into.fields[encoded] = field{name, s.shape(property.TypeSpec)}
		into.encoded[name] = encoded
	}
	return into
}

func (s shaper) shape(t schema.TypeSpec) *shape {
	inner := t.Items
	if inner == nil {
		inner = t.AdditionalProperties
	}
	if inner != nil {
		if each := s.shape(*inner); each != nil {
			return &shape{each: each}
		}
		return nil
	}
	token, isLocal := strings.CutPrefix(t.Ref, "#/types/")
	spec, known := s.types[token]
	if !isLocal || !known || spec.Type != "object" {
		return nil
	}
	if s.made[token] == nil {
		s.made[token] = &shape{} // first, because a type may contain itself
		s.object(spec.Properties, nested, s.made[token])
	}
	return s.made[token]
}

// translates reports whether a shape has any name that differs from its field.
func (s *shape) translates(seen map[*shape]bool) bool {
	if s == nil || seen[s] {
		return false
	}
	seen[s] = true
	for encoded, f := range s.fields {
		if f.name != encoded || f.shape.translates(seen) {
			return true
		}
	}
	return s.each.translates(seen)
}

// toFields gives a value the names of the fields.
func (s *shape) toFields(v property.Value) property.Value {
	return s.rename(v, (*shape).field, (*shape).toFields)
}

// toSchema gives a value the names of the schema.
func (s *shape) toSchema(v property.Value) property.Value {
	return s.rename(v, (*shape).inSchema, (*shape).toSchema)
}

// field returns the name of a field, and what is in it. A name that the table does not have stays: it is a mistake of the program, or
// was written without the table.
func (s *shape) field(name string) (string, *shape) {
	if s == nil {
		return name, nil
	}
	if f, ok := s.fields[name]; ok {
		return f.name, f.shape
	}
	if encoded, ok := s.encoded[name]; ok {
		return name, s.fields[encoded].shape
	}
	return name, s.each
}

// inSchema returns the name that a field has in the schema, and what is in it.
func (s *shape) inSchema(name string) (string, *shape) {
	if s == nil {
		return name, nil
	}
	if encoded, ok := s.encoded[name]; ok {
		return encoded, s.fields[encoded].shape
	}
	return name, s.each
}

func (s *shape) rename(
	v property.Value, name func(*shape, string) (string, *shape), inside func(*shape, property.Value) property.Value,
) property.Value {
	switch {
	case s == nil:
		return v
	case v.IsMap():
		out := map[string]property.Value{}
		for key, member := range v.AsMap().All {
			renamed, inner := name(s, key)
			out[renamed] = inside(inner, member)
		}
		return property.WithGoValue(v, property.NewMap(out))
	case v.IsArray():
		var out []property.Value
		for _, item := range v.AsArray().All {
			out = append(out, inside(s.each, item))
		}
		return property.WithGoValue(v, property.NewArray(out))
	default:
		return v
	}
}

// merge returns a shape with the fields of both: two versions of an extension may serve one resource, the old one what is in the state,
// and the new one what is in the program.
func merge(a, b *shape, done map[[2]*shape]*shape) *shape {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	case done[[2]*shape{a, b}] != nil:
		return done[[2]*shape{a, b}]
	}
	both := &shape{fields: map[string]field{}, encoded: map[string]string{}}
	done[[2]*shape{a, b}] = both
	both.each = merge(a.each, b.each, done)
	for _, s := range []*shape{a, b} {
		for encoded, f := range s.fields {
			f.shape = merge(both.fields[encoded].shape, f.shape, done)
			both.fields[encoded], both.encoded[f.name] = f, encoded
		}
	}
	return both
}

// shapes are the shapes of all extensions that this process was given.
type shapes struct {
	mu      sync.RWMutex
	byToken map[string]*shape
}

// add adds the shapes of an extension.
func (s *shapes) add(c content) {
	added := shapesOf(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byToken == nil {
		s.byToken = map[string]*shape{}
	}
	for token, new := range added {
		s.byToken[token] = merge(s.byToken[token], new, map[[2]*shape]*shape{})
	}
}

// of returns the shape of a kind.
func (s *shapes) of(k Kind) *shape {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byToken[k.Token()]
}
