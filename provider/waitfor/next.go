package waitfor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// retryHint says what the next command does about a wait that was cut short.
func (r Request) retryHint() string {
	if r.IsRun {
		return "  It was left as it is. The next command goes on waiting for it, and never starts a second one."
	}
	return "  The object was left as it is. The next `pulumi up` waits again, in place; nothing is destroyed to retry."
}

// next says what to do, in two lines at most.
func (r Request) next(e *readiness.NotReadyError, advice string) string {
	then, again := r.afterwards()
	notServed := (*failure.KindNotServedError)(nil)
	switch {
	case e.Reason == readiness.Interrupted:
		return r.retryHint()
	case r.IsRun:
		return r.nextRun(e, advice)
	case r.vanished(e):
		return "  Next: " + r.whoDeleted(e) + ".\n  Then run `pulumi up`, which creates it again if it is part of the " +
			"program, and waits again, in place."
	case errors.As(e.Err, &notServed):
		return "  Next: " + remedyFor(notServed) + ". " + again
	case e.Last == nil && len(e.Missing) > 0:
		return "  Next: make sure that something creates the object, or correct apiVersion, kind, namespace and name. " + again
	case e.Reason == readiness.Failed && hasEnded(e.Last):
		// Waiting again would fail at once.
		return fmt.Sprintf("  Next: %s.\n  %s", cmp.Or(advice, "fix what failed"), wayOut(e.Last))
	case e.Reason == readiness.Failed:
		return "  Next: " + cmp.Or(advice, "fix what failed") + then
	case e.Last != nil && e.Last.GetDeletionTimestamp() != nil && !r.Spec.Goal.ForDeletion():
		return "  Next: find out who deleted it, and let its deletion finish: it can no longer become ready.\n  Then run `pulumi up`, " +
			"which creates it again if it is part of the program, and waits again, in place."
	default:
		return "  Next: " + cmp.Or(advice, "fix what is missing") + ", or give it more time with " + r.moreTime() + r.otherRule(e) + then
	}
}

// afterwards says what to do when it is fixed, and when there is a new wait.
func (r Request) afterwards() (then, again string) {
	switch {
	case r.GoesOn && r.InSet:
		return ". The object was left as it is.", "It is waited for again when it changes."
	case r.GoesOn:
		return ". The object was left as it is.", "To wait again, change waitFor or triggers."
	default:
		return ".\n  Then run `pulumi up`, which waits again, in place. The object was left as it is.",
			"The next `pulumi up` waits again, in place."
	}
}

// remedyFor says how a kind comes to be served.
func remedyFor(notServed *failure.KindNotServedError) string {
	if notServed.IsDefined() {
		return notServed.Remedy()
	}
	return "make sure that its CustomResourceDefinition is installed, or correct apiVersion and kind"
}

// moreTime names the setting that bounds the wait.
func (r Request) moreTime() string {
	switch {
	case r.InSet && r.GoesOn:
		return "`wait: all`, which customTimeouts of the set bounds"
	case r.InSet:
		return "the resource option customTimeouts of the set"
	default:
		return "waitFor.timeout"
	}
}

// otherRule names the way out if a rule that is not known here may make the object ready: nothing in the cluster
// provides addresses, or the kind is a custom kind and a set waits for it without being asked.
func (r Request) otherRule(e *readiness.NotReadyError) string {
	if !slices.Contains(e.Missing, readiness.NoAddress) && (!r.InSet || kinds.OwnGroup(r.Object.Group())) {
		return ""
	}
	return ", or say when a " + r.Object.Kind + " is ready with a rule in the provider's setting readiness"
}

// whoDeleted says how to find out why an object is gone. Some objects are deleted by Kubernetes itself.
func (r Request) whoDeleted(e *readiness.NotReadyError) string {
	const who = "find out who deleted it, if you did not"
	switch r.Object.GroupKind() {
	case kinds.Job:
		if e.Last == nil {
			return "if it had a ttlSecondsAfterFinished, which removes it when it has ended, raise that; otherwise " + who
		}
		if seconds, ok, _ := unstructured.NestedInt64(e.Last.Object, "spec", "ttlSecondsAfterFinished"); ok {
			return fmt.Sprintf("raise its ttlSecondsAfterFinished: it is removed %d s after it has ended", seconds)
		}
	case kinds.Secret:
		if e.Last == nil {
			return "if it is a token of a ServiceAccount, create the account first: Kubernetes deletes the token of one that does not exist; otherwise " + who
		}
		if account := kinds.TokenOf(e.Last.Object); account != "" {
			return fmt.Sprintf("make sure that there is a ServiceAccount %q: Kubernetes deletes the token of one that does not exist", account)
		}
	}
	return who
}

// nextRun says what to do about a run that has failed, or has not ended in time.
func (r Request) nextRun(e *readiness.NotReadyError, advice string) string {
	switch {
	case r.vanished(e):
		return "  Next: " + r.whoDeleted(e) + ". The next command runs it again."
	case e.Reason == readiness.Failed:
		return "  Next: " + cmp.Or(advice, "fix what failed") + ".\n  Then run the command again, which runs it again."
	default:
		return "  Next: " + cmp.Or(advice, "find out what it waits for") + ", or give it more time with timeout.\n" +
			"  It was left running: the next command goes on waiting for it. To start over, delete it " + kinds.LostWith(kinds.Job) + "."
	}
}

// vanished reports whether the wait ended because the object was deleted: its last state, if any was seen, is not a
// failure.
func (r Request) vanished(e *readiness.NotReadyError) bool {
	return e.Reason == readiness.Failed && (e.Last == nil || r.Spec.Goal.Judge(e.Last).Failed == "")
}
