package manifests

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// documentsOf reads the input manifests. incomplete means that some object, or what identifies it, is not known yet.
func documentsOf(value property.Value) (documents []sources.Document, incomplete bool, wrong check.Mistakes) {
	listed := listed{}
	secret := value.Secret()
	value = value.WithSecret(false)
	switch {
	case value.IsComputed():
		return nil, true, nil
	case value.IsArray():
		for i, item := range value.AsArray().All {
			listed.add(fmt.Sprintf("%s[%d]", keyManifests, i), item.WithSecret(secret || item.Secret()))
		}
	case value.IsMap():
		for key, item := range value.AsMap().AllStable {
			listed.add(values.FormatSegments(keyManifests, key), item.WithSecret(secret || item.Secret()))
		}
	default:
		listed.wrong.Add(keyManifests, "The value must be a list or a map of manifests. For text use content.")
	}
	return listed.documents, listed.incomplete, listed.wrong
}

// listed collects the objects of the input manifests.
type listed struct {
	documents  []sources.Document
	incomplete bool
	wrong      check.Mistakes
}

// add adds a value of the list.
func (l *listed) add(place string, value property.Value) {
	plain, secrets, err := values.FromProperty(value)
	if err != nil {
		l.wrong.Add(place, err.Error())
		return
	}
	l.addTree(place, plain, secrets)
}

func (l *listed) addTree(place string, plain any, secrets values.Marks) {
	if values.IsUnknown(plain) {
		l.incomplete = true
		return
	}
	object, isMap := plain.(map[string]any)
	if !isMap {
		l.wrong.Add(place, "The value must be an object with apiVersion, kind and metadata. For text use content.")
		return
	}
	if items, isList := manifest.Items(object); isList {
		for i, item := range items {
			segments := []property.PathSegment{property.NewSegment("items"), property.NewSegment(i)}
			l.addTree(fmt.Sprintf("%s.items[%d]", place, i), item, secrets.Sub(segments...))
		}
		return
	}
	whole := secrets.IsSecret(property.Path{})
	for _, path := range identity {
		part, found := at(object, path)
		switch {
		case found && values.HasUnknown(part):
			l.incomplete = true
			return
		case found && !whole && secrets.IsSecret(property.PathFromSegments(segmentsOf(path)...)):
			l.wrong.Add(place, fmt.Sprintf("%s is secret, but would appear in the name of a resource. Remove the secret mark.", values.FormatSegments(slices.Clone(path)...)))
			return
		}
	}
	l.documents = append(l.documents, sources.Document{Input: keyManifests, Place: place, Object: object, Secrets: secrets})
}

var namespacePath = []any{"metadata", "namespace"}

// identity are the fields that make the key of an object.
var identity = [][]any{{"apiVersion"}, {"kind"}, {"metadata", "name"}, namespacePath}

// at returns the value at a path, or the unknown above it.
func at(tree any, path []any) (any, bool) {
	for _, key := range path {
		if values.IsUnknown(tree) {
			return tree, true
		}
		object, _ := tree.(map[string]any)
		member, found := object[key.(string)]
		if !found {
			return nil, false
		}
		tree = member
	}
	return tree, true
}

func segmentsOf(path []any) (segments []property.PathSegment) {
	for _, key := range path {
		segments = append(segments, property.NewSegment(key.(string)))
	}
	return segments
}
