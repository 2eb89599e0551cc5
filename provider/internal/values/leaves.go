package values

import "github.com/pulumi/pulumi/sdk/v3/go/property"

// SecretLeaves marks the leaves in secret maps and lists instead of the maps and lists. Pulumi's generator of programs, which
// writes what was imported, keeps the marks of leaves and drops those of all else. An empty map or list keeps its own.
func SecretLeaves(v property.Value) property.Value {
	return secretLeaves(v, false)
}

func secretLeaves(v property.Value, secret bool) property.Value {
	secret = secret || v.Secret()
	switch {
	case v.IsMap() && v.AsMap().Len() > 0:
		members := make(map[string]property.Value, v.AsMap().Len())
		for name, member := range v.AsMap().AllStable {
			members[name] = secretLeaves(member, secret)
		}
		return property.New(members)
	case v.IsArray() && v.AsArray().Len() > 0:
		items := make([]property.Value, 0, v.AsArray().Len())
		for _, item := range v.AsArray().All {
			items = append(items, secretLeaves(item, secret))
		}
		return property.New(items)
	default:
		return v.WithSecret(secret)
	}
}
