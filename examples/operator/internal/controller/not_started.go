package controller

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// notStarted is why the pod of a run does not start, nil if it does or if there is nothing to say yet.
func (r *Reconciler) notStarted(ctx context.Context, job *batchv1.Job, pods []corev1.Pod) (*plan.Problem, error) {
	if finished(job) {
		return nil, nil
	}
	if len(pods) == 0 {
		return r.notCreated(ctx, job)
	}
	for i := range pods {
		pod := &pods[i]
		if pod.Status.Phase != corev1.PodPending {
			continue
		}
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
				return problem("No node takes the pod %s: %s", pod.Name, condition.Message), nil
			}
		}
		for _, container := range pod.Status.ContainerStatuses {
			if waiting := container.State.Waiting; waiting != nil && waiting.Reason != "ContainerCreating" && waiting.Reason != "PodInitializing" {
				return problem("The pod %s does not start: %s: %s", pod.Name, waiting.Reason, waiting.Message), nil
			}
		}
	}
	return nil, nil
}

// notCreated is why the Job has no pod: a service account that is not there, a quota, a policy.
func (r *Reconciler) notCreated(ctx context.Context, job *batchv1.Job) (*plan.Problem, error) {
	var events corev1.EventList
	if err := r.Client.List(ctx, &events, client.InNamespace(job.Namespace)); err != nil {
		return nil, err
	}
	var newest *corev1.Event
	for i := range events.Items {
		event := &events.Items[i]
		if event.InvolvedObject.UID == job.UID && event.Reason == "FailedCreate" && (newest == nil || newest.LastTimestamp.Before(&event.LastTimestamp)) {
			newest = event
		}
	}
	if newest == nil {
		return nil, nil
	}
	return problem("The pod of Job %s cannot be created: %s", job.Name, newest.Message), nil
}

func problem(format string, args ...any) *plan.Problem {
	return &plan.Problem{Reason: plan.ReasonPodNotStarted, Message: fmt.Sprintf(format, args...)}
}
