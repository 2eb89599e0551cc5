package manifests

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// documentsOf reads the input manifests. incomplete means that an object, or its identity, is not known yet.
func documentsOf(value property.Value) (documents []sources.Document, incomplete bool, wrong check.Mistakes) {
	listed := listed{}
	secret := value.Secret()
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
	switch unknown, secret := sets.Identify(object, secrets); {
	case unknown:
		l.incomplete = true
		return
	case secret != "":
		l.wrong.Add(place, fmt.Sprintf("%s is secret, but would appear in the name of a resource. Remove the secret mark.", secret))
		return
	}
	l.documents = append(l.documents, sources.Document{Input: keyManifests, Place: place, Object: object, Secrets: secrets})
}
