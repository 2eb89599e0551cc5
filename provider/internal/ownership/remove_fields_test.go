package ownership

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestTakingAway(t *testing.T) {
	live := &unstructured.Unstructured{Object: object(t, `
metadata:
  name: web
  resourceVersion: "41"
  managedFields:
  - {manager: ours, operation: Apply, fieldsV1: {"f:metadata": {"f:labels": {"f:a/b": {}}}}}
  - {manager: ours, operation: Update, fieldsV1: {"f:spec": {"f:args": {}}}}
  - {manager: theirs, operation: Apply, fieldsV1: {"f:spec": {"f:replicas": {}}}}
`)}
	decoded := func(body []byte) (paths []any, managers []any) {
		var operations []map[string]any
		require.NoError(t, json.Unmarshal(body, &operations))
		for _, operation := range operations {
			paths = append(paths, operation["op"].(string)+" "+operation["path"].(string))
			if entries, ok := operation["value"].([]any); ok {
				for _, entry := range entries {
					managers = append(managers, entry.(map[string]any)["manager"])
				}
			}
		}
		return paths, managers
	}
	t.Run("places go from the end, in one request with the entries and bound to the object that was read [P31]", func(t *testing.T) {
		body, err := TakeAway(live, []string{"ours"}, nil, []Location{
			{"spec", "args", 2}, {"metadata", "labels", "a/b"}, {"spec", "args", 10}, {"spec", "args", 0},
		})
		require.NoError(t, err)
		paths, managers := decoded(body)
		assert.Equal(t, []any{
			"remove /spec/args/10", "remove /spec/args/2", "remove /spec/args/0", "remove /metadata/labels/a~1b",
			"add /metadata/managedFields", "replace /metadata/resourceVersion",
		}, paths)
		assert.Equal(t, []any{"theirs"}, managers)
	})
	t.Run("values are written before anything is removed, and an item of a list is replaced [P33]", func(t *testing.T) {
		body, err := TakeAway(live, nil, []Put{
			{At: Location{"metadata", "labels", "a/b"}, Value: "1"}, {At: Location{"spec", "args", 1, "x"}, Value: false}, {At: Location{"spec", "args", 2}, Value: ""},
		}, []Location{{"spec", "args", 10}})
		require.NoError(t, err)
		paths, managers := decoded(body)
		assert.Equal(t, []any{
			"add /metadata/labels/a~1b", "add /spec/args/1/x", "replace /spec/args/2", "remove /spec/args/10", "replace /metadata/resourceVersion",
		}, paths)
		assert.Empty(t, managers)
		assert.Contains(t, string(body), `"value":false`)
	})
	t.Run("there is nothing to send where there is neither a place nor an entry [P31]", func(t *testing.T) {
		body, err := TakeAway(live, []string{"another"}, nil, nil)
		require.NoError(t, err)
		assert.Nil(t, body)
		body, err = TakeAway(live, []string{"another"}, nil, []Location{{"spec", "replicas"}})
		require.NoError(t, err)
		paths, _ := decoded(body)
		assert.Equal(t, []any{"remove /spec/replicas", "replace /metadata/resourceVersion"}, paths)
	})
}

func TestMapsOfNames(t *testing.T) {
	for names, want := range map[string]bool{
		"metadata.labels": true, "spec.template.metadata.annotations": true, "data": true, "spec.nodeSelector": true, "spec.strategy": false,
		"spec.template.spec.containers[name=web].resources.limits": true, "spec.template.spec.containers[name=web].livenessProbe": false,
	} {
		path, err := ParsePath(names)
		require.NoError(t, err)
		assert.Equal(t, want, IsMergedByMember(path), names)
	}
	assert.True(t, IsMergedByMember(fieldpath.MakePathOrDie("data")))
}
