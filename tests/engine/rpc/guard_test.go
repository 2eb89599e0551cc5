package rpc_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const guardType = tokens.Type("k8sconnect:index:ManifestsGuard")

// guard adds the guard of a set to the stack.
func (p *process) guard(t testing.TB, name string) *session {
	return &session{t: t, process: p, urn: urnOfType(guardType, name)}
}

// guarded makes the definition of Widgets, and a guard of it whose set has the object "ours".
func guarded(t *testing.T, g *gateway) (world, *session) {
	t.Helper()
	w := newWorld(t)
	s := start(t, g.connection()).resource(t, "widgets").mustUp("create", program(definitionOf(t, w.group(), "Widget", sized)))
	w.served(w.group(), "Widget")
	guard := s.process.guard(t, "shop")
	guard.mustUp("create", resource.NewPropertyMapFromMap(map[string]any{
		"definitions": []any{map[string]any{
			"urn": string(s.urn), "name": "widgets." + w.group(), "group": w.group(), "version": "v1", "resource": "widgets", "kind": "Widget",
		}},
		"instances": []any{map[string]any{"kind": "Widget." + w.group(), "namespace": w.namespace, "name": "ours"}},
	}))
	return w, guard
}

// TestAGuardThatCannotLookAtOnce: what was not seen once is no reason to delete the operator of the objects of others.
func TestAGuardThatCannotLookAtOnce(t *testing.T) { // [D33] [M6]
	t.Parallel()
	for name, do := range map[string]func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder){
		"the API server has a problem": refuse(500, metav1.StatusReasonInternalError, "storage is not ready"),
		"the network drops": func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder) {
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name+", and it asks again", func(t *testing.T) {
			t.Parallel()
			g := newGateway(t)
			w, guard := guarded(t, g)
			w.widgets(t, "ours", "theirs")
			for range 3 {
				g.next(isListOfWidgets, do)
			}
			require.ErrorContains(t, guard.destroy(), "1 object of kind Widget."+w.group()+" would be deleted with the definition")
			w.deleteWidget(t, "theirs")
			require.NoError(t, guard.destroy())
		})
	}
	t.Run("the definition cannot be read, and the objects of others are spared all the same", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		w, guard := guarded(t, g)
		w.widgets(t, "theirs")
		g.always(func(r *http.Request) bool {
			return r.Method == http.MethodGet && r.URL.Path == "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets."+w.group()
		}, refuse(500, metav1.StatusReasonInternalError, "storage is not ready"))
		require.ErrorContains(t, guard.destroy(), "Widget "+w.namespace+"/theirs")
	})
	t.Run("objects that may not be listed are left to the deletion of the definition", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		w, guard := guarded(t, g)
		w.widgets(t, "theirs")
		g.always(isListOfWidgets, refuse(403, metav1.StatusReasonForbidden, "widgets is forbidden"))
		require.NoError(t, guard.destroy())
		assert.True(t, w.defined(t))
	})
	t.Run("a definition that is gone has no objects", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		w, guard := guarded(t, g)
		require.NoError(t, w.client.Resource(definitions).Delete(t.Context(), "widgets."+w.group(), metav1.DeleteOptions{}))
		require.NoError(t, guard.destroy())
	})
}
