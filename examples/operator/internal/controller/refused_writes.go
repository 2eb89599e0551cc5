package controller

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// How long a write that was refused waits before it is tried again. It doubles each time.
const (
	firstPause   = 5 * time.Second
	longestPause = 5 * time.Minute
)

// refusal is a write that the API server has refused.
type refusal struct {
	plan.Refused

	generation int64
	request    string // the annotation that asks for another attempt
	due        time.Time
	pause      time.Duration
}

// refused is the write that was refused, if nothing has changed since that was asked for to be tried again.
func (r *Reconciler) refused(environment *v1alpha1.Environment, now time.Time) *plan.Refused {
	known := r.memory.get(client.ObjectKeyFromObject(environment)).refusal
	if known == nil || known.generation != environment.Generation || known.request != environment.Annotations[v1alpha1.AnnotationRetry] {
		return nil
	}
	refused := known.Refused
	refused.After = max(0, known.due.Sub(now))
	return &refused
}

// noteRefusal says whether an error is an answer of the API server that is for people, and keeps it for the next decision. One that
// cannot be in a status is an event.
func (r *Reconciler) noteRefusal(ctx context.Context, environment *v1alpha1.Environment, step plan.Step, err error) bool {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) || apierrors.IsConflict(err) || apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) ||
		apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err) || ctx.Err() != nil {
		return false
	}
	if step == plan.WriteStatus || step == plan.AddFinalizer {
		if !apierrors.IsNotFound(err) { // or the Environment is gone
			r.tell(ctx, environment, []plan.Event{{Warning: true, Reason: plan.ReasonWriteRefused, Message: sentence(err)}})
		}
		return false
	}
	r.memory.set(client.ObjectKeyFromObject(environment), func(known *remembered) {
		pause := firstPause
		if before := known.refusal; before != nil && before.Step == step {
			pause = min(2*before.pause, longestPause)
		}
		known.refusal = &refusal{
			Refused: plan.Refused{
				Step: step, Message: sentence(errors.New(answer.Status().Message)),
				Final: apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err),
			},
			generation: environment.Generation, request: environment.Annotations[v1alpha1.AnnotationRetry],
			due: r.Clock.Now().Add(pause), pause: pause,
		}
	})
	return true
}

// forgetRefusal is for a write that was accepted.
func (r *Reconciler) forgetRefusal(environment *v1alpha1.Environment, step plan.Step) {
	r.memory.set(client.ObjectKeyFromObject(environment), func(known *remembered) {
		if known.refusal != nil && known.refusal.Step == step {
			known.refusal = nil
		}
	})
}

// sentence is an error as people read it.
func sentence(err error) string {
	text := err.Error()
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
