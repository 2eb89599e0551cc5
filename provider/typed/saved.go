package typed

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// saved is what the engine has of a resource: its outputs and its inputs.
type saved struct{ outputs, inputs property.Map }

// isTyped reports whether a typed resource has written it. An alias may give its state to a KubeObject, and the other way round.
func (s saved) isTyped() bool {
	_, typed := kindInState(s.outputs)
	return typed
}

// toObject returns what is saved in the form of a KubeObject, in whichever form it was written. kind is the kind of the resource.
func (e *Extensions) toObject(s saved, kind Kind) saved {
	if written, typed := kindInState(s.outputs); typed {
		a := e.adapter(written)
		return saved{a.toObject(s.outputs), a.toObject(s.inputs)}
	}
	if s.outputs.Len() > 0 || isOfObject(s.inputs) {
		return s
	}
	return saved{s.outputs, e.adapter(kind).toObject(s.inputs)}
}

// isOfObject reports whether inputs without known outputs have the form of a KubeObject. Typed inputs have metadata or, if they are
// a text, the options.
func isOfObject(inputs property.Map) bool {
	_, hasMetadata := inputs.GetOk(metadataField)
	_, hasOptions := inputs.GetOk(Options)
	return !hasMetadata && !hasOptions && (inputs.Get(manifestKey).IsMap() || inputs.Get(textKey).IsString())
}
