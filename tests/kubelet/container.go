package kubelet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What a kubelet says about containers of which it does not know how they ended.
const (
	lostReason  = "ContainerStatusUnknown"
	lostMessage = "The container could not be located when the pod was terminated"
	killedCode  = 137
)

const (
	// most is what a kubelet keeps of a termination message, and mostOfLogs of the logs in place of one.
	most       = 4096
	mostOfLogs = 2048
	// longestBackoff is the longest that a container waits for its restart.
	longestBackoff = 10 * time.Second
)

// container is one container of a pod.
type container struct {
	spec     *corev1.Container
	state    corev1.ContainerState
	last     corev1.ContainerState
	restarts int32
	startAt  time.Time // not before
	probes   *probes   // of the process that runs

	// Below the worker's mu, for writing. The process is set from its start until it is collected.
	process *process
	death   Death
}

// newContainer takes up what was reported of a container. One that ran has no process any more.
func newContainer(spec *corev1.Container, reported []corev1.ContainerStatus) *container {
	c := &container{spec: spec, state: waiting("ContainerCreating", "")}
	at := slices.IndexFunc(reported, func(s corev1.ContainerStatus) bool { return s.Name == spec.Name })
	if at < 0 {
		return c
	}
	status := reported[at]
	c.last, c.restarts = status.LastTerminationState, status.RestartCount
	switch {
	case status.State.Running != nil:
		c.state = lost(status.State.Running.StartedAt)
	case status.State.Terminated != nil:
		c.state = status.State
	}
	return c
}

func lost(started metav1.Time) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: killedCode, Reason: lostReason, Message: lostMessage, StartedAt: started, FinishedAt: metav1.Now(),
	}}
}

func waiting(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

// runs says whether the container has a process that has not ended.
func (c *container) runs() bool { return c.process != nil && !c.process.ended() }

// restarts says whether a container that has ended is started again.
func restarts(policy corev1.RestartPolicy, ended *corev1.ContainerStateTerminated) bool {
	return policy == corev1.RestartPolicyAlways || policy == corev1.RestartPolicyOnFailure && ended.ExitCode != 0
}

// collect takes note of the end of a container's process.
func (w *worker) collect(pod *corev1.Pod, c *container) {
	if c.process == nil || !c.process.ended() {
		return
	}
	c.probes.stop()
	c.probes = nil
	w.mu.Lock()
	code, death := c.process.code(), c.death
	c.process, c.death = nil, ""
	w.mu.Unlock()
	ended := &corev1.ContainerStateTerminated{
		ExitCode: int32(code), Reason: "Completed", StartedAt: c.state.Running.StartedAt, FinishedAt: metav1.Now(),
	}
	switch {
	case death != "" && code == killedCode: // and not of itself just before
		ended.Reason = string(death)
	case code != 0:
		ended.Reason = "Error"
	}
	ended.Message = w.message(c, code)
	c.state = corev1.ContainerState{Terminated: ended}
	w.planRestart(pod, c)
}

// planRestart says when a container that has ended is started again, if it is.
func (w *worker) planRestart(pod *corev1.Pod, c *container) {
	if ended := c.state.Terminated; restarts(pod.Spec.RestartPolicy, ended) && !w.ending() && c.restarts > 0 {
		backoff := min(time.Second<<min(c.restarts-1, 10), longestBackoff)
		c.startAt = time.Now().Add(backoff)
		c.last = c.state
		c.state = waiting("CrashLoopBackOff", fmt.Sprintf("back-off %s restarting failed container=%s pod=%s_%s(%s)",
			backoff, c.spec.Name, pod.Name, pod.Namespace, pod.UID))
	}
}

// message is the termination message: the end of the file, or of the logs if the container asks for that.
func (w *worker) message(c *container, code int) string {
	content, _ := os.ReadFile(w.messageFile(c)) // the process may have made nothing of it
	if len(content) == 0 && code != 0 && c.spec.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError {
		logs := w.log.String()
		return strings.ToValidUTF8(logs[max(0, len(logs)-mostOfLogs):], "")
	}
	return strings.ToValidUTF8(string(content[max(0, len(content)-most):]), "")
}

func (w *worker) messageFile(c *container) string {
	return filepath.Join(w.containerDir(c), "termination-log")
}

func (w *worker) containerDir(c *container) string {
	return filepath.Join(w.dir, "containers", c.spec.Name)
}

// startAll starts what is to be started, and says when to look again.
func (w *worker) startAll(ctx context.Context, pod *corev1.Pod) time.Duration {
	if err := w.mountVolumes(ctx, pod); err != nil {
		w.event(ctx, pod, corev1.EventTypeWarning, "FailedMount", err.Error())
		return lookInterval
	}
	next := idle
	for _, c := range w.containers {
		switch {
		case c.process != nil, c.state.Terminated != nil && !restarts(pod.Spec.RestartPolicy, c.state.Terminated):
			continue
		case time.Now().Before(c.startAt):
		default:
			w.start(ctx, pod, c)
		}
		if c.process == nil {
			next = min(next, max(time.Until(c.startAt), 0))
		}
	}
	return next
}

// start starts a container, or says what it waits for.
func (w *worker) start(ctx context.Context, pod *corev1.Pod, c *container) {
	image, known := w.player.options.image(c.spec.Image)
	if !known {
		c.startAt = time.Now().Add(lookInterval)
		w.event(ctx, pod, corev1.EventTypeWarning, "Failed", fmt.Sprintf("Failed to pull image %q: not found", c.spec.Image))
		if c.state.Waiting != nil && c.state.Waiting.Reason == "ErrImagePull" {
			c.state = waiting("ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q", c.spec.Image))
		} else if c.state.Waiting == nil || c.state.Waiting.Reason != "ImagePullBackOff" {
			c.state = waiting("ErrImagePull", fmt.Sprintf("failed to pull image %q: not found", c.spec.Image))
		}
		return
	}
	box, err := w.sandbox(ctx, pod, c, image)
	if err != nil {
		c.startAt = time.Now().Add(lookInterval)
		c.state = waiting("CreateContainerConfigError", err.Error())
		w.event(ctx, pod, corev1.EventTypeWarning, "Failed", "Error: "+err.Error())
		return
	}
	// The status says first that it runs: whoever comes after us must not start it, too.
	before := *c
	if c.state.Terminated != nil {
		c.last = c.state
	}
	if c.last.Terminated != nil {
		c.restarts++
	}
	c.state = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
	if !w.tell(ctx, pod) {
		c.state, c.last, c.restarts = before.state, before.last, before.restarts
		c.startAt = time.Now().Add(retryInterval)
		return
	}
	w.launch(ctx, pod, c, box)
}

// launch starts the process of a container.
func (w *worker) launch(ctx context.Context, pod *corev1.Pod, c *container, box sandbox) {
	process, err := start(box, w.log, w.look)
	if err != nil {
		c.state = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 128, Reason: "StartError", Message: err.Error(),
			StartedAt: c.state.Running.StartedAt, FinishedAt: metav1.Now(),
		}}
		w.planRestart(pod, c)
		w.event(ctx, pod, corev1.EventTypeWarning, "Failed", "Error: "+err.Error())
		return
	}
	w.mu.Lock()
	c.process = process
	w.mu.Unlock()
	c.probes = w.probe(pod, c, process)
	w.event(ctx, pod, corev1.EventTypeNormal, "Started", "Started container "+c.spec.Name)
}
