package chartsource

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// Class is the kind of problem that an [Error] is about.
type Class string

// The classes of errors.
const (
	// Invalid means that the inputs cannot be right: they contradict each other, or are malformed.
	Invalid Class = "invalid"
	// NotFound means that there is no such folder, archive, chart or version.
	NotFound Class = "not found"
	// Denied means that the server does not accept the credentials, or wants some.
	Denied Class = "denied"
	// Unreachable means that no connection was made, or that it broke.
	Unreachable Class = "unreachable"
	// NotTrusted means that the server's certificate is not trusted, or that it does not speak TLS.
	NotTrusted Class = "not trusted"
	// TimedOut means that the server did not answer in time.
	TimedOut Class = "timed out"
	// Failed means that the server answered with an error of its own.
	Failed Class = "failed"
	// OtherDigest means that the contents do not have the expected digest.
	OtherDigest Class = "other digest"
	// Malformed means that the contents are not a chart, an index or an archive.
	Malformed Class = "malformed"
	// Refused means that the chart exceeds a limit, or is unsafe.
	Refused Class = "refused"
	// Interrupted means that the caller has cancelled.
	Interrupted Class = "interrupted"
)

// reasons are the reasons that users see.
var reasons = map[Class]failure.Reason{
	Invalid:     failure.ReasonInvalid,
	NotFound:    failure.ReasonChartNotFound,
	Denied:      failure.ReasonChartAccessDenied,
	Unreachable: failure.ReasonChartUnavailable,
	NotTrusted:  failure.ReasonChartUnavailable,
	TimedOut:    failure.ReasonChartUnavailable,
	Failed:      failure.ReasonChartUnavailable,
	OtherDigest: failure.ReasonChartUnusable,
	Malformed:   failure.ReasonChartUnusable,
	Refused:     failure.ReasonChartUnusable,
	Interrupted: failure.ReasonInterrupted,
}

// next is the advice for a class, unless the error has its own.
var next = map[Class]string{
	NotFound:    "check the address, the name and the version.",
	Denied:      "set repoUsername and repoPassword, or log in with `helm registry login` on this machine if it is a registry.",
	Unreachable: "check the address, that the server runs, and the network (VPN, proxy, firewall), then run again.",
	NotTrusted:  "set repoCaCertificate to the certificate of the authority that the server's certificate is from.",
	TimedOut:    "check the network and the server, then run again.",
	Failed:      "run again; if the error persists, check the server.",
	OtherDigest: "find out why the chart has changed. If it may, set the digest to the new one.",
	Malformed:   "check that the address, or the path, is that of a chart.",
	Refused:     "do not use this chart unless you trust it; a chart that is packed by `helm package` is within the limits.",
	Interrupted: "run again to continue.",
}

// Error says why a chart could not be fetched.
type Error struct {
	Class Class
	// What says in one line what happened, Why what caused it, and Next what to do.
	What, Why, Next string
	// Given and Actual are the two digests of [OtherDigest].
	Given, Actual string

	cause error
}

// Error returns what, why and next on separate lines.
func (e *Error) Error() string {
	text := e.What
	if e.Why != "" {
		text += "\n  " + strings.ReplaceAll(e.Why, "\n", "\n  ")
	}
	if e.Next != "" {
		text += "\n  Next: " + e.Next
	}
	return text
}

// Unwrap returns the cause, for errors.Is and errors.As only: its text may contain an address with its query.
func (e *Error) Unwrap() error { return e.cause }

// Because marks the error for [failure.ReasonOf].
func (e *Error) Because() failure.Reason { return reasons[e.Class] }

// isOutage reports whether an error says nothing about the chart, because the server may deliver it later.
func isOutage(err error) bool {
	var failed *Error
	return errors.As(err, &failed) && (failed.Class == Unreachable || failed.Class == TimedOut || failed.Class == Failed)
}

// errorf makes an error of a class.
func errorf(class Class, format string, args ...any) *Error {
	made := fmt.Errorf(format, args...)
	return &Error{Class: class, What: made.Error(), cause: errors.Unwrap(made)}
}

// advising sets what to do next.
func (e *Error) advising(next string) *Error {
	e.Next = next
	return e
}

// The sources of a digest.
const (
	byProgram    = "the program"
	byIndex      = "the repository's index.yaml"
	byManifest   = "the registry's manifest"
	nextOfServer = "ask who runs the server why; a mirror or a proxy may have replaced it. Run again if it was just being published."
)

// mismatch is the error for contents that have another digest than the stated one.
func mismatch(by, given, actual string) *Error {
	made := &Error{
		Class: OtherDigest, Given: given, Actual: actual,
		What: "its digest is not the one in " + by,
		Why:  fmt.Sprintf("digest in %s: %s\nactual digest: %s", by, given, actual),
	}
	if by != byProgram {
		made.Next = nextOfServer
	}
	return made
}

// The causes of cancelled contexts.
var (
	errTotal = errors.New("the time for a chart is over")
	errIdle  = errors.New("no more data came")
)

// errDowngrade refuses a redirect from https to http.
var errDowngrade = errors.New("the server redirects from https to http")

// explain completes an error with the chart, the class and the next step. It removes credentials.
func (w *wanted) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var failed *Error
	if !errors.As(err, &failed) {
		failed = transportError(ctx, err)
	}
	hide := failure.NewRedactor(w.access.secrets())
	made := *failed
	made.What = hide.Redact(fmt.Sprintf("cannot fetch chart %s: %s", w.subject(), failed.What))
	made.Why = hide.Redact(failed.Why)
	if made.Next == "" {
		made.Next = next[made.Class]
	}
	return &made
}

// transportError classifies an error of a connection.
func transportError(ctx context.Context, err error) *Error {
	made := &Error{cause: err, Why: withoutAddress(err)}
	var dns *net.DNSError
	var timeout net.Error
	var certificate *tls.CertificateVerificationError
	var noTLS tls.RecordHeaderError
	switch cause := context.Cause(ctx); {
	case errors.Is(err, errDowngrade):
		made.Class, made.What, made.Why = NotTrusted, errDowngrade.Error(), ""
		made.Next = "name the address that it redirects to, if you trust it."
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &noTLS):
		made.Class, made.What = NotTrusted, "the server does not speak TLS"
		made.Next = "check the port. A repository without TLS is written http://…; a registry without TLS must be on this machine."
	case errors.As(err, &certificate):
		made.Class, made.What = NotTrusted, "the server's certificate is not trusted"
	case errors.Is(cause, errIdle), errors.Is(cause, errTotal):
		made.Class, made.What, made.Why = TimedOut, "the server did not deliver in time", cause.Error()
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		made.Class, made.What = TimedOut, "the server did not answer in time"
	case errors.Is(err, context.Canceled):
		made.Class, made.What, made.Why = Interrupted, "it was cancelled", ""
	case errors.As(err, &dns):
		made.Class, made.What = Unreachable, "the server's host name cannot be resolved"
	default:
		made.Class, made.What = Unreachable, "the server cannot be reached, or the connection broke"
	}
	return made
}

// query matches the query of an address.
var query = regexp.MustCompile(`\?[^\s"']*`)

// withoutAddress returns the text of an error without the address that net/http prepends, and without the queries of other addresses, which
// may contain credentials.
func withoutAddress(err error) string {
	for {
		var wrapped *url.Error
		if !errors.As(err, &wrapped) {
			return query.ReplaceAllString(err.Error(), "")
		}
		err = wrapped.Err
	}
}

// statusError is the error for an answer other than 200.
func statusError(status int, what string) *Error {
	made := &Error{What: fmt.Sprintf("%s answers %d", what, status)}
	if text := http.StatusText(status); text != "" {
		made.What += " (" + text + ")"
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		made.Class = Denied
	case status == http.StatusNotFound, status == http.StatusGone:
		made.Class = NotFound
	default:
		made.Class = Failed
	}
	return made
}
