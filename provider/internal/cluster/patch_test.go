package cluster_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

func TestEditIsMadeOfTheObjectAsItIs(t *testing.T) {
	ctx, ns := t.Context(), shared.Get(t).Namespace(t)
	seen := &counter{}
	c := admin(t, cluster.WithTransport(seen.wrap))
	applied, err := c.Apply(ctx, configMap(ns, "web", nil), manager)
	require.NoError(t, err)
	ref, uid := cluster.RefOf(applied.Object), applied.Object.GetUID()
	path := "/api/v1/namespaces/" + ns + "/configmaps/"
	// guarded sets a field, guarded by the version of the object that it was built from.
	guarded := func(live *unstructured.Unstructured) []byte {
		return fmt.Appendf(nil, `[{"op":"add","path":"/data/b","value":"2"},{"op":"replace","path":"/metadata/resourceVersion","value":%q}]`,
			live.GetResourceVersion())
	}
	untouched := func(*unstructured.Unstructured) ([]byte, error) {
		t.Error("asked for a patch")
		return nil, nil
	}
	seen.take()

	t.Run("someone else was faster, so it is re-created", func(t *testing.T) {
		looks := 0
		require.NoError(t, c.Edit(ctx, ref, uid, "editor", func(live *unstructured.Unstructured) ([]byte, error) {
			if looks++; looks == 1 {
				_, err := c.Apply(ctx, configMap(ns, "web", map[string]any{"a": "of someone else"}), manager)
				require.NoError(t, err)
			}
			return guarded(live), nil
		}))
		assert.Equal(t, 2, looks)
		live, err := c.Get(ctx, ref)
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"a": "of someone else", "b": "2"}, live.Object["data"])
		managers := map[string]bool{}
		for _, entry := range live.GetManagedFields() {
			managers[entry.Manager] = true
		}
		assert.Equal(t, map[string]bool{"test": true, "editor": true}, managers)
		assert.Equal(t, []string{"GET " + path + "web", "PATCH " + path + "web", "PATCH " + path + "web",
			"GET " + path + "web", "PATCH " + path + "web", "GET " + path + "web"}, seen.take())
	})
	t.Run("nothing to do", func(t *testing.T) {
		require.NoError(t, c.Edit(ctx, ref, uid, "editor", func(*unstructured.Unstructured) ([]byte, error) { return nil, nil }))
		assert.Equal(t, []string{"GET " + path + "web"}, seen.take())
	})
	t.Run("a patch that cannot be made", func(t *testing.T) {
		cause := errors.New("no")
		assert.ErrorIs(t, c.Edit(ctx, ref, uid, "editor", func(*unstructured.Unstructured) ([]byte, error) { return nil, cause }), cause)
		assert.Equal(t, []string{"GET " + path + "web"}, seen.take())
	})
	t.Run("another object has the name", func(t *testing.T) {
		require.NoError(t, c.Edit(ctx, ref, types.UID("other"), "editor", untouched))
	})
	t.Run("no object has the name", func(t *testing.T) {
		gone := ref
		gone.Name = "gone"
		require.NoError(t, c.Edit(ctx, gone, uid, "editor", untouched))
	})
	t.Run("an API server that refuses is an error", func(t *testing.T) {
		wrong := []byte(`[{"op":"test","path":"/data/a","value":"x"}]`)
		assert.Error(t, c.Edit(ctx, ref, uid, "editor", func(*unstructured.Unstructured) ([]byte, error) { return wrong, nil }))
	})
}
