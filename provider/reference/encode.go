package reference

import "github.com/pulumi/pulumi/sdk/v3/go/property"

// Encode writes a reference. What is empty is left out.
func (o Object) Encode() property.Value {
	members := map[string]property.Value{}
	for name, text := range map[string]string{
		"apiVersion": o.APIVersion, "kind": o.Kind, "namespace": o.Namespace, "name": o.Name,
		"uid": o.UID, "revision": o.Revision,
	} {
		if text != "" {
			members[name] = property.New(text)
		}
	}
	return property.New(members)
}
