package sources

import "github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"

// KeyOf returns the key of an object. If the object names no namespace, neither does the key.
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
