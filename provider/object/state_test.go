package object

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

func TestAStateIsReadAsItWasWritten(t *testing.T) {
	written := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"},
		"stringData": map[string]any{"password": "hunter2"},
	}
	s := state{State: tracked.State{
		Live:      manifest.FoldStringData(written),
		Applied:   map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"password": "b2xk"}},
		Ownership: map[string]string{"data": "us"},
		Ref: reference.Object{
			Identity: manifest.Identity{APIVersion: "v1", Kind: "Secret", Namespace: "n", Name: "s"}, UID: "u", Revision: "r",
		},
		Manager: "us", Hash: "h", HashKey: "k", Pending: true, Stale: true,
	}, fields: fieldpath.NewSet(fieldpath.MakePathOrDie("data", "password"))}
	s.Secrets, s.NamesSecret = tracked.SecretPlaces(s.Live, s.fields)
	s.AppliedSecrets = s.Secrets

	out, err := s.encode(inputs{written: written})
	require.NoError(t, err)
	shown := out.Get(keyManifest).AsMap()
	assert.True(t, shown.Get("stringData").Secret(), "a Secret's text is secret")
	assert.Equal(t, "hunter2", shown.Get("stringData").AsMap().Get("password").AsString(), "and shown where it was written")
	assert.True(t, out.Get("__hashKey").Secret(), "the key of the hashes is secret")

	got, err := decodeState(out)
	require.NoError(t, err)
	assert.Equal(t, s.Live, got.Live)
	assert.Equal(t, s.Applied, got.Applied)
	assert.True(t, s.fields.Equals(got.fields))
	got.Live, got.Applied, got.fields, got.Secrets, got.AppliedSecrets = s.Live, s.Applied, s.fields, s.Secrets, s.AppliedSecrets
	assert.Equal(t, s, got)
}

func TestNoOldStateIsRefused(t *testing.T) {
	tests := []struct {
		name  string
		state map[string]property.Value
	}{
		{"nothing at all", nil},
		{"values of other types", map[string]property.Value{
			keyManifest: property.New("text"), tracked.KeyFieldOwnership: property.New(1.0), tracked.KeyResourceRef: property.New(true),
			keyAppliedFields: property.New(2.0), "__appliedProjection": property.New("x"), keyPending: property.New("yes"),
			"__appliedHash": property.New(3.0), "__hashKey": property.New(property.Null), "__gone": property.New("old"),
		}},
		{"a reference with values of other types", map[string]property.Value{
			tracked.KeyResourceRef: property.New(map[string]property.Value{"name": property.New(1.0)}),
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := decodeState(property.NewMap(test.state))
			assert.NoError(t, err)
		})
	}
}

func TestAHashSaysWhetherTheManifestIsTheOneThatWasApplied(t *testing.T) {
	applied := map[string]any{"spec": map[string]any{"replicas": int64(2), "a": "b"}}
	sum, err := tracked.Hash("key", applied)
	require.NoError(t, err)
	s := state{State: tracked.State{Hash: sum, HashKey: "key"}}

	assert.True(t, s.unchanged(inputs{applied: values.DeepCopy(applied).(map[string]any)}))
	assert.False(t, s.unchanged(inputs{applied: map[string]any{"spec": map[string]any{"replicas": int64(3), "a": "b"}}}))
	assert.False(t, s.unchanged(inputs{applied: applied, unknown: 1}), "an unknown value may turn out as anything")
	assert.False(t, state{State: tracked.State{HashKey: "key"}}.unchanged(inputs{applied: applied}), "an unconfirmed apply has no hash")
}
