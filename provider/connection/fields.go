package connection

import (
	"reflect"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
)

// namespaceField is a key of the provider's configuration that belongs to the connection's defaults.
const namespaceField = "namespace"

// fields are the properties of a connection.
var fields = fieldtags.Of(reflect.TypeFor[ClusterConnection]())

// isObject reports whether a property is an object, which the provider's configuration delivers as JSON text.
func isObject(name string) bool {
	field, ok := fields.Get(name)
	return ok && field.Type.Kind() == reflect.Struct
}
