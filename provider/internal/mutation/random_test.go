package mutation

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

func TestTheLawsHoldForRandomPatches(t *testing.T) {
	possible := 0
	rapid.Check(t, func(r *rapid.T) {
		live := decodeObject(liveSeeds[0])
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
