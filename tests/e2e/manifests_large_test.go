package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

func TestALargeSetComesUpFromNothing(t *testing.T) { // [M3] [M25]
	t.Parallel()
	for _, set := range []sets.Set{sets.ArgoCD(), sets.Large()} {
		t.Run(set.Name, func(t *testing.T) {
			t.Parallel()
			text, err := set.Text()
			require.NoError(t, err)
			c, objects, definitions := shared.Get(t), len(set.Objects), len(set.Definitions())
			s, user := setOf(t, c, string(text))
			assert.NotContains(t, s.preview(t), "warning:")

			applied := recordOf(t, c, user)
			out := s.up(t)
			assert.Contains(t, out, fmt.Sprintf("+ %d created", objects+definitions+3), "the objects, a Wait for each definition, the stack, the set and its record")
			assert.NotContains(t, out, "warning:")
			assert.Empty(t, applied.refused(t))
			retried := applied.requests(t, func(r cluster.Request) bool { return r.Verb == "patch" }).CountBy(cluster.Request.Path)
			require.Len(t, retried, objects)
			for path, requests := range retried {
				assert.Equal(t, 1, requests, path)
			}
			assert.NotContains(t, s.previewEmpty(t), "warning:")
		})
	}
}
