package waitfor

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// Pending reports from a read that an earlier wait has not reached its goal yet. why says what is missing, and live
// is the current object; nil means that it is unknown.
func Pending(id, why string, live *unstructured.Unstructured) error {
	reason := failure.ReasonWaitTimedOut
	if live != nil && hasEnded(live) {
		reason = failure.ReasonWaitFailed
	}
	return failure.Errorf(reason, "%s: an earlier wait timed out or failed, and %s; %s", id, why, again(live))
}

// SayAgain explains in a preview why there is an update although no input may have changed. It is for the case that no
// read has reported the pending wait.
func SayAgain(ctx context.Context) {
	p.GetLogger(ctx).Warning("An earlier wait timed out or failed: the update waits again, in place.")
}

// again says what the next `pulumi up` does about a failed wait. live is the current object; nil means that it is
// unknown.
func again(live *unstructured.Unstructured) string {
	if live == nil || !hasEnded(live) {
		return "the next `pulumi up` waits again, in place"
	}
	return "waiting again fails at once. " + wayOut(live)
}
