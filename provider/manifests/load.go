package manifests

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// load reads the inputs of a component, and reports every mistake in them. Objects that get a namespace neither from their manifest nor
// from the set will be in defaultNamespace, which is empty while it is not known.
func load(inputs property.Map, defaultNamespace string) (sets.Set, check.Mistakes) {
	_, wrong := check.Inputs[Args](inputs)
	wrong = append(wrong, sets.CheckInputs(inputs)...)
	input, more := sources.Given(inputs, sources.Content, sources.Files, sources.Kustomization, keyManifests)
	if wrong = append(wrong, more...); len(wrong) > 0 {
		return sets.Set{}, wrong
	}
	documents, wrong := collect(input, inputs.Get(input))
	if len(documents.Found)+len(wrong) == 0 && input != keyManifests && !documents.Incomplete {
		// Most often something is missing, and everything that was applied before would be deleted.
		wrong.Add(input, "There is no manifest in it. For a set without objects, set manifests to an empty list.")
	}
	if len(wrong) > 0 {
		return sets.Set{}, sources.Few(wrong)
	}
	return sets.Of(inputs, documents, defaultNamespace)
}

// collect reads the objects of an input.
func collect(input string, value property.Value) (found sets.Documents, wrong check.Mistakes) {
	found.Input, found.Secret = input, value.HasSecrets()
	var documents []sources.Document
	switch {
	case input == keyManifests:
		documents, found.Incomplete, wrong = documentsOf(value)
	case value.HasComputed():
		found.Incomplete = true
		return found, nil
	default:
		documents, wrong = sources.Read(input, value, found.Secret)
		if found.Secret {
			for i := range documents {
				documents[i].Secrets.Add(property.Path{})
			}
		}
	}
	var more check.Mistakes
	found.Found, found.Notes, more = sources.Collect(documents, found.Secret)
	return found, append(wrong, more...)
}
