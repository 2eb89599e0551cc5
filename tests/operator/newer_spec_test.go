package operator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/kubelet"
)

func TestInterruptedRunIsConcludedBeforeNewerInputs(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(gated)
	s.shutGate()
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "retry": fields{"limit": 3, "backoff": "1s"}})
	pod := e.atGate(1, "hello")
	s.kill(pod, kubelet.OOMKilled)
	e.change(text("good evening"))
	s.program(strings.ReplaceAll(gated, "name: two", "name: three"))

	t.Run("[X31] the old operation is concluded with its own inputs first", func(*testing.T) {
		e.begun(2)
		e.atGate(2, "hello")
		assert.Equal(s, "hello", s.text("one"), "the newer inputs wait")
		before := s.uids()
		s.openGate()
		done := e.applied(3)
		assert.Equal(s, before["one"], s.uids()["one"])
		assert.Equal(s, map[int64]string{1: "Update Interrupted", 2: "Update Succeeded", 3: "Update Succeeded"}, done.results())
		assert.Equal(s, "good evening", done.Outputs["text"])
		assert.Equal(s, "good evening", s.text("three"))
		assert.Len(s, s.uids(), 2, "nothing is left of the old program")
	})
	t.Run("[X4] changes while a Job runs are one run after it", func(*testing.T) {
		s.shutGate()
		e.change(text("first"))
		e.atGate(4, "first")
		e.change(text("second"))
		e.change(text("third"))
		assert.Len(s, s.runningJobs(), 1)
		s.openGate()
		e.eventually(func() bool { return s.text("three") == "third" }, "the last change is applied")
		done := e.ready()
		assert.EqualValues(s, 5, done.Serial)
		assert.Equal(s, "third", done.Outputs["text"])
	})
}
