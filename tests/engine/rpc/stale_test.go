package rpc_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// closedHost is an address at which nobody listens.
func closedHost(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return "https://" + listener.Addr().String()
}

// unreadable are the reads that fail and prove nothing about the object.
var unreadable = map[string]func(*gateway){
	"401": func(g *gateway) { g.always(isGet, refuse(401, metav1.StatusReasonUnauthorized, "no")) },
	"403": func(g *gateway) { g.always(isGet, refuse(403, metav1.StatusReasonForbidden, "no")) },
	"500": func(g *gateway) { g.always(isGet, refuse(500, metav1.StatusReasonInternalError, "no")) },
	"503": func(g *gateway) { g.always(isGet, refuse(503, metav1.StatusReasonServiceUnavailable, "no")) },
	"garbage": func(g *gateway) {
		g.always(isGet, halveReply)
	},
	"discovery forbidden": func(g *gateway) { g.always(anything, refuse(403, metav1.StatusReasonForbidden, "no")) },
}

func TestAFailedReadForgetsNothing(t *testing.T) {
	t.Parallel()
	for what, fail := range unreadable {
		t.Run(what+" at Read: prior state, the mark and a warning [C10]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			in := program(w.configMap("web", nil))
			s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
			before := s.outputs
			fail(g)
			s.in(start(t, g.connection())).mustRead()
			require.Len(t, s.process.log.warnings(), 1)
			assert.Contains(t, s.process.log.warnings()[0], "NOT CHECKED")
			assert.Equal(t, true, at(t, s.outputs, "__staleRead"))
			kept := s.outputs.Copy()
			delete(kept, "__staleRead")
			assert.Equal(t, plain(resource.NewProperty(before)), plain(resource.NewProperty(kept)))
			assert.True(t, s.refresh)
			assert.Equal(t, map[string]string{"__staleRead": "update"}, kinds(t, s.refreshed), "a refresh that saw nothing says so [D30]")
			_, err := s.diff(in)
			require.Error(t, err, "and a program whose objects cannot be looked at does not call them unchanged [D30]")

			g.heal()
			w.patch("ConfigMap", "web", map[string]any{"data": map[string]any{"a": "drift"}})
			s.in(start(t, g.connection()))
			g.takeSeen()
			assert.Equal(t, map[string]string{"manifest.data.a": "update"}, s.mustDiff(in), "Diff looks itself")
			assert.Equal(t, []string{"discovery v1", "GET"}, g.takeSeen(), "once")
			s.mustRead()
			assert.Nil(t, at(t, s.outputs, "__staleRead"))
		})
	}
	t.Run("Diff after a stale read finds an object that is gone", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		in := program(w.configMap("web", nil))
		s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
		g.always(isGet, refuse(401, metav1.StatusReasonUnauthorized, "no"))
		s.mustRead()
		g.heal()
		w.delete("ConfigMap", "web")
		s.in(start(t, g.connection()))
		assert.NotEmpty(t, s.mustDiff(in))
	})
	t.Run("a fresh token in the program still finds drift [C10]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := shared.Get(t)
		user := newUser(t)
		expired := map[string]any{"host": c.Host(), "clusterCaCertificate": string(user.CACertificate), "token": "expired"}
		fresh := inline(user)
		own := func(connection map[string]any) resource.PropertyMap {
			return program(w.configMap("web", nil), map[string]any{"clusterConnection": connection})
		}
		s := start(t, nil).resource(t, "web").mustUp("create", own(fresh))
		inputs, err := s.check(own(expired), false)
		require.NoError(t, err)
		s.inputs = inputs // the connection of the last run has expired meanwhile
		w.patch("ConfigMap", "web", map[string]any{"data": map[string]any{"a": "drift"}})

		s.in(start(t, nil)).mustRead()
		assert.Len(t, s.process.log.warnings(), 1)
		assert.Equal(t, map[string]string{"manifest.data.a": "update"}, s.mustDiff(own(fresh)))
		s.mustUp("update", own(fresh))
		assert.Equal(t, "1", w.value("ConfigMap", "web", "data", "a"))
		s.mustUp("same", own(fresh))
	})
	t.Run("a connection that cannot be used any more: prior state, and the next one finds drift [C10]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		user := newUser(t)
		file := filepath.Join(t.TempDir(), "kubeconfig")
		require.NoError(t, os.WriteFile(file, []byte(kubeconfig(user, w.namespace)), 0o600))
		former := map[string]any{"kubeconfig": file}
		object := program(w.configMap("web", nil))
		target := w.configMap("target", nil)
		w.create(target)
		patch := patching(target, setting("patch", data("p", "1")))

		p := start(t, former)
		web, changing := p.resource(t, "web").mustUp("create", object), patched(t, w, p, "target").mustUp("create", patch)
		require.NoError(t, os.Remove(file))
		p = start(t, former)
		for s, in := range map[*session]resource.PropertyMap{web: object, changing: patch} {
			s.in(p).mustRead()
			assert.Equal(t, true, at(t, s.outputs, "__staleRead"))
			assert.Equal(t, map[string]string{"__staleRead": "update"}, kinds(t, s.refreshed), "the engine's own Diff is no error")
			_, err := s.diff(in)
			require.ErrorContains(t, err, "does not exist", "the program's is [D30]")
			require.ErrorContains(t, err, "last seen in: "+user.Host, "there is no other name for the cluster")
		}
		require.Len(t, p.log.warnings(), 1)
		require.ErrorContains(t, web.delete(), "does not exist", "what has to ask is told")

		w.patch("ConfigMap", "web", map[string]any{"data": map[string]any{"a": "drift"}})
		w.patch("ConfigMap", "target", map[string]any{"data": map[string]any{"p": "drift"}})
		p = start(t, inline(user))
		assert.Equal(t, map[string]string{"manifest.data.a": "update"}, web.in(p).mustDiff(object))
		assert.Equal(t, map[string]string{"patch.data.p": "update"}, changing.in(p).mustDiff(patch))
	})
	t.Run("50 objects of a cluster that is away are one warning", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		p := start(t, g.connection())
		var sessions []*session
		for i := range 50 {
			name := fmt.Sprintf("c%d", i)
			sessions = append(sessions, p.resource(t, name).mustUp("create", program(w.configMap(name, nil))))
		}
		g.always(anything, refuse(503, metav1.StatusReasonServiceUnavailable, "no"))
		again := start(t, g.connection())
		var group errgroup.Group
		for _, s := range sessions {
			group.Go(s.in(again).read)
		}
		require.NoError(t, group.Wait())
		assert.Len(t, again.log.warnings(), 1)
		for _, s := range sessions {
			require.Equal(t, true, at(t, s.outputs, "__staleRead"))
		}
	})
}

func TestReadWhilePending(t *testing.T) {
	t.Parallel()
	pending := func(t *testing.T) (world, *gateway, *session, resource.PropertyMap) {
		w, g := newWorld(t), newGateway(t)
		in := program(w.configMap("web", nil))
		s := start(t, g.connection()).resource(t, "web")
		g.next(isApply, loseReply)
		requirePending(t, s, s.create(in))
		return w, g, s, in
	}
	t.Run("a failing read keeps the flag and the init error [O74]", func(t *testing.T) {
		t.Parallel()
		_, g, s, in := pending(t)
		g.always(isGet, refuse(503, metav1.StatusReasonServiceUnavailable, "no"))
		for range 2 {
			s.mustRead()
			assert.Len(t, s.initErrors, 1)
			assert.Equal(t, true, at(t, s.outputs, "__pendingProjection"))
			assert.True(t, s.refresh, "refresh_before_update is in the details of the failure too")
		}
		_, err := s.diff(in)
		require.ErrorContains(t, err, "cannot read", "what is pending has to be looked at as well [D30]")
		s.initErrors = nil // as the engine would after a refresh of an older plugin
		g.heal()
		assert.Equal(t, map[string]string{}, s.mustDiff(in), "the object tells that it was applied")
		s.mustUp("same", in)
		requireSettled(t, s)
	})
	t.Run("a read that finds it clears the flag [O73] [O74]", func(t *testing.T) {
		t.Parallel()
		w, _, s, in := pending(t)
		s.mustRead()
		requireSettled(t, s)
		assert.Equal(t, w.value("ConfigMap", "web", "metadata", "uid"), at(t, s.outputs, "resourceRef.uid"))
		assert.Empty(t, s.mustDiff(in))
	})
	t.Run("a read that finds nothing forgets the resource", func(t *testing.T) {
		t.Parallel()
		w, _, s, in := pending(t)
		w.delete("ConfigMap", "web")
		require.NoError(t, s.read())
		assert.Empty(t, s.id)
		s.mustUp("create", in)
	})
	t.Run("a read that finds someone else's object forgets the resource", func(t *testing.T) {
		t.Parallel()
		w, _, s, in := pending(t)
		w.delete("ConfigMap", "web")
		theirs := w.create(w.configMap("web", map[string]any{"a": "theirs"}))
		require.NoError(t, s.read())
		assert.Empty(t, s.id)
		require.ErrorContains(t, s.create(in), "already exists")
		assert.Equal(t, theirs.GetResourceVersion(), w.get("ConfigMap", "web").GetResourceVersion())
	})
	t.Run("a read that does not say who owns its fields keeps the flag [O74]", func(t *testing.T) {
		t.Parallel()
		w, g, s, in := pending(t)
		uid := w.value("ConfigMap", "web", "metadata", "uid")
		g.always(isGet, withoutManagers)
		s.mustRead()
		assert.Len(t, s.initErrors, 1)
		assert.Equal(t, true, at(t, s.outputs, "__pendingProjection"))
		g.heal()
		s.mustUp("same", in)
		requireSettled(t, s)
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
	})
	t.Run("delete of a pending object", func(t *testing.T) {
		t.Parallel()
		t.Run("that is there and ours deletes it", func(t *testing.T) {
			w, _, s, _ := pending(t)
			require.NoError(t, s.remove())
			assert.False(t, w.exists("ConfigMap", "web"))
		})
		t.Run("whose place someone else has taken leaves that alone [O61]", func(t *testing.T) {
			w, _, s, _ := pending(t)
			w.delete("ConfigMap", "web")
			theirs := w.create(w.configMap("web", nil))
			require.NoError(t, s.remove())
			assert.Equal(t, theirs.GetResourceVersion(), w.get("ConfigMap", "web").GetResourceVersion())
		})
		t.Run("that is not there is done", func(t *testing.T) {
			w, _, s, _ := pending(t)
			w.delete("ConfigMap", "web")
			require.NoError(t, s.remove())
		})
		t.Run("of which is not known whose it is is an error [O60]", func(t *testing.T) {
			w, g, s, _ := pending(t)
			g.always(isGet, withoutManagers)
			require.ErrorContains(t, s.remove(), "the provider cannot tell whether this resource created it")
			assert.True(t, w.exists("ConfigMap", "web"))
			g.heal()
			require.NoError(t, s.remove())
			assert.False(t, w.exists("ConfigMap", "web"))
		})
		t.Run("that cannot be read is an error [O60]", func(t *testing.T) {
			w, g, s, _ := pending(t)
			g.always(isGet, refuse(401, metav1.StatusReasonUnauthorized, "no"))
			require.Error(t, s.remove())
			assert.True(t, w.exists("ConfigMap", "web"))
		})
	})
}
