package kinds

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

// TestTheScopeOfEveryKindThatClientGoKnows asks the typed clients: the accessor of a namespaced kind
// takes the namespace, as in Roles(namespace), and that of another does not, as in ClusterRoles().
func TestTheScopeOfEveryKindThatClientGoKnows(t *testing.T) {
	seen := 0
	clients := reflect.TypeFor[kubernetes.Interface]()
	for method := range clients.Methods() {
		group := method.Type.Out(0)
		if method.Name == "Discovery" {
			continue
		}
		for accessor := range group.Methods() {
			create, found := accessor.Type.Out(0).MethodByName("Create")
			if !found {
				continue // RESTClient, and kinds that nobody can create
			}
			object, isObject := reflect.TypeAssert[runtime.Object](reflect.Zero(create.Type.Out(0)))
			if !isObject {
				continue
			}
			if create.Type.Out(0).Kind() == reflect.Pointer {
				object, _ = reflect.TypeAssert[runtime.Object](reflect.New(create.Type.Out(0).Elem()))
			}
			kinds, _, err := scheme.Scheme.ObjectKinds(object)
			require.NoError(t, err)
			for _, kind := range kinds {
				seen++
				assert.Equal(t, accessor.Type.NumIn() == 0, IsClusterScoped(kind.GroupKind()), "%s [F5]", kind)
			}
		}
	}
	assert.Greater(t, seen, 80)
}
