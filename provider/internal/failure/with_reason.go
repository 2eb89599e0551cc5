package failure

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// because is an error with its reason.
type because struct {
	error

	reason Reason
}

func (b *because) Unwrap() error { return b.error }

// Because marks the error for [ReasonOf].
func (b *because) Because() Reason { return b.reason }

// Because gives an error its reason. Its text does not change.
func Because(reason Reason, err error) error { return &because{err, reason} }

// Errorf is fmt.Errorf for an error with a reason.
func Errorf(reason Reason, format string, args ...any) error {
	return Because(reason, fmt.Errorf(format, args...))
}

// reasonOfClass is the reason for each answer of the API server, or of the connection to it.
var reasonOfClass = map[Class]Reason{
	ClassConfiguration:        ReasonInvalidConfiguration,
	ClassCredentials:          ReasonCredentialPluginFailed,
	ClassAuthentication:       ReasonUnauthorized,
	ClassPermission:           ReasonForbidden,
	ClassForbidden:            ReasonForbidden,
	ClassQuota:                ReasonQuotaExceeded,
	ClassPolicy:               ReasonAdmissionDenied,
	ClassWebhook:              ReasonAdmissionDenied,
	ClassWebhookFailed:        ReasonWebhookUnavailable,
	ClassNotFound:             ReasonNotFound,
	ClassNamespaceMissing:     ReasonNamespaceNotFound,
	ClassNamespaceTerminating: ReasonNamespaceTerminating,
	ClassKindNotServed:        ReasonKindNotServed,
	ClassAlreadyExists:        ReasonAlreadyExists,
	ClassConflict:             ReasonConflict,
	ClassFieldConflict:        ReasonFieldConflict,
	ClassInvalid:              ReasonInvalid,
	ClassTooManyRequests:      ReasonTooManyRequests,
	ClassServer:               ReasonInternalError,
	ClassUnreachable:          ReasonClusterUnreachable,
	ClassDNS:                  ReasonClusterUnreachable,
	ClassConnection:           ReasonClusterUnreachable,
	ClassCertificate:          ReasonCertificateNotTrusted,
	ClassTimeout:              ReasonTimeout,
	ClassCancelled:            ReasonInterrupted,
}

// ReasonOf finds the reason of an error. If an error has several causes, the outermost one with its own reason
// decides, otherwise the API server's answer. It reports false for an error that nobody anticipated.
func ReasonOf(err error) (Reason, bool) {
	var marked interface{ Because() Reason }
	if errors.As(err, &marked) && marked.Because() != "" {
		return marked.Because(), true
	}
	if reason, ok := reasonOfClass[Classify(err)]; ok {
		return reason, true
	}
	switch status := apierrors.APIStatus(nil); {
	case !errors.As(err, &status):
		return "", false
	case apierrors.IsMethodNotSupported(err):
		return ReasonInvalid, true // a kind that is only queried, such as a TokenReview
	default:
		return ReasonUnexpectedAnswer, true
	}
}
