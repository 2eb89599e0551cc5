package waitfor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

func TestReasonOfAFailedWait(t *testing.T) {
	for name, c := range map[string]struct {
		err  readiness.NotReadyError
		want failure.Reason
	}{
		"a failure":               {readiness.NotReadyError{Reason: readiness.Failed}, failure.ReasonWaitFailed},
		"a suspended object [R8]": {readiness.NotReadyError{Reason: readiness.Failed, Suspended: true}, failure.ReasonWaitSuspended},
		"a timeout":               {readiness.NotReadyError{Reason: readiness.TimedOut}, failure.ReasonWaitTimedOut},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, (&Error{Err: &c.err}).Because()) })
	}
}

// widget is an object of a custom kind with a status.
func widget(status string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "acme.io/v1", "kind": "Widget", "metadata": map[string]any{"name": "it", "namespace": "shop"},
		"status": map[string]any{"phase": status},
	}}
}

func readinessSpec(t *testing.T) Spec {
	t.Helper()
	goal, problems := readiness.Compile(readiness.Criteria{Ready: true})
	require.Empty(t, problems)
	return Spec{Goal: goal}
}

const password = "correct-horse-battery"

func TestAGuessIsSaid(t *testing.T) {
	spec := readinessSpec(t)
	t.Run("[R9] with what it was judged by, and the way out", func(t *testing.T) {
		assert.Equal(t, "Widget shop/it counts as ready because status.phase is Running, which is a guess: there is no rule for Widget. If it is "+
			"wrong, say when the kind is ready in the provider's setting readiness.", spec.guess(widget("Running"), "status.phase is Running", nil))
	})
	t.Run("[R9] without the secrets of the program", func(t *testing.T) {
		assert.NotContains(t, spec.guess(widget("Running"), "status.phase is "+password, []string{password}), password)
		spec.Secret = true
		assert.NotContains(t, spec.guess(widget("Running"), "status.phase is Running", nil), "Running")
	})
}

func TestWhatIsStillMissingShowsNoSecret(t *testing.T) {
	spec, live := readinessSpec(t), widget("Failed: "+password)
	assert.Contains(t, spec.StillMissing(live, spec.Goal.Judge(live), nil), password)
	assert.NotContains(t, spec.StillMissing(live, spec.Goal.Judge(live), []string{password}), password)
	spec.Secret = true
	assert.NotContains(t, spec.StillMissing(live, spec.Goal.Judge(live), nil), "Failed")
	assert.Empty(t, spec.StillMissing(widget("Running"), spec.Goal.Judge(widget("Running")), nil))
}
