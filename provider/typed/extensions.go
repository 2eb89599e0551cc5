package typed

import (
	"slices"
	"sync"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

// Object is the resource that serves all kinds.
type Object struct {
	Token    tokens.Type
	Resource infer.InferredResource
}

// Extensions are the extensions that a process was given, and the resources of their kinds.
type Extensions struct {
	object  Object
	shapes  shapes
	options func() []string

	mu      sync.Mutex
	schemas map[extension]string
}

// extension identifies an extension.
type extension struct{ name, version string }

// New makes the resources of all kinds. The object serves each of them.
func New(object Object) *Extensions {
	return &Extensions{object: object, schemas: map[extension]string{}, options: sync.OnceValue(func() []string {
		spec, err := object.Resource.GetSchema(func(tokens.Type, schema.ComplexTypeSpec) bool { return false })
		if err != nil {
			return nil
		}
		return optionsIn(spec)
	})}
}

// optionsIn names the inputs of an object other than the manifest.
func optionsIn(spec schema.ResourceSpec) (names []string) {
	for name := range spec.InputProperties {
		if name != manifestKey && name != textKey {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// adapter returns the adapter of a kind.
func (e *Extensions) adapter(k Kind) adapter {
	return adapter{kind: k, shape: e.shapes.of(k), options: e.options()}
}

// keep keeps the schema of an extension.
func (e *Extensions) keep(of extension, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.schemas[of] = text
}

// schemaOf returns the schema of an extension. Without a version, it is any that has the name.
func (e *Extensions) schemaOf(wanted extension) (text string, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if text, ok = e.schemas[wanted]; ok || wanted.version != "" {
		return text, ok
	}
	for of, text := range e.schemas {
		if of.name == wanted.name {
			return text, true
		}
	}
	return "", false
}
