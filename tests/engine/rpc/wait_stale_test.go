package rpc_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAWaitThatCannotBeReadIsNotUnchanged(t *testing.T) {
	t.Parallel()
	address := map[string]any{"field": "data.address"}
	waited := func(t *testing.T, waitFor map[string]any) (world, *gateway, *session, resource.PropertyMap) {
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("it", map[string]any{"address": "192.0.2.1"}))
		in := waiting(refTo(w.configMap("it", nil)), waitFor)
		return w, g, start(t, g.connection()).wait(t, "it").mustUp("create", in), in
	}
	unread := func(t *testing.T, g *gateway, s *session) {
		t.Helper()
		g.always(isGet, refuse(401, metav1.StatusReasonUnauthorized, "no"))
		s.in(start(t, g.connection())).mustRead()
		require.Equal(t, true, at(t, s.outputs, "__staleRead"))
		g.heal()
		s.in(start(t, g.connection()))
	}
	for what, fail := range unreadable {
		t.Run(what+" at Read: the mark, a warning, and an error of the program's Diff [D30]", func(t *testing.T) {
			t.Parallel()
			_, g, s, in := waited(t, address)
			before := s.outputs
			fail(g)
			s.in(start(t, g.connection())).mustRead()
			require.Len(t, s.process.log.warnings(), 1)
			assert.Contains(t, s.warned(), "NOT CHECKED")
			assert.Equal(t, true, at(t, s.outputs, "__staleRead"))
			kept := s.outputs.Copy()
			delete(kept, "__staleRead")
			assert.Equal(t, plain(resource.NewProperty(before)), plain(resource.NewProperty(kept)))
			assert.Equal(t, map[string]string{"__staleRead": "update"}, kinds(t, s.refreshed), "a refresh that saw nothing says so")
			_, err := s.diff(in)
			require.ErrorContains(t, err, "cannot read", "what cannot be looked at is not unchanged")

			g.heal()
			s.in(start(t, g.connection()))
			g.takeSeen()
			assert.Empty(t, s.mustDiff(in))
			assert.Equal(t, []string{"discovery v1", "GET"}, g.takeSeen(), "it looks once itself")
			s.mustRead()
			assert.Nil(t, at(t, s.outputs, "__staleRead"))
			assert.Equal(t, plain(resource.NewProperty(before)), plain(resource.NewProperty(s.outputs)))
		})
	}
	t.Run("Diff after it finds another status, and the update waits again [D30]", func(t *testing.T) {
		t.Parallel()
		w, g, s, in := waited(t, address)
		unread(t, g, s)
		w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"address": "192.0.2.2", "other": "1"}})
		assert.Equal(t, map[string]string{"status": "update"}, s.mustDiff(in))
		s.refresh = false // the look before an up would find it
		s.mustUp("update", in)
		assert.Equal(t, "192.0.2.2", at(t, s.outputs, "status.data.address"))
		assert.Nil(t, at(t, s.outputs, "__staleRead"))
		s.mustUp("same", in)
	})
	for what, waitFor := range map[string]map[string]any{
		"a field": address, "an expression": {"expression": "has(object.data.address)"},
	} {
		t.Run("Diff after it finds the object gone, or re-created: "+what+" [D30]", func(t *testing.T) {
			t.Parallel()
			w, g, s, in := waited(t, waitFor)
			unread(t, g, s)
			w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"other": "1"}})
			assert.Empty(t, s.mustDiff(in), "nothing that is waited for")
			w.delete("ConfigMap", "it")
			assert.Equal(t, map[string]string{"__uid": "update"}, s.mustDiff(in))
			w.create(w.configMap("it", map[string]any{"address": "192.0.2.1"}))
			assert.Equal(t, map[string]string{"__uid": "update"}, s.mustDiff(in))
		})
	}
	t.Run("a wait for a deletion that has come true stays true [D30]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		in := waiting(refTo(w.configMap("it", nil)), until("deleted", true, longTime))
		s := start(t, g.connection()).wait(t, "it").mustUp("create", in)
		unread(t, g, s)
		assert.Empty(t, s.mustDiff(in))
		g.always(isGet, refuse(401, metav1.StatusReasonUnauthorized, "no"))
		_, err := s.diff(in)
		require.ErrorContains(t, err, "cannot read")
	})
	t.Run("a token of the last run that has expired fails no command of a program with a new one [D30] [D3]", func(t *testing.T) {
		t.Parallel()
		_, g, s, in := waited(t, address)
		renewed := newGateway(t)
		g.always(anything, refuse(401, metav1.StatusReasonUnauthorized, "expired"))
		s.reconfigured(start(t, renewed.connection()))
		did, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "same", did)
		s.mustUp("same", in)
		s.mustUp("same", in)
		assert.Nil(t, at(t, s.outputs, "__staleRead"))
	})
	t.Run("a connection that cannot be used any more is an error of the program's Diff alone [D30]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		w.create(w.configMap("it", map[string]any{"address": "192.0.2.1"}))
		file := filepath.Join(t.TempDir(), "kubeconfig")
		require.NoError(t, os.WriteFile(file, []byte(kubeconfig(user, w.namespace)), 0o600))
		former := map[string]any{"kubeconfig": file}
		in := waiting(refTo(w.configMap("it", nil)), address)
		s := start(t, former).wait(t, "it").mustUp("create", in)
		require.NoError(t, os.Remove(file))
		s.in(start(t, former)).mustRead()
		assert.Equal(t, map[string]string{"__staleRead": "update"}, kinds(t, s.refreshed))
		_, err := s.diff(in)
		require.ErrorContains(t, err, "does not exist")
		require.ErrorContains(t, err, "last seen in: "+user.Host, "there is no other name for the cluster")
		require.NoError(t, s.destroy())
	})
}
