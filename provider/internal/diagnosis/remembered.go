package diagnosis

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// maxRemembered is the number of pods whose logs are remembered.
const maxRemembered = 3

// Remembered are the pods of a Job that is about to fail, and the logs of their containers. Such a Job deletes its running pods
// before anyone can see that it has failed: with restartPolicy OnFailure, these are all its pods.
type Remembered struct {
	pods []*corev1.Pod
	logs map[Container]string
}

// IsAboutToFail reports whether an object is a Job that deletes its pods because it fails.
func IsAboutToFail(object *unstructured.Unstructured) bool {
	if object == nil || object.GroupVersionKind().GroupKind() != kinds.Job {
		return false
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	has := func(kind string) bool {
		return slices.ContainsFunc(conditions, func(entry any) bool {
			condition, _ := entry.(map[string]any)
			return condition["type"] == kind && condition["status"] == "True"
		})
	}
	return has("FailureTarget") && !has("Failed")
}

// Remember reads the pods of an object, and the last lines of their logs, before they are gone.
func Remember(ctx context.Context, clu *cluster.Cluster, object *unstructured.Unstructured, lines int) *Remembered {
	r := &Remembered{pods: podsOf(ctx, clu, object), logs: map[Container]string{}}
	for i, pod := range r.pods {
		for _, container := range tellFailures(pod) {
			if i >= maxRemembered {
				break
			}
			text := container.read(ctx, clu, lines)
			container.Previous = false
			r.logs[container] = text
		}
	}
	return r
}

// tellFailures changes the status of a pod to what must be shown when the pod is gone: neither its deletion nor the restart of a
// container after its failure is the cause. It returns the containers whose logs to remember.
func tellFailures(pod *corev1.Pod) (logs []Container) {
	deleted := deletedAt(pod)
	pod.DeletionTimestamp = nil
	statuses := pod.Status.InitContainerStatuses
	for range 2 {
		for i := range statuses {
			previous := tellFailure(&statuses[i], deleted)
			ended := statuses[i].State.Terminated
			if statuses[i].State.Running != nil || ended != nil && ended.ExitCode != 0 {
				logs = append(logs, Container{Namespace: pod.Namespace, Pod: pod.Name, Name: statuses[i].Name, Previous: previous})
			}
		}
		statuses = pod.Status.ContainerStatuses
	}
	return logs
}

// deletedAt is the time at which the deletion of a pod was requested; zero if it was not.
func deletedAt(pod *corev1.Pod) time.Time {
	switch {
	case pod.DeletionTimestamp == nil:
		return time.Time{}
	case pod.DeletionGracePeriodSeconds == nil:
		return pod.DeletionTimestamp.Time
	default:
		return pod.DeletionTimestamp.Add(-time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second)
	}
}

// tellFailure makes the last failure of a container its state, if the container was restarted since then and now runs, waits, or
// ended because its pod was deleted. It reports whether it did so: then the log to read is the log of the run before.
func tellFailure(status *corev1.ContainerStatus, deleted time.Time) (previous bool) {
	ended := status.State.Terminated
	killed := ended != nil && !deleted.IsZero() && !ended.FinishedAt.Time.Before(deleted)
	if status.LastTerminationState.Terminated == nil || ended != nil && !killed {
		return false
	}
	status.State = status.LastTerminationState
	return true
}

// issues are the reasons why the pods did not succeed.
func (r *Remembered) issues() (issues []PodIssue) {
	if r == nil {
		return nil
	}
	for _, pod := range r.pods {
		issue, found := issueOf(pod)
		if issue.Failed.Name != "" {
			issue.Advice = "fix that; its pod is gone with its whole log, and restartPolicy Never would keep both"
		}
		if !found || issue.rank < rankUnscheduled {
			issue, found = stillRunning(pod)
		}
		if found {
			issue.Failed = r.withLog(issue.Failed)
			issues = append(issues, issue)
		}
	}
	return issues
}

// stillRunning finds a container that was running when its Job deleted the pod.
func stillRunning(pod *corev1.Pod) (PodIssue, bool) {
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Running != nil {
			return PodIssue{
				Pod: pod.Name, UID: pod.UID, Short: "deleted", Long: "container " + status.Name + ": was still running when its pod was deleted",
				Failed: Container{Namespace: pod.Namespace, Pod: pod.Name, Name: status.Name}, rank: rankUnready,
			}, true
		}
	}
	return PodIssue{}, false
}

// withLog adds the remembered log of a container.
func (r *Remembered) withLog(c Container) Container {
	if r != nil {
		c.log = r.logs[Container{Namespace: c.Namespace, Pod: c.Pod, Name: c.Name}]
	}
	return c
}
