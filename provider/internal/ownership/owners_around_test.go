package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestOwnersOfAPartAndOfWhatIsAround(t *testing.T) {
	for _, example := range []struct {
		name    string
		entries map[string]string
		path    string
		owners  []string
	}{
		{
			"a map whose parts have all gone over to others says nothing about the parts",
			map[string]string{"maker": `{"f:data":{}}`, "taker": `{"f:data":{"f:a":{}}}`},
			"data.a", []string{"taker"},
		}, {
			"nor about a part that nobody has",
			map[string]string{"maker": `{"f:data":{}}`, "taker": `{"f:data":{"f:a":{}}}`},
			"data.b", nil,
		}, {
			"the maker of the map who still has the part is an owner of it",
			map[string]string{"maker": `{"f:data":{".":{},"f:a":{}}}`, "taker": `{"f:data":{"f:b":{}}}`},
			"data.a", []string{"maker"},
		}, {
			"a list of which nobody owns parts is owned as a whole",
			map[string]string{"maker": `{"f:spec":{"f:args":{}}}`, "taker": `{"f:spec":{"f:replicas":{}}}`},
			"spec.args[2]", []string{"maker"},
		}, {
			"who has the map for himself is named for what is around all his parts",
			map[string]string{"maker": `{"f:data":{".":{},"f:a":{}}}`},
			"data", []string{"maker"},
		},
	} {
		t.Run(example.name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			var entries []metav1.ManagedFieldsEntry
			for _, manager := range []string{"maker", "taker"} {
				if text, ok := example.entries[manager]; ok {
					entries = append(entries, metav1.ManagedFieldsEntry{
						Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1",
						FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(text),
					})
				}
			}
			object.SetManagedFields(entries)
			found, err := NewOwnership(object)
			require.NoError(t, err)
			path, err := ParsePath(example.path)
			require.NoError(t, err)
			var names []string
			for _, owner := range found.Of(path) {
				names = append(names, owner.Manager)
			}
			assert.Equal(t, example.owners, names)
		})
	}
}
