package readiness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Follow shows the states of one object, nil for its absence, until see returns true
// or an error, or the context ends.
type Follow func(ctx context.Context, see func(live *unstructured.Unstructured) (bool, error)) error

// Options are the options of [Await].
type Options struct {
	// UID is that of the object which is meant. Empty means the one that has the name
	// first.
	UID types.UID
	// Timeout bounds everything; 0 leaves it to the context.
	Timeout time.Duration
	// Progress is called with every state that is not the last.
	Progress func(live *unstructured.Unstructured, verdict Verdict)
}

// Reason is why a wait ended without success.
type Reason string

// The reasons.
const (
	// TimedOut means that there is no time left.
	TimedOut Reason = "timed out"
	// Interrupted means that the operation was cancelled.
	Interrupted Reason = "interrupted"
	// Failed means that no more time would help.
	Failed Reason = "failed"
	// Unreadable means that the object could not be read.
	Unreadable Reason = "unreadable"
)

// NotReadyError says that what was waited for did not come true.
type NotReadyError struct {
	Reason Reason
	// Goal is what was waited for.
	Goal *Goal
	// Why says why more time would not help; only if Failed.
	Why string
	// Last is the object as it was seen last; nil if it was not there.
	Last *unstructured.Unstructured
	// Missing is what the last state lacked.
	Missing []string
	// Took is how long it was waited.
	Took time.Duration
	// Err is the error that ended the wait, if one did.
	Err error
}

func (e *NotReadyError) Error() string {
	switch {
	case e.Why != "":
		return fmt.Sprintf("waiting for %s: %s: %s", e.Goal, e.Reason, e.Why)
	case e.Err != nil:
		return fmt.Sprintf("waiting for %s: %s: %v", e.Goal, e.Reason, e.Err)
	default:
		return fmt.Sprintf("waiting for %s: %s", e.Goal, e.Reason)
	}
}

// Unwrap gives the error that ended the wait.
func (e *NotReadyError) Unwrap() error { return e.Err }

// Await shows a goal one state of an object after another until the goal holds, and
// returns that state. It is nil where absence was waited for. Every error is a
// *[NotReadyError].
func Await(ctx context.Context, goal *Goal, follow Follow, options Options) (*unstructured.Unstructured, error) {
	began := time.Now()
	if options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, options.Timeout)
		defer cancel()
	}
	w := &waiting{goal: goal, uid: options.UID, known: options.UID != "", progress: options.Progress}
	err := follow(ctx, w.see)
	if w.holds {
		return w.last, nil
	}
	notReady := &NotReadyError{
		Reason: TimedOut, Goal: goal, Why: w.failed, Last: w.last, Missing: w.missing, Took: time.Since(began), Err: err,
	}
	switch {
	case w.failed != "":
		notReady.Reason = Failed
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
	case ctx.Err() != nil:
		notReady.Reason = Interrupted
	default:
		notReady.Reason = Unreadable
	}
	return nil, notReady
}

// waiting is the state of one Await.
type waiting struct {
	goal     *Goal
	progress func(*unstructured.Unstructured, Verdict)

	uid     types.UID
	known   bool // the object exists or has existed
	last    *unstructured.Unstructured
	holds   bool
	missing []string
	failed  string
}

// see judges one state of the object.
func (w *waiting) see(live *unstructured.Unstructured) (bool, error) {
	if other := live != nil && w.known && live.GetUID() != w.uid; other || live == nil && w.known {
		if !w.goal.deleted {
			w.failed = "the object was deleted"
			if other {
				w.failed = "the object was deleted, and another one has its name now"
			}
			return true, nil
		}
		live = nil
	}
	w.last = live
	if live != nil {
		w.uid, w.known = live.GetUID(), true
	}
	verdict := w.goal.Judge(live)
	w.holds, w.missing, w.failed = verdict.Holds, verdict.Missing, verdict.Failed
	if w.holds || w.failed != "" {
		return true, nil
	}
	if w.progress != nil {
		w.progress(live, verdict)
	}
	return false, nil
}
