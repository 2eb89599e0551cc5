package sets

import (
	"cmp"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// fillNamespace gives the namespace of the set to namespaced objects that name none. Keys do not change.
func (s *Set) fillNamespace(documents Documents, namespace property.Value) (wrong check.Mistakes) {
	if namespace.IsNull() || namespace.IsString() && namespace.AsString() == "" {
		return nil
	}
	plain, secret, err := values.FromProperty(namespace)
	if err != nil {
		wrong.Add(keyNamespace, err.Error())
		return wrong
	}
	for i, from := range documents.Found {
		if from.Tier != sources.Namespaced || manifest.IdentityOf(from.Object).Namespace != "" {
			continue
		}
		o := &s.Objects[i]
		o.Manifest, o.NamespaceAssumed = withNamespace(from.Object, plain), from.Assumed
		if !secret.Empty() {
			o.Secrets.Add(property.PathFromSegments(property.NewSegment("metadata"), property.NewSegment("namespace")))
		}
	}
	return wrong
}

// nameOtherwise finds the second key of objects in the given namespace or, if none is given, in the default one: with the
// namespace, if the manifest names none, or without it. A new version of a chart that only adds or drops the namespace changes no
// object, so the object must keep its resource. If both keys exist, the object is in the documents twice. A secret namespace
// appears in no message and in no second key, because that key is in the state as an alias.
func (s *Set) nameOtherwise(documents Documents, given property.Value, defaultNamespace string) (wrong check.Mistakes) {
	namespace := cmp.Or(values.Text(given), defaultNamespace)
	if namespace == "" {
		return nil
	}
	byKey := map[string]sources.Object{}
	for _, from := range documents.Found {
		byKey[from.Key] = from
	}
	for i, from := range documents.Found {
		id := manifest.IdentityOf(from.Object)
		if from.Tier != sources.Namespaced || documents.Apart[from.Key] || id.Namespace != "" && id.Namespace != namespace {
			continue
		}
		named := id.Namespace != ""
		if id.Namespace = namespace; named {
			id.Namespace = ""
		}
		key := sources.KeyOf(id)
		twin, exists := byKey[key]
		switch {
		case !exists && !given.Secret():
			s.Objects[i].Otherwise = key
		case exists && !named && manifest.IdentityOf(twin.Object).Name == id.Name:
			wrong.Add(from.Input, sameObject(from, twin, namespace, given))
		}
	}
	return wrong
}

// sameObject says that two manifests are the same object in the namespace, which it does not name if it is given as a secret.
func sameObject(from, twin sources.Object, namespace string, given property.Value) string {
	if given.Secret() {
		return fmt.Sprintf("%s and another manifest are the same object in the namespace of the set: %s, and %s. Remove one of them.",
			from.Key, twin.Place, from.Place)
	}
	return fmt.Sprintf("%s and %s are the same object in namespace %q: %s, and %s. Remove one of them.",
		twin.Key, from.Key, namespace, twin.Place, from.Place)
}

// withNamespace returns a copy of an object in a namespace.
func withNamespace(object map[string]any, namespace any) map[string]any {
	moved, _ := values.DeepCopy(object).(map[string]any)
	metadata, _ := moved["metadata"].(map[string]any)
	metadata["namespace"] = namespace
	return moved
}
