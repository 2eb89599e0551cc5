package sets

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var shared = cluster.Shared{}

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

// shape is what makes a set look like a real one.
type shape struct {
	objects, definitions, customResources int
	// large is how many definitions have 100 kB or more.
	large    int
	min, max int // bytes of the smallest and the largest definition
	// depth is that of the deepest schema: fields below each other.
	depth int
}

func TestSetsHaveTheShapeOfRealOnes(t *testing.T) {
	for _, c := range []struct {
		set   func() Set
		shape shape
	}{
		{ArgoCD, shape{objects: 60, definitions: 3, large: 3, min: 200_000, max: 400_000, depth: 12}},
		{KubePrometheus, shape{objects: 130, definitions: 10, customResources: 23, large: 6, min: 8_000, max: 540_000, depth: 12}},
		{Large, shape{objects: 130, definitions: 15, customResources: 45, large: 10, min: 25_000, max: 260_000, depth: 12}},
	} {
		set := c.set()
		t.Run(set.Name, func(t *testing.T) {
			kinds := set.Definitions()
			custom, large, depth := 0, 0, 0
			names := map[string]bool{}
			for _, o := range set.Objects {
				assert.False(t, names[Identity(o)], "%s is there twice", Identity(o))
				names[Identity(o)] = true
				if _, ok := kinds[groupOf(o)+"/"+o["kind"].(string)]; ok {
					custom++
				}
				if o["kind"] != "CustomResourceDefinition" {
					continue
				}
				size := sizeOf(o)
				assert.GreaterOrEqual(t, size, c.shape.min, Identity(o))
				assert.LessOrEqual(t, size, c.shape.max, Identity(o))
				if size >= 100_000 {
					large++
				}
				version := o["spec"].(Object)["versions"].([]any)[0].(Object)
				depth = max(depth, fieldsBelow(version["schema"].(Object)["openAPIV3Schema"].(Object)))
				t.Logf("%s: %d bytes", Identity(o), size)
			}
			assert.Len(t, set.Objects, c.shape.objects)
			assert.Len(t, kinds, c.shape.definitions)
			assert.Equal(t, c.shape.customResources, custom)
			assert.Equal(t, c.shape.large, large)
			assert.GreaterOrEqual(t, depth, c.shape.depth)
			assert.True(t, names["Namespace/"+set.Namespace])
		})
	}
}

// fieldsBelow is how many fields are below each other in a schema.
func fieldsBelow(schema Object) int {
	deepest := 0
	if items, ok := schema["items"].(Object); ok {
		return fieldsBelow(items)
	}
	properties, _ := schema["properties"].(Object)
	for _, field := range properties {
		deepest = max(deepest, 1+fieldsBelow(field.(Object)))
	}
	return deepest
}

func TestASetIsTheSameEachTime(t *testing.T) {
	for _, set := range []func() Set{ArgoCD, KubePrometheus, Large} {
		first, err := set().Text()
		require.NoError(t, err)
		second, err := set().Text()
		require.NoError(t, err)
		assert.Equal(t, string(first), string(second))
	}
}

// In the order of the set, with strict validation, and a definition is awaited.
func TestARealAPIServerAcceptsEveryObject(t *testing.T) {
	c := shared.Get(t)
	client, err := dynamic.NewForConfig(c.Admin().RESTConfig())
	require.NoError(t, err)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.Client().Discovery()))
	for _, set := range []Set{ArgoCD(), KubePrometheus(), Large()} {
		t.Run(set.Name, func(t *testing.T) {
			for _, o := range set.Objects {
				object := unstructured.Unstructured{Object: o}
				kind := object.GroupVersionKind()
				mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
				require.NoError(t, err, Identity(o))
				body, err := json.Marshal(o)
				require.NoError(t, err)
				client := client.Resource(mapping.Resource).Namespace(object.GetNamespace())
				_, err = client.Patch(t.Context(), object.GetName(), types.ApplyPatchType, body,
					metav1.PatchOptions{FieldManager: "test", FieldValidation: metav1.FieldValidationStrict})
				require.NoError(t, err, Identity(o))
				if object.GetKind() == "CustomResourceDefinition" {
					awaitDefinition(t, mapper, o)
				}
			}
		})
	}
}

// awaitDefinition waits until the API server serves what a definition defines.
func awaitDefinition(t *testing.T, mapper *restmapper.DeferredDiscoveryRESTMapper, definition Object) {
	t.Helper()
	spec := definition["spec"].(Object)
	kind := schema.GroupKind{Group: spec["group"].(string), Kind: spec["names"].(Object)["kind"].(string)}
	require.Eventually(t, func() bool {
		mapper.Reset()
		_, err := mapper.RESTMapping(kind)
		require.True(t, err == nil || apimeta.IsNoMatchError(err), err)
		return err == nil
	}, 30*time.Second, 50*time.Millisecond, kind)
}
