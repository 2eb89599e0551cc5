package sources

import "github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"

// KeyOf returns the key of an object, which names its child. A name depends on its own manifest alone: other documents and
// their order do not change it. If the object names no namespace, neither does the key.
func KeyOf(id manifest.Identity) string {
	key := id.Kind
	if group := id.Group(); group != "" {
		key = group + "/" + key
	}
	if id.Namespace != "" {
		key += "." + id.Namespace
	}
	return key + "." + id.Name
}
