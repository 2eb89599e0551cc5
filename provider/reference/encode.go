package reference

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// Encode writes a reference. What is empty is left out.
func Encode(id manifest.Identity, uid, revision string) property.Value {
	members := map[string]property.Value{}
	for name, text := range map[string]string{
		"apiVersion": id.APIVersion, "kind": id.Kind, "namespace": id.Namespace, "name": id.Name,
		"uid": uid, "revision": revision,
	} {
		if text != "" {
			members[name] = property.New(text)
		}
	}
	return property.New(members)
}
