package rpc_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// startServing lets the API server answer for a moment as one that is only just starting: it lists a group neither in
// aggregated discovery nor at its own path.
func (g *gateway) startServing(group string) {
	without := rewriteReply(func(list map[string]any) {
		items, _ := list["items"].([]any)
		list["items"] = slices.DeleteFunc(items, func(item any) bool {
			metadata, _ := item.(map[string]any)["metadata"].(map[string]any)
			return metadata["name"] == group
		})
	})
	g.next(func(r *http.Request) bool { return r.URL.Path == "/apis/"+group+"/v1" }, notFoundPage)
	g.next(func(r *http.Request) bool {
		return r.URL.Path == "/apis" && strings.Contains(r.Header.Get("Accept"), "APIGroupDiscoveryList")
	}, func(w http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
		r.Header.Del("Accept-Encoding") // the list is long enough to be compressed
		without(w, r, forward)
	})
}

func TestAnAPIServerThatIsOnlyStarting(t *testing.T) {
	t.Parallel()
	w, g := newWorld(t), newGateway(t)
	group := w.group()
	w.define(definitionOf(t, group, "Engine", sized))
	w.served(group, "Engine")
	live := w.client.Resource(customKind(group, "Engine")).Namespace(w.namespace)
	in := program(custom(t, group, "Engine", w.namespace, "{size: 3}"), atOnce)
	s := start(t, g.connection()).resource(t, "it").mustUp("create", in)
	uid := at(t, s.outputs, "resourceRef.uid")

	t.Run("a refresh does not forget a custom resource [D22]", func(t *testing.T) {
		g.startServing(group)
		s.in(start(t, g.connection())).mustRead()
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
		assert.Empty(t, s.process.log.warnings())
		assert.Nil(t, at(t, s.outputs, "__staleRead"), "it was read in the end")
	})
	t.Run("a destroy does not leave one behind [D22]", func(t *testing.T) {
		g.startServing(group)
		require.NoError(t, s.in(start(t, g.connection())).destroy())
		_, err := live.Get(t.Context(), "it", metav1.GetOptions{})
		require.Error(t, err, "it is deleted")
	})
	t.Run("a usual refresh asks nothing more", func(t *testing.T) {
		s := start(t, g.connection()).resource(t, "it").mustUp("create", in)
		s.in(start(t, g.connection()))
		g.takeSeen()
		s.mustRead()
		assert.Equal(t, []string{"discovery " + group + "/v1", "GET"}, g.takeSeen())
		require.NoError(t, s.destroy())
	})
}
