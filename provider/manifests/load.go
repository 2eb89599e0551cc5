package manifests

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// set are the objects that the inputs of a component ask for.
type set struct {
	objects []object
	graph   order.Graph
	// wait is the mode.
	wait string
	// options are the inputs that all objects have.
	options map[string]property.Value
	// incomplete means that there are more objects, whose keys are not known yet.
	incomplete bool
}

// object is one object of a set.
type object struct {
	key        string
	namespaced bool
	manifest   map[string]any
	secrets    values.Marks
	// unknown means that the manifest is not known yet, other than which object it is of.
	unknown bool
	// options are inputs of this object alone.
	options map[string]property.Value
}

// load reads the inputs of a component, and reports every mistake in them. Objects that name no namespace, and have none from the
// set, will be in the given one; it is empty while that is not known.
func load(inputs property.Map, defaultNamespace string) (set, check.Mistakes) {
	_, wrong := check.Inputs[Args](inputs)
	loaded := set{wait: values.Text(inputs.Get(keyWait)), options: optionsOf(inputs)}
	if words := choice.Of[WaitMode](); !words.Allow(inputs.Get(keyWait)) {
		wrong.Add(keyWait, fmt.Sprintf("The value must be one of %s.", words))
	}
	namespace := inputs.Get(keyNamespace)
	wrong.Text(inputs, keyNamespace)

	input, more := sources.Given(inputs, sources.Content, sources.Files, sources.Kustomization, keyManifests)
	wrong = append(wrong, more...)
	if len(wrong) > 0 {
		return set{}, wrong
	}
	found, secret, more := loaded.collect(input, inputs.Get(input))
	if len(found)+len(more) == 0 && input != keyManifests && !loaded.incomplete {
		// Most often something is missing, and everything that was applied before would be deleted.
		more.Add(input, "There is no manifest in it. For a set without objects, set manifests to an empty list.")
	}
	if wrong = sources.Few(append(wrong, more...)); len(wrong) > 0 {
		return set{}, wrong
	}
	for _, from := range found {
		loaded.objects = append(loaded.objects, object{key: from.Key, namespaced: from.Tier == sources.Namespaced, manifest: from.Object, secrets: from.Secrets})
	}
	wrong = append(wrong, loaded.fillNamespace(found, namespace)...)
	wrong = append(wrong, loaded.edit(inputs.Get(keyEdits))...)
	wrong = append(wrong, loaded.override(inputs.Get(keyOverrides))...)
	if len(wrong) > 0 {
		return set{}, sources.Few(wrong)
	}
	loaded.graph = order.Of(loaded.contents(defaultNamespace))
	for _, mistake := range loaded.graph.Mistakes {
		reason := mistake.Reason
		if secret {
			reason = "It cannot be read. Why is not shown, because the manifest is secret."
		}
		wrong.Add(input, fmt.Sprintf("%s, %s: %s", mistake.Key, mistake.Path, reason))
	}
	return loaded, sources.Few(wrong)
}

// collect reads the objects of an input. secret means that messages may not repeat what the input says.
func (s *set) collect(input string, value property.Value) (found sources.Set, secret bool, wrong check.Mistakes) {
	secret = value.HasSecrets()
	var documents []sources.Document
	switch {
	case input == keyManifests:
		documents, s.incomplete, wrong = documentsOf(value)
	case value.HasComputed():
		s.incomplete = true
		return nil, secret, nil
	default:
		documents, wrong = sources.Read(input, value, secret)
		if secret {
			for i := range documents {
				documents[i].Secrets.Add(property.Path{})
			}
		}
	}
	found, more := sources.Collect(documents, secret)
	return found, secret, append(wrong, more...)
}

// contents are the objects as the graph reads them: with the namespace that they will be in.
func (s *set) contents(defaultNamespace string) []order.Object {
	var contents []order.Object
	for _, o := range s.objects {
		content := o.manifest
		if _, written := at(content, namespacePath); !written && o.namespaced && defaultNamespace != "" {
			content = withNamespace(content, defaultNamespace)
		}
		contents = append(contents, order.Object{Key: o.key, Content: content})
	}
	return contents
}

// optionsOf are the inputs that an object has from its set.
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
func (s *set) keys() []string {
	keys := map[string]bool{}
	for _, o := range s.objects {
		keys[o.key] = true
	}
	return slices.Sorted(maps.Keys(keys))
}
