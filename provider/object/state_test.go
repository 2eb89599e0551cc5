package object

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracking"
)

func TestAStateIsReadAsItWasWritten(t *testing.T) {
	written := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"},
		"stringData": map[string]any{"password": "hunter2"},
	}
	s := state{
		live:      manifest.FoldStringData(written),
		applied:   map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"password": "b2xk"}},
		ownership: map[string]string{"data": "us"},
		ref: objectRef{
			identity: manifest.Identity{APIVersion: "v1", Kind: "Secret", Namespace: "n", Name: "s"}, uid: "u", revision: "r",
		},
		manager: "us", hash: "h", hashKey: "k", fields: fieldpath.NewSet(fieldpath.MakePathOrDie("data", "password")),
		pending: true, stale: true,
	}
	s.secrets, s.namesSecret = tracking.SecretPlaces(s.live, s.fields)
	s.appliedSecrets = s.secrets

	out, err := s.encode(written)
	require.NoError(t, err)
	shown := out.Get(keyManifest).AsMap()
	assert.True(t, shown.Get("stringData").Secret(), "a Secret's text is secret")
	assert.Equal(t, "hunter2", shown.Get("stringData").AsMap().Get("password").AsString(), "and shown where it was written")
	assert.True(t, out.Get(keyHashKey).Secret(), "the key of the hashes is secret")

	got, err := decodeState(out)
	require.NoError(t, err)
	assert.Equal(t, s.live, got.live)
	assert.Equal(t, s.applied, got.applied)
	assert.True(t, s.fields.Equals(got.fields))
	got.live, got.applied, got.fields, got.secrets, got.appliedSecrets = s.live, s.applied, s.fields, s.secrets, s.appliedSecrets
	assert.Equal(t, s, got)
}

func TestNoOldStateIsRefused(t *testing.T) {
	tests := []struct {
		name  string
		state map[string]property.Value
	}{
		{"nothing at all", nil},
		{"values of other types", map[string]property.Value{
			keyManifest: property.New("text"), keyFieldOwnership: property.New(1.0), keyResourceRef: property.New(true),
			keyAppliedFields: property.New(2.0), keyAppliedProjection: property.New("x"), keyPending: property.New("yes"),
			keyAppliedHash: property.New(3.0), keyHashKey: property.New(property.Null), "__gone": property.New("old"),
		}},
		{"a reference with values of other types", map[string]property.Value{
			keyResourceRef: property.New(map[string]property.Value{"name": property.New(1.0)}),
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
	sum, err := tracking.Hash("key", applied)
	require.NoError(t, err)
	s := state{hash: sum, hashKey: "key"}

	assert.True(t, s.unchanged(inputs{applied: values.DeepCopy(applied).(map[string]any)}))
	assert.False(t, s.unchanged(inputs{applied: map[string]any{"spec": map[string]any{"replicas": int64(3), "a": "b"}}}))
	assert.False(t, s.unchanged(inputs{applied: applied, unknown: 1}), "an unknown value may turn out as anything")
	assert.False(t, state{hashKey: "key"}.unchanged(inputs{applied: applied}), "an unconfirmed apply has no hash")
}
