package failure

import (
	"fmt"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// NotSentError means that a request certainly never reached the API server: no connection was made, the TLS handshake
// failed, there were no credentials, or something that is needed before the request (such as discovery) failed. The
// sender wraps the cause in it, because only the sender can be certain.
type NotSentError struct {
	// Err is the reason why it was not sent.
	Err error
}

func (e *NotSentError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *NotSentError) Unwrap() error { return e.Err }

// NotSent marks the error for [Outcome].
func (e *NotSentError) NotSent() bool { return true }

// FieldError is a mistake in one field of a connection. It never contains the field's value.
type FieldError struct {
	// Field is the name that the user knows, such as "proxyUrl".
	Field string
	// Reason says what is wrong, as the rest of a sentence that begins with the field's name.
	Reason string
	// Err is the cause, if there is one whose text is safe to show.
	Err error
}

func (e *FieldError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Field, e.Reason, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Field, e.Reason)
}

// Unwrap gives the cause, if any.
func (e *FieldError) Unwrap() error { return e.Err }

// NotSent marks the error for [Outcome]: a connection that cannot be used sends nothing.
func (e *FieldError) NotSent() bool { return true }

// KindNotServedError means that the API server answered and does not serve a kind: its CustomResourceDefinition is
// not installed (yet), or the version or group is wrong. A failed discovery is never reported as this error.
type KindNotServedError struct {
	// APIVersion is the group and version as in a manifest, such as "apps/v1".
	APIVersion string
	// Kind is the kind as in a manifest.
	Kind string
	// ServedAs lists the groups and versions in which the API server does serve the kind, if known.
	ServedAs []string
	// Permanent means that the kind can never appear there, because nobody can add kinds to the group and version.
	Permanent bool
	// DefinedBy is what defines the kind all the same. Objects of the kind exist then, and cannot be reached. It is zero if
	// there is nothing, and if nobody has looked for it.
	DefinedBy Definition
}

// Definition is an object by which an API server knows a kind.
type Definition struct {
	// Kind is CustomResourceDefinition or APIService.
	Kind, Name string
}

func (d Definition) String() string { return d.Kind + " " + d.Name }

// IsDefined reports whether something is known to define the kind.
func (e *KindNotServedError) IsDefined() bool { return e.DefinedBy != Definition{} }

func (e *KindNotServedError) Error() string {
	if e.IsDefined() {
		return fmt.Sprintf("the API server does not serve kind %q of %q, although %s defines it", e.Kind, e.APIVersion, e.DefinedBy)
	}
	return fmt.Sprintf("the API server does not serve kind %q of %q", e.Kind, e.APIVersion)
}

// Remedy says what to do about a kind that is defined and not served.
func (e *KindNotServedError) Remedy() string {
	if e.DefinedBy.Kind == kinds.APIService.Kind {
		return fmt.Sprintf("make the API server behind it available; `kubectl get apiservice %s -o yaml` says what is wrong", e.DefinedBy.Name)
	}
	return "have it serve a version again (`served: true`)"
}

// CredentialsError means that a credential plugin did not return credentials, so nothing was sent.
type CredentialsError struct {
	// Command is the plugin's command without its arguments, which may be secret.
	Command string
	// Err is what client-go says about it.
	Err error
}

func (e *CredentialsError) Error() string {
	return fmt.Sprintf("credential plugin %q: %v", e.Command, e.Err)
}

// Unwrap gives the cause.
func (e *CredentialsError) Unwrap() error { return e.Err }

// NotSent marks the error for [Outcome].
func (e *CredentialsError) NotSent() bool { return true }

// UnreadableReplyError means that the API server accepted a request but we could not understand its answer. The
// request has taken effect.
type UnreadableReplyError struct {
	// Code is the HTTP status of the answer.
	Code int
}

func (e *UnreadableReplyError) Error() string {
	return fmt.Sprintf("the API server accepted the request (HTTP %d) but its answer is not a Kubernetes object", e.Code)
}

// Because marks the error for [ReasonOf].
func (e *UnreadableReplyError) Because() Reason { return ReasonUnexpectedAnswer }
