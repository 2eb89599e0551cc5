package connection

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// MarkSecret marks every credential in a connection or in the provider's configuration as secret. For a resource's
// clusterConnection, which is marked as a whole, see [MarkWhole].
func MarkSecret(properties property.Map) property.Map {
	for name, value := range properties.AsMap() {
		field, _ := fields.Get(name)
		if (field.Secret || name == "proxyUrl" && mayHoldPassword(value)) && !value.IsNull() {
			properties = properties.Set(name, value.WithSecret(true))
		}
	}
	return properties
}

// MarkWhole marks a clusterConnection input as secret as a whole. It also marks the credentials inside, so that a part
// that is taken out stays secret.
func MarkWhole(value property.Value) property.Value {
	if value.IsNull() {
		return value
	}
	if value.IsMap() {
		value = property.WithGoValue(value, MarkSecret(value.AsMap()))
	}
	return value.WithSecret(true)
}

// mayHoldPassword recognises a URL with a user, and any value that is not a string, such as an unknown one.
func mayHoldPassword(value property.Value) bool {
	return !value.IsString() || strings.Contains(value.AsString(), "@")
}
