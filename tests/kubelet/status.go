package kubelet

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// report reports the status if it has changed, and says when to try again.
func (w *worker) report(ctx context.Context, pod *corev1.Pod) time.Duration {
	if !w.tell(ctx, pod) {
		return retryInterval
	}
	return idle
}

// tell reports the status if it has changed, and says whether the API server has it.
func (w *worker) tell(ctx context.Context, pod *corev1.Pod) bool {
	status := w.status(pod)
	content := status.String()
	// The node lifecycle controller says of pods of a lost Node that they are not ready; they are again when it is back.
	if content == w.reported && readiness(pod.Status) == readiness(status) {
		return true
	}
	patch, err := w.patch(pod, status)
	if err != nil {
		w.player.logf("pod %s/%s: status: %v", pod.Namespace, pod.Name, err)
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	pods := w.player.client.CoreV1().Pods(pod.Namespace)
	_, err = pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		w.over = terminal(status.Phase) // the pod is gone, and nobody is to be told
		return false
	}
	if err != nil {
		w.player.logf("pod %s/%s: reporting: %v", pod.Namespace, pod.Name, err)
		return false
	}
	w.player.logf("pod %s/%s: %s %s", pod.Namespace, pod.Name, status.Phase, w.states())
	w.reported, w.over = content, terminal(status.Phase)
	return true
}

func readiness(status corev1.PodStatus) corev1.ConditionStatus {
	for _, condition := range status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status
		}
	}
	return corev1.ConditionUnknown
}

// patch has a pod get the status. The uid makes it fail for another pod of the same name, and conditions of others stay.
func (w *worker) patch(pod *corev1.Pod, status corev1.PodStatus) ([]byte, error) {
	var conditions []map[string]any
	for _, condition := range status.Conditions {
		changed := metav1.Now()
		for _, before := range pod.Status.Conditions {
			if before.Type == condition.Type && before.Status == condition.Status {
				changed = before.LastTransitionTime
			}
		}
		conditions = append(conditions, map[string]any{ // with what is empty, which would stay otherwise
			"type": condition.Type, "status": condition.Status, "lastTransitionTime": changed,
			"reason": condition.Reason, "message": condition.Message, "observedGeneration": pod.Generation,
		})
	}
	status.Conditions = nil
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&status)
	if err != nil {
		return nil, err
	}
	content["conditions"] = conditions
	return json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": content})
}

// status is what a kubelet would report now.
func (w *worker) status(pod *corev1.Pod) corev1.PodStatus {
	status := corev1.PodStatus{
		ObservedGeneration: pod.Generation,
		Phase:              w.phase(pod),
		HostIP:             address, HostIPs: []corev1.HostIP{{IP: address}},
		PodIP: address, PodIPs: []corev1.PodIP{{IP: address}},
		StartTime: &w.startTime,
	}
	if w.failure != nil && status.Phase == corev1.PodFailed {
		status.Reason, status.Message = w.failure.reason, w.failure.message
	}
	var unready []string
	for _, c := range w.containers {
		state := c.state
		if state.Waiting != nil && terminal(status.Phase) {
			state = lost(metav1.Time{}) // it never came to run
		}
		started := state.Running != nil && c.probes.started()
		ready := started && c.probes.ready()
		if !ready {
			unready = append(unready, c.spec.Name)
		}
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.spec.Name, Image: c.spec.Image, State: state, LastTerminationState: c.last,
			RestartCount: c.restarts, Ready: ready, Started: &started,
		})
	}
	ready := corev1.PodCondition{Status: corev1.ConditionTrue}
	switch {
	case status.Phase == corev1.PodSucceeded:
		ready.Status, ready.Reason = corev1.ConditionFalse, "PodCompleted"
	case status.Phase == corev1.PodFailed:
		ready.Status, ready.Reason = corev1.ConditionFalse, "PodFailed"
	case len(unready) > 0:
		ready.Status, ready.Reason = corev1.ConditionFalse, "ContainersNotReady"
		ready.Message = "containers with unready status: [" + strings.Join(unready, " ") + "]"
	}
	status.Conditions = []corev1.PodCondition{{Type: corev1.PodInitialized, Status: corev1.ConditionTrue}}
	for _, kind := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		ready.Type = kind
		status.Conditions = append(status.Conditions, ready)
	}
	return status
}

// phase sums up the containers.
func (w *worker) phase(pod *corev1.Pod) corev1.PodPhase {
	var created, live, failed int
	for _, c := range w.containers {
		ended := c.state.Terminated
		switch {
		case c.state.Running != nil:
			live++
		case ended == nil && c.last.Terminated == nil:
			created++
		case ended == nil, restarts(pod.Spec.RestartPolicy, ended) && !w.ending():
			live++ // it will run again
		case ended.ExitCode != 0:
			failed++
		}
	}
	ending := w.ending()
	switch {
	case ending && live > 0 && w.anyRuns():
		return corev1.PodRunning
	case w.failure != nil && ending, ending && created+live > 0:
		return corev1.PodFailed
	case created > 0:
		return corev1.PodPending
	case live > 0:
		return corev1.PodRunning
	case failed > 0:
		return corev1.PodFailed
	}
	return corev1.PodSucceeded
}

// states are the states of the containers in a word each.
func (w *worker) states() string {
	var words []string
	for _, c := range w.containers {
		switch state := c.state; {
		case state.Running != nil:
			words = append(words, c.spec.Name+": Running")
		case state.Terminated != nil:
			words = append(words, c.spec.Name+": "+state.Terminated.Reason)
		default:
			words = append(words, c.spec.Name+": "+state.Waiting.Reason)
		}
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// event tells people something, once until it is something else.
func (w *worker) event(ctx context.Context, pod *corev1.Pod, kind, reason, message string) {
	if w.said[reason] == message {
		return
	}
	now := metav1.Now()
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{GenerateName: pod.Name + ".", Namespace: pod.Namespace},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID,
		},
		Type: kind, Reason: reason, Message: message, Count: 1, FirstTimestamp: now, LastTimestamp: now,
		Source: corev1.EventSource{Component: "kubelet", Host: w.player.options.NodeName},
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := w.player.client.CoreV1().Events(pod.Namespace).Create(ctx, event, metav1.CreateOptions{})
	if err != nil {
		w.player.logf("pod %s/%s: event: %v", pod.Namespace, pod.Name, err)
		return
	}
	w.said[reason] = message
}
