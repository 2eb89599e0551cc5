package readiness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Follow shows the states of one object, nil for its absence, until see returns true
// or an error, or the context ends.
type Follow func(ctx context.Context, see func(live *unstructured.Unstructured) (bool, error)) error

// Options are the options of [Await].
type Options struct {
	// UID identifies the object to wait for. Empty means the first object seen with the name.
	UID types.UID
	// Timeout bounds the whole wait; 0 leaves that to the context.
	Timeout time.Duration
	// Progress is called with every state except the last.
	Progress func(live *unstructured.Unstructured, verdict Verdict)
	// Excuse decides about doubts. With an excuse, the goal holds, and Warn is called with its text if there is one. Nil
	// excuses nothing.
	Excuse Excuse
	Warn   func(warning string)
	// Ask waits for the answer that the goal waits for, as long as nothing else is missing. If it returns nil, the goal
	// holds; an error ends the wait. live is the object as last seen. say is called with what the answer lacks.
	Ask func(ctx context.Context, live func() *unstructured.Unstructured, say func(missing string)) error
}

// Reason is why a wait ended without success.
type Reason string

// The reasons.
const (
	// TimedOut means that the time ran out.
	TimedOut Reason = "timed out"
	// Interrupted means that the operation was cancelled.
	Interrupted Reason = "interrupted"
	// Failed means that no more time would help.
	Failed Reason = "failed"
	// Unreadable means that the object could not be read.
	Unreadable Reason = "unreadable"
)

// NotReadyError means that the goal was not reached.
type NotReadyError struct {
	Reason Reason
	// Goal is the goal of the wait.
	Goal *Goal
	// Why says why more time would not help, and Next what would, if that is known; only if Failed.
	Why, Next string
	// Suspended means that it failed because someone has suspended the object.
	Suspended bool
	// Last is the object as last seen; nil if it did not exist.
	Last *unstructured.Unstructured
	// Missing is what the last state lacked.
	Missing []string
	// Among is how many objects had reached the goal at last; nil if the wait was for one object.
	Among *Tally
	// Took is the duration of the wait.
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

// Unwrap returns the error that ended the wait.
func (e *NotReadyError) Unwrap() error { return e.Err }

// Await judges one state of an object after another until the goal holds, and returns that state. The state is nil if
// the goal was absence. Every error is a *[NotReadyError].
func Await(ctx context.Context, goal *Goal, follow Follow, options Options) (*unstructured.Unstructured, error) {
	began := time.Now()
	if options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, options.Timeout)
		defer cancel()
	}
	ctx, stop := context.WithCancel(ctx)
	w := &waiting{goal: goal, options: options, uid: options.UID, known: options.UID != "", ctx: ctx, stop: stop}
	err := follow(ctx, w.see)
	ended := ctx.Err()
	stop()
	w.excuses.Wait()
	if w.unasked != nil {
		ended, err = nil, w.unasked
	}
	if w.holds {
		if w.warning != "" && options.Warn != nil {
			options.Warn(w.warning)
		}
		return w.last, nil
	}
	return nil, &NotReadyError{
		Reason: reasonOf(w.failed != "", ended), Goal: goal, Why: w.failed, Next: w.next, Suspended: w.suspended, Last: w.last, Missing: w.missing,
		Took: time.Since(began), Err: err,
	}
}

// reasonOf says why a wait ended without success. ended is the error of its context before it was stopped.
func reasonOf(failed bool, ended error) Reason {
	switch {
	case failed:
		return Failed
	case errors.Is(ended, context.DeadlineExceeded):
		return TimedOut
	case ended != nil:
		return Interrupted
	default:
		return Unreadable
	}
}

// waiting is the state of one Await.
type waiting struct {
	goal    *Goal
	options Options

	ctx     context.Context
	stop    context.CancelFunc
	excuses sync.WaitGroup

	uid   types.UID
	known bool // the object exists or has existed

	mu      sync.Mutex
	last    *unstructured.Unstructured
	holds   bool
	missing []string
	failed  string
	next    string
	// suspended means that it failed because someone has suspended the object.
	suspended bool
	warning   string
	decision  decision
	// unanswered is what the last answer lacked, for as long as only the answer is missing.
	unanswered string
	// unasked is why there can be no answer.
	unasked error
}

// see judges one state of the object.
func (w *waiting) see(live *unstructured.Unstructured) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.holds {
		return true, nil
	}
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
	w.holds, w.missing, w.failed, w.next, w.suspended = verdict.Holds, verdict.Missing, verdict.Failed, verdict.Next, verdict.Suspended
	if w.holds || w.failed != "" {
		return true, nil
	}
	excuse := w.excuseFor(&verdict)
	w.missing = verdict.Missing
	w.decision.about(w.ctx, &w.excuses, excuse, live, verdict.Doubt, func(ctx context.Context, warning string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if ctx.Err() == nil && w.failed == "" {
			w.holds, w.warning = true, warning
			w.stop()
		}
	})
	if w.options.Progress != nil {
		w.options.Progress(live, verdict)
	}
	return false, nil
}

// excuseFor returns what decides about the doubt of a verdict. While only an answer is missing, the verdict keeps what the
// last one lacked.
func (w *waiting) excuseFor(verdict *Verdict) Excuse {
	if verdict.Doubt != NoAnswer {
		w.unanswered = ""
		return w.options.Excuse
	}
	if w.unanswered != "" {
		verdict.Missing = []string{w.unanswered}
	}
	return w.ask
}

// ask is the excuse of an object that lacks nothing but an answer.
func (w *waiting) ask(ctx context.Context, _ *unstructured.Unstructured, _ Doubt) (string, bool) {
	if w.options.Ask == nil {
		return "", false
	}
	live := func() *unstructured.Unstructured {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.last
	}
	err := w.options.Ask(ctx, live, func(missing string) { w.lacks(ctx, missing) })
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && ctx.Err() == nil {
		w.unasked = err
		w.stop()
	}
	return "", err == nil
}

// lacks records what the last answer lacked, unless something else is missing by now.
func (w *waiting) lacks(ctx context.Context, missing string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil || missing == "" {
		return
	}
	w.unanswered, w.missing = missing, []string{missing}
	if w.options.Progress != nil {
		w.options.Progress(w.last, Verdict{Missing: w.missing, Doubt: NoAnswer})
	}
}
