package rpc_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// unheard are the ways in which the answer to a patch may not be heard, and whether it was written.
var unheard = map[string]struct {
	do      func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)
	written bool
}{
	"lost reply":   {loseReply, true},
	"half a reply": {halveReply, true},
	"lost request": {loseRequest, false},
	"a 500":        {refuse(500, metav1.StatusReasonInternalError, "boom"), false},
}

// isPatching is the write of a patch itself, and not of the release of what it names no more.
func isPatching(r *http.Request) bool {
	if !isApply(r) {
		return false
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return !bytes.Contains(body, []byte("/metadata/managedFields"))
}

// continuing is each way to go on after a write that was not heard of: with the read before it, and without.
func continuing(t *testing.T, s *session, g *gateway, goOn func(t *testing.T, s *session)) {
	t.Helper()
	for _, refresh := range []bool{true, false} {
		t.Run(fmt.Sprintf("continued in place, read before it: %t", refresh), func(t *testing.T) {
			other := *s
			other.t, other.refresh = t, refresh
			other.in(start(t, g.connection()))
			goOn(t, &other)
		})
	}
}

func TestAPatchThatWasNotHeardOf(t *testing.T) {
	t.Parallel()
	for what, fault := range unheard {
		eachKind(t, what+" at create [P1]", func(t *testing.T, kind string) {
			w, g := newWorld(t), newGateway(t)
			w.apply("eks", w.configMap("it", nil))
			in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "10")))
			s := patched(t, w, start(t, g.connection()), "it")
			g.next(isApply, fault.do)
			requirePatchPending(t, s, s.create(in))
			assert.Equal(t, "v1/ConfigMap/"+w.namespace+"/it", string(s.id))
			assert.Equal(t, fault.written, w.value("ConfigMap", "it", "data", "a") == "9")
			assert.NotEmpty(t, s.mustDiff(in))
			other := *s
			other.refresh = false
			outputs := other.previewed("update", in)
			assert.Equal(t, unknownText, at(t, outputs, "managedFields"))

			id, written := s.id, w.version("ConfigMap", "it")
			continuing(t, s, g, func(t *testing.T, s *session) {
				_, err := s.up(in)
				require.NoError(t, err)
				requirePatched(t, s)
				assert.Equal(t, id, s.id)
				assert.Equal(t, data("a", "9", "b", "10"), at(t, s.outputs, "managedFields"))
				assert.Equal(t, m{"data.a": "eks", "data.b": "eks"}, at(t, s.outputs, "previousOwners"))
				assert.Equal(t, m{"a": "9", "b": "10"}, w.value("ConfigMap", "it", "data"))
				if fault.written {
					assert.Equal(t, written, w.version("ConfigMap", "it"), "it is not written again")
				}
				s.mustUp("same", in)
			})
		})
		eachKind(t, what+" at update [P1]", func(t *testing.T, kind string) {
			w, g := newWorld(t), newGateway(t)
			w.apply("eks", w.configMap("it", nil))
			before := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
			after := patching(w.configMap("it", nil), setting(kind, data("a", "10", "b", "11")))
			s := patched(t, w, start(t, g.connection()), "it").mustUp("create", before)
			g.next(isPatching, fault.do)
			did, err := s.up(after)
			assert.Equal(t, "update", did)
			requirePatchPending(t, s, err)
			assert.Equal(t, plain(before[resource.PropertyKey(kind)]), plain(s.inputs[resource.PropertyKey(kind)]), "the engine keeps the old inputs")
			continuing(t, s, g, func(t *testing.T, s *session) {
				s.mustUp("update", after)
				requirePatched(t, s)
				assert.Equal(t, m{"a": "10", "b": "11"}, w.value("ConfigMap", "it", "data"))
				assert.Equal(t, m{"data.a": "eks", "data.b": "eks"}, at(t, s.outputs, "previousOwners"))
				s.mustUp("same", after)
			})
			t.Run("reverted to the old inputs, they are patched, and the rest is released", func(t *testing.T) {
				other := *s
				other.t = t
				other.in(start(t, g.connection()))
				_, err := other.up(before)
				require.NoError(t, err)
				requirePatched(t, &other)
				other.mustUp("same", before)
				assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
				assert.NotContains(t, w.ownedBy(s, "ConfigMap", "it"), "f:b")
			})
		})
		t.Run(what+" of what is added once: it is there once [P13]", func(t *testing.T) {
			t.Parallel()
			for _, refresh := range []bool{true, false} {
				w, g := newWorld(t), newGateway(t)
				defineBox(t)
				w.create(w.box("it", m{"list": []any{"a"}}))
				in := patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "b")}})
				after := patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "c")}})
				s := patched(t, w, start(t, g.connection()), "it")
				g.next(isApply, fault.do)
				requirePatchPending(t, s, s.create(in))
				s.refresh = refresh
				_, err := s.in(start(t, g.connection())).up(in)
				require.NoError(t, err)
				requirePatched(t, s)
				assert.Equal(t, []any{"a", "b"}, w.value("Box", "it", "spec", "list"), "at create, read before it: %t", refresh)
				s.mustUp("same", in)

				g.next(isPatching, fault.do)
				_, err = s.up(after)
				requirePatchPending(t, s, err)
				s.refresh = refresh
				_, err = s.in(start(t, g.connection())).up(after)
				require.NoError(t, err)
				requirePatched(t, s)
				assert.Equal(t, []any{"a", "b", "c"}, w.value("Box", "it", "spec", "list"), "at update, read before it: %t", refresh)
				s.mustUp("same", after)
			}
		})
	}
	for what, fault := range unheard {
		t.Run(what+" when drift is put right: what was done once is not done again [P13] [P16]", func(t *testing.T) {
			t.Parallel()
			for _, theirs := range [][]any{{"a", "b"}, {"b", "c"}} {
				for _, refresh := range []bool{true, false} {
					w, g := newWorld(t), newGateway(t)
					defineBox(t)
					w.create(w.box("it", m{"list": []any{"a"}, "v": "1"}))
					in := patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "b"), operation("replace", "/spec/v", "9")}})
					s := patched(t, w, start(t, g.connection()), "it").mustUp("create", in)
					w.patch("Box", "it", m{"spec": m{"list": theirs, "v": "drift"}})
					g.next(isApply, fault.do)
					did, err := s.up(in)
					require.Error(t, err)
					require.Equal(t, "update", did)
					s.refresh = refresh
					_, err = s.in(start(t, g.connection())).up(in)
					require.NoError(t, err)
					requirePatched(t, s)
					s.mustUp("same", in)
					assert.Equal(t, m{"list": theirs, "v": "9"}, w.value("Box", "it", "spec"), "read before it: %t", refresh)
				}
			}
		})
		eachKind(t, what+" at the release of what is dropped: the next up does the rest [P24]", func(t *testing.T, kind string) {
			w, g := newWorld(t), newGateway(t)
			w.apply("eks", w.configMap("it", nil))
			s := patched(t, w, start(t, g.connection()), "it")
			s.mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "10"))))
			one := patching(w.configMap("it", nil), setting(kind, data("a", "11")))
			g.next(isApply, fault.do)
			_, err := s.up(one)
			require.Error(t, err)
			assert.Equal(t, m{"a": "9", "b": "10"}, w.value("ConfigMap", "it", "data"))
			s.in(start(t, g.connection())).mustUp("update", one).mustUp("same", one)
			assert.Equal(t, m{"a": "11", "b": "10"}, w.value("ConfigMap", "it", "data"))
			assert.NotContains(t, w.ownedBy(s, "ConfigMap", "it"), "f:b")
		})
	}
	eachKind(t, "is destroyed all the same [P25]", func(t *testing.T, kind string) {
		for what, fault := range unheard {
			w, g := newWorld(t), newGateway(t)
			w.apply("eks", w.configMap("it", nil))
			s := patched(t, w, start(t, g.connection()), "it")
			for how, remove := range deletions {
				g.next(isApply, fault.do)
				requirePatchPending(t, s, s.create(patching(w.configMap("it", nil), setting(kind, data("a", "9")))))
				require.NoError(t, remove(s.in(start(t, g.connection()))), "%s, %s", what, how)
				require.NoError(t, w.applies("eks", w.configMap("it", nil)), "%s, %s", what, how)
			}
		}
	})
	t.Run("and of which nobody can say any more whether it was done is not done again, and told [P13]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		defineBox(t)
		w.create(w.box("it", m{"list": []any{"a"}}))
		in := patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "b")}})
		s := patched(t, w, start(t, g.connection()), "it")
		g.next(isApply, loseReply)
		requirePatchPending(t, s, s.create(in))
		_, err := w.objects("Box").Patch(t.Context(), "it", types.JSONPatchType,
			[]byte(`[{"op": "add", "path": "/spec/list/-", "value": "theirs"}]`), metav1.PatchOptions{FieldManager: "controller"})
		require.NoError(t, err)
		before := w.version("Box", "it")
		for range 2 {
			_, err := s.up(in)
			require.ErrorContains(t, err, "it is not known whether an earlier try of this patch was carried out")
			assert.ErrorContains(t, err, "add /spec/list/-")
		}
		assert.Equal(t, before, w.version("Box", "it"))
		again := patching(w.box("it", nil), m{"jsonPatch": []any{operation("test", "/spec/list/0", "a"), operation("add", "/spec/list/-", "b")}})
		_, err = s.up(again)
		require.NoError(t, err)
		requirePatched(t, s)
		s.mustUp("same", again)
		assert.Equal(t, []any{"a", "b", "theirs", "b"}, w.value("Box", "it", "spec", "list"), "as it was asked for")
	})
	t.Run("and certainly was not done is done, though others have written beside it [P13]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		defineBox(t)
		w.create(w.box("it", m{"list": []any{"a"}}))
		in := patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "a")}})
		s := patched(t, w, start(t, g.connection()), "it")
		g.next(isApply, loseRequest)
		requirePatchPending(t, s, s.create(in))
		w.apply("controller", m{"apiVersion": "example.com/v1", "kind": "Box", "metadata": m{
			"name": "it", "namespace": w.namespace, "labels": m{"beside": "it"},
		}})
		_, err := s.up(in)
		require.NoError(t, err)
		requirePatched(t, s)
		s.mustUp("same", in)
		assert.Equal(t, []any{"a", "a"}, w.value("Box", "it", "spec", "list"))
	})
	eachKind(t, "and whose target is gone meanwhile is not found [P20]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s := patched(t, w, start(t, g.connection()), "it")
		g.next(isApply, loseReply)
		requirePatchPending(t, s, s.create(in))
		w.delete("ConfigMap", "it")
		_, err := s.up(in)
		require.ErrorContains(t, err, "not found")
		assert.False(t, w.exists("ConfigMap", "it"))
	})
	eachKind(t, "because the process was killed, is continued by the next create [P1]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s := patched(t, w, start(t, g.connection()), "it")
		g.next(isApply, loseReply)
		require.Error(t, s.create(in))
		s.stored = stored{} // nobody was left to hear of it
		s.in(start(t, g.connection()))
		before := w.version("ConfigMap", "it")
		s.previewed("create", in)
		s.mustUp("create", in)
		requirePatched(t, s)
		assert.Equal(t, before, w.version("ConfigMap", "it"), "nothing is left to be written")
		assert.Empty(t, s.warned())
		s.mustUp("same", in)
		require.NoError(t, s.destroy())
	})
	t.Run("because the process was killed, does not add again what is added once [P13]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		defineBox(t)
		w.create(w.box("it", m{"list": []any{"a"}}))
		in := patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "b")}})
		s := patched(t, w, start(t, g.connection()), "it")
		g.next(isApply, loseReply)
		require.Error(t, s.create(in))
		s.stored = stored{}
		s.in(start(t, g.connection())).mustUp("create", in).mustUp("same", in)
		assert.Equal(t, []any{"a", "b"}, w.value("Box", "it", "spec", "list"))
	})
}

func TestAPatchThatCertainlyFailedIsNotSaved(t *testing.T) {
	t.Parallel()
	for code, reason := range map[int32]metav1.StatusReason{
		400: metav1.StatusReasonBadRequest, 403: metav1.StatusReasonForbidden, 422: metav1.StatusReasonInvalid,
	} {
		eachKind(t, fmt.Sprintf("a %d is a plain error [P1]", code), func(t *testing.T, kind string) {
			w, g := newWorld(t), newGateway(t)
			w.create(w.configMap("it", nil))
			in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
			s := patched(t, w, start(t, g.connection()), "it")
			g.next(isApply, refuse(code, reason, "no"))
			err := s.create(in)
			require.Error(t, err)
			assert.False(t, isInitError(err))
			assert.Empty(t, s.id)
			s.mustUp("create", in)
			kept := s.stored
			g.next(isApply, refuse(code, reason, "no"))
			_, err = s.up(patching(w.configMap("it", nil), setting(kind, data("a", "10"))))
			require.Error(t, err)
			assert.False(t, isInitError(err))
			assert.Equal(t, plain(resource.NewProperty(kept.outputs)), plain(resource.NewProperty(s.outputs)))
		})
	}
}

func TestAPatchBesideOtherWriters(t *testing.T) {
	t.Parallel()
	eachKind(t, "is tried again when one came in between, at create and at update [P1]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.apply("eks", w.configMap("it", nil))
		s := patched(t, w, start(t, g.connection()), "it")
		for i, did := range []string{"create", "update"} {
			in := patching(w.configMap("it", nil), setting(kind, data("a", fmt.Sprint("ours-", i))))
			for j := range 2 {
				g.next(isApply, meanwhile(func() { w.patch("ConfigMap", "it", data("b", fmt.Sprint("theirs-", i, j))) }))
			}
			s.mustUp(did, in).mustUp("same", in)
			assert.Equal(t, m{"a": fmt.Sprint("ours-", i), "b": fmt.Sprint("theirs-", i, 1)}, w.value("ConfigMap", "it", "data"))
		}
	})
	eachKind(t, "does not overwrite who came in between unseen: a KubeObject [P7]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.apply("eks", w.configMap("it", nil))
		s := patched(t, w, start(t, g.connection()), "it")
		g.next(isApply, meanwhile(func() { w.apply("k8sconnect-other.prod.web-12345678", w.configMap("it", nil)) }))
		err := s.create(patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
		require.ErrorContains(t, err, `"web" of other/prod`)
		assert.Equal(t, "1", w.value("ConfigMap", "it", "data", "a"))
	})
	t.Run("adds once what is added once, however often it is tried [P13]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		defineBox(t)
		w.create(w.box("it", m{"list": []any{"a"}}))
		s := patched(t, w, start(t, g.connection()), "it")
		g.next(isApply, meanwhile(func() { w.patch("Box", "it", m{"spec": m{"list": []any{"a", "theirs"}}}) }))
		s.mustUp("create", patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "b")}}))
		assert.Equal(t, []any{"a", "theirs", "b"}, w.value("Box", "it", "spec", "list"))
	})
	eachKind(t, "whose target is re-created in between is not patched unseen [P20]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, g.connection()), "it")
		g.next(isApply, meanwhile(func() {
			w.delete("ConfigMap", "it")
			w.create(w.configMap("it", nil))
		}))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s.mustUp("create", in)
		assert.EqualValues(t, w.get("ConfigMap", "it").GetUID(), at(t, s.outputs, "resourceRef.uid"))
		assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
		s.mustUp("same", in)
	})
	eachKind(t, "whose target is deleted in between is not found, and nothing is made [P4]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, g.connection()), "it")
		g.next(isApply, meanwhile(func() { w.delete("ConfigMap", "it") }))
		err := s.create(patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
		require.ErrorContains(t, err, "not found")
		assert.False(t, isInitError(err))
		assert.False(t, w.exists("ConfigMap", "it"))
	})
	eachKind(t, "is released when one came in between [P25]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.apply("eks", w.configMap("it", nil))
		s := patched(t, w, start(t, g.connection()), "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
		for _, manager := range []string{"one", "two"} {
			g.next(isApply, meanwhile(func() { w.apply(manager, w.configMap("it", m{"b": "2"})) }))
		}
		require.NoError(t, s.destroy())
		assert.Contains(t, w.owned("ConfigMap", "it", "two"), "f:b", "who came is kept")
		require.NoError(t, w.applies("eks", w.configMap("it", nil)))
	})
	for what, fault := range unheard {
		eachKind(t, "whose release was not heard of is released by the next destroy: "+what+" [P25]", func(t *testing.T, kind string) {
			w, g := newWorld(t), newGateway(t)
			w.apply("eks", w.configMap("it", nil))
			s := patched(t, w, start(t, g.connection()), "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
			g.next(isApply, fault.do)
			if err := s.remove(); err != nil {
				assert.NotEmpty(t, s.id)
				require.NoError(t, s.in(start(t, g.connection())).remove())
			}
			assert.Empty(t, w.ownedBy(s, "ConfigMap", "it"))
			require.NoError(t, w.applies("eks", w.configMap("it", nil)))
		})
	}
	eachKind(t, "^C while the reply is held back saves the state [P1]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s := patched(t, w, start(t, g.connection()), "it")
		acted, do := hold()
		g.next(isApply, do)
		result := make(chan error)
		go func() { result <- s.create(in) }()
		<-acted
		require.NoError(t, s.process.SignalCancellation(t.Context()))
		requirePatchPending(t, s, <-result)
		_, err := s.in(start(t, g.connection())).up(in)
		require.NoError(t, err)
		requirePatched(t, s)
		s.mustUp("same", in)
	})
}
