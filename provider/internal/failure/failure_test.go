package failure_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

var (
	configMaps = schema.GroupResource{Resource: "configmaps"}
	dial       = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
)

func status(code int32, reason metav1.StatusReason, message string, causes ...metav1.StatusCause) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message, Details: &metav1.StatusDetails{Causes: causes},
	}}
}

func request(err error) error { return &url.Error{Op: "Patch", URL: "https://h/very/long", Err: err} }

func invalid() error {
	return apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "web", field.ErrorList{
		field.Invalid(field.NewPath("data", "password"), "hunter2", "must be something else"),
		field.Required(field.NewPath("spec", "name"), "give a name"),
	})
}

func TestErrorsHaveAnOutcomeAndAClass(t *testing.T) {
	for _, c := range []struct {
		name    string
		err     error
		outcome failure.WriteEffect
		class   failure.Class
	}{
		{"400", apierrors.NewBadRequest("no"), failure.Refused, failure.ClassInvalid},
		{"401", apierrors.NewUnauthorized("no"), failure.Refused, failure.ClassAuthentication},
		{"403", apierrors.NewForbidden(configMaps, "web", errors.New("no")), failure.Refused, failure.ClassForbidden},
		{"404", apierrors.NewNotFound(configMaps, "web"), failure.Refused, failure.ClassNotFound},
		{"404 namespace", apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "prod"), failure.Refused, failure.ClassNamespaceMissing},
		{"408", status(408, "", ""), failure.Unknown, failure.ClassTimeout},
		{"409", apierrors.NewConflict(configMaps, "web", errors.New("no")), failure.Refused, failure.ClassConflict},
		{"409 exists", apierrors.NewAlreadyExists(configMaps, "web"), failure.Refused, failure.ClassAlreadyExists},
		{"409 fields", apierrors.NewApplyConflict([]metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict, Field: ".a"}}, "x"), failure.Refused, failure.ClassFieldConflict},
		{"405", apierrors.NewMethodNotSupported(configMaps, "watch"), failure.Refused, failure.ClassOther},
		{"413", apierrors.NewRequestEntityTooLargeError("no"), failure.Refused, failure.ClassInvalid},
		{"422", invalid(), failure.Refused, failure.ClassInvalid},
		{"429", apierrors.NewTooManyRequests("no", 1), failure.Refused, failure.ClassTooManyRequests},
		{"499", status(499, "", ""), failure.Unknown, failure.ClassOther},
		{"500", apierrors.NewInternalError(errors.New("no")), failure.Unknown, failure.ClassServer},
		{"500 typed patch", status(500, "", `failed to create typed patch object (prod/web; v1, Kind=ConfigMap): .dataa: field not declared in schema`), failure.Refused, failure.ClassInvalid},
		{"500 no quantity [O50]", status(500, "", `failed to convert new object (default/web; apps/v1, Kind=Deployment) to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: quantities must match the regular expression`), failure.Refused, failure.ClassInvalid},
		{"500 version that the definition has dropped [D111]", status(500, "", `request to convert CR to an invalid group/version: example.org/v1beta1`), failure.Refused, failure.ClassServer},
		{"503", apierrors.NewServiceUnavailable("field not declared in schema"), failure.Unknown, failure.ClassServer},
		{"504", apierrors.NewTimeoutError("no", 1), failure.Unknown, failure.ClassTimeout},
		{"dial", request(dial), failure.NotSent, failure.ClassUnreachable},
		{"DNS", request(&net.OpError{Op: "dial", Err: &net.DNSError{Name: "h"}}), failure.NotSent, failure.ClassDNS},
		{"proxy", request(&net.OpError{Op: "proxyconnect", Err: errors.New("no")}), failure.NotSent, failure.ClassUnreachable},
		{"certificate", request(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}), failure.NotSent, failure.ClassCertificate},
		{"host name", request(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"}), failure.NotSent, failure.ClassCertificate},
		{"no TLS", request(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}), failure.NotSent, failure.ClassCertificate},
		{"write on a reused connection", request(&net.OpError{Op: "write", Err: syscall.EPIPE}), failure.Unknown, failure.ClassConnection},
		{"reset", request(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), failure.Unknown, failure.ClassConnection},
		{"EOF", request(io.EOF), failure.Unknown, failure.ClassConnection},
		{"timeout", request(context.DeadlineExceeded), failure.Unknown, failure.ClassTimeout},
		{"cancelled", request(context.Canceled), failure.Unknown, failure.ClassCancelled},
		{"observed as not sent", &failure.NotSentError{Err: request(io.EOF)}, failure.NotSent, failure.ClassConnection},
		{"a forbidden discovery", &failure.NotSentError{Err: apierrors.NewForbidden(configMaps, "", nil)}, failure.NotSent, failure.ClassForbidden},
		{"connection field", &failure.FieldError{Field: "host", Reason: "is wrong"}, failure.NotSent, failure.ClassConfiguration},
		{"credential plugin", &failure.CredentialsError{Command: "aws", Err: errors.New("no")}, failure.NotSent, failure.ClassCredentials},
		{"kind", &failure.KindNotServedError{APIVersion: "a/v1", Kind: "B"}, failure.Refused, failure.ClassKindNotServed},
		{"unreadable reply", &failure.UnreadableReplyError{Code: 200}, failure.Unknown, failure.ClassOther},
		{"anything", errors.New("no"), failure.Unknown, failure.ClassOther},
	} {
		t.Run(c.name, func(t *testing.T) {
			wrapped := fmt.Errorf("ConfigMap prod/web: %w", c.err)
			assert.Equal(t, c.outcome, failure.Outcome(wrapped))
			assert.Equal(t, c.class, failure.Classify(wrapped))

			explained := failure.Explain(wrapped, failure.Operation{Verb: "apply", Subject: "ConfigMap prod/web", Server: "https://h:6443"})
			require.ErrorIs(t, explained, wrapped)
			assert.Equal(t, c.outcome, failure.Outcome(explained), "explaining changes no outcome")
			assert.Equal(t, c.class, failure.Classify(explained))
			text := explained.Error()
			assert.True(t, strings.HasPrefix(text, "cannot apply ConfigMap prod/web: "), text)
			assert.NotContains(t, text, "/very/long")
			if c.class != failure.ClassOther {
				assert.Contains(t, text, "\n  Next: ")
			}
			assert.Same(t, explained, failure.Explain(explained, failure.Operation{}), "explained once")
		})
	}
	assert.NoError(t, failure.Explain(nil, failure.Operation{}))
}

func TestGoneIsSaidByTheAPIServerAlone(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"the object is not there", apierrors.NewNotFound(configMaps, "web"), true},
		{"its kind is not served [O18]", &failure.KindNotServedError{APIVersion: "a/v1", Kind: "B"}, true},
		{"its kind is defined and not served", &failure.KindNotServedError{APIVersion: "a/v1", Kind: "B", DefinedBy: failure.Definition{Kind: "CustomResourceDefinition", Name: "bs.a"}}, false},
		{"no error", nil, false},
		{"no permission", apierrors.NewForbidden(configMaps, "web", errors.New("no")), false},
		{"a conflict", apierrors.NewConflict(configMaps, "web", errors.New("no")), false},
		{"expired", apierrors.NewResourceExpired("no"), false},
		{"an API server in trouble", apierrors.NewServiceUnavailable("no"), false},
		{"nobody listens", request(dial), false},
		{"nothing was sent", &failure.NotSentError{Err: request(io.EOF)}, false},
		{"an answer that cannot be read", &failure.UnreadableReplyError{Code: 200}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, failure.Gone(c.err))
			if c.err != nil {
				assert.Equal(t, c.want, failure.Gone(fmt.Errorf("ConfigMap prod/web: %w", c.err)))
			}
		})
	}
}

func TestExplanationsListEveryCause(t *testing.T) {
	t.Run("several typos, listed [O49]", func(t *testing.T) {
		text := failure.Explain(invalid(), failure.Operation{Verb: "apply", Subject: "Secret web"}).Error()
		assert.Contains(t, text, "\n  data.password: Invalid value")
		assert.Contains(t, text, "\n  spec.name: Required value: give a name")
	})
	t.Run("field, owner, all of them [O33]", func(t *testing.T) {
		err := apierrors.NewApplyConflict([]metav1.StatusCause{
			{Type: metav1.CauseTypeFieldManagerConflict, Field: ".spec.replicas", Message: `conflict with "hpa" using apps/v1`},
			{Type: metav1.CauseTypeFieldManagerConflict, Field: ".spec.paused", Message: `conflict with "kubectl" using apps/v1`},
		}, "x")
		text := failure.Explain(err, failure.Operation{Verb: "apply", Subject: "Deployment web"}).Error()
		assert.Contains(t, text, `.spec.replicas: conflict with "hpa"`)
		assert.Contains(t, text, `.spec.paused: conflict with "kubectl"`)
	})
	t.Run("a namespace that is missing is called a namespace problem [O19]", func(t *testing.T) {
		err := apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "prod")
		assert.Contains(t, failure.Explain(err, failure.Operation{Verb: "create", Subject: "ConfigMap prod/web"}).Error(),
			`namespace "prod" does not exist`)
	})
	t.Run("a refused connection names the server once", func(t *testing.T) {
		text := failure.Explain(request(dial), failure.Operation{Verb: "read", Subject: "ConfigMap web", Server: "https://h:6443"}).Error()
		assert.Contains(t, text, "https://h:6443")
	})
}

func TestSensitiveValuesAreNotExplained(t *testing.T) {
	t.Run("nothing secret in errors [C16]", func(t *testing.T) {
		explained := failure.Explain(fmt.Errorf("x: %w", invalid()), failure.Operation{Subject: "Secret web", Sensitive: []string{"hunter", "hunter2", "", "a"}})
		text := explained.Error() + fmt.Sprint(errors.Unwrap(explained))
		assert.NotContains(t, text, "hunter")
		assert.Contains(t, text, "[secret]")
		assert.Contains(t, text, "must be something else", "a short value does not eat the text")
		assert.True(t, apierrors.IsInvalid(explained), "the cause stays reachable")
	})
}

func TestLongReasonsStayOnOneLine(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 60))
	err := apierrors.NewBadRequest(long + "\nsecond line")
	text := failure.Explain(err, failure.Operation{Verb: "apply", Subject: "X"}).Error()
	assert.Contains(t, text, long)
	assert.Contains(t, text, "\n    second line", "line breaks of the server's own are kept and indented")
}
