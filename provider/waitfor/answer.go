package waitfor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// askTimeout bounds one request. A Service that takes longer to say that it works is not ready yet.
const askTimeout = 10 * time.Second

// askBackoff is how often to ask: often at first, because most waits are short, and then every five seconds.
var askBackoff = wait.Backoff{Duration: 250 * time.Millisecond, Factor: 1.5, Jitter: 0.1, Steps: 10, Cap: 5 * time.Second}

// unaskedError means that the API server does not ask the object.
type unaskedError struct{ error }

func (e unaskedError) Unwrap() error { return e.error }

// ask asks until the answer is as awaited.
func (r Request) ask(ctx context.Context, live func() *unstructured.Unstructured, say func(missing string)) error {
	backoff, patience := askBackoff, cluster.NewPatience()
	return backoff.DelayFunc().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		missing, err := r.Spec.askOnce(ctx, r.Cluster, live(), r.Sensitive)
		switch {
		case err == nil:
			patience.Succeeded()
		case ctx.Err() != nil:
			return false, ctx.Err()
		case patience.HasEnded(err):
			return false, unaskedError{err}
		}
		say(missing)
		return missing == "", nil
	})
}

// askOnce asks once. missing says what the answer lacks; empty if it is as awaited. An error says why the API server could
// not be asked.
func (s Spec) askOnce(ctx context.Context, clu *cluster.Cluster, live *unstructured.Unstructured, sensitive []string) (missing string, err error) {
	asked, _ := s.Goal.HTTP()
	limited, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	status, err := clu.Ask(limited, cluster.Question{
		Ref: cluster.RefOf(live), Port: asked.PortOf(live.Object), TLS: asked.TLS, Path: asked.Path,
	})
	because := ""
	switch own := (apierrors.APIStatus)(nil); {
	case err == nil && asked.Accepts(status):
		return "", nil
	case err == nil:
		return fmt.Sprintf("%s is answered %s; it should be %s", asked.Request(), describe(status), asked.Wanted()), nil
	case errors.As(err, &own):
		because = own.Status().Message
		if apierrors.IsNotFound(err) && live.GroupVersionKind().GroupKind() == kinds.Service {
			because = "it has no endpoints" // The message would be that there is no such Service.
		}
		if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) {
			err = nil // The API server did ask, or would have.
		}
	case ctx.Err() == nil && limited.Err() != nil:
		because, err = fmt.Sprintf("there was no answer within %s", askTimeout), nil
	default:
		because = "the API server cannot be reached: " + err.Error()
	}
	return fmt.Sprintf("%s is not answered: %s", asked.Request(), failure.NewRedactor(sensitive).Redact(oneLine(because))), err
}

// describe says what a status means. Nothing else of an answer is shown: its body and its headers may have secrets.
func describe(status int) string {
	text := strconv.Itoa(status)
	if name := http.StatusText(status); name != "" {
		text += " " + name
	}
	if status >= 300 && status < 400 && status != http.StatusNotModified {
		text += ", a redirect, which is not followed"
	}
	return text
}

// Look evaluates one state of the object, by the rule that its definition declares, too. If nothing is missing but an answer, it asks once. live is nil if the object does
// not exist.
func (s Spec) Look(ctx context.Context, clu *cluster.Cluster, live *unstructured.Unstructured, sensitive []string) readiness.Verdict {
	if live != nil {
		if err := s.learn(ctx, clu, live.GetAPIVersion(), live.GetKind()); err != nil {
			return readiness.Verdict{Missing: []string{"the rule for its kind cannot be read: " + oneLine(failure.NewRedactor(sensitive).Redact(err.Error()))}}
		}
	}
	verdict := s.Goal.Judge(live)
	if verdict.Doubt != readiness.NoAnswer {
		return verdict
	}
	missing, _ := s.askOnce(ctx, clu, live, sensitive)
	if missing == "" {
		return readiness.Verdict{Holds: true}
	}
	return readiness.Verdict{Missing: []string{missing}, Doubt: readiness.NoAnswer}
}
