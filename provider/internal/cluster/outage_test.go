package cluster_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	server "github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func TestAnAPIServerThatGoesAndComesBack(t *testing.T) {
	srv := server.ForTest(t, server.Options{})
	ctx, c := within(t, 90*time.Second), get(t, inline(srv.Admin()))
	object := held("default", "web")
	_, err := c.Apply(ctx, object, manager)
	require.NoError(t, err)
	ref := cluster.RefOf(object)
	result, err := c.Delete(ctx, ref, cluster.DeleteOptions{})
	require.NoError(t, err)

	t.Run("a server that hangs leaves the outcome unknown", func(t *testing.T) {
		require.NoError(t, srv.APIServer.Pause())
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err := c.Apply(short, configMap("default", "hung", nil), manager)
		assert.Equal(t, failure.Unknown, failure.Outcome(err), "%v", err)
		assert.Equal(t, failure.ClassTimeout, failure.Classify(err))
		require.NoError(t, srv.APIServer.Resume())
	})
	t.Run("a server killed under a request leaves the outcome unknown", func(t *testing.T) {
		require.NoError(t, srv.APIServer.Pause())
		failed := make(chan error, 1)
		go func() { _, err := c.Apply(ctx, configMap("default", "killed", nil), manager); failed <- err }()
		time.Sleep(200 * time.Millisecond)
		require.NoError(t, srv.APIServer.Kill())
		err := <-failed
		assert.Equal(t, failure.Unknown, failure.Outcome(err), "%v", err)
	})
	t.Run("a server that is away refuses, and nothing was sent", func(t *testing.T) {
		_, err := c.Apply(ctx, configMap("default", "away", nil), manager)
		assert.Equal(t, failure.NotSent, failure.Outcome(err), "%v", err)
		assert.Equal(t, failure.ClassUnreachable, failure.Classify(err))
		_, err = c.Delete(ctx, ref, cluster.DeleteOptions{})
		require.Error(t, err, "never \"deleted\" [O60]")
	})
	t.Run("waiting for a deletion survives a restart [W25]", func(t *testing.T) {
		ended := make(chan error, 1)
		go func() { ended <- c.AwaitDeleted(ctx, ref, result.Object, nil) }()
		time.Sleep(time.Second)
		require.NoError(t, srv.APIServer.Restart(ctx))
		time.Sleep(time.Second)
		select {
		case err := <-ended:
			require.Fail(t, "ended too early", "%v", err)
		default:
		}
		release(t, c, ref)
		require.NoError(t, <-ended)
	})
	t.Run("timing out while the server is away names the problem", func(t *testing.T) {
		again := held("default", "again")
		_, err := c.Apply(ctx, again, manager)
		require.NoError(t, err)
		result, err := c.Delete(ctx, cluster.RefOf(again), cluster.DeleteOptions{})
		require.NoError(t, err)
		require.NoError(t, srv.APIServer.Kill())
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		err = c.AwaitDeleted(short, cluster.RefOf(again), result.Object, nil)
		var still *cluster.StillThereError
		require.ErrorAs(t, err, &still)
		require.Error(t, still.Trouble)
		assert.NotNil(t, still.Last)
	})
}
