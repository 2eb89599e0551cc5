package operator

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// alone is a namespace of a cluster that a test has for itself, with the operator installed. With a real node that is the one
// that all tests share, while none of the others runs.
func alone(t *testing.T) *surroundings {
	t.Helper()
	needsNode(t)
	if onRealNode() {
		c := shared.Get(t)
		shared.occupy(t)
		require.NoError(t, installOnce(c))
		t.Cleanup(func() {
			assert.NoError(t, applyManifests(context.Background(), c), "install again what the test has removed")
		})
		return in(t, c, installed.node, "")
	}
	c := cluster.ForTest(t, cluster.Options{ControllerManager: true, Scheduler: true})
	node, err := install(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, node.stop()) })
	return in(t, c, node, "")
}

func TestBrokenCluster(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.program(gated)
	s.shutGate()
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "retry": fields{"backoff": "1s"}})

	t.Run("[X30] a run that goes on while the operator is upgraded ends as if nothing had happened, and nothing is run again", func(*testing.T) {
		pod := e.atGate(1, "hello")
		out, err := kubectl(s.Context(), s.cluster, "set", "image", "-n", system, "deployment/environment-operator", "controller="+nextImage)
		require.NoError(s, err, out)
		out, err = kubectl(s.Context(), s.cluster, "rollout", "status", "-n", system, "deployment/environment-operator", "--timeout=60s")
		require.NoError(s, err, out)
		assert.Equal(s, pod, e.record().Pod)
		s.openGate()
		done := e.ready()
		assert.Equal(s, map[int64]string{1: "Update Succeeded"}, done.results())
		assert.Equal(s, "hello", s.text("two"))
		for until := time.Now().Add(3 * time.Second); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
			require.EqualValues(s, 1, e.status().Serial, "nothing is run again")
		}
	})
	t.Run("[X18] an API server and an etcd that are killed in the middle of a run lose nothing", func(*testing.T) {
		s.shutGate()
		e.change(text("good evening"))
		e.atGate(2, "good evening")
		before := s.uids()
		s.restart()
		s.openGate()
		e.eventually(func() bool { return s.text("two") == "good evening" }, "the change is applied")
		done := e.ready()
		assert.Equal(s, before, s.uids())
		assert.Equal(s, "good evening", done.Outputs["text"])
		assert.LessOrEqual(s, done.Serial, int64(3))
	})
	t.Run("[X18] nor while nothing runs", func(*testing.T) {
		serial, before := e.status().Serial, s.uids()
		s.restart()
		assert.Equal(s, serial, e.ready().Serial)
		e.change(text("good night"))
		e.eventually(func() bool { return s.text("two") == "good night" }, "the change is applied")
		assert.Equal(s, serial+1, e.ready().Serial)
		assert.Equal(s, before, s.uids())
	})
	t.Run("[X22] [X33] of a node that is lost, the holder is dead when its rights have ended, and cannot save any more", func(*testing.T) {
		s.losesNode(e)
	})
}

// restart kills etcd and the API server, and starts them again some seconds later.
func (s *surroundings) restart() {
	s.Helper()
	parts := map[string]*cluster.Part{}
	for _, part := range s.cluster.Parts() {
		parts[part.Name()] = part
	}
	require.NoError(s, parts["kube-apiserver"].Kill())
	require.NoError(s, parts["etcd"].Kill())
	time.Sleep(2 * time.Second) // how long they are away
	require.NoError(s, parts["etcd"].Restart(s.Context()))
	require.NoError(s, parts["kube-apiserver"].Restart(s.Context()))
}

// losesNode cuts the node of a run off. The pod is deleted, as the node's taint would do a minute later.
func (s *surroundings) losesNode(e *environment) {
	s.Helper()
	serial := e.status().Serial + 1
	s.shutGate()
	e.change(text("good bye"))
	pod := e.atGate(serial, "good bye")
	before := s.uids()
	out, err := kubectl(s.Context(), s.cluster, "cordon", s.node.nodeName())
	require.NoError(s, err, out)
	s.Cleanup(func() {
		out, err := kubectl(context.Background(), s.cluster, "uncordon", s.node.nodeName())
		assert.NoError(s, err, out)
	})
	spare, err := startPlayed(s.cluster, "spare")
	require.NoError(s, err)
	s.Cleanup(func() { assert.NoError(s, spare.stop()) })

	require.NoError(s, s.node.disconnect())
	connect := sync.OnceValue(s.node.connect)
	defer func() { assert.NoError(s, connect()) }()
	lost := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: pod}}
	require.NoError(s, s.client.Delete(s.Context(), lost, client.GracePeriodSeconds(1)))
	deleted := time.Now()
	s.eventuallyWithin(2*time.Minute, func() bool { return e.record().Serial == serial+1 }, "another run takes over")
	took := time.Since(deleted)
	assert.Greater(s, took, 60*time.Second, "not before the pod has lost its rights")
	assert.Less(s, took, 100*time.Second)
	s.openGate()
	done := e.applied(serial + 1)
	assert.Equal(s, before, s.uids())
	assert.Equal(s, "good bye", s.text("two"))
	assert.Equal(s, serial+1, done.Serial)

	require.NoError(s, connect())
	s.eventually(func() bool {
		return apierrors.IsNotFound(s.client.Get(s.Context(), client.ObjectKeyFromObject(lost), &corev1.Pod{}))
	}, "the lost pod is gone")
	assert.Equal(s, serial+1, e.record().Serial, "what it saved, it saved for nobody")
	assert.Equal(s, "Succeeded", e.record().Outcome)
}
