package patch

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

func TestAStateIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	in := inputs{kind: keyJSONPatch, document: tree(t, "[{op: add, path: /data/a, value: x}, {op: remove, path: /data/b}]")}
	var secrets values.Marks
	secrets.Add(property.PathFromSegments(property.NewSegment("data"), property.NewSegment("a")))
	full := state{State: tracked.State{Live: object(t, "data: {a: x, c: back}"), Secrets: secrets, Ownership: map[string]string{"data.a": "us"}, Ref: reference.Object{Identity: manifest.Identity{APIVersion: "v1", Kind: "ConfigMap", Namespace: "n", Name: "c"}, UID: "uid", Revision: "rev"}, Manager: "us", Hash: "abc", HashKey: "key", Applied: object(t, "data: {a: x}"), Pending: true, Stale: true, Ahead: true}, touched: patchedFields{
		set: fields(t, "data.a"), removed: fields(t, "data.c"), nonIdempotent: fields(t, "data.b"), operations: operationsOf(t, "data.a", ""),
		places: operationsOf(t, "data.a", "data.b"),
	}, returned: fields(t, "data.c"), previous: map[string]string{"data.a": "them, others"}, before: []metav1.ManagedFieldsEntry{{Manager: "them", Operation: "Apply"}}, base: "7", neighbours: map[string]string{"spec.list": "abc"}, pendingWait: true, former: formerValues{
		"data.a": {Value: int64(1), Left: "abc", Beside: []string{"them"}, Owners: []ownership.FormerOwner{{
			ManagedFieldsEntry: metav1.ManagedFieldsEntry{Manager: "them", Operation: "Apply", APIVersion: "v1", FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:a":{}}}`)},
			Emptied:            true,
		}}},
		"data.c": {Value: map[string]any{"d": []any{false, "x", 1.5}}, Moved: true}, "data.e": {Large: true}, "data.f": {Absent: true},
	}}
	written, err := full.encode(in)
	require.NoError(t, err)
	read, err := decodeState(written)
	require.NoError(t, err)
	assert.True(t, full.touched.all().Equals(read.touched.all()))
	assert.True(t, full.returned.Equals(read.returned))
	assert.Equal(t, full.touched.operations, read.touched.operations)
	assert.Equal(t, full.touched.places, read.touched.places)
	assert.True(t, read.Secrets.IsSecret(property.PathFromSegments(property.NewSegment("data"), property.NewSegment("a"))))
	full.touched, read.touched = patchedFields{}, patchedFields{}
	full.returned, read.returned = nil, nil
	full.Secrets, read.Secrets = values.Marks{}, values.Marks{}
	assert.Equal(t, full, read)
	assert.True(t, written.Get(keyFormer).Secret(), "a value of others may be a secret [P40]")
	assert.True(t, written.Get("__hashKey").Secret(), "whoever reads the hash's key can try out guesses")
}

func TestAStateOfWhateverKindIsRead(t *testing.T) {
	t.Parallel()
	for name, properties := range map[string]property.Map{
		"nothing": {},
		"other types than expected": property.NewMap(map[string]property.Value{
			keyManagedFields: property.New("x"), tracked.KeyFieldOwnership: property.New(1.0), keySetFields: property.New("{"),
			keyOperations: property.New([]property.Value{property.New(true), property.New("a[")}), keyBefore: property.New("{"),
			keyPlaces: property.New(1.0), keyNeighbours: property.New("{"), keyFormer: property.New("{"),
			tracked.KeyResourceRef: property.New("x"), keyPending: property.New("yes"),
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := decodeState(properties)
			require.NoError(t, err)
			assert.NotNil(t, s.touched.set)
			assert.False(t, s.Pending)
		})
	}
}

// TestDrift shows what counts as drift for each kind of patch.
func TestDrift(t *testing.T) {
	t.Parallel()
	same := object(t, "data: {a: x}")
	cases := map[string]struct {
		kind string
		s    state
		want []string
	}{
		"nothing, while what is live is what was applied": {keyPatch, state{State: tracked.State{Live: same, Manager: "us", Ownership: map[string]string{"data.a": "us"}}, touched: patchedFields{set: fields(t, "data.a")}}, nil},
		"another value":                           {keyMergePatch, state{State: tracked.State{Live: object(t, "data: {a: y}"), Applied: same}, touched: patchedFields{set: fields(t, "data.a")}}, []string{"data.a"}},
		"a field that is gone":                    {keyJSONPatch, state{State: tracked.State{Live: map[string]any{}, Applied: same}, touched: patchedFields{set: fields(t, "data.a")}}, []string{"data"}},
		"a field that is back":                    {keyMergePatch, state{State: tracked.State{Live: object(t, "data: {a: x, b: back}")}, touched: patchedFields{set: fields(t, "data.a")}, returned: fields(t, "data.b")}, []string{"data.b"}},
		"an applied field that is someone else's": {keyPatch, state{State: tracked.State{Live: same, Manager: "us", Ownership: map[string]string{"data.a": "them"}}, touched: patchedFields{set: fields(t, "data.a")}}, []string{"data.a"}},
		"not a merged field that is someone else's: it may never have been ours": {keyMergePatch, state{State: tracked.State{Live: same, Manager: "us", Ownership: map[string]string{"data.a": "them"}}, touched: patchedFields{set: fields(t, "data.a")}}, nil},
		"one line for a field that has another value and another owner":          {keyPatch, state{State: tracked.State{Live: object(t, "data: {a: y}"), Applied: same, Manager: "us", Ownership: map[string]string{"data.a": "them"}}, touched: patchedFields{set: fields(t, "data.a")}}, []string{"data.a"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := fieldpath.NewSet()
			changes := c.s.drift(inputs{kind: c.kind})
			for _, change := range changes {
				found.Insert(change.Path)
			}
			assert.Len(t, changes, len(c.want))
			assert.True(t, fields(t, c.want...).Equals(found), found.String())
		})
	}
}
