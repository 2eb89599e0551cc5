package diagnosis

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

// EndedContainer is a container that has ended.
type EndedContainer struct {
	Container

	ExitCode int32
	// Message is the termination message of the container; mostly empty.
	Message  string
	Finished time.Time
	// Init means that it is an init container.
	Init bool
	// Restarts is how often the container was restarted.
	Restarts int32
}

// EndedContainers lists the ended containers of one pod of an object, init containers first. It is the pod whose containers ended
// last. If there is no such pod, or the pods may not be listed, it takes the pod from remembered, which may be nil.
func EndedContainers(ctx context.Context, clu *cluster.Cluster, object *unstructured.Unstructured, remembered *Remembered) []EndedContainer {
	last := endedLast(podsOf(ctx, clu, object))
	if last == nil && remembered != nil {
		last = endedLast(remembered.pods)
	}
	for i := range last {
		last[i].Container = remembered.withLog(last[i].Container)
	}
	return last
}

func endedLast(pods []*corev1.Pod) []EndedContainer {
	var last []EndedContainer
	var at time.Time
	for _, pod := range pods {
		ended := endedIn(pod)
		if len(ended) == 0 {
			continue
		}
		latest := slices.MaxFunc(ended, func(a, b EndedContainer) int { return a.Finished.Compare(b.Finished) }).Finished
		if last == nil || latest.After(at) {
			last, at = ended, latest
		}
	}
	return last
}

// endedIn lists the containers of a pod that have ended.
func endedIn(pod *corev1.Pod) (containers []EndedContainer) {
	add := func(statuses []corev1.ContainerStatus, init bool) {
		for _, status := range statuses {
			if end := status.State.Terminated; end != nil {
				containers = append(containers, EndedContainer{
					Container: Container{Namespace: pod.Namespace, Pod: pod.Name, Name: status.Name},
					ExitCode:  end.ExitCode, Message: strings.TrimSpace(end.Message), Finished: end.FinishedAt.Time,
					Init: init, Restarts: status.RestartCount,
				})
			}
		}
	}
	add(pod.Status.InitContainerStatuses, true)
	add(pod.Status.ContainerStatuses, false)
	return containers
}
