package waitfor

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
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

func TestAGuessIsSaid(t *testing.T) {
	request := Request{
		Object:    manifest.Identity{APIVersion: "acme.io/v1", Kind: "Widget", Namespace: "shop", Name: "it"},
		Sensitive: []string{"correct-horse-battery"},
	}
	t.Run("[R9] with what it was judged by, and the way out", func(t *testing.T) {
		assert.Equal(t, "Widget shop/it counts as ready because status.phase is Running, which is a guess: there is no rule for Widget. If it is "+
			"wrong, say when the kind is ready in the provider's setting readiness.", request.guess("status.phase is Running"))
	})
	t.Run("[R9] without the secrets of the program", func(t *testing.T) {
		assert.NotContains(t, request.guess("status.state is correct-horse-battery"), "correct-horse-battery")
		request.Spec.Secret = true
		assert.NotContains(t, request.guess("status.phase is Running"), "Running")
	})
}
