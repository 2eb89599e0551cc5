package manifest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func TestWhatRealManifestsCarryAlongIsDropped(t *testing.T) {
	for name, c := range map[string]struct {
		object, want map[string]any
		dropped      []string
	}{
		"generated creationTimestamp and status go without a word": {
			object: map[string]any{
				"metadata": map[string]any{"name": "x", "creationTimestamp": nil, "uid": "", "managedFields": []any{}},
				"spec":     map[string]any{"template": map[string]any{"metadata": map[string]any{"creationTimestamp": nil}}},
				"status":   map[string]any{"loadBalancer": map[string]any{}, "conditions": nil, "storedVersions": []any{""}},
			},
			want: map[string]any{
				"metadata": map[string]any{"name": "x"},
				"spec":     map[string]any{"template": map[string]any{"metadata": map[string]any{}}},
			},
		},
		"what the server wrote is dropped and named": {
			object: map[string]any{
				"metadata": map[string]any{
					"name": "x", "uid": "u", "resourceVersion": "1", "generation": 2.0, "selfLink": "/x",
					"creationTimestamp": "2020-01-01T00:00:00Z", "managedFields": []any{map[string]any{}, "x"},
				},
				"status": map[string]any{"replicas": 0.0},
			},
			want: map[string]any{"metadata": map[string]any{"name": "x"}},
			dropped: []string{
				"metadata.creationTimestamp", "metadata.generation", "metadata.managedFields",
				"metadata.resourceVersion", "metadata.selfLink", "metadata.uid", "status",
			},
		},
		"what the server wrote of a deletion is dropped and named [D28]": {
			object: map[string]any{"metadata": map[string]any{
				"name": "x", "deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 0.0, "finalizers": []any{"a.b/c"},
			}},
			want:    map[string]any{"metadata": map[string]any{"name": "x", "finalizers": []any{"a.b/c"}}},
			dropped: []string{"metadata.deletionGracePeriodSeconds", "metadata.deletionTimestamp"},
		},
		"null members go at any depth, null items stay": {
			object: map[string]any{
				"data": map[string]any{"a": nil, "b": ""},
				"list": []any{nil, map[string]any{"a": nil, "b": []any{map[string]any{"c": nil}, nil}}},
			},
			want: map[string]any{
				"data": map[string]any{"b": ""},
				"list": []any{nil, map[string]any{"b": []any{map[string]any{}, nil}}},
			},
		},
		"a status or uid that is the user's stays": {
			object: map[string]any{
				"spec": map[string]any{"status": "x", "template": map[string]any{
					"status": "x", "metadata": map[string]any{"uid": "u", "generation": 1.0},
				}},
				"metadata": map[string]any{"labels": map[string]any{"uid": "u"}},
			},
			want: map[string]any{
				"spec": map[string]any{"status": "x", "template": map[string]any{
					"status": "x", "metadata": map[string]any{"uid": "u", "generation": int64(1)},
				}},
				"metadata": map[string]any{"labels": map[string]any{"uid": "u"}},
			},
		},
		"what is unknown stays": {
			object: map[string]any{"metadata": values.Unknown{}, "spec": map[string]any{"a": []any{values.Unknown{}}}},
			want:   map[string]any{"metadata": values.Unknown{}, "spec": map[string]any{"a": []any{values.Unknown{}}}},
		},
		"an unknown status and uid are dropped too": {
			object:  map[string]any{"metadata": map[string]any{"uid": values.Unknown{}}, "status": values.Unknown{}},
			want:    map[string]any{"metadata": map[string]any{}},
			dropped: []string{"metadata.uid", "status"},
		},
		"numbers get their type": {
			object: map[string]any{"a": []any{1.0, 1.5, 3, int64(4), 1e300}},
			want:   map[string]any{"a": []any{int64(1), 1.5, int64(3), int64(4), 1e300}},
		},
		"nothing stays nothing": {object: nil, want: map[string]any{}},
	} {
		t.Run(name+" [O55]", func(t *testing.T) {
			before := values.DeepCopy(c.object)
			clean, dropped := Normalize(c.object)
			assert.Equal(t, c.want, clean)
			assert.Equal(t, c.dropped, dropped)
			assert.Equal(t, before, values.DeepCopy(c.object), "the argument was changed")
		})
	}
}

// trees are plain trees with the names that Normalize looks for, at every level.
var trees = rapid.Custom(func(t *rapid.T) map[string]any { return drawTree(t, 4) })

func drawTree(t *rapid.T, depth int) map[string]any {
	tree := map[string]any{}
	for range rapid.IntRange(0, 5).Draw(t, "members") {
		key := rapid.SampledFrom([]string{"metadata", "status", "uid", "generation", "managedFields", "a.b", "", "x"}).Draw(t, "key")
		tree[key] = drawAny(t, depth-1)
	}
	return tree
}

func drawAny(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	switch {
	case kind <= 3 && depth > 0:
		return drawTree(t, depth)
	case kind <= 5 && depth > 0:
		items := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, drawAny(t, depth-1))
		}
		return items
	}
	return rapid.SampledFrom([]any{nil, "", "x", 0.0, 1.0, 1.5, int64(7), true, values.Unknown{}}).Draw(t, "leaf")
}

// checkNormalize checks the laws of Normalize for one object.
func checkNormalize(t require.TestingT, object map[string]any) {
	before := values.DeepCopy(object)
	clean, _ := Normalize(object)
	require.Equal(t, before, values.DeepCopy(object), "the argument was changed")

	again, dropped := Normalize(clean)
	require.Equal(t, clean, again, "normalizing twice is normalizing once")
	require.Empty(t, dropped)

	v, err := values.ToProperty(object, values.Marks{})
	require.NoError(t, err)
	visit(clean, nil, func(leaf any, at []property.PathSegment) {
		if _, isItem := at[len(at)-1].(property.IndexSegment); !isItem {
			require.NotNil(t, leaf, "a null member is left")
		}
		found, err := property.PathFromSegments(at...).Get(v)
		require.NoError(t, err, "a path that is left leads nowhere in the original")
		want, err := values.ToProperty(leaf, values.Marks{})
		require.NoError(t, err)
		require.True(t, want.Equals(found), "%v led to %#v and now leads to %#v", at, found, want)
	})
}

// visit calls see for every leaf and its path.
func visit(value any, at []property.PathSegment, see func(any, []property.PathSegment)) {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			visit(member, append(slices.Clip(at), property.NewSegment(key)), see)
		}
	case []any:
		for i, item := range value {
			visit(item, append(slices.Clip(at), property.NewSegment(i)), see)
		}
	default:
		see(value, at)
	}
}

func TestNormalizeKeepsItsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkNormalize(t, trees.Draw(t, "object")) })
}

func FuzzNormalize(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"x","uid":"u","labels":null},"status":{},"spec":[null,{"a":null,"b":1.0}]}`))
	f.Add([]byte(`{"metadata":null,"status":1,"":{"":[[[null]]]}}`))
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var object map[string]any
		if json.Unmarshal(encoded, &object) != nil || len(encoded) > 1<<14 {
			return
		}
		checkNormalize(t, object)
	})
}
