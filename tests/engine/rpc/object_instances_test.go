package rpc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// widgets makes custom objects as another user.
func (w world) widgets(t testing.TB, names ...string) {
	t.Helper()
	w.served(w.group(), "Widget")
	for _, name := range names {
		widget := custom(t, w.group(), "Widget", w.namespace, "{size: 1}")
		widget["metadata"].(map[string]any)["name"] = name
		_, err := w.client.Resource(customKind(w.group(), "Widget")).Namespace(w.namespace).Create(
			t.Context(), &unstructured.Unstructured{Object: widget}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
}

func (w world) patchWidget(t testing.TB, name, patch string) {
	t.Helper()
	_, err := w.client.Resource(customKind(w.group(), "Widget")).Namespace(w.namespace).Patch(
		t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(t, err)
}

func (w world) deleteWidget(t testing.TB, name string) {
	t.Helper()
	require.NoError(t, w.client.Resource(customKind(w.group(), "Widget")).Namespace(w.namespace).Delete(
		t.Context(), name, metav1.DeleteOptions{}))
}

func (w world) countWidgets(t testing.TB) int {
	t.Helper()
	list, err := w.client.Resource(customKind(w.group(), "Widget")).List(t.Context(), listAll)
	require.NoError(t, err)
	return len(list.Items)
}

// defined reports whether the definition of Widgets is there, and not on its way out.
func (w world) defined(t testing.TB) bool {
	t.Helper()
	list, err := w.client.Resource(definitions).List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=widgets." + w.group()})
	require.NoError(t, err)
	return len(list.Items) == 1 && list.Items[0].GetDeletionTimestamp() == nil
}

func isListOfWidgets(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/widgets")
}

func TestADefinitionDoesNotTakeObjectsWithIt(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, connection map[string]any, more ...map[string]any) (world, *session) {
		t.Helper()
		w := newWorld(t)
		s := start(t, connection).resource(t, "widgets").
			mustUp("create", program(definitionOf(t, w.group(), "Widget", sized), more...))
		w.served(w.group(), "Widget")
		return w, s
	}
	refused := func(t *testing.T, w world, s *session) string {
		t.Helper()
		s.timeout = 2
		err := s.destroy()
		require.Error(t, err)
		require.True(t, w.defined(t))
		assert.NotEmpty(t, s.id)
		for _, way := range []string{"retainOnDelete", "deleteInstances: true"} {
			assert.ErrorContains(t, err, way)
		}
		return err.Error()
	}

	t.Run("objects of others are counted and named, and stay [D33]", func(t *testing.T) {
		t.Parallel()
		w, s := begin(t, inline(newUser(t)))
		w.widgets(t, "theirs", "more")
		said := refused(t, w, s)
		for _, want := range []string{"2 objects", "Widget " + w.namespace + "/theirs", "Widget " + w.namespace + "/more"} {
			assert.Contains(t, said, want)
		}
		assert.Equal(t, 2, w.countWidgets(t))

		w.deleteWidget(t, "theirs")
		w.deleteWidget(t, "more")
		require.NoError(t, s.destroy())
	})
	t.Run("only the first ten are named [D33]", func(t *testing.T) {
		t.Parallel()
		w, s := begin(t, inline(newUser(t)))
		for i := range 12 {
			w.widgets(t, fmt.Sprintf("w%02d", i))
		}
		said := refused(t, w, s)
		assert.Contains(t, said, "12 objects")
		assert.Contains(t, said, "/w09")
		assert.NotContains(t, said, "/w10")
	})
	t.Run("what is being deleted or has an owner goes with it [D33]", func(t *testing.T) {
		t.Parallel()
		w, s := begin(t, inline(newUser(t)))
		w.widgets(t, "going", "owned")
		owner := w.create(w.configMap("owner", nil))
		w.patchWidget(t, "going", `{"metadata": {"finalizers": ["example.com/hold"]}}`)
		w.patchWidget(t, "owned", fmt.Sprintf(
			`{"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": %q}]}}`, owner.GetUID()))
		w.deleteWidget(t, "going")
		done := make(chan error)
		go func() { done <- s.destroy() }()
		eventually(t, func() bool { return !w.defined(t) }, "it is being deleted")
		w.patchWidget(t, "going", `{"metadata": {"finalizers": null}}`)
		require.NoError(t, <-done)
	})
	t.Run("what is deleted beside it is waited for [D33]", func(t *testing.T) {
		t.Parallel()
		w, s := begin(t, inline(newUser(t)))
		w.widgets(t, "ours")
		done := make(chan error)
		go func() { done <- s.destroy() }()
		eventually(t, func() bool { return len(s.process.log.statuses()) > 0 }, "a status line")
		assert.Contains(t, s.process.log.statuses()[0], "1 object")
		require.True(t, w.defined(t))
		w.deleteWidget(t, "ours")
		require.NoError(t, <-done)
		assert.False(t, w.defined(t))
	})
	t.Run("deleteInstances deletes them, unasked about [D33]", func(t *testing.T) {
		t.Parallel()
		w, s := begin(t, inline(newUser(t)))
		w.widgets(t, "theirs")
		in := program(definitionOf(t, w.group(), "Widget", sized), map[string]any{"deleteInstances": true})
		s.mustUp("update", in)
		require.NoError(t, s.destroy())
		assert.False(t, w.defined(t))
	})
	for code, reason := range map[int32]metav1.StatusReason{403: metav1.StatusReasonForbidden, 500: metav1.StatusReasonInternalError} {
		t.Run(fmt.Sprintf("what cannot be listed (%d) stays [D33]", code), func(t *testing.T) {
			t.Parallel()
			g := newGateway(t)
			w, s := begin(t, g.connection())
			g.always(isListOfWidgets, refuse(code, reason, "conversion webhook for v1, Kind=Widget failed"))
			assert.Contains(t, refused(t, w, s), "conversion webhook for v1, Kind=Widget failed")
		})
	}
	t.Run("a webhook that answers later is waited for [D33]", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		w, s := begin(t, g.connection())
		g.next(isListOfWidgets, refuse(500, metav1.StatusReasonInternalError, "conversion webhook failed"))
		require.NoError(t, s.destroy())
		assert.False(t, w.defined(t))
	})
	t.Run("the list is of metadata, in pages, to the tenth hit [D33]", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		w, s := begin(t, g.connection())
		var pages []string
		g.always(isListOfWidgets, func(rw http.ResponseWriter, r *http.Request, _ func() *httptest.ResponseRecorder) {
			pages = append(pages, r.URL.Query().Get("continue"))
			assert.Contains(t, r.Header.Get("Accept"), "as=PartialObjectMetadataList")
			from, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("continue"), "page")) // the same however often it is asked
			items := make([]string, 0, 6)
			for i := range 6 {
				items = append(items, fmt.Sprintf(`{"metadata": {"name": "p%d-%d", "namespace": "n"}}`, from, i))
			}
			rw.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(rw, `{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList",
				"metadata": {"resourceVersion": "1", "continue": "page%d"}, "items": [%s]}`, from+1, strings.Join(items, ","))
		})
		s.timeout = 1
		err := s.destroy()
		require.ErrorContains(t, err, "at least 12 objects")
		assert.ErrorContains(t, err, "p1-3")
		assert.NotContains(t, err.Error(), "p1-4")
		assert.Equal(t, []string{"", "page1"}, pages[:2])
		require.True(t, w.defined(t))
		g.heal()
		s.timeout = 0
		require.NoError(t, s.destroy())
	})
	t.Run("a definition without objects costs a look and a list more [D33]", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		w, s := begin(t, g.connection())
		g.takeSeen()
		require.NoError(t, s.remove())
		seen := g.takeSeen()
		require.GreaterOrEqual(t, len(seen), 3)
		definition := "apiextensions.k8s.io/v1/customresourcedefinitions/widgets." + w.group()
		assert.Equal(t, []string{
			"discovery " + definition, "discovery " + w.group() + "/v1/widgets", "discovery " + definition,
		}, seen[:3])
	})
	t.Run("deleteInstances belongs to definitions alone, and is true or false [D33]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		p := start(t, inline(newUser(t)))
		check := func(manifest map[string]any, v any) error {
			_, err := p.resource(t, "checked").check(program(manifest, map[string]any{"deleteInstances": v}), true)
			return err
		}
		definition := definitionOf(t, w.group(), "Widget", sized)
		require.NoError(t, check(definition, true))
		require.ErrorContains(t, check(definition, "yes"), "true or false")
		require.ErrorContains(t, check(w.configMap("settings", nil), true), "CustomResourceDefinition")
		require.NoError(t, check(w.configMap("settings", nil), resource.MakeComputed(resource.NewProperty(false))))
	})
}

func TestForceDestroyOfADefinition(t *testing.T) {
	t.Parallel()
	t.Run("the clean-up of its objects is never cut short [D33]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "widgets").mustUp("create", program(
			definitionOf(t, w.group(), "Widget", sized), map[string]any{"deleteInstances": true, "forceDestroy": true}))
		w.widgets(t, "held")
		w.patchWidget(t, "held", `{"metadata": {"finalizers": ["example.com/hold"]}}`)
		s.timeout = 2
		began := time.Now()
		err := s.destroy()
		require.ErrorContains(t, err, "customresourcecleanup.apiextensions.k8s.io")
		require.ErrorContains(t, err, "forceDestroy never removes")
		assert.Less(t, time.Since(began), 20*time.Second)
		assert.Empty(t, s.warned())
		live, err := w.client.Resource(definitions).Get(t.Context(), "widgets."+w.group(), metav1.GetOptions{})
		require.NoError(t, err)
		assert.Contains(t, live.GetFinalizers(), "customresourcecleanup.apiextensions.k8s.io")
		w.patchWidget(t, "held", `{"metadata": {"finalizers": null}}`)
		s.timeout = 0
		require.NoError(t, s.destroy())
	})
}
