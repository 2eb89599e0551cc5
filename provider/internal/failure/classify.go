package failure

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Class is the kind of a problem, as far as the user's next step depends on it.
type Class string

// The classes.
const (
	ClassConfiguration        Class = "configuration"         // a field of the connection is wrong
	ClassCredentials          Class = "credentials"           // a credential plugin failed
	ClassAuthentication       Class = "authentication"        // 401
	ClassPermission           Class = "permission"            // 403 of the authorizer
	ClassQuota                Class = "quota"                 // 403 of a ResourceQuota
	ClassPolicy               Class = "policy"                // denied by a ValidatingAdmissionPolicy
	ClassWebhook              Class = "webhook"               // denied by an admission webhook
	ClassWebhookFailed        Class = "webhook failed"        // an admission webhook could not be asked
	ClassForbidden            Class = "forbidden"             // any other 403
	ClassNotFound             Class = "not found"             // 404
	ClassNamespaceMissing     Class = "namespace missing"     // 404 about the namespace of the object
	ClassNamespaceTerminating Class = "namespace terminating" // 403 because the namespace is being deleted
	ClassKindNotServed        Class = "kind not served"       // no such kind on the server
	ClassAlreadyExists        Class = "already exists"        // 409 AlreadyExists
	ClassConflict             Class = "conflict"              // 409
	ClassFieldConflict        Class = "field conflict"        // 409 that lists fields of other managers
	ClassInvalid              Class = "invalid"               // 422, 400 and the typed-patch 500
	ClassTooManyRequests      Class = "too many requests"     // 429
	ClassServer               Class = "server error"          // 5xx
	ClassUnreachable          Class = "unreachable"           // nobody listens, or no route
	ClassDNS                  Class = "DNS"                   // the host name does not resolve
	ClassCertificate          Class = "certificate"           // TLS
	ClassTimeout              Class = "timeout"               // no answer in time
	ClassCancelled            Class = "cancelled"             // the caller stopped it
	ClassConnection           Class = "connection"            // any other transport error
	ClassOther                Class = "other"                 // anything else
)

// kindNamespaces is what Status.details.kind says when a namespace is missing.
const kindNamespaces = "namespaces"

// Classify finds the class of err.
func Classify(err error) Class {
	var (
		field       *FieldError
		credentials *CredentialsError
		notServed   *KindNotServedError
		status      apierrors.APIStatus
	)
	switch {
	case errors.As(err, &field):
		return ClassConfiguration
	case errors.As(err, &credentials):
		return ClassCredentials
	case errors.As(err, &notServed):
		return ClassKindNotServed
	case errors.As(err, &status):
		return classifyStatus(err, status.Status())
	default:
		return classifyTransport(err)
	}
}

func classifyStatus(err error, status metav1.Status) Class {
	refused, recognised := refusalOf(status)
	switch {
	case recognised:
		return refused.class
	case NamespaceMissing(err):
		return ClassNamespaceMissing
	case status.Reason == metav1.StatusReasonAlreadyExists:
		return ClassAlreadyExists
	case status.Code == http.StatusConflict && len(FieldConflicts(err)) > 0:
		return ClassFieldConflict
	}
	class, known := classOfCode[int(status.Code)]
	switch {
	case known:
		return class
	case IsTypedPatchError(err):
		return ClassInvalid
	case status.Code >= 500:
		return ClassServer
	default:
		return ClassOther
	}
}

// classOfCode has the codes that mean the same whatever the reason is.
var classOfCode = map[int]Class{
	http.StatusUnauthorized:          ClassAuthentication,
	http.StatusForbidden:             ClassForbidden,
	http.StatusNotFound:              ClassNotFound,
	http.StatusGone:                  ClassNotFound,
	http.StatusConflict:              ClassConflict,
	http.StatusTooManyRequests:       ClassTooManyRequests,
	http.StatusGatewayTimeout:        ClassTimeout,
	http.StatusRequestTimeout:        ClassTimeout,
	http.StatusBadRequest:            ClassInvalid,
	http.StatusUnprocessableEntity:   ClassInvalid,
	http.StatusRequestEntityTooLarge: ClassInvalid,
	http.StatusUnsupportedMediaType:  ClassInvalid,
}

func classifyTransport(err error) Class {
	var (
		dns     *net.DNSError
		op      *net.OpError
		request *url.Error
		timeout interface{ Timeout() bool }
	)
	switch {
	case errors.Is(err, context.Canceled):
		return ClassCancelled
	case errors.As(err, &dns):
		return ClassDNS
	case isCertificateError(err):
		return ClassCertificate
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return ClassUnreachable
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return ClassTimeout
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		return ClassUnreachable
	case Outcome(err) == NotSent, errors.As(err, &op), errors.As(err, &request):
		return ClassConnection
	default:
		return ClassOther
	}
}

// Gone reports whether the API server said that there is no such object: it answered, and either the object or its
// kind does not exist. A failed request never means that, nor does a kind that is defined and not served.
func Gone(err error) bool {
	if notServed, ok := errors.AsType[*KindNotServedError](err); ok {
		return !notServed.IsDefined()
	}
	return apierrors.IsNotFound(err)
}

// NotServed reports whether the API server answered that it does not serve the kind of an object.
func NotServed(err error) bool {
	_, ok := errors.AsType[*KindNotServedError](err)
	return ok
}

// FieldConflict is one field that another field manager owns and that a server-side apply without force wanted.
type FieldConflict struct {
	// Field is the path as the API server writes it, such as ".spec.replicas".
	Field string
	// Message names the manager, such as `conflict with "kube-controller-manager" using apps/v1`.
	Message string
}

// FieldConflicts lists the conflicts that a refused server-side apply reports, or nothing for any other error.
func FieldConflicts(err error) []FieldConflict {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var found []FieldConflict
	for _, cause := range status.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			found = append(found, FieldConflict{Field: cause.Field, Message: cause.Message})
		}
	}
	return found
}
