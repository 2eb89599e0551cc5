package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/artifact"
)

// lookups ask registries beside the reconciles: a slow registry holds up nothing but the program that it has. What they know is lost with
// the process, and then asked for again.
type lookups struct {
	ended chan event.GenericEvent // of the class

	mutex sync.Mutex
	of    map[string]*lookup
	slots chan struct{}
}

// lookup is that of one class.
type lookup struct {
	version  string
	running  bool
	answer   *answer // the last one
	failures int
	next     time.Time // by the clock of this machine, which goes forward only
}

// answer is what a registry has said.
type answer struct {
	found   artifact.Found
	problem *artifact.Problem
}

const (
	lookupsAtATime = 4
	// firstRetry is how long after a failure the registry is asked again. It doubles up to the interval.
	firstRetry = 30 * time.Second
)

func newLookups() *lookups {
	return &lookups{ended: make(chan event.GenericEvent, 1024), of: map[string]*lookup{}, slots: make(chan struct{}, lookupsAtATime)}
}

// ask returns the last answer for a version of a class, nil as long as there is none, and when to ask for the next. The registry is asked if
// that is due; then an event tells of the answer. An answer with another digest than the known one has files.
func (l *lookups) ask(
	of, version, known string, interval time.Duration, pull func(context.Context) (artifact.Found, error),
) (*answer, time.Duration) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	one := l.of[of]
	if one == nil || one.version != version {
		one = &lookup{version: version}
		l.of[of] = one
	}
	if one.answer != nil && one.answer.problem == nil {
		switch {
		case one.answer.found.Digest == known:
			one.answer = &answer{found: artifact.Found{Digest: known}} // The revision has the files.
		case one.answer.found.Files == nil:
			one.answer = nil // The revision that had them is gone.
		}
	}
	if !one.running && (one.answer == nil || time.Until(one.next) <= 0) {
		one.running = true
		go l.run(of, one, interval, pull)
	}
	return one.answer, max(time.Until(one.next), 0)
}

func (l *lookups) run(of string, one *lookup, interval time.Duration, pull func(context.Context) (artifact.Found, error)) {
	l.slots <- struct{}{}
	ctx, cancel := context.WithTimeout(context.Background(), artifact.Timeout)
	found, err := pull(ctx)
	cancel()
	<-l.slots
	got := &answer{found: found}
	if err != nil && !errors.As(err, &got.problem) {
		got.problem = &artifact.Problem{Reason: artifact.ReasonUnavailable, Message: err.Error()}
	}
	if l.end(of, one, got, interval) {
		l.ended <- event.GenericEvent{Object: &v1alpha1.EnvironmentClass{ObjectMeta: metav1.ObjectMeta{Name: of}}}
	}
}

// end notes an answer, and says whether anybody still waits for it.
func (l *lookups) end(of string, one *lookup, got *answer, interval time.Duration) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	one.running, one.answer, one.next = false, got, time.Now().Add(interval)
	if got.problem == nil {
		one.failures = 0
	} else {
		one.next = time.Now().Add(min(interval, firstRetry<<min(one.failures, 16)))
		one.failures++
	}
	return l.of[of] == one
}

// forget is for a class that is gone, or has no program in a registry that has to be asked for.
func (l *lookups) forget(of string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.of, of)
}
