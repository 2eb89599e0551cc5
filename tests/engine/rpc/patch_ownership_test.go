package rpc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPatchOfOurOwn(t *testing.T) {
	t.Parallel()
	eachKind(t, "object is refused at preview and at create, with who and two ways out [P7]", func(t *testing.T, kind string) {
		w := newWorld(t)
		p := start(t, inline(newUser(t)))
		p.resource(t, "own").mustUp("create", program(w.configMap("it", nil)))
		for _, field := range []string{"a", "new"} {
			s := patched(t, w, p, "it")
			refusedBoth(t, w, s, patching(w.configMap("it", nil), setting(kind, data(field, "9"))), "ConfigMap", "it",
				`"own" of shop/dev`, "KubeObject", "manifest", "retainOnDelete")
			assert.Empty(t, s.id)
		}
		assert.Empty(t, p.log.warnings())
	})
	eachKind(t, "object is refused at an update as well, when it became ours meanwhile [P7]", func(t *testing.T, kind string) {
		w := newWorld(t)
		p := start(t, inline(newUser(t)))
		w.create(w.configMap("it", nil))
		s := patched(t, w, p, "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
		w.apply("k8sconnect-other.prod.web-12345678", w.configMap("it", m{"b": "2"}))
		refusedBoth(t, w, s.mustRead(), patching(w.configMap("it", nil), setting(kind, data("a", "10"))), "ConfigMap", "it",
			`"web" of other/prod`, "KubeObject")
		require.NoError(t, s.destroy(), "to give up is always possible")
	})
}

// another adds a second Patch to the stack of the first.
func another(t *testing.T, w world, first *session) *session {
	t.Helper()
	return patched(t, w, first.process, "second")
}

func TestTwoPatchesOfOneObject(t *testing.T) {
	t.Parallel()
	for _, one := range patchKinds {
		eachKind(t, one+" and another, of other fields, live together [P8]", func(t *testing.T, other string) {
			w := newWorld(t)
			w.apply("eks", w.configMap("it", nil))
			first, second := patching(w.configMap("it", nil), setting(one, data("a", "9"))), patching(w.configMap("it", nil), setting(other, data("b", "10")))
			s := patched(t, w, start(t, inline(newUser(t))), "first").mustUp("create", first)
			s2 := another(t, w, s)
			s2.previewed("create", second)
			s2.mustUp("create", second).mustUp("same", second)
			s.mustUp("same", first)
			assert.Equal(t, m{"a": "9", "b": "10"}, w.value("ConfigMap", "it", "data"))

			again := patching(w.configMap("it", nil), setting(one, data("a", "11")))
			s.mustUp("update", again)
			s2.mustUp("same", second)
			require.NoError(t, s.destroy())
			assert.Contains(t, w.ownedBy(s2, "ConfigMap", "it"), "f:b", "the other one keeps its own")
			s2.mustUp("same", second)
			require.NoError(t, s2.destroy())
			assert.Equal(t, m{"a": "11", "b": "10"}, w.value("ConfigMap", "it", "data"))
		})
		eachKind(t, one+" and another, of the same field, is refused with who and which [P8]", func(t *testing.T, other string) {
			w := newWorld(t)
			w.apply("eks", w.configMap("it", nil))
			first := patching(w.configMap("it", nil), setting(one, data("a", "9")))
			s := patched(t, w, start(t, inline(newUser(t))), "first").mustUp("create", first)
			s2 := another(t, w, s)
			for _, value := range []string{"10", "9"} {
				refusedBoth(t, w, s2, patching(w.configMap("it", nil), setting(other, data("a", value, "b", "2"))), "ConfigMap", "it",
					`"first" of shop/dev`, "data.a")
			}
			mine := patching(w.configMap("it", nil), setting(other, data("b", "10")))
			s2.mustUp("create", mine)
			refusedBoth(t, w, s2, patching(w.configMap("it", nil), setting(other, data("a", "10", "b", "10"))), "ConfigMap", "it",
				`"first" of shop/dev`, "data.a")
			s.mustUp("same", first)
			require.NoError(t, s.destroy())
			s2.mustUp("update", patching(w.configMap("it", nil), setting(other, data("a", "10", "b", "10"))))
			assert.Equal(t, m{"a": "10", "b": "10"}, w.value("ConfigMap", "it", "data"))
		})
		eachKind(t, one+" and another, of the same field at the same moment: one wins [P8]", func(t *testing.T, other string) {
			w, g := newWorld(t), newGateway(t)
			w.apply("eks", w.configMap("it", nil))
			p := start(t, g.connection())
			both := []*session{patched(t, w, p, "first"), patched(t, w, p, "second")}
			programs := []resource.PropertyMap{
				patching(w.configMap("it", nil), setting(one, data("a", "9"))),
				patching(w.configMap("it", nil), setting(other, data("a", "10"))),
			}
			g.meet(2)
			failures := make([]error, 2)
			var all sync.WaitGroup
			for i, s := range both {
				all.Go(func() { failures[i] = s.create(programs[i]) })
			}
			all.Wait()
			winner := 0
			if failures[0] != nil {
				winner = 1
			}
			require.NoError(t, failures[winner])
			require.ErrorContains(t, failures[1-winner], "data.a")
			require.ErrorContains(t, failures[1-winner], fmt.Sprintf("Patch %q", both[winner].urn.Name()))
			assert.False(t, isInitError(failures[1-winner]))
			assert.Empty(t, both[1-winner].id)
			assert.Empty(t, w.ownedBy(both[1-winner], "ConfigMap", "it"))
			assert.Equal(t, []string{"9", "10"}[winner], w.value("ConfigMap", "it", "data", "a"))
			both[winner].mustUp("same", programs[winner])
		})
		eachKind(t, one+" and another, of other fields at the same moment: both win [P8]", func(t *testing.T, other string) {
			w, g := newWorld(t), newGateway(t)
			w.apply("eks", w.configMap("it", nil))
			p := start(t, g.connection())
			s, s2 := patched(t, w, p, "first"), patched(t, w, p, "second")
			first, second := patching(w.configMap("it", nil), setting(one, data("a", "9"))), patching(w.configMap("it", nil), setting(other, data("b", "10")))
			s.previewed("create", first) // discovery
			g.meet(2)
			together(t, func() error { return s.create(first) }, func() error { return s2.create(second) })
			assert.Equal(t, m{"a": "9", "b": "10"}, w.value("ConfigMap", "it", "data"))
			s.mustUp("same", first)
			s2.mustUp("same", second)
		})
	}
	for _, one := range patchKinds {
		eachKind(t, one+" and another, of the same field in one program, are refused in the first preview [P8]", func(t *testing.T, other string) {
			w := newWorld(t)
			w.apply("eks", w.configMap("it", nil))
			p := start(t, inline(newUser(t)))
			s, s2 := patched(t, w, p, "first"), patched(t, w, p, "second")
			s.previewed("create", patching(w.configMap("it", nil), setting(one, data("a", "9"))))
			_, _, err := s2.preview(patching(w.configMap("it", nil), setting(other, data("a", "10", "b", "11"))))
			require.ErrorContains(t, err, `Patch "first"`)
			assert.ErrorContains(t, err, "data.a")
			assert.NotContains(t, err.Error(), "data.b")
			s2.previewed("create", patching(w.configMap("it", nil), setting(other, data("b", "11"))))
			s.previewed("create", patching(w.configMap("it", nil), setting(one, data("c", "9"))))
			s2.previewed("create", patching(w.configMap("it", nil), setting(other, data("a", "10", "b", "11"))))
		})
		eachKind(t, one+" and another, of the same field, while others write too: one wins all the same [P8]", func(t *testing.T, other string) {
			w, g := newWorld(t), newGateway(t)
			w.apply("eks", w.configMap("it", nil))
			p := start(t, g.connection())
			both := []*session{patched(t, w, p, "first"), patched(t, w, p, "second")}
			failed := make(chan error, 2)
			g.meet(2)
			// The first to write loses against someone else, and tries again when the other one has given up, or
			// has written.
			g.next(isApply, meanwhile(func() {
				lost := w.version("ConfigMap", "it")
				w.patch("ConfigMap", "it", m{"metadata": m{"labels": m{"intern": "else"}}})
				eventually(t, func() bool { return len(failed) > 0 || w.version("ConfigMap", "it") != lost }, "the other one is done")
			}))
			for i, s := range both {
				kind, value := one, "9"
				if i == 1 {
					kind, value = other, "10"
				}
				go func() { failed <- s.create(patching(w.configMap("it", nil), setting(kind, data("a", value)))) }()
			}
			first, second := ended(t, failed), ended(t, failed)
			assert.True(t, (first == nil) != (second == nil), "%v and %v", first, second)
		})
	}
	t.Run("two variables of one container [P8] [P9]", func(t *testing.T) {
		t.Parallel()
		variable := func(name, value string) m {
			return m{"patch": m{"spec": m{"template": m{"spec": m{"containers": []any{
				m{"name": "web", "env": []any{m{"name": name, "value": value}}},
			}}}}}}
		}
		w := newWorld(t)
		w.apply("eks", w.deployment(t, "it"))
		s := patched(t, w, start(t, inline(newUser(t))), "first").mustUp("create", patching(w.deployment(t, "it"), variable("A", "9")))
		s2 := another(t, w, s).mustUp("create", patching(w.deployment(t, "it"), variable("B", "10")))
		third := patched(t, w, s.process, "third")
		third.mustUp("create", patching(w.deployment(t, "it"), m{"jsonPatch": []any{
			m{"op": "replace", "path": "/spec/template/spec/containers/0/env/2/value", "value": "11"},
		}}))
		fourth := patched(t, w, s.process, "fourth").mustUp("create", patching(w.deployment(t, "it"), variable("NEW", "12")))
		refusedBoth(t, w, patched(t, w, s.process, "fifth"), patching(w.deployment(t, "it"), variable("C", "0")), "Deployment", "it",
			`"third" of shop/dev`, "env[name=C].value")
		assert.Equal(t, map[string]string{"A": "9", "B": "10", "C": "11", "NEW": "12"}, environment(t, w, "Deployment", "it"))
		s.mustUp("same", patching(w.deployment(t, "it"), variable("A", "9")))
		require.NoError(t, s2.destroy())
		require.NoError(t, fourth.destroy())
		require.NoError(t, third.destroy())
		s.mustUp("same", patching(w.deployment(t, "it"), variable("A", "9")))
		assert.Equal(t, map[string]string{"A": "9", "B": "10", "C": "11", "NEW": "12"}, environment(t, w, "Deployment", "it"))
	})
}

// environment is what the first container of a workload gets.
func environment(t testing.TB, w world, kind, name string) map[string]string {
	t.Helper()
	containers, _ := w.value(kind, name, "spec", "template", "spec", "containers").([]any)
	require.NotEmpty(t, containers)
	env, _ := containers[0].(m)["env"].([]any)
	values := map[string]string{}
	for _, item := range env {
		value, _ := item.(m)["value"].(string)
		values[item.(m)["name"].(string)] = value
	}
	return values
}

// meet holds the answers to the next reads of objects until so many have been read.
func (g *gateway) meet(n int) {
	var all sync.WaitGroup
	all.Add(n)
	for range n {
		g.next(isGet, func(w http.ResponseWriter, _ *http.Request, forward func() *httptest.ResponseRecorder) {
			reply := forward()
			all.Done()
			all.Wait()
			w.Header().Set("Content-Type", reply.Header().Get("Content-Type"))
			w.WriteHeader(reply.Code)
			_, _ = w.Write(reply.Body.Bytes())
		})
	}
}

func TestWhoOwnedThePatchedFields(t *testing.T) {
	t.Parallel()
	eachKind(t, "is kept, with several of them [P22]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", m{"a": "1", "b": "2", "c": "3"}))
		w.apply("argocd", w.configMap("it", m{"a": "1"}))
		w.patch("ConfigMap", "it", data("b", "changed"))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "10", "new", "11")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		want := m{"data.a": "argocd, eks", "data.b": "intern"}
		assert.Equal(t, want, at(t, s.outputs, "previousOwners"), "what nobody owned is not in it")
		own := patchManager(s.urn)
		assert.Equal(t, m{"data.a": own, "data.b": own, "data.new": own}, at(t, s.outputs, "fieldOwnership"))

		// What comes later does not rewrite it; a look alone does not.
		more := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "11", "c", "12", "new", "11")))
		s.mustUp("update", more)
		want["data.c"] = "eks"
		assert.Equal(t, want, at(t, s.outputs, "previousOwners"))
		w.apply("argocd", w.configMap("it", m{"a": "fought"}))
		s.mustRead()
		assert.Equal(t, "argocd", owner(t, s, "fieldOwnership", "data.a"))
		assert.Equal(t, want, at(t, s.outputs, "previousOwners"))
		s.mustUp("update", more).mustUp("same", more)
		want["data.a"] = "argocd" // from whom it was taken last
		assert.Equal(t, want, at(t, s.outputs, "previousOwners"))
		assert.Equal(t, own, owner(t, s, "fieldOwnership", "data.a"))
	})
	eachKind(t, "is told in a preview where a value changes, and only there [P23]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", m{"a": "1", "b": "2"}))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "2", "new", "3")))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		s.previewed("create", in)
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.warned(), `will take from eks: data.a: "1" -> "9"`)
		assert.NotContains(t, s.warned(), "data.b")
		assert.NotContains(t, s.warned(), "data.new")

		s.in(start(t, inline(newUser(t)))).mustUp("create", in)
		assert.Empty(t, s.warned(), "the preview has told it")
		after := patching(w.configMap("it", nil), setting(kind, data("a", "10", "b", "2", "new", "4")))
		s.previewed("update", after)
		assert.Empty(t, s.warned(), "they are ours now")
		shared := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "7", "new", "3")))
		s.previewed("update", shared)
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.warned(), `will take from eks: data.b: "2" -> "7"`)
	})
	eachKind(t, "an equal value is shared silently [P23]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "1")))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		s.previewed("create", in)
		s.mustUp("create", in).mustUp("same", in)
		assert.Empty(t, s.warned())
		assert.Contains(t, w.owned("ConfigMap", "it", "eks"), "f:a")
		assert.Equal(t, data("a", "1"), at(t, s.outputs, "managedFields"))
		w.patch("ConfigMap", "it", data("a", "drift"))
		assert.Equal(t, map[string]string{shownAt(kind, "data.a"): "update"}, drifted(s, in), "it is tracked all the same")
		s.mustUp("update", in)
		require.NoError(t, s.destroy())
	})
	eachKind(t, "one who fights back is found, put right and told each time [P28]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		for i := range 3 {
			w.apply("eks", w.configMap("it", m{"a": fmt.Sprint("theirs-", i), "b": "2"}))
			s.in(start(t, inline(newUser(t))))
			s.previewed("update", in)
			require.Len(t, s.process.log.warnings(), 1)
			assert.Contains(t, s.warned(), fmt.Sprintf(`will take from eks: data.a: "theirs-%d" -> "9"`, i))
			assert.Equal(t, map[string]string{shownAt(kind, "data.a"): "update"}, drifted(s, in))
			assert.Equal(t, "eks", owner(t, s, "fieldOwnership", "data.a"))
			s.mustUp("update", in)
			assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
			assert.Equal(t, patchManager(s.urn), owner(t, s, "fieldOwnership", "data.a"))
			assert.Equal(t, m{"data.a": "eks"}, at(t, s.outputs, "previousOwners"))
		}
	})
	t.Run("one who takes a field and leaves its value is drift of a patch [P16] [P28]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), m{"patch": data("a", "9")})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		w.patch("ConfigMap", "it", data("a", "x"))
		w.patch("ConfigMap", "it", data("a", "9"))
		assert.Equal(t, map[string]string{"patch.data.a": "update"}, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		assert.Contains(t, w.ownedBy(s, "ConfigMap", "it"), "f:a")
	})
}
