package cluster

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sample = `{"apiVersion":"v1","kind":"X","metadata":{"name":"web","namespace":"prod","annotations":{"a.b/c":"1","d":"2"}},
	"spec":{"list":[{"name":"a","n":[1,[2]]},"b",null],"name":"kept","empty":{},"text":"x"}}`

func decoded(t testing.TB, text string) map[string]any {
	t.Helper()
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &object))
	return object
}

func TestNodesAreContainersBeforeTheirContents(t *testing.T) {
	var places, plain []string
	for _, n := range nodes(decoded(t, sample)) {
		places = append(places, n.String())
		plain = append(plain, n.plain())
	}
	assert.Equal(t, []string{
		"metadata.annotations", `metadata.annotations["a.b/c"]`, "metadata.annotations.d", "spec", "spec.empty", "spec.list",
		"spec.list[0]", "spec.list[0].n", "spec.list[0].n[0]", "spec.list[0].n[1]", "spec.list[0].n[1][0]", "spec.list[0].name",
		"spec.list[1]", "spec.list[2]", "spec.name", "spec.text",
	}, places)
	assert.Equal(t, "metadata.annotations.a.b/c", plain[1])
	assert.Equal(t, "spec.list[0].n[1][0]", plain[10])
}

// checkBeginnings checks what the search for a bad value relies on: each beginning has the nodes of the previous one
// and one more, and the identity of the object. Later nodes are null or absent.
func checkBeginnings(t testing.TB, object map[string]any) {
	t.Helper()
	all := nodes(object)
	for n := range len(all) + 1 {
		part := beginning(object, n)
		if version, ok := object["apiVersion"].(string); ok {
			require.Equal(t, version, part["apiVersion"])
		}
		there := map[string]any{}
		for _, have := range nodes(part) {
			there[have.String()] = have.value
		}
		for i, node := range all {
			value, has := there[node.String()]
			require.True(t, has || i >= n, "%s is in the beginning of %d", node, n)
			require.True(t, value == nil || i < n, "%s is not in the beginning of %d", node, n)
		}
	}
	require.Equal(t, object, beginning(object, len(all)))
}

func TestABeginningHasSoManyNodes(t *testing.T) {
	object := decoded(t, sample)
	checkBeginnings(t, object)
	assert.Equal(t, decoded(t, `{"apiVersion":"v1","kind":"X","metadata":{"name":"web","namespace":"prod"}}`), beginning(object, 0))
	assert.Equal(t, decoded(t, sample), object, "the object is not changed")
}

func TestRemovingANodeLeavesTheOthersInTheirPlaces(t *testing.T) {
	for i, removed := range nodes(decoded(t, sample)) {
		object := decoded(t, sample)
		nodes(object)[i].remove(object)
		kept := map[string]bool{}
		for _, n := range nodes(object) {
			kept[n.String()] = n.value != nil
		}
		assert.False(t, kept[removed.String()], removed.String())
		assert.True(t, kept["spec.text"] || removed.String() == "spec.text" || removed.String() == "spec")
	}
	object := decoded(t, sample)
	nodes(object)[6].remove(object)
	list := object["spec"].(map[string]any)["list"]
	assert.Equal(t, []any{nil, "b", nil}, list)
}

func FuzzBeginnings(f *testing.F) {
	f.Add(sample)
	f.Add(`{"a":[[[]]],"metadata":{"name":{"name":1}},"kind":[1]}`)
	f.Add(`{"metadata":[1,2],"apiVersion":{"a":1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var object map[string]any
		if json.Unmarshal([]byte(text), &object) != nil || object == nil || len(text) > 2000 {
			return // no manifest
		}
		checkBeginnings(t, object)
	})
}
