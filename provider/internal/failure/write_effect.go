package failure

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// WriteEffect is the effect of a failed write.
type WriteEffect int

const (
	// Unknown means that the write may or may not have happened: the reply was lost, the server failed half way, or
	// we stopped waiting. It is the zero value, so that unforeseen cases get the most careful treatment.
	Unknown WriteEffect = iota
	// Refused means that the API server said no. Nothing was written.
	Refused
	// NotSent means that the request never reached the API server. Nothing was written.
	NotSent
)

func (v WriteEffect) String() string {
	switch v {
	case Refused:
		return "refused"
	case NotSent:
		return "not sent"
	default:
		return "unknown"
	}
}

// Definite reports whether it is certain that nothing was written.
func (v WriteEffect) Definite() bool { return v == Refused || v == NotSent }

// statusClientClosedRequest is what some proxies answer when they give up a request that they had already forwarded.
const statusClientClosedRequest = 499

// Outcome returns the effect of a write that failed with err. err must not be nil.
func Outcome(err error) WriteEffect {
	var marked interface{ NotSent() bool }
	if errors.As(err, &marked) && marked.NotSent() {
		return NotSent
	}
	if notServed := (*KindNotServedError)(nil); errors.As(err, &notServed) {
		return Refused
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		if refusal, ok := refusalOf(status.Status()); ok && refusal.admission() {
			return Refused // admission runs before anything is written, whatever code it answers with
		}
		switch code := status.Status().Code; {
		case code == http.StatusRequestTimeout, code == statusClientClosedRequest:
			// Proxies answer with these for a request that the API server may have seen.
			return Unknown
		case code >= 400 && code < 500:
			return Refused
		case IsTypedPatchError(err), IsUnconvertible(err):
			return Refused
		default:
			return Unknown
		}
	}
	if neverConnected(err) {
		return NotSent
	}
	return Unknown
}

// neverConnected recognises the transport errors that can only come before a request is written.
func neverConnected(err error) bool {
	if op := (*net.OpError)(nil); errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") {
		return true
	}
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) {
		return true
	}
	return isCertificateError(err)
}

// isCertificateError recognises a server certificate that we do not accept, and a peer that does not speak TLS.
func isCertificateError(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
		record       tls.RecordHeaderError
	)
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &hostname) ||
		errors.As(err, &invalid) || errors.As(err, &record)
}
