package tracked

import (
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

func TestAStateAsTextIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	live := map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "web", "namespace": "shop", "labels": map[string]any{"a": "b"}},
		"data": map[string]any{"password": "hunter2", "color": "red", "count": int64(3)},
	}
	password, err := values.MarksAt([][]any{{"data", "password"}})
	require.NoError(t, err)
	owners := map[string]string{}
	for i := range 30 {
		owners[fmt.Sprintf("data.key%d", i)] = fmt.Sprint("manager", i%3)
	}
	form := Form{Live: "manifest", Pending: "__pending", AsText: true, Owners: map[string]string{"data": "manager0, manager1, manager2"}}
	ref := reference.Object{Identity: manifest.Identity{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web"}, UID: "u"}
	for name, s := range map[string]State{
		"few owners":                    {Live: live, Ownership: map[string]string{"data": "us"}, Ref: ref, Manager: "us"},
		"many owners":                   {Live: live, Ownership: owners, Ref: ref},
		"owners of secret fields":       {Live: live, Secrets: password, NamesSecret: true, Ownership: owners, Ref: ref},
		"drift, and a secret":           {Live: live, Secrets: password, Applied: map[string]any{"data": map[string]any{"password": "old"}}, AppliedSecrets: password, Ref: ref},
		"an apply with no answer":       {Live: map[string]any{}, Ref: ref, Pending: true},
		"a wholly secret manifest":      {Live: live, Secrets: whole(), NamesSecret: true, Ownership: map[string]string{"data": "us"}, Ref: ref},
		"an object of which is no more": {Live: map[string]any{}, Applied: live, Ref: ref},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := s.Encode(form)
			require.NoError(t, err)
			properties := property.NewMap(out)
			assert.True(t, IsText(properties))
			again, err := DecodeState(properties, form)
			require.NoError(t, err)
			assert.Equal(t, s, again)
			for key, v := range out {
				if v.IsMap() && key != KeyResourceRef {
					assert.LessOrEqual(t, v.AsMap().Len(), maxOwnersShown, key)
				}
			}
			assert.Equal(t, !s.Secrets.Empty(), out[keyLiveProjection].Secret(), "a text with a secret in it is secret")
			if len(s.Live) > 0 {
				shown, _, err := values.FromProperty(out["manifest"])
				require.NoError(t, err)
				assert.Equal(t, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "web", "namespace": "shop"}}, shown)
			}
		})
	}
}

func whole() (secrets values.Marks) {
	secrets.Add(property.Path{})
	return secrets
}

func TestATextThatCannotBeReadMakesNoStateUnusable(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "text", "H4sIAAAAAAAA/w==", "bm90IGd6aXA="} {
		s, err := DecodeState(property.NewMap(map[string]property.Value{
			keyLiveProjection: property.New(text), keyAppliedProjection: property.New(text), keyOwnership: property.New("{"), keyAppliedHash: property.New("h"),
		}), Form{Live: "manifest", Pending: "__pending"})
		require.NoError(t, err, text)
		assert.Equal(t, State{Live: map[string]any{}, Hash: "h"}, s, text)
	}
}
