package kubelet

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	// lookInterval is how often what a pod waits for is looked at again.
	lookInterval = time.Second
	// idle is how long a worker sleeps when nothing but an event is to come.
	idle = time.Hour
)

// worker plays one pod. All that is not below mu belongs to the goroutine of run.
type worker struct {
	player *Player
	log    *podLog
	dir    string // with all that is on disk of the pod
	wake   chan struct{}

	startTime  metav1.Time
	containers []*container
	volumes    map[string]string // folders by the names of their volumes
	reported   string
	said       map[string]string // the last message of an event, by its reason
	over       bool              // the last status is reported, or was found
	failure    *failure          // why the pod ends beside its containers

	mu     sync.Mutex // also for each container's process and death
	pod    *corev1.Pod
	gone   bool
	killAt time.Time // if it is ending
	killer *time.Timer
}

// failure is the end of a pod that its containers did not bring about.
type failure struct{ reason, message string }

func newWorker(p *Player, pod *corev1.Pod, log *podLog) *worker {
	w := &worker{
		player: p, log: log, dir: filepath.Join(p.dir, string(pod.UID)), wake: make(chan struct{}, 1),
		startTime: metav1.Now(), volumes: map[string]string{}, said: map[string]string{}, pod: pod,
	}
	if pod.Status.StartTime != nil {
		w.startTime = *pod.Status.StartTime
	}
	w.over = terminal(pod.Status.Phase)
	for i := range pod.Spec.Containers {
		w.containers = append(w.containers, newContainer(&pod.Spec.Containers[i], pod.Status.ContainerStatuses))
	}
	if reason := unsupported(&pod.Spec); reason != "" {
		w.failure = &failure{"Unsupported", "this kubelet is a test double that does not play " + reason}
	}
	return w
}

func terminal(phase corev1.PodPhase) bool {
	return phase == corev1.PodSucceeded || phase == corev1.PodFailed
}

// observe tells how the pod is now.
func (w *worker) observe(pod *corev1.Pod) {
	w.mu.Lock()
	w.pod = pod
	w.mu.Unlock()
	w.look()
}

// lose tells that the pod is gone.
func (w *worker) lose() {
	w.mu.Lock()
	w.gone = true
	w.mu.Unlock()
	w.look()
}

// look has the worker look at everything soon.
func (w *worker) look() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run plays the pod until it is gone, or the player ends.
func (w *worker) run() {
	defer func() { _ = os.RemoveAll(w.dir) }() // PowerOff removes the rest
	for {
		next, done := w.sync(w.player.ctx)
		if done {
			return
		}
		timer := time.NewTimer(next)
		select {
		case <-w.player.ctx.Done():
			timer.Stop()
			w.powerOff()
			return
		case <-w.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// powerOff ends all processes.
func (w *worker) powerOff() {
	w.mu.Lock()
	if w.killer != nil {
		w.killer.Stop()
	}
	w.mu.Unlock()
	for _, c := range w.containers {
		if c.process != nil {
			c.process.signal(syscall.SIGKILL)
			<-c.process.done
		}
	}
}

// sync does what is to be done now, and says when to look again; done is the end of the work.
func (w *worker) sync(ctx context.Context) (next time.Duration, done bool) {
	w.mu.Lock()
	pod, gone := w.pod, w.gone
	w.mu.Unlock()
	for _, c := range w.containers {
		w.collect(pod, c)
	}
	switch {
	case gone:
		w.end(time.Second)
		return idle, !w.anyRuns()
	case pod.DeletionTimestamp != nil:
		return w.remove(ctx, pod)
	case w.over:
		return idle, false
	}
	if next = w.untilDeadline(pod); next <= 0 && w.failure == nil {
		w.failure = &failure{"DeadlineExceeded", "Pod was active on the node longer than the specified deadline"}
	}
	if w.failure != nil {
		w.end(grace(pod))
		next = idle
	} else {
		next = min(next, w.startAll(ctx, pod))
	}
	return min(next, w.report(ctx, pod)), false
}

// untilDeadline is how much of activeDeadlineSeconds is left.
func (w *worker) untilDeadline(pod *corev1.Pod) time.Duration {
	if pod.Spec.ActiveDeadlineSeconds == nil {
		return idle
	}
	return time.Until(w.startTime.Add(time.Duration(*pod.Spec.ActiveDeadlineSeconds) * time.Second))
}

// grace is how long the pod's processes have to end. No kubelet gives less than a second.
func grace(pod *corev1.Pod) time.Duration {
	seconds := ptr.Deref(pod.Spec.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds)
	seconds = ptr.Deref(pod.DeletionGracePeriodSeconds, seconds)
	return time.Duration(max(seconds, 1)) * time.Second
}

// end asks all processes to end, and kills them after the grace period. A shorter one counts also later.
func (w *worker) end(grace time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	killAt := time.Now().Add(grace)
	switch {
	case w.killAt.IsZero():
		for _, c := range w.containers {
			if c.runs() {
				c.process.signal(syscall.SIGTERM)
			}
		}
		w.killer = time.AfterFunc(grace, func() { w.signal(syscall.SIGKILL) })
	case killAt.Before(w.killAt):
		w.killer.Reset(grace)
	default:
		return
	}
	w.killAt = killAt
}

// ending says whether no container is to be started any more.
func (w *worker) ending() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.killAt.IsZero()
}

func (w *worker) signal(signal syscall.Signal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.containers {
		if c.runs() {
			c.process.signal(signal)
		}
	}
}

// kill kills all processes for a reason of others, and returns when they are gone. It says whether there was one.
func (w *worker) kill(death Death) bool {
	var killed []*process
	w.mu.Lock()
	for _, c := range w.containers {
		if c.runs() {
			c.death = death
			c.process.signal(syscall.SIGKILL)
			killed = append(killed, c.process)
		}
	}
	w.mu.Unlock()
	for _, process := range killed {
		<-process.done
	}
	return len(killed) > 0
}

func (w *worker) anyRuns() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.containers {
		if c.runs() {
			return true
		}
	}
	return false
}

// remove ends a deleted pod, reports how it ended, and then lets go of it.
func (w *worker) remove(ctx context.Context, pod *corev1.Pod) (next time.Duration, done bool) {
	w.end(grace(pod))
	if w.anyRuns() {
		return idle, false
	}
	if !w.over {
		if next := w.report(ctx, pod); !w.over {
			return next, false
		}
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	options := metav1.DeleteOptions{GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}
	err := w.player.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, options)
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		w.player.logf("pod %s/%s: deleting: %v", pod.Namespace, pod.Name, err)
		return retryInterval, false
	}
	return idle, true
}
