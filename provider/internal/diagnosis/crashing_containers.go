package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// noteContainer finds what keeps a container from running. It reads the kubelet's reasons, which are a
// convention and not part of the API.
func noteContainer(
	pod *corev1.Pod, container corev1.ContainerStatus, note func(rank int, short, long, advice string), fail func(PodIssue),
) {
	where := "container " + container.Name + ": "
	restarted := ""
	if container.RestartCount > 0 {
		restarted = "restarted " + times(container.RestartCount) + ", "
	}
	failed := Container{Namespace: pod.Namespace, Pod: pod.Name, Name: container.Name}
	switch state := container.State; {
	case state.Waiting != nil && state.Waiting.Reason == "CrashLoopBackOff":
		long, message := where+state.Waiting.Reason, ""
		if last := container.LastTerminationState.Terminated; last != nil {
			long, message = long+", "+restarted+ended(last), strings.TrimSpace(last.Message)
		}
		failed.Previous = true
		fail(PodIssue{Short: state.Waiting.Reason, Long: long, Advice: failed.advice(), Failed: failed, Message: message, rank: rankBroken})
	case state.Waiting != nil && (state.Waiting.Reason == "ContainerCreating" || state.Waiting.Reason == "PodInitializing" || state.Waiting.Reason == ""):
		reason := cmp.Or(state.Waiting.Reason, "waiting")
		note(rankPassing, reason, where+reason, "")
	case state.Waiting != nil:
		advice := ""
		if slices.Contains(imageReasons, state.Waiting.Reason) {
			advice = "correct the image, or imagePullSecrets if the registry wants credentials"
		}
		note(rankBroken, state.Waiting.Reason, where+Joined(state.Waiting.Reason, state.Waiting.Message), advice)
	case state.Terminated != nil && state.Terminated.ExitCode != 0:
		fail(PodIssue{
			Short: cmp.Or(state.Terminated.Reason, "Error"), Long: where + restarted + ended(state.Terminated),
			Advice: failed.advice(), Failed: failed, Message: strings.TrimSpace(state.Terminated.Message), rank: rankBroken,
		})
	case state.Running != nil && !container.Ready:
		note(rankUnready, "not ready", where+"running, but its readiness or startup probe does not succeed", "")
	}
}

// ended says how a container ended, with its termination message, if there is one:
// "exited with code 1 (Error)".
func ended(state *corev1.ContainerStateTerminated) string {
	text := fmt.Sprintf("exited with code %d", state.ExitCode)
	if state.Reason != "" {
		text += " (" + state.Reason + ")"
	}
	if message := strings.TrimSpace(state.Message); message != "" {
		text += ": " + message
	}
	return text
}

func times(n int32) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
