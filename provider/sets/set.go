package sets

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// Set is the objects that the inputs of a component ask for.
type Set struct {
	Objects []Object
	// Apart are the objects in [Documents.Apart], in their order.
	Apart []Object
	// Graph is the order of Objects.
	Graph order.Graph
	// Wait is the mode.
	Wait string
	// Options are the inputs that all objects share.
	Options map[string]property.Value
	// Incomplete means that there are more objects, whose keys are not known yet.
	Incomplete bool
	// warnings are shown to the user when the set is registered.
	warnings []string
	// secret means that messages may not repeat what the manifests say.
	secret bool
	notes  []string
}

// Note shows the notes about the documents at the component.
func (s *Set) Note(ctx *pulumi.Context, parent pulumi.Resource) error {
	if len(s.notes) == 0 {
		return nil
	}
	return ctx.Log.Info(sources.Listed(s.notes), &pulumi.LogArgs{Resource: parent})
}

// Object is one object of a set.
type Object struct {
	Key string
	// Otherwise is the key that the object has if its manifest names the namespace that the object is in anyway, or, if it does,
	// the key without the namespace. It is empty if it is the key of another object, or not known.
	Otherwise  string
	Namespaced bool
	Manifest   map[string]any
	// NamespaceAssumed means that the object has the namespace of the set although its kind may be cluster-scoped.
	NamespaceAssumed bool
	Secrets          values.Marks
	// Unknown means that only the identity of the object is known, not the rest of its manifest.
	Unknown bool
	// Options are inputs of this object only.
	Options map[string]property.Value
	// Once means that later changes of the manifest are not applied.
	Once bool
	// Retained means that the object stays when its resource is deleted.
	Retained bool
}

// Documents is what a component has read.
type Documents struct {
	// Input is the input that the documents come from.
	Input string
	// Found are the documents.
	Found sources.Set
	// Unknown are the keys of documents that are known only by their identity.
	Unknown map[string]bool
	// Apart are the keys of documents that are edited like all others, but applied by something else than the set.
	Apart map[string]bool
	// Secret means that messages may not repeat what the documents say.
	Secret bool
	// Incomplete means that there are more documents, which are not known yet.
	Incomplete bool
	// Notes name documents that are there twice and are equal.
	Notes []string
	// Fixed means that the references to namespaces in the documents do not change.
	Fixed bool
}

// CheckInputs validates the inputs that all components with sets have.
func CheckInputs(inputs property.Map) (wrong check.Mistakes) {
	if words := choice.Of[WaitMode](); !words.Allow(inputs.Get(keyWait)) {
		wrong.Add(keyWait, fmt.Sprintf("The value must be one of %s.", words))
	}
	wrong.Text(inputs, keyNamespace)
	return wrong
}

// Of makes a set of documents according to the inputs of the component, and reports every mistake. Objects that get a namespace
// neither from their manifest nor from the inputs will be in defaultNamespace, which is empty while it is not known.
func Of(inputs property.Map, documents Documents, defaultNamespace string) (Set, check.Mistakes) {
	s := Set{Wait: values.Text(inputs.Get(keyWait)), Options: optionsOf(inputs), Incomplete: documents.Incomplete, secret: documents.Secret,
		notes: documents.Notes}
	for _, from := range documents.Found {
		s.Objects = append(s.Objects, Object{
			Key: from.Key, Namespaced: from.Tier == sources.Namespaced, Manifest: from.Object, Secrets: from.Secrets, Unknown: documents.Unknown[from.Key],
		})
	}
	wrong := s.fillNamespace(documents, inputs.Get(keyNamespace))
	s.follow(documents, inputs.Get(keyNamespace))
	if namespace := inputs.Get(keyNamespace); !namespace.HasComputed() {
		wrong = append(wrong, s.nameOtherwise(documents, namespace, defaultNamespace)...)
	}
	wrong = append(wrong, s.edit(inputs.Get(keyEdits))...)
	wrong = append(wrong, s.override(inputs.Get(keyOverrides))...)
	if len(wrong) > 0 {
		return Set{}, sources.Few(wrong)
	}
	s.warnings = s.strays(documents, inputs.Get(keyNamespace))
	s.setApart(documents.Apart)
	s.Graph = order.Of(s.contents(defaultNamespace))
	for _, mistake := range s.Graph.Mistakes {
		reason := mistake.Reason
		if documents.Secret {
			reason = "It cannot be read. Why is not shown, because the manifest is secret."
		}
		wrong.Add(documents.Input, fmt.Sprintf("%s, %s: %s", mistake.Key, mistake.Path, reason))
	}
	return s, sources.Few(wrong)
}

// setApart takes the objects with these keys out of the set.
func (s *Set) setApart(keys map[string]bool) {
	var together []Object
	for _, o := range s.Objects {
		if keys[o.Key] {
			s.Apart = append(s.Apart, o)
		} else {
			together = append(together, o)
		}
	}
	s.Objects = together
}

// hasUnknown reports whether an object has a value that is not known yet, or the default namespace is not known. In both cases,
// an object may need others without this being known.
func (s *Set) hasUnknown() bool {
	return s.Options[connection.Key].HasComputed() || slices.ContainsFunc(s.Objects, func(o Object) bool { return o.Unknown || values.HasUnknown(o.Manifest) })
}

// contents are the objects for the graph, with the namespaces that they will be in.
func (s *Set) contents(defaultNamespace string) []order.Object {
	var contents []order.Object
	for _, o := range s.Objects {
		content := o.Manifest
		if _, written := at(content, namespacePath); !written && o.Namespaced && defaultNamespace != "" {
			content = withNamespace(content, defaultNamespace)
		}
		contents = append(contents, order.Object{Key: o.Key, Content: content})
	}
	return contents
}

// optionsOf are the inputs that every object has from its set.
func optionsOf(inputs property.Map) map[string]property.Value {
	options := map[string]property.Value{}
	for _, key := range append([]string{connection.Key}, childOptions...) {
		if v, given := inputs.GetOk(key); given && !v.IsNull() && key != keyIgnoreFields && key != keyDeleteInstances {
			options[key] = v
		}
	}
	return options
}

// keys are the keys of all objects, sorted.
func (s *Set) keys() []string {
	keys := map[string]bool{}
	for _, o := range s.Objects {
		keys[o.Key] = true
	}
	return slices.Sorted(maps.Keys(keys))
}
