package typed

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

const (
	// Options holds what is ours at a typed resource: as an input the options, as an output the reference and the owners. Some kinds
	// have a field resourceRef, so nothing else of ours is at the top.
	Options = base
	// manifestKey and textKey are where a KubeObject has its object.
	manifestKey  = "manifest"
	textKey      = "yaml"
	referenceKey = tracked.KeyResourceRef
	// unusualKey holds a manifest in the state that the fields cannot tell again, because it lacks its kind or is secret as a whole.
	unusualKey = "__manifest"
)

// manifestKeys are the properties of a KubeObject that the fields of a kind stand for.
var manifestKeys = []string{manifestKey, textKey}

// adapter translates between the properties of a typed resource and of a KubeObject:
//
//	{metadata, spec, k8sconnect: {adopt}, __hidden}  ⇄  {manifest: {apiVersion, kind, metadata, spec}, adopt, __hidden}
//
// The kind comes from the type of the resource or, for what is saved, from the reference to its object: an alias may give a resource
// the state of another type.
type adapter struct {
	kind    Kind
	shape   *shape
	options []string
}

// isHidden reports whether a property is one of those that no schema has.
func isHidden(step any) bool {
	name, ok := step.(string)
	return ok && strings.HasPrefix(name, "__")
}

// toObject makes the properties of a KubeObject of typed ones.
func (a adapter) toObject(typed property.Map) property.Map {
	if typed.Len() == 0 {
		return typed
	}
	out, manifest := map[string]property.Value{}, map[string]property.Value{}
	for name, v := range typed.All {
		switch {
		case name == unusualKey:
		case isHidden(name):
			out[name] = v
		case name == Options:
			a.spread(v, out)
		default:
			field, inside := a.shape.field(name)
			manifest[field] = inside.toFields(v)
		}
	}
	unusual, found := typed.GetOk(unusualKey)
	_, asText := out[textKey]
	switch {
	case found:
		out[manifestKey] = unusual
	case len(manifest) > 0 || !asText:
		manifest["apiVersion"], manifest["kind"] = property.New(a.kind.APIVersion()), property.New(a.kind.Kind)
		out[manifestKey] = property.New(manifest)
	}
	return property.NewMap(out)
}

// programToObject makes the inputs of a KubeObject of those that a program gives. If it gives none, the engine may have removed them all,
// because of the resource option ignoreChanges, and was has the manifest. Otherwise that is a mistake, of which the object is told as of others.
func (a adapter) programToObject(program, was property.Map) property.Map {
	if program.Len() == 0 && was.Len() == 0 {
		program = property.NewMap(map[string]property.Value{Options: property.New(property.Map{})})
	}
	return a.toObject(program)
}

// spread puts what is ours where a KubeObject has it. If it is unknown as a whole, each option is.
func (a adapter) spread(v property.Value, out map[string]property.Value) {
	switch {
	case v.IsMap():
		for name, value := range v.AsMap().All {
			out[name] = under(v, value)
		}
	case v.IsComputed():
		for _, name := range a.options {
			out[name] = v
		}
	}
}

// under returns a value that was inside another one, with the marks of the outer one.
func under(outer, inner property.Value) property.Value {
	if outer.Secret() {
		inner = inner.WithSecret(true)
	}
	if dependencies := outer.Dependencies(); len(dependencies) > 0 {
		inner = inner.WithDependencies(append(inner.Dependencies(), dependencies...))
	}
	return inner
}

// inputsFrom makes typed inputs from a KubeObject's.
func (a adapter) inputsFrom(object property.Map) property.Map {
	out := a.from(object)
	return out.Delete(unusualKey)
}

// outputsFrom makes typed outputs from a KubeObject's. inputs are the typed inputs: a preview that knows nothing of the object
// knows at least which fields it will have.
func (a adapter) outputsFrom(object, inputs property.Map) property.Map {
	out := a.from(object)
	if !object.Get(manifestKey).IsComputed() {
		return out
	}
	for name := range inputs.All {
		if name != Options && !isHidden(name) {
			out = out.Set(name, property.New(property.Computed))
		}
	}
	return out
}

func (a adapter) from(object property.Map) property.Map {
	if object.Len() == 0 {
		return object
	}
	out, own := map[string]property.Value{}, map[string]property.Value{}
	for name, v := range object.All {
		switch {
		case name == manifestKey:
			a.unfold(v, out)
		case isHidden(name):
			out[name] = v
		default:
			own[name] = v
		}
	}
	if len(own) > 0 {
		out[Options] = property.New(own)
	}
	return property.NewMap(out)
}

// unfold makes fields of a manifest.
func (a adapter) unfold(manifest property.Value, out map[string]property.Value) {
	if manifest.IsComputed() || manifest.IsNull() {
		return
	}
	if !manifest.IsMap() {
		out[unusualKey] = manifest
		return
	}
	members := manifest.AsMap()
	if manifest.Secret() || !isText(members.Get("apiVersion"), a.kind.APIVersion()) || !isText(members.Get("kind"), a.kind.Kind) {
		out[unusualKey] = manifest
	}
	for name, v := range members.All {
		if name == "apiVersion" || name == "kind" {
			continue
		}
		encoded, inside := a.shape.inSchema(name)
		out[encoded] = inside.toSchema(under(manifest, v))
	}
}

func isText(v property.Value, text string) bool {
	return v.IsString() && v.AsString() == text && !v.Secret()
}

// kindIn returns the kind of the object that a typed state is about.
func kindInState(state property.Map) (Kind, bool) { return kindInReference(state.Get(Options)) }

func kindInReference(own property.Value) (Kind, bool) {
	if !own.IsMap() || !own.AsMap().Get(referenceKey).IsMap() {
		return Kind{}, false
	}
	reference := own.AsMap().Get(referenceKey).AsMap()
	return kindIn(values.Text(reference.Get("apiVersion")), values.Text(reference.Get("kind")))
}
