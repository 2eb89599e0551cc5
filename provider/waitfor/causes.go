package waitfor

import (
	"cmp"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// refusedPods advises what to do about pods that the API server does not let a controller create.
const refusedPods = "correct the pod template, or change what refuses it (a quota, a policy, a webhook, a missing " +
	"service account)"

// isRefusal recognises the condition of a workload that cannot create its pods.
func isRefusal(c readiness.Condition) bool {
	return c.Type == "ReplicaFailure" && c.Status == "True"
}

// causes returns the reasons in the object itself why it is not ready, and advice. The lines are complete: the message
// that refuses a pod is not cut.
func (r Request) causes(ctx context.Context, e *readiness.NotReadyError) (lines []string, advice string) {
	advice = e.Next
	for _, condition := range readiness.Conditions(e.Last.Object) {
		if isRefusal(condition) {
			lines = append(lines, "its pods cannot be created: "+r.refusal(ctx, e.Last, condition))
			advice = cmp.Or(advice, refusedPods)
		}
	}
	status, _ := e.Last.Object["status"].(map[string]any)
	if len(status) == 0 && r.Spec.Goal.WaitsForStatus() && !e.Suspended {
		lines = append(lines, "nothing has written a status yet; does its controller run?")
		advice = cmp.Or(advice, fmt.Sprintf("see that the controller of %s of %s runs", e.Last.GetKind(), e.Last.GetAPIVersion()))
	}
	if r.Spec.Goal.Judge(e.Last).Doubt == readiness.NoConsumer {
		if _, err := r.bindingMode(ctx, e.Last); apierrors.IsForbidden(err) {
			lines = append(lines, "its storage class may not be read, so it is not known whether the claim waits for a pod that uses it")
			advice = cmp.Or(advice, "allow `get` of storageclasses.storage.k8s.io, or create a pod that uses the claim")
		}
	}
	return lines, advice
}

// refusal says why the pods cannot be created. Controllers do not update the message of the condition while it stays
// true, so a later event takes precedence.
func (r Request) refusal(ctx context.Context, object *unstructured.Unstructured, condition readiness.Condition) string {
	if event, found := diagnosis.NewestRefusal(ctx, r.Cluster, object); found && !event.At.Before(condition.At) {
		return diagnosis.Joined(event.Reason, oneLine(event.Message))
	}
	return diagnosis.Joined(condition.Reason, oneLine(condition.Message))
}

// event formats an event as a line. It does not cut a message that refuses the object's pods, because it says what has
// to change.
func (r Request) event(event diagnosis.Event) string {
	text := r.redact(oneLine(event.String()))
	if event.RefusesPods() {
		return text
	}
	return shorten(text)
}
