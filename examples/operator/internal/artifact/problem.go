package artifact

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// The reasons of problems.
const (
	// ReasonReferenceInvalid means that the reference cannot be one.
	ReasonReferenceInvalid = "ReferenceInvalid"
	// ReasonPullSecretInvalid means that the pull Secret is not there, or has no credentials.
	ReasonPullSecretInvalid = "PullSecretInvalid"
	// ReasonUnavailable means that the registry does not answer, or answers that it cannot.
	ReasonUnavailable = "RegistryUnavailable"
	// ReasonDenied means that the registry does not let these credentials, or anybody without, have the artifact.
	ReasonDenied = "RegistryDenied"
	// ReasonMissing means that the registry has no such artifact.
	ReasonMissing = "ArtifactMissing"
	// ReasonDigestMismatch means that the registry has sent something else than what the digest stands for.
	ReasonDigestMismatch = "DigestMismatch"
	// ReasonRefused means that the artifact is no program, or one that no ConfigMap can hold.
	ReasonRefused = "ArtifactRefused"
)

// Problem says why there is no program. Nothing of a pull Secret is in its message, and the message is the same as long as the cause is.
type Problem struct {
	Reason, Message string
}

// Error is the message.
func (p *Problem) Error() string { return p.Message }

// refusal is what is wrong with an artifact itself.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

func refused(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

func problem(reason, format string, args ...any) *Problem {
	return &Problem{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// explain says what an error of the registry means.
func explain(err error, ref string, login *Login) *Problem {
	var known *Problem
	var answer *errcode.ErrorResponse
	var artifact *refusal
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &artifact):
		return problem(ReasonRefused, "%s was refused: %s.", ref, artifact.why)
	case errors.As(err, &answer):
		return explainStatus(answer, ref, login)
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return problem(ReasonDenied, "%s: the registry wants credentials, and %s. %s", ref, login.lack(), login.cure())
	case errors.Is(err, errdef.ErrNotFound):
		return problem(ReasonMissing, "%s: the registry has no such artifact. Push it, or correct ref and digest. Some registries answer so to who may not see it.", ref)
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrTrailingData):
		return problem(ReasonDigestMismatch, "%s: what the registry has sent is not what the digest stands for. It was not used. "+
			"Ask who runs the registry, or a proxy before it, why.", ref)
	}
	return explainConnection(err, ref, login)
}

func explainStatus(answer *errcode.ErrorResponse, ref string, login *Login) *Problem {
	status := fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return problem(ReasonDenied, "%s: the registry answers %s, and %s. %s", ref, status, login.lack(), login.cure())
	case http.StatusNotFound:
		return problem(ReasonMissing, "%s: the registry answers %s. Push the artifact, or correct ref and digest.", ref, status)
	default:
		return problem(ReasonUnavailable, "%s: the registry answers %s. Look at the registry; it is asked again.", ref, status)
	}
}

func explainConnection(err error, ref string, login *Login) *Problem {
	var request *url.Error
	var certificate *tls.CertificateVerificationError
	var operation *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &certificate):
		return problem(ReasonUnavailable, "%s: the certificate of the registry is not trusted: %s. If an authority of your own has issued it, "+
			"put the authority's certificate into the key ca.crt of the pull Secret.", ref, certificate.Err)
	case errors.Is(err, errPlainHTTP):
		return problem(ReasonUnavailable, "%s: %s. Give the registry a certificate.", ref, errPlainHTTP)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return problem(ReasonUnavailable, "%s: the registry has not answered in time. Check that it runs, and the network of the operator.", ref)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return problem(ReasonUnavailable, "%s: the registry has ended the connection before all was sent. Look at the registry; it is asked again.", ref)
	case errors.As(err, &operation):
		// The whole text has the port of this end, which is another one each time.
		return problem(ReasonUnavailable, "%s: the registry cannot be reached: %s: %s. Check that it runs, and the network of the operator.",
			ref, operation.Op, login.redact(operation.Err.Error()))
	case errors.As(err, &request):
		return problem(ReasonUnavailable, "%s: the registry cannot be reached: %s. Check that it runs, and the network of the operator.",
			ref, login.redact(withoutQueries(request.Err.Error())))
	default:
		return problem(ReasonRefused, "%s: the answer of the registry is not valid: %s. It was not used. Push the artifact again, or ask who runs the registry.",
			ref, login.redact(withoutQueries(err.Error())))
	}
}

var query = regexp.MustCompile(`\?[^\s"]*`)

// withoutQueries leaves out of addresses what gives access: a redirect may be to a signed one.
func withoutQueries(text string) string {
	return strings.TrimSuffix(query.ReplaceAllString(text, ""), ".")
}
