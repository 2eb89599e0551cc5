package operator

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/kubelet"
)

// killSoon waits for a pod of a run, and kills it at any moment of its life.
func (s *surroundings) killSoon() {
	s.Helper()
	var pod string
	s.eventually(func() bool {
		var pods corev1.PodList
		require.NoError(s, s.client.List(s.Context(), &pods, client.InNamespace(s.namespace)))
		for i := range pods.Items {
			if pods.Items[i].Status.Phase == corev1.PodRunning {
				pod = pods.Items[i].Name
				return true
			}
		}
		return false
	}, "a run begins")
	after := time.Duration(rand.IntN(2500)) * time.Millisecond
	time.Sleep(after) // the moment
	if err := s.node.kill(s.namespace+"/"+pod, kubelet.KilledFromOutside); err == nil {
		s.Log("killed", pod, "after", after)
	}
}

func TestRunnersKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(gated)
	s.openGate()
	e := s.create("shop", fields{"config": fields{"text": "text-0"}, "retry": fields{"limit": 100, "backoff": "1s"}})
	t.Run("[X21] [X33] runs that are killed between any two writes of the state make nothing twice and lose nothing", func(*testing.T) {
		uids := s.uids()
		for n := range 4 {
			wanted := "text-" + strconv.Itoa(n)
			if n > 0 {
				e.change(text(wanted))
			}
			s.killSoon()
			e.eventually(func() bool { return s.text("one") == wanted && s.text("two") == wanted }, "the change is applied")
			done := e.ready()
			assert.Equal(s, wanted, done.Outputs["text"])
			assert.EqualValues(s, 3, done.ResourceCount)
			if n > 0 {
				assert.Equal(s, uids, s.uids())
			}
			uids = s.uids()
		}
		require.NoError(s, s.client.Delete(s.Context(), e.read()))
		s.killSoon()
		e.gone()
		assert.Empty(s, s.uids())
		assert.Empty(s, s.left())
	})
}
