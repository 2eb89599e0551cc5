package operator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/kubelet"
)

// kill kills the pod of a run.
func (s *surroundings) kill(pod string, death kubelet.Death) {
	s.Helper()
	require.NoError(s, s.node.kill(s.namespace+"/"+pod, death))
}

// interrupted waits until a run counts as interrupted and another one has begun, which has to be soon.
func (e *environment) interrupted(serial int64) {
	e.Helper()
	killed := time.Now()
	e.eventually(func() bool { return e.status().Serial > serial }, "the end of the run is seen")
	assert.Less(e, time.Since(killed), 10*time.Second, "the end of the run is seen within seconds")
}

func TestKilledRunnerIsContinued(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(gated)
	s.shutGate()
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "retry": fields{"limit": 3, "backoff": "1s"}})

	t.Run("[X21] a create that runs out of memory in the middle goes on, and makes nothing twice", func(*testing.T) {
		pod := e.atGate(1, "hello")
		before := s.uids()
		s.kill(pod, kubelet.OOMKilled)
		e.interrupted(1)
		e.begun(2)
		assert.Equal(s, "Update Interrupted", e.status().results()[1])
		s.openGate()
		done := e.ready()
		assert.EqualValues(s, 2, done.Serial, "one more run was enough")
		after := s.uids()
		assert.Len(s, after, 2)
		assert.Equal(s, before["one"], after["one"])
		assert.EqualValues(s, 3, done.ResourceCount)
		assert.Nil(s, done.LastFailure)
		assert.Equal(s, record{Serial: 2, Kind: "Update", Outcome: "Succeeded"}, outcome(e.record()))
	})
	t.Run("[X21] an update that is killed in the middle goes on in place", func(*testing.T) {
		before := s.uids()
		s.shutGate()
		e.change(text("good evening"))
		s.kill(e.atGate(3, "good evening"), kubelet.KilledFromOutside)
		e.interrupted(3)
		assert.Equal(s, "hello", s.text("two"))
		s.openGate()
		done := e.ready()
		assert.EqualValues(s, 4, done.Serial)
		assert.Equal(s, before, s.uids())
		assert.Equal(s, "good evening", s.text("two"))
		assert.Equal(s, "good evening", done.Outputs["text"])
	})
	t.Run("[X21] a destroy that is killed in the middle goes on to the end", func(*testing.T) {
		s.hold("one", true)
		require.NoError(s, s.client.Delete(s.Context(), e.read()))
		pod := e.begun(5)
		s.eventually(func() bool {
			one := s.configMap("one")
			return s.configMap("two") == nil && one.DeletionTimestamp != nil
		}, "the destroy is in the middle")
		s.kill(pod, kubelet.OOMKilled)
		e.interrupted(5)
		e.begun(6)
		s.hold("one", false)
		e.gone()
		assert.Empty(s, s.uids())
		assert.Nil(s, s.secret("shop-state"))
	})
}

// outcome leaves of a record what is the same each time.
func outcome(of record) record {
	return record{Serial: of.Serial, Kind: of.Kind, Outcome: of.Outcome, Reason: of.Reason}
}

func TestRunThatIsKilledAgainAndAgainStalls(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(gated)
	s.shutGate()
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "retry": fields{"limit": 1, "backoff": "1s"}})
	pod := e.atGate(1, "hello")
	e.eventually(func() bool { return e.record().ResourceCount == 1 }, "the first object is in the state")
	s.kill(pod, kubelet.OOMKilled) // It has come to "one", which is progress.
	// What the first run had not saved yet when it died is progress of the next one, which does not count either.
	serial, stalled := int64(1), func() bool { return e.status().condition("Stalled").Status == "True" }
	triedAgain := func() bool { // A serial alone may wait for ever: it is given before it is known whether one may try again.
		operation := e.status().CurrentOperation
		return operation != nil && operation.Serial > serial && operation.JobUID != ""
	}
	for range 4 {
		s.eventually(func() bool { return triedAgain() || stalled() }, "it is tried again, or Stalled")
		if stalled() {
			break
		}
		serial++
		s.kill(e.atGate(serial, "hello"), kubelet.OOMKilled)
	}
	t.Run("[X21] without progress it is Stalled, and says why and what to do", func(*testing.T) {
		stalled := e.becomes("Stalled", "True", "Interrupted")
		for _, said := range []string{"OOMKilled", "spec.runner.resources"} {
			assert.Contains(s, stalled.condition("Ready").Message, said)
		}
		assert.Contains(s, stalled.condition("Stalled").Message, "platform.example.com/retry")
		assert.EqualValues(s, 2, stalled.LastFailure.RetryCount)
		assert.Len(s, s.uids(), 1)
	})
	t.Run("[X21] with more memory it goes on where it was", func(*testing.T) {
		before := s.uids()
		s.openGate()
		e.change(fields{"runner": fields{"resources": fields{"limits": fields{"memory": "2Gi"}}}})
		done := e.ready()
		assert.Equal(s, before["one"], s.uids()["one"])
		assert.Len(s, s.uids(), 2)
		assert.Nil(s, done.LastFailure)
		assert.Equal(s, serial+1, done.LastApplied.Serial, "one more run was enough")
	})
}

func TestContinuedRunThatCannotStart(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(gated)
	s.shutGate()
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "retry": fields{"limit": 3, "backoff": "1s"}})
	pod := e.atGate(1, "hello")
	requests := func(cpu string) fields {
		return fields{"runner": fields{"resources": fields{"requests": fields{"cpu": cpu}}}}
	}
	e.change(requests("1000"))
	s.kill(pod, kubelet.OOMKilled)
	stuck := e.becomes("Ready", "False", "PodNotStarted")
	assert.EqualValues(t, 2, stuck.Serial)
	before := s.uids()

	t.Run("[X34] [X31] with other settings it starts, and is continued with its own inputs", func(*testing.T) {
		e.change(requests("1m"))
		e.change(text("good evening"))
		e.atGate(2, "hello")
		s.openGate()
		done := e.applied(3)
		assert.Equal(s, map[int64]string{1: "Update Interrupted", 2: "Update Succeeded", 3: "Update Succeeded"}, done.results())
		assert.Equal(s, before["one"], s.uids()["one"])
		assert.Equal(s, "good evening", s.text("two"))
	})
}
