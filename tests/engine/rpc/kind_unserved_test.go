package rpc_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// unserved is a custom kind whose definition serves its only version, or none.
type unserved struct {
	world
	kind string
}

func newUnserved(t *testing.T) unserved {
	t.Helper()
	h := unserved{newWorld(t), "Hidden"}
	h.define(definitionOf(t, h.group(), h.kind, sized))
	h.served(h.group(), h.kind)
	return h
}

// setServed has the definition serve its version, or not.
func (h unserved) setServed(served bool) {
	h.t.Helper()
	body := `[{"op": "replace", "path": "/spec/versions/0/served", "value": false}]`
	if served {
		body = strings.Replace(body, "false", "true", 1)
	}
	resource := customKind(h.group(), h.kind)
	_, err := h.client.Resource(definitions).Patch(h.t.Context(), resource.Resource+"."+h.group(), types.JSONPatchType, []byte(body), metav1.PatchOptions{})
	require.NoError(h.t, err)
	eventually(h.t, func() bool {
		_, err := h.client.Resource(resource).List(h.t.Context(), listAll)
		return (err == nil) == served
	}, "the API server has heard of it")
}

func (h unserved) object(t *testing.T) map[string]any {
	return custom(t, h.group(), h.kind, h.namespace, "{size: 3}")
}

// createIt makes the object as someone else.
func (h unserved) createIt(t *testing.T) {
	t.Helper()
	_, err := h.client.Resource(customKind(h.group(), h.kind)).Namespace(h.namespace).Create(t.Context(), unstructuredOf(h.object(t)), createOptions)
	require.NoError(t, err)
}

// isThere reports whether the object exists. Its kind must be served.
func (h unserved) isThere() bool {
	h.t.Helper()
	_, err := h.client.Resource(customKind(h.group(), h.kind)).Namespace(h.namespace).Get(h.t.Context(), "it", metav1.GetOptions{})
	if err != nil {
		require.True(h.t, apierrors.IsNotFound(err), "%v", err)
	}
	return err == nil
}

func TestAKindThatIsDefinedAndNotServed(t *testing.T) {
	t.Parallel()
	defines := func(h unserved) string { return "CustomResourceDefinition hiddens." + h.group() + " defines it" }
	t.Run("keeps its objects in the state, and in the cluster", func(t *testing.T) {
		t.Parallel()
		h := newUnserved(t)
		in := program(h.object(t), atOnce)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
		uid := at(t, s.outputs, "resourceRef.uid")
		h.setServed(false)

		s.in(s.process.again(t)).mustRead()
		assert.Equal(t, true, at(t, s.outputs, "__staleRead"))
		assert.Contains(t, s.warned(), "NOT CHECKED")
		assert.Contains(t, s.warned(), defines(h))
		assert.NotContains(t, s.warned(), "deleted outside")

		for what, remove := range deletions {
			err := remove(s.in(s.process.again(t)))
			require.ErrorContains(t, err, defines(h), what)
			require.ErrorContains(t, err, "pulumi state delete", what)
			require.NotEmpty(t, s.id, what)
		}

		did, _, err := s.in(s.process.again(t)).preview(in)
		require.NoError(t, err, "the same program may serve it again")
		assert.Equal(t, "update", did)
		assert.Contains(t, s.warned(), "is not served, although "+defines(h))

		h.setServed(true)
		s.in(s.process.again(t)).mustUp("same", in)
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
		require.NoError(t, s.in(s.process.again(t)).destroy())
		assert.False(t, h.isThere())
	})
	t.Run("is waited for by an update, which continues with the object", func(t *testing.T) {
		t.Parallel()
		h := newUnserved(t)
		in := program(h.object(t), atOnce)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
		uid := at(t, s.outputs, "resourceRef.uid")
		h.setServed(false)
		s.in(s.process.again(t)).mustRead()
		served := make(chan struct{})
		time.AfterFunc(3*time.Second, func() { defer close(served); h.setServed(true) })
		in = with(t, in, "manifest.spec.size", 4)
		s.in(s.process.again(t)).mustUp("update", in)
		<-served
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
		s.in(s.process.again(t)).mustUp("same", in)
	})
	t.Run("keeps a Wait, which a preview repeats", func(t *testing.T) {
		t.Parallel()
		h := newUnserved(t)
		h.createIt(t)
		in := waiting(refTo(h.object(t)), until("field", "spec.size", longTime))
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", in)
		h.setServed(false)
		s.in(s.process.again(t)).mustRead()
		assert.Contains(t, s.warned(), defines(h))
		did, _, err := s.in(s.process.again(t)).preview(in)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		h.setServed(true)
		s.in(s.process.again(t)).mustUp("same", in)
	})
	t.Run("does not end a wait for a deletion", func(t *testing.T) {
		t.Parallel()
		h := newUnserved(t)
		h.createIt(t)
		h.setServed(false)
		s := start(t, inline(newUser(t))).wait(t, "it")
		err := s.create(waiting(refTo(h.object(t)), until("deleted", true, "4s")))
		require.ErrorContains(t, err, defines(h))
		requireWaitPending(t, s, err)
	})
	t.Run("keeps a Patch, and its fields are not forgotten by a destroy", func(t *testing.T) {
		t.Parallel()
		h := newUnserved(t)
		h.createIt(t)
		in := patching(h.object(t), m{"patch": m{"spec": m{"size": 4}}})
		s := (&session{t: t, process: start(t, inline(newUser(t))), urn: urnOfType(patchType, "it")}).mustUp("create", in)
		h.setServed(false)
		s.in(s.process.again(t)).mustRead()
		assert.Contains(t, s.warned(), defines(h))
		for what, remove := range deletions {
			require.ErrorContains(t, remove(s.in(s.process.again(t))), defines(h), what)
			require.NotEmpty(t, s.id, what)
		}
		did, _, err := s.in(s.process.again(t)).preview(in)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.Contains(t, s.warned(), defines(h))
		h.setServed(true)
		s.in(s.process.again(t)).mustUp("same", in)
		require.NoError(t, s.in(s.process.again(t)).destroy())
	})
	t.Run("has objects that getObject does not call absent", func(t *testing.T) {
		t.Parallel()
		h := newUnserved(t)
		h.createIt(t)
		h.setServed(false)
		args := m{"apiVersion": h.group() + "/v1", "kind": h.kind, "name": "it", "namespace": h.namespace, "optional": true}
		_, err := start(t, inline(newUser(t))).invoke(t, "getObject", args)
		require.ErrorContains(t, err, defines(h))
		args["kind"] = "Unheardof"
		got, err := start(t, inline(newUser(t))).invoke(t, "getObject", args)
		require.NoError(t, err)
		assert.True(t, got["manifest"].IsNull())
	})
	t.Run("is taken for gone where nobody may look at definitions, as its objects are if it was deleted", func(t *testing.T) {
		t.Parallel()
		h, g := newUnserved(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "it").mustUp("create", program(h.object(t), atOnce))
		h.setServed(false)
		defined := func(r *http.Request) bool {
			return strings.HasPrefix(r.URL.Path, "/apis/apiextensions.k8s.io/v1/") || strings.HasPrefix(r.URL.Path, "/apis/apiregistration.k8s.io/v1/")
		}
		g.always(defined, refuse(500, metav1.StatusReasonInternalError, "no"))
		s.in(start(t, g.connection())).mustRead()
		assert.Equal(t, true, at(t, s.outputs, "__staleRead"), "not where it could not be found out")
		g.heal()
		g.always(defined, refuse(403, metav1.StatusReasonForbidden, "no"))
		require.NoError(t, s.in(start(t, g.connection())).read())
		assert.Empty(t, s.id)
	})
}

// A group whose API server is away is no group without objects.
func TestAnAggregatedAPIThatIsRegisteredAndAbsent(t *testing.T) {
	t.Parallel()
	h := newUnserved(t)
	in := program(h.object(t), atOnce)
	s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
	register := func(version string) {
		w := world{lasting{t}, h.client, h.namespace}
		service := object(t, `{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: %s.%s}, spec: {group: %[2]s, version: %[1]s,
			service: {name: absent, namespace: %[3]s}, insecureSkipTLSVerify: true, groupPriorityMinimum: 1000, versionPriority: 15}}`, version, h.group(), h.namespace)
		_, err := h.client.Resource(resources["APIService"]).Create(t.Context(), unstructuredOf(service), createOptions)
		require.NoError(t, err)
		t.Cleanup(func() { w.delete("APIService", version+"."+h.group()) })
	}
	require.NoError(t, h.client.Resource(definitions).Delete(t.Context(), "hiddens."+h.group(), metav1.DeleteOptions{}))
	eventually(t, func() bool {
		_, err := h.client.Resource(customKind(h.group(), h.kind)).List(t.Context(), listAll)
		return err != nil
	}, "the kind is not served")
	for _, version := range []string{"v2", "v1"} { // in another version, and in its own
		if version == "v1" {
			eventually(t, func() bool {
				_, err := h.client.Resource(resources["APIService"]).Get(t.Context(), "v1."+h.group(), metav1.GetOptions{})
				return apierrors.IsNotFound(err)
			}, "the API server no longer registers the definition's version")
		}
		register(version)
		s.in(s.process.again(t)).mustRead()
		assert.Equal(t, true, at(t, s.outputs, "__staleRead"), version)
		for what, remove := range deletions {
			require.Error(t, remove(s.in(s.process.again(t))), what)
			require.NotEmpty(t, s.id, what)
		}
	}
}
