package connection

import (
	"reflect"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
)

// namespaceField is the key of the provider's configuration for the default namespace, which becomes part of the
// connection.
const namespaceField = "namespace"

// fields are the properties of a connection.
var fields = fieldtags.Of(reflect.TypeFor[ClusterConnection]())

// isObject reports whether a property is an object, which arrives in the provider's configuration as JSON text.
func isObject(name string) bool {
	field, ok := fields.Get(name)
	return ok && field.Type.Kind() == reflect.Struct
}
