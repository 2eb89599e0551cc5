package rpc_test

import (
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// silence is a server that must not be called.
func silence(t testing.TB) (host string, called func() int64) {
	t.Helper()
	var calls atomic.Int64
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			calls.Add(1)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return "https://" + listener.Addr().String(), calls.Load
}

func TestNoNetworkWhereTheEngineIsSerial(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := newUser(t)
	host, called := silence(t)
	lonely := map[string]any{"host": host, "token": "t", "insecure": true}
	manifest := w.configMap("quiet", nil)

	s := start(t, inline(user)).resource(t, "quiet").mustUp("create", program(manifest))

	t.Run("Configure, CheckConfig and DiffConfig make no connection", func(t *testing.T) {
		start(t, lonely)
		_, err := startUnconfigured(t).DiffConfig(t.Context(), plugin.DiffConfigRequest{
			URN: providerURN, NewInputs: sentMap(lonely),
		})
		require.NoError(t, err)
		assert.Zero(t, called())
	})
	t.Run("Check makes no connection", func(t *testing.T) {
		p := start(t, lonely)
		_, err := p.resource(t, "quiet").check(program(manifest, map[string]any{"clusterConnection": lonely}), true)
		require.NoError(t, err)
		assert.Zero(t, called())
	})
	t.Run("an unchanged Diff makes no connection [O21]", func(t *testing.T) {
		other := *s
		other.in(start(t, lonely))
		diff, err := other.diffChecked(other.inputs)
		require.NoError(t, err)
		assert.Empty(t, kinds(t, diff), "the engine's own, whatever the connection")
		assert.Empty(t, withoutOrigin(&other).mustDiff(program(manifest)), "of a state of an older version")
		assert.Zero(t, called())

		other = *s
		take := requests(t, user)
		other.in(start(t, inline(user)))
		assert.Empty(t, other.mustDiff(program(manifest)))
		assert.Empty(t, take())
	})
}

func TestRequestsPerConfigMap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := newUser(t)
	p := start(t, inline(user))
	take := requests(t, user)
	first, second := program(w.configMap("counted", nil)), program(w.configMap("counted", map[string]any{"a": "9"}))
	s := p.resource(t, "counted")

	t.Run("create 1, beside one discovery and one question for the cluster's id [O81]", func(t *testing.T) {
		s.mustUp("create", first)
		assert.Equal(t, []string{"discovery v1", "PATCH", clusterID}, take())
	})
	t.Run("unchanged up 1, the read [O81] [O21]", func(t *testing.T) {
		s.mustUp("same", first)
		assert.Equal(t, []string{"GET"}, take())
		did, _, err := s.preview(first)
		require.NoError(t, err)
		assert.Equal(t, "same", did)
		assert.Equal(t, []string{"GET"}, take())
	})
	t.Run("preview of a change: the read, one dry-run for Diff and Update together [O81]", func(t *testing.T) {
		did, outputs, err := s.preview(second)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.Equal(t, "9", at(t, outputs, "manifest.data.a"))
		assert.Equal(t, []string{"GET", "PATCH dry-run"}, take())
	})
	t.Run("changed diff 1, update 1 [O81]", func(t *testing.T) {
		inputs, err := s.check(second, false)
		require.NoError(t, err)
		_, err = s.diffChecked(inputs)
		require.NoError(t, err)
		assert.Equal(t, []string{"PATCH dry-run"}, take())
		require.NoError(t, s.update(inputs))
		assert.Equal(t, []string{"PATCH"}, take())
		assert.Equal(t, "9", w.value("ConfigMap", "counted", "data", "a"))
	})
	t.Run("preview of a create 1 [O81]", func(t *testing.T) {
		_, _, err := p.resource(t, "other").preview(program(w.configMap("other", nil)))
		require.NoError(t, err)
		assert.Equal(t, []string{"PATCH dry-run"}, take())
	})
	t.Run("delete 1, with nothing that holds the object [O81]", func(t *testing.T) {
		require.NoError(t, s.remove())
		assert.Equal(t, []string{"DELETE"}, take())
		assert.False(t, w.exists("ConfigMap", "counted"))
	})
	t.Run("destroy 2, the read and the delete [O81]", func(t *testing.T) {
		s.mustUp("create", first)
		take()
		require.NoError(t, s.destroy())
		assert.Equal(t, []string{"GET", "DELETE"}, take())
	})
	t.Run("delete 1 and one watch where a finalizer holds it [O81]", func(t *testing.T) {
		held := w.configMap("held", nil)
		held["metadata"].(map[string]any)["finalizers"] = []any{"example.com/hold"}
		s := p.resource(t, "held").mustUp("create", program(held))
		take()
		done := make(chan error)
		go func() { done <- s.remove() }()
		eventually(t, func() bool { return w.value("ConfigMap", "held", "metadata", "deletionTimestamp") != nil }, "it is terminating")
		w.patch("ConfigMap", "held", map[string]any{"metadata": map[string]any{"finalizers": nil}})
		require.NoError(t, <-done)
		assert.Equal(t, []string{"DELETE", "WATCH"}, take())
	})
}

// TestManyAtOnce has the engine's parallelism, with the race detector watching.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	const workers = 64
	all := func(t *testing.T, n int, do func(i int) error) {
		t.Helper()
		var group errgroup.Group
		group.SetLimit(workers)
		for i := range n {
			group.Go(func() error { return do(i) })
		}
		require.NoError(t, group.Wait())
	}

	t.Run("200 objects of three group-versions share one discovery each [O81]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		user := newUser(t)
		p := start(t, inline(user))
		take := requests(t, user)
		all(t, 200, func(i int) error {
			manifest := w.configMap(fmt.Sprintf("c%d", i), nil)
			switch i % 4 {
			case 1:
				manifest = w.deployment(t, fmt.Sprintf("d%d", i))
			case 2:
				manifest["kind"], manifest["apiVersion"] = "Role", "rbac.authorization.k8s.io/v1"
				delete(manifest, "data")
			}
			// Half of them name the provider's own connection again.
			in := program(manifest)
			if i%2 == 1 {
				in = program(manifest, map[string]any{"clusterConnection": inline(user)})
			}
			return p.resource(t, fmt.Sprint(i)).create(in)
		})
		assert.Equal(t, map[string]int{
			"discovery v1": 1, "discovery apps/v1": 1, "discovery rbac.authorization.k8s.io/v1": 1, "PATCH": 200, clusterID: 1,
		}, tally(take()))
	})
	t.Run("500 objects, 64 at a time, mixed verbs [O77]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		user := newUser(t)
		p := start(t, inline(user))
		take := requests(t, user)
		all(t, 500, func(i int) error {
			name := fmt.Sprintf("m%d", i)
			s := p.resource(t, name)
			if _, err := s.up(program(w.configMap(name, nil))); err != nil {
				return err
			}
			if _, _, err := s.preview(program(w.configMap(name, map[string]any{"a": "p"}))); err != nil {
				return err
			}
			if i%2 == 0 {
				if did, err := s.up(program(w.configMap(name, map[string]any{"a": name}))); err != nil || did != "update" {
					return fmt.Errorf("%s: %s %w", name, did, err)
				}
			}
			if got, want := fmt.Sprint(plain(s.outputs["manifest"])), map[bool]string{true: name, false: "1"}[i%2 == 0]; i%5 == 0 {
				if a := plain(s.outputs["manifest"]).(map[string]any)["data"].(map[string]any)["a"]; a != want {
					return fmt.Errorf("%s: got %s", name, got)
				}
			}
			if i%10 != 0 {
				return s.remove()
			}
			return nil
		})
		left, err := w.objects("ConfigMap").List(t.Context(), listAll)
		require.NoError(t, err)
		assert.Len(t, left.Items, 50)
		assert.Equal(t, map[string]int{
			"discovery v1": 1, clusterID: 1, "PATCH": 750, "GET": 750, "PATCH dry-run": 750, "DELETE": 450,
		}, tally(take()))
	})
}
