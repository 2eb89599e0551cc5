package mutation

import (
	"maps"
	"slices"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

func TestTheLawsHoldForRandomPatches(t *testing.T) {
	possible := 0
	rapid.Check(t, func(r *rapid.T) {
		live := decodeObject(liveSeeds[0])
		operations := drawOperations(r, live)
		if len(operations) == 0 {
			return
		}
		r.Logf("%v", operations)
		if checkJSONPatch(r, live, operations) {
			possible++
		}
	})
	assert.Positive(t, possible, "some of the patches can be carried out")
}

// drawOperations draws operations that can be carried out one after the other.
func drawOperations(r *rapid.T, live *unstructured.Unstructured) []any {
	var tree any = live.Object
	var operations []any
	for range rapid.IntRange(1, 6).Draw(r, "operations") {
		places := append(placesIn(tree, nil), pointer{"l", "-"}, pointer{"s", "-"}, pointer{"t", "-"}, pointer{"new"}, pointer{"l", "0", "new"})
		drawn := func(label string) string { return rapid.SampledFrom(places).Draw(r, label).String() }
		operation := map[string]any{
			"op":   rapid.SampledFrom([]string{opAdd, opAdd, opReplace, opReplace, opRemove, opMove, opCopy}).Draw(r, "op"),
			"path": drawn("path"),
		}
		switch operation["op"] {
		case opAdd, opReplace:
			operation["value"] = rapid.SampledFrom([]any{"x", int64(1), nil, map[string]any{"name": "a"}, map[string]any{"p": int64(1)},
				[]any{map[string]any{"name": "c"}, "y"}, map[string]any{}}).Draw(r, "value")
		case opMove, opCopy:
			operation["from"] = drawn("from")
		}
		patch, problems := ParseJSONPatch(append(slices.Clip(operations), operation))
		if len(problems) > 0 {
			continue
		}
		after, err := patch.apply(live.Object, newTrace(fieldpath.NewSet(), len(patch.operations)))
		if err != nil {
			continue // this one is not possible here
		}
		tree = after
		operations = append(operations, operation)
	}
	return operations
}

func TestOperationsDoWhatTheLibraryDoes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		live := decodeObject(liveSeeds[0])
		before := live.DeepCopy()
		operations := drawOperations(r, live)
		if len(operations) == 0 {
			return
		}
		patch, problems := ParseJSONPatch(operations)
		require.Empty(r, problems)
		effect, err := patch.Evaluate(live)
		require.NoError(r, err)
		body, err := patch.Encode("u", "1")
		require.NoError(r, err)
		decoded, err := jsonpatch.DecodePatch(body)
		require.NoError(r, err)
		checkSteps(r, before, decoded[2:], patch, effect)
		require.Equal(r, before, live, "the live object is not changed")
		want := runtime.DeepCopyJSON(effect.Object)
		overwrite(effect.Object)
		again, err := patch.Evaluate(live)
		require.NoError(r, err)
		require.Equal(r, want, again.Object, "an effect shares nothing with the patch or the live object")
	})
}

// overwrite changes everything in a tree, as its owner may.
func overwrite(tree any) {
	switch tree := tree.(type) {
	case map[string]any:
		for key, member := range tree {
			overwrite(member)
			tree[key] = "overwritten"
		}
	case []any:
		for i, item := range tree {
			overwrite(item)
			tree[i] = "overwritten"
		}
	}
}

// placesIn lists the pointers to everything in a tree but the fields that the server writes.
func placesIn(tree any, above ownership.Location) []pointer {
	var found []pointer
	below := func(segment, child any) {
		at := append(slices.Clip(above), segment)
		found = append(append(found, pointerTo(at)), placesIn(child, at)...)
	}
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			if key != "metadata" {
				below(key, tree[key])
			}
		}
	case []any:
		for i, item := range tree {
			below(i, item)
		}
	}
	return found
}
