package kubelet

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// It breaks the API server that all tests share, so it runs before those that run in parallel.
func TestAnOutageOfTheAPIServer(t *testing.T) {
	s := with(t)
	uid := string(s.create(pod("survives", "print begun", "sleep 1s", "message over")).UID)
	s.printed("survives", "begun")
	s.until("survives", running)
	c := shared.Get(t)
	server := c.APIServer
	t.Cleanup(func() { // they would wait longer after each outage before they try again
		assert.NoError(t, c.ControllerManager.Restart(context.Background()))
		assert.NoError(t, c.Scheduler.Restart(context.Background()))
	})
	require.NoError(t, server.Kill())
	s.eventually(func() bool { return len(left(t, uid)) == 0 }, func() string { return "it still runs" })
	require.NoError(t, server.Restart(t.Context()))
	got := s.until("survives", ended)
	assert.Equal(t, corev1.PodSucceeded, got.Status.Phase)
	assert.Equal(t, "over", state(got).Terminated.Message)
}

func TestAnotherAddressOfTheAPIServer(t *testing.T) {
	t.Parallel()
	s := with(t)
	player := s.ownNode(func(o *Options) { o.APIServer = "127.0.0.1:1234" })
	wanted := pod("asks", "env KUBERNETES_SERVICE_HOST", "env KUBERNETES_SERVICE_PORT")
	wanted.Spec.NodeSelector[corev1.LabelHostname] = player.options.NodeName
	s.create(wanted)
	s.until("asks", ended)
	assert.Equal(t, "KUBERNETES_SERVICE_HOST=127.0.0.1\nKUBERNETES_SERVICE_PORT=1234\n", s.logs("asks"))
}
