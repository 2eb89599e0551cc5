package rpc_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// unconfirmed are the ways in which a write may have happened without our knowing.
var unconfirmed = map[string]func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder){
	"lost reply":             loseReply,
	"half a reply":           halveReply,
	"reply without managers": withoutManagers,
}

// requirePending proves that an apply failed in the way that saves its state and blocks dependents.
func requirePending(t *testing.T, s *session, err error) {
	t.Helper()
	var failed *plugin.InitError
	require.ErrorAs(t, err, &failed)
	require.Len(t, failed.Reasons, 1)
	require.Contains(t, failed.Reasons[0], "the next `pulumi up` continues in place")
	require.Equal(t, true, at(t, s.outputs, "__pendingProjection"))
	require.Equal(t, map[string]any{}, at(t, s.outputs, "manifest"))
	require.Nil(t, at(t, s.outputs, "__appliedHash"), "what was applied is not known")
	require.NotEmpty(t, at(t, s.outputs, "resourceRef.name"))
	require.True(t, s.refresh, "it is read before the next update")
}

func requireSettled(t *testing.T, s *session) {
	t.Helper()
	require.Nil(t, at(t, s.outputs, "__pendingProjection"))
	require.NotEmpty(t, at(t, s.outputs, "__appliedHash"))
	require.NotEmpty(t, at(t, s.outputs, "resourceRef.uid"))
	require.Empty(t, s.initErrors)
}

func TestAnUnconfirmedCreateIsContinued(t *testing.T) {
	t.Parallel()
	for what, fault := range unconfirmed {
		t.Run(what+", continued in place [O70] [O72]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			in := program(w.configMap("web", nil))
			s := start(t, g.connection()).resource(t, "web")
			g.next(isApply, fault)
			requirePending(t, s, s.create(in))
			id, uid := s.id, w.value("ConfigMap", "web", "metadata", "uid")
			assert.Equal(t, "v1/ConfigMap/"+w.namespace+"/web", string(id))

			t.Run("Diff while pending has changes and says where", func(t *testing.T) {
				assert.Equal(t, map[string]string{"manifest": "update"}, s.mustDiff(in))
			})
			t.Run("its preview is unknown, so dependents are", func(t *testing.T) {
				// without the read before it, which would settle the matter
				other := *s
				other.refresh = false
				did, outputs, err := other.preview(in)
				require.NoError(t, err)
				assert.Equal(t, "update", did)
				assert.Equal(t, unknownText, at(t, outputs, "manifest"))
				assert.Equal(t, "web", at(t, outputs, "resourceRef.name"))
				assert.Equal(t, unknownText, at(t, outputs, "resourceRef.revision"))
			})
			t.Run("an up without refresh applies again", func(t *testing.T) {
				other := *s
				other.refresh = false
				other.in(start(t, g.connection())).mustUp("update", in)
				requireSettled(t, &other)
				assert.Equal(t, id, other.id)
				assert.Equal(t, uid, at(t, other.outputs, "resourceRef.uid"), "one object, the same")
			})
			t.Run("the read before the next up settles it [O73]", func(t *testing.T) {
				// With the uid known, the object proves nothing about the apply: once more.
				next := map[bool]string{true: "same", false: "update"}[at(t, s.outputs, "resourceRef.uid") == nil]
				s.in(start(t, g.connection())).mustUp(next, in)
				requireSettled(t, s)
				assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
				assert.Equal(t, "1", at(t, s.outputs, "manifest.data.a"))
				s.mustUp("same", in)
			})
		})
	}
}

func TestAnUnconfirmedUpdateIsContinued(t *testing.T) {
	t.Parallel()
	for what, fault := range unconfirmed {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			before, after := program(w.configMap("web", nil)), program(w.configMap("web", map[string]any{"a": "9"}))
			s := start(t, g.connection()).resource(t, "web").mustUp("create", before)
			uid := at(t, s.outputs, "resourceRef.uid")
			g.next(isApply, fault)
			did, err := s.up(after)
			assert.Equal(t, "update", did)
			requirePending(t, s, err)
			assert.Equal(t, "1", at(t, s.inputs, "manifest.data.a"), "the engine keeps the old inputs")
			assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
			assert.Equal(t, "9", w.value("ConfigMap", "web", "data", "a"))

			for _, refresh := range []bool{true, false} {
				t.Run(fmt.Sprintf("continued in place, read before it: %t [O70] [O72]", refresh), func(t *testing.T) {
					other := *s
					other.refresh = refresh
					other.in(start(t, g.connection())).mustUp("update", after)
					requireSettled(t, &other)
					assert.Equal(t, uid, at(t, other.outputs, "resourceRef.uid"))
					assert.Equal(t, "9", at(t, other.outputs, "manifest.data.a"))
					other.mustUp("same", after)
				})
			}
			t.Run("reverted to the old inputs, they are applied", func(t *testing.T) {
				for _, refresh := range []bool{true, false} {
					w.patch("ConfigMap", "web", map[string]any{"data": map[string]any{"a": "9"}})
					other := *s
					other.refresh = refresh
					other.in(start(t, g.connection())).mustUp("update", before)
					requireSettled(t, &other)
					assert.Equal(t, "1", w.value("ConfigMap", "web", "data", "a"))
				}
			})
		})
	}
	t.Run("one that the server never saw is made up for, also after a refresh", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		before, after := program(w.configMap("web", nil)), program(w.configMap("web", map[string]any{"a": "9"}))
		s := start(t, g.connection()).resource(t, "web").mustUp("create", before)
		g.next(isApply, loseRequest)
		_, err := s.up(after)
		requirePending(t, s, err)
		assert.Equal(t, "1", w.value("ConfigMap", "web", "data", "a"))
		s.in(start(t, g.connection())).mustRead()
		assert.Nil(t, at(t, s.outputs, "__appliedHash"), "what was seen says nothing of what was wanted")
		assert.Equal(t, map[string]string{"manifest": "update"}, s.mustDiff(before), "also the old inputs are applied")
		s.mustUp("update", after)
		assert.Equal(t, "9", w.value("ConfigMap", "web", "data", "a"))
		s.mustUp("same", after)
	})
}

// TestAnObjectWithoutFieldsIsOurs is about manifests that are only an identity. The API server notes a field
// manager only where it owns something.
func TestAnObjectWithoutFieldsIsOurs(t *testing.T) {
	t.Parallel()
	for kind, body := range map[string]string{
		"ServiceAccount": "{apiVersion: v1, kind: ServiceAccount, metadata: {name: bare, namespace: %s}}",
		"ConfigMap":      "{apiVersion: v1, kind: ConfigMap, metadata: {name: bare, namespace: %s, labels: {}}, data: {}}",
		"Deployment":     "", // has fields, and is here for comparison
	} {
		t.Run(kind+": a lost reply is continued, and nothing foreign is drift [O70] [O24]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			manifest := w.deployment(t, "bare")
			if body != "" {
				manifest = object(t, body, w.namespace)
			}
			in := program(manifest, map[string]any{"deletionPropagation": "Background"})
			s := start(t, g.connection()).resource(t, "bare")
			g.next(isApply, loseReply)
			requirePending(t, s, s.create(in))
			uid := w.value(kind, "bare", "metadata", "uid")
			killed := &session{t: t, process: start(t, g.connection()), urn: s.urn}
			killed.mustUp("create", in)
			s.in(start(t, g.connection())).mustUp("same", in)
			requireSettled(t, s)
			assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))

			w.patch(kind, "bare", map[string]any{"metadata": map[string]any{"labels": map[string]any{"theirs": "yes"}}})
			s.mustUp("same", in)
			w.patch(kind, "bare", map[string]any{"metadata": map[string]any{"labels": nil}})
			s.mustUp("same", in)
			labelled := with(t, in, "manifest.metadata.labels", map[string]any{"a": "b"})
			s.mustUp("update", labelled).mustUp("same", labelled).mustUp("update", in).mustUp("same", in)
			require.NoError(t, s.destroy())
			assert.False(t, w.exists(kind, "bare"))
		})
	}
}

func TestAKilledProviderIsContinued(t *testing.T) {
	t.Parallel()
	killed := func(t *testing.T, in func(w world) resource.PropertyMap) (world, *gateway, *session) {
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web")
		g.next(isApply, loseReply)
		require.Error(t, s.create(in(w)))
		s.stored = stored{} // nobody was left to hear of it
		return w, g, s.in(start(t, g.connection()))
	}
	whole := func(w world) resource.PropertyMap { return program(w.configMap("web", nil)) }

	t.Run("its own earlier attempt is continued, silently [O71]", func(t *testing.T) {
		w, g, s := killed(t, whole)
		before := w.get("ConfigMap", "web")
		_, outputs, err := s.preview(whole(w))
		require.NoError(t, err)
		assert.Equal(t, "1", at(t, outputs, "manifest.data.a"))
		g.takeSeen()
		s.mustUp("create", whole(w))
		requireSettled(t, s)
		assert.Equal(t, string(before.GetUID()), at(t, s.outputs, "resourceRef.uid"))
		assert.Equal(t, before.GetResourceVersion(), w.get("ConfigMap", "web").GetResourceVersion())
		assert.Equal(t, []string{"PATCH", "GET", "PATCH dry-run", clusterID}, g.takeSeen())
		assert.Empty(t, s.process.log.warnings())
		s.mustUp("same", whole(w))
	})
	t.Run("with other content by now, it is updated in place, with a warning that says when it was made [O71] [O88]", func(t *testing.T) {
		w, _, s := killed(t, whole)
		before := w.get("ConfigMap", "web")
		changed := program(w.configMap("web", map[string]any{"a": "other"}))
		_, _, err := s.preview(changed)
		require.NoError(t, err)
		assert.Equal(t, before.GetResourceVersion(), w.get("ConfigMap", "web").GetResourceVersion(), "a preview writes nothing")
		s.in(start(t, inline(newUser(t)))).mustUp("create", changed)
		assert.EqualValues(t, before.GetUID(), at(t, s.outputs, "resourceRef.uid"))
		assert.Equal(t, map[string]any{"a": "other"}, w.value("ConfigMap", "web", "data"))
		assert.Contains(t, s.warned(), "an earlier run of this resource created it (at "+before.GetCreationTimestamp().UTC().Format(time.RFC3339)+")")
		s.mustUp("same", changed)
	})
	t.Run("an old one is another stack's of the same names, or a lost state's: it is refused with the ways in [D9]", func(t *testing.T) {
		w, g, s := killed(t, whole)
		before := w.get("ConfigMap", "web").GetResourceVersion()
		g.always(isGet, rewriteReply(func(object map[string]any) {
			if metadata, ok := object["metadata"].(map[string]any); ok && object["kind"] == "ConfigMap" {
				metadata["creationTimestamp"] = time.Now().Add(-61 * time.Minute).UTC().Format(time.RFC3339)
			}
		}))
		err := s.create(whole(w))
		for _, way := range []string{"pulumi import", "adopt: true", "resumeWithin", "1h0m0s"} {
			require.ErrorContains(t, err, way)
		}
		assert.Empty(t, s.id)
		assert.Equal(t, before, w.get("ConfigMap", "web").GetResourceVersion())
		s.mustUp("create", program(w.configMap("web", nil), adopting))
	})
	t.Run("with resumeWithin 0s, none is recognised [D9]", func(t *testing.T) {
		w, _, s := killed(t, whole)
		before := w.get("ConfigMap", "web").GetResourceVersion()
		config := inline(newUser(t))
		config["resumeWithin"] = "0s"
		s.in(start(t, config))
		err := s.create(whole(w))
		require.ErrorContains(t, err, "pulumi import k8sconnect:index:KubeObject NAME 'v1/ConfigMap/"+w.namespace+"/web'")
		assert.Empty(t, s.id)
		assert.Equal(t, before, w.get("ConfigMap", "web").GetResourceVersion())
	})
	t.Run("between an update's request and its reply", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", whole(w))
		after := program(w.configMap("web", map[string]any{"a": "9"}))
		saved := s.stored
		g.next(isApply, loseReply)
		_, err := s.up(after)
		require.Error(t, err)
		s.stored = saved
		s.in(start(t, g.connection()))
		_, err = s.up(after)
		require.NoError(t, err)
		s.mustUp("same", after)
		assert.Equal(t, "9", at(t, s.outputs, "manifest.data.a"))
	})
}

func TestWhatCertainlyDidNotHappenIsNotSaved(t *testing.T) {
	t.Parallel()
	plainly := func(t *testing.T, s *session, err error) {
		t.Helper()
		var failed *plugin.InitError
		require.Error(t, err)
		require.False(t, errors.As(err, &failed), "no init error")
		require.Equal(t, stored{}, s.stored)
	}
	t.Run("a refused connection is a plain error [O60]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, map[string]any{"host": closedHost(t), "token": "t", "insecure": true}).resource(t, "web")
		err := s.create(program(w.configMap("web", nil)))
		plainly(t, s, err)
		assert.ErrorContains(t, err, "cannot be reached")
	})
	for code, reason := range map[int32]metav1.StatusReason{
		400: metav1.StatusReasonBadRequest, 401: metav1.StatusReasonUnauthorized, 403: metav1.StatusReasonForbidden,
		404: metav1.StatusReasonNotFound, 413: metav1.StatusReasonRequestEntityTooLarge, 422: metav1.StatusReasonInvalid,
	} {
		t.Run(fmt.Sprintf("a %d is a plain error", code), func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			in := program(w.configMap("web", nil))
			p := start(t, g.connection())
			s := p.resource(t, "web")
			g.next(isApply, refuse(code, reason, "no"))
			plainly(t, s, s.create(in))
			assert.False(t, w.exists("ConfigMap", "web"))

			s.mustUp("create", in)
			before := s.stored
			g.next(isApply, refuse(code, reason, "no"))
			_, err := s.up(program(w.configMap("web", map[string]any{"a": "9"})))
			require.Error(t, err)
			assert.False(t, errors.As(err, new(*plugin.InitError)))
			assert.Equal(t, before.outputs, s.outputs)
			assert.Equal(t, before.inputs, s.inputs)
		})
	}
	t.Run("a discovery that fails is a plain error", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web")
		g.always(isDiscovery, refuse(403, metav1.StatusReasonForbidden, "no"))
		plainly(t, s, s.create(program(w.configMap("web", nil))))
	})
	t.Run("a 500 may have done anything, so it is saved", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		in := program(w.configMap("web", nil))
		s := start(t, g.connection()).resource(t, "web")
		g.next(isApply, refuse(500, metav1.StatusReasonInternalError, "boom"))
		requirePending(t, s, s.create(in))
		assert.Equal(t, map[string]string{"manifest": "update"}, s.mustDiff(in))
		s.mustUp("create", in) // the read before it finds that nothing was done
		assert.True(t, w.exists("ConfigMap", "web"))
	})
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	t.Run("^C while the reply is held back saves the state [O76]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		in := program(w.configMap("web", nil))
		s := start(t, g.connection()).resource(t, "web")
		acted, do := hold()
		g.next(isApply, do)
		result := make(chan error)
		go func() { result <- s.create(in) }()
		<-acted
		require.NoError(t, s.process.SignalCancellation(t.Context()))
		requirePending(t, s, <-result)
		s.in(start(t, g.connection())).mustUp("same", in)
		requireSettled(t, s)
	})
	t.Run("^C during an update saves the state [O76]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		in, after := program(w.configMap("web", nil)), program(w.configMap("web", map[string]any{"a": "9"}))
		s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
		acted, do := hold()
		g.next(isApply, do)
		result := make(chan error)
		go func() {
			_, err := s.up(after)
			result <- err
		}()
		<-acted
		require.NoError(t, s.process.SignalCancellation(t.Context()))
		requirePending(t, s, <-result)
		s.in(start(t, g.connection())).mustUp("update", after)
		requireSettled(t, s)
	})
	t.Run("customTimeouts.create ends a hanging apply, and the state is saved [O62]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web")
		s.timeout = 1
		_, do := hold()
		g.next(isApply, do)
		requirePending(t, s, s.create(program(w.configMap("web", nil))))
	})
}

func TestABusyObjectIsNotCalledAnotherOne(t *testing.T) {
	t.Parallel()
	t.Run("a 409 that says nothing of fields is tried again on the same object [D16]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
		uid := at(t, s.outputs, "resourceRef.uid")
		changed := program(w.configMap("web", map[string]any{"a": "9"}))
		g.next(isRealApply, refuse(409, metav1.StatusReasonConflict, "Operation cannot be fulfilled on configmaps \"web\""))
		s.mustUp("update", changed).mustUp("same", changed)
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
		assert.Equal(t, "9", w.value("ConfigMap", "web", "data", "a"))
		assert.Empty(t, s.warned())
	})
}

func TestACreateThatEndsInDiscoveryHasSentNothing(t *testing.T) { // [D59]
	t.Parallel()
	w, g := newWorld(t), newGateway(t)
	s := start(t, g.connection()).resource(t, "web")
	discovers := func(r *http.Request) bool { return r.URL.Path == "/api/v1" }
	// The preview asks for the kinds; it is the update that gets no answer.
	in := program(w.configMap("web", nil))
	g.always(discovers, refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "down"))
	_, err := s.up(in)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "[NotConfirmed]", "nothing is in doubt")
	assert.Empty(t, s.id, "and nothing is in the state")
	g.heal()
	assert.False(t, w.exists("ConfigMap", "web"))
	s.in(s.process.again(t)).mustUp("create", in)
}
