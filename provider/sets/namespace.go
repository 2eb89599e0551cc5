package sets

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// fillNamespace gives namespaced objects that name no namespace that of the set. Keys stay as they are. An object that another
// manifest has in the same namespace by its own words is there twice now, unless one of the two is apart.
func (s *Set) fillNamespace(documents Documents, namespace property.Value) (wrong check.Mistakes) {
	if namespace.IsNull() || namespace.IsString() && namespace.AsString() == "" {
		return nil
	}
	plain, secret, err := values.FromProperty(namespace)
	if err != nil {
		wrong.Add(keyNamespace, err.Error())
		return wrong
	}
	places := map[manifest.Identity]sources.Object{}
	for _, from := range documents.Found {
		if id := identityIn(from); id.Namespace != "" && !documents.Apart[from.Key] {
			places[id] = from
		}
	}
	for i, from := range documents.Found {
		if from.Tier != sources.Namespaced || manifest.IdentityOf(from.Object).Namespace != "" {
			continue
		}
		o := &s.Objects[i]
		o.Manifest = withNamespace(from.Object, plain)
		if !secret.Empty() {
			o.Secrets.Add(property.PathFromSegments(property.NewSegment("metadata"), property.NewSegment("namespace")))
		}
		id := identityIn(sources.Object{Document: sources.Document{Object: o.Manifest}})
		if twin, exists := places[id]; exists && id.Namespace != "" && !documents.Apart[from.Key] {
			wrong.Add(from.Input, fmt.Sprintf("%s and %s are the same object in namespace %q: %s, and %s. Remove one of them.",
				twin.Key, from.Key, id.Namespace, twin.Place, from.Place))
		}
	}
	return wrong
}

// nameOtherwise finds the other keys of objects. A new version of a chart that only writes the namespace changes no object, so it must not
// give one another resource.
func (s *Set) nameOtherwise(documents Documents, namespace string) {
	taken := map[string]bool{}
	for _, from := range documents.Found {
		taken[from.Key] = true
	}
	for i, from := range documents.Found {
		id := manifest.IdentityOf(from.Object)
		switch {
		case from.Tier != sources.Namespaced || namespace == "" || documents.Apart[from.Key]:
			continue
		case id.Namespace == "":
			id.Namespace = namespace
		case id.Namespace == namespace:
			id.Namespace = ""
		default:
			continue
		}
		if key := sources.KeyOf(id); !taken[key] {
			s.Objects[i].Otherwise = key
		}
	}
}

// identityIn is the identity of an object, whatever its version.
func identityIn(o sources.Object) manifest.Identity {
	id := manifest.IdentityOf(o.Object)
	id.APIVersion = id.Group()
	return id
}

// withNamespace returns a copy of an object in a namespace.
func withNamespace(object map[string]any, namespace any) map[string]any {
	moved, _ := values.DeepCopy(object).(map[string]any)
	metadata, _ := moved["metadata"].(map[string]any)
	metadata["namespace"] = namespace
	return moved
}
