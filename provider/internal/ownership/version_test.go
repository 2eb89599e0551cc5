package ownership

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestInOneVersion(t *testing.T) {
	entry := func(manager, operation, version, subresource, fields string) any {
		e := map[string]any{"manager": manager, "operation": operation, "apiVersion": version, "fieldsType": "FieldsV1",
			"fieldsV1": parseJSON(t, fields)}
		if subresource != "" {
			e["subresource"] = subresource
		}
		return e
	}
	object := func(version string, entries ...any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": "Bulb",
			"metadata": map[string]any{"name": "it", "resourceVersion": "7", "managedFields": entries}}}
	}
	t.Run("every entry of the group is noted in the version that was read, and what is the same then is one entry [D29]", func(t *testing.T) {
		body, err := Edit(InOneVersion).Patch(object("example.org/v1",
			entry("us", "Apply", "example.org/v1", "", `{"f:spec": {"f:color": {}}}`),
			entry("op", "Update", "example.org/v1", "", `{"f:spec": {"f:a": {}}}`),
			entry("op", "Update", "example.org/v1beta1", "", `{"f:spec": {"f:b": {}}}`),
			entry("op", "Update", "example.org/v1beta1", "status", `{"f:status": {"f:phase": {}}}`),
		))
		require.NoError(t, err)
		var patch []struct {
			Path  string
			Value any
		}
		require.NoError(t, json.Unmarshal(body, &patch))
		require.Len(t, patch, 2)
		assert.Equal(t, "/metadata/managedFields", patch[0].Path)
		assert.Equal(t, []any{
			entry("us", "Apply", "example.org/v1", "", `{"f:spec": {"f:color": {}}}`),
			entry("op", "Update", "example.org/v1", "", `{"f:spec": {"f:a": {}, "f:b": {}}}`),
			entry("op", "Update", "example.org/v1", "status", `{"f:status": {"f:phase": {}}}`),
		}, patch[0].Value)
		assert.Equal(t, "/metadata/resourceVersion", patch[1].Path)
		assert.Equal(t, "7", patch[1].Value)
	})
	t.Run("nothing is done where all is in one version, or in those of another group or of the core [D29]", func(t *testing.T) {
		for _, live := range []*unstructured.Unstructured{
			object("example.org/v1", entry("us", "Apply", "example.org/v1", "", `{"f:spec": {}}`)),
			object("example.org/v1", entry("us", "Apply", "example.com/v2", "", `{"f:spec": {}}`)),
			object("v1", entry("us", "Apply", "v2", "", `{"f:spec": {}}`)),
			object("example.org/v1"),
		} {
			assert.Empty(t, OtherVersions(live))
			body, err := Edit(InOneVersion).Patch(live)
			require.NoError(t, err)
			assert.Nil(t, body)
		}
	})
}

func parseJSON(t *testing.T, text string) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return value
}

func TestInThisVersion(t *testing.T) {
	entry := func(manager, version, fields string) any {
		return map[string]any{"manager": manager, "operation": "Apply", "apiVersion": version, "fieldsType": "FieldsV1", "fieldsV1": parseJSON(t, fields)}
	}
	object := func(entries ...any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.org/v1", "kind": "Bulb", "spec": map[string]any{"color": "red"},
			"metadata": map[string]any{"name": "it", "resourceVersion": "7", "managedFields": entries}}}
	}
	t.Run("the entry of one manager moves, with the fields that the object has in the new version [D111]", func(t *testing.T) {
		theirs := entry("them", "example.org/v1beta1", `{"f:spec": {"f:color": {}}}`)
		moved, err := InThisVersion("us")(object(theirs, entry("us", "example.org/v1beta1", `{"f:spec": {"f:color": {}, "f:colour": {}}}`)))
		require.NoError(t, err)
		entries, _, err := unstructured.NestedSlice(moved.Object, "metadata", "managedFields")
		require.NoError(t, err)
		assert.Equal(t, []any{theirs, entry("us", "example.org/v1", `{"f:spec": {"f:color": {}}}`)}, entries)
	})
	t.Run("an entry stays of which the object has no field, and one in this version [D111]", func(t *testing.T) {
		for _, ours := range []any{
			entry("us", "example.org/v1beta1", `{"f:spec": {"f:colour": {}}}`), entry("us", "example.org/v1", `{"f:spec": {"f:colour": {}}}`),
		} {
			live := object(ours)
			moved, err := InThisVersion("us")(live)
			require.NoError(t, err)
			assert.Equal(t, live.Object, moved.Object)
		}
	})
}
