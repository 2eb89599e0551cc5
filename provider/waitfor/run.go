package waitfor

import (
	"context"
	"errors"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

const (
	// defaultTimeout bounds a wait if the user sets no timeout.
	defaultTimeout = 10 * time.Minute
	// kindTimeout is how long a kind may be unknown to the API server, or the API server unreachable: the
	// CustomResourceDefinition may appear soon.
	kindTimeout = 30 * time.Second
)

// Request is one wait.
type Request struct {
	Cluster *cluster.Cluster
	Object  manifest.Identity
	// UID identifies the object to wait for; empty means any object with the name.
	UID  types.UID
	Spec Spec
	// Sensitive are texts that pods and controllers may quote and that must not be shown.
	Sensitive []string
	// IsRun means that the object is a Job or a Pod that was made for one run: after a failure, the next command makes
	// another one.
	IsRun bool
	// InSet means that a set waits, which bounds the wait.
	InSet bool
	// GoesOn means that a failure is only a warning, so that the next command has no reason to wait again.
	GoesOn bool
	// HideOutput leaves out what containers have written: their logs and their messages.
	HideOutput bool
	// LogLines is the number of lines of a failed container's log that are shown; 0 shows none.
	LogLines int

	pods  *diagnosis.Remembered // the pods of a Job that has deleted them
	modes *bindingModes         // nil if the wait is for one object
}

// Run waits. It returns the object in the state in which the goal was reached, or nil if the goal was its absence. Of a Job
// that was complete and gone before that was seen, it returns [CompleteJob]. The error is complete: what the wait was for, what was seen last, the reasons, and what to do.
func Run(ctx context.Context, request Request) (*unstructured.Unstructured, error) {
	status := newStatusLine(ctx, request, nil)
	defer status.clear()
	live, err := readiness.Await(ctx, request.Spec.Goal, request.remembering(request.follow(status)), readiness.Options{
		UID: request.UID, Timeout: request.budget(ctx), Progress: status.see,
		Excuse: request.excuse, Ask: request.ask, Warn: func(warning string) { p.GetLogger(ctx).Warning(warning) },
	})
	if err == nil {
		request.Spec.SayGuess(ctx, live, request.Sensitive)
		return live, nil
	}
	status.clear()
	notReady := (*readiness.NotReadyError)(nil)
	errors.As(err, &notReady)
	if job := request.completedUnseen(ctx, notReady); job != nil {
		return job, nil
	}
	trouble := status.trouble()
	return nil, &Error{
		text: request.report(ctx, notReady, trouble), Err: notReady, unread: trouble != nil && notReady.Last == nil, Pods: request.pods,
	}
}

// budget bounds the wait; 0 leaves that to the context.
func (r Request) budget(ctx context.Context) time.Duration {
	if _, bounded := ctx.Deadline(); !bounded && r.Spec.Timeout == 0 {
		return defaultTimeout
	}
	return r.Spec.Timeout
}

// remembering remembers the pods of a Job as soon as it is about to fail: when it has failed, they are gone.
func (r *Request) remembering(follow readiness.Follow) readiness.Follow {
	return func(ctx context.Context, see func(*unstructured.Unstructured) (bool, error)) error {
		return follow(ctx, func(live *unstructured.Unstructured) (bool, error) {
			if r.pods == nil && diagnosis.IsAboutToFail(live) {
				ctx, cancel := context.WithTimeout(ctx, diagnosisTimeout)
				defer cancel()
				r.pods = diagnosis.Remember(ctx, r.Cluster, live, r.LogLines)
			}
			return see(live)
		})
	}
}

// follow passes the states of the object to see.
func (r Request) follow(status *statusLine) readiness.Follow {
	return func(ctx context.Context, see func(*unstructured.Unstructured) (bool, error)) error {
		ref, err := r.resolve(ctx, status)
		if failure.Gone(err) && r.Spec.Goal.ForDeletion() {
			_, err = see(nil) // no kind, no object
			return err
		}
		if err != nil {
			return err
		}
		options := cluster.FollowOptions{
			Polling: func(error) {
				p.GetLogger(ctx).Infof("%s may be read but not watched, so it is read once a second. Watching it requires the "+
					"permissions \"list\" and \"watch\".", ref)
			},
			Trouble: status.troubled,
		}
		return r.Cluster.Follow(ctx, ref, nil, options, func(live *unstructured.Unstructured) (bool, error) {
			status.troubled(nil)
			return see(live)
		})
	}
}

// resolve finds out where the object is: if its version is no longer served, in another version of the same group. It also
// learns the rule that its definition declares.
// The same run may create an unknown kind, and an API server that is down may come back.
func (r Request) resolve(ctx context.Context, status *statusLine) (cluster.Ref, error) {
	backoff := wait.Backoff{Duration: 250 * time.Millisecond, Factor: 1.2, Jitter: 0.1, Steps: 40}
	patience, cancel := context.WithTimeout(ctx, kindTimeout)
	defer cancel()
	var resolved cluster.Resolved
	var err error
	lookup, everywhere := r.Cluster.Resolve, r.Cluster.Find
	if r.Spec.Goal.ForDeletion() {
		lookup, everywhere = everywhere, nil // In Resolve, the first answer that the kind is not served would end the wait.
	}
	// err shows why the retries ended.
	_ = wait.ExponentialBackoffWithContext(patience, backoff, func(context.Context) (bool, error) {
		found, failed := lookup(ctx, r.Object.APIVersion, r.Object.Kind, r.Object.Namespace, r.Object.Name)
		if ctx.Err() != nil && err != nil {
			return true, nil // the earlier answer says more than a timeout
		}
		if failed == nil {
			failed = r.Spec.learn(ctx, r.Cluster, found.APIVersion, found.Kind)
		}
		resolved, err = found, failed
		switch {
		case err == nil:
			return true, nil
		case failure.NotServed(err) && everywhere != nil:
			// Another version may be served. Ask that only once: it is costly, and a version that appears
			// later is the named one.
			lookup, everywhere = everywhere, nil
			return false, nil
		case failure.NotServed(err):
			lookup = r.Cluster.Resolve
			err = r.Cluster.ConfirmGone(ctx, err)
			return r.Spec.Goal.ForDeletion() && failure.Gone(err), nil
		case ctx.Err() == nil:
			status.troubled(err)
		}
		return ctx.Err() != nil || !mayComeBack(err), nil
	})
	return resolved.Ref, err
}

// mayComeBack reports whether an API server that answered with an error may recover. Waiting does not heal a
// connection that has never worked.
func mayComeBack(err error) bool {
	switch failure.Classify(err) {
	case failure.ClassConfiguration, failure.ClassCredentials, failure.ClassCertificate:
		return false
	default:
		return cluster.MayPass(err)
	}
}

// Error is a failed wait.
type Error struct {
	text string
	// unread means that the object could not be read at all.
	unread bool
	// Err says how the wait ended.
	Err *readiness.NotReadyError
	// Pods are the pods of a Job that has deleted them; nil if there are none.
	Pods *diagnosis.Remembered
}

func (e *Error) Error() string { return e.text }

// Because marks the error for [failure.ReasonOf]. If the wait could not read the object, the reason is the reason of
// the read error.
func (e *Error) Because() failure.Reason {
	switch e.Err.Reason {
	case readiness.Failed:
		if e.Err.Suspended {
			return failure.ReasonWaitSuspended
		}
		return failure.ReasonWaitFailed
	case readiness.Interrupted:
		return failure.ReasonInterrupted
	case readiness.Unreadable:
		reason, _ := failure.ReasonOf(e.Err.Err)
		return reason // empty if there is none
	default:
		return failure.ReasonWaitTimedOut
	}
}

// Decided reports whether the wait came to a result: the object did not become ready in time, or never will. Otherwise, the wait
// was interrupted, or the object could not be read.
func (e *Error) Decided() bool {
	return e.Err.Reason == readiness.TimedOut && !e.unread || e.Err.Reason == readiness.Failed
}

// Unwrap returns the error that says how the wait ended.
func (e *Error) Unwrap() error { return e.Err }
