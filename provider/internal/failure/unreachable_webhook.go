package failure

import (
	"errors"
	"net/http"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// UnaskedWebhook is an admission webhook that the API server had to call before a write and could not: its server is
// down or still starting, its certificate is not trusted yet, or it answers nonsense or too late. Nothing was
// written, so the same request can be sent again.
type UnaskedWebhook struct {
	// Name is the webhook's name in its configuration.
	Name string
	// Why is the API server's text, which may quote the answer of the webhook's server.
	Why string
}

// unaskedMark matches the only cause of such an error.
var unaskedMark = regexp.MustCompile(`(?s)^failed calling webhook "([^"]+)"(?:: |; )(.*)$`)

// WebhookUnasked finds out whether a write was refused because an admission webhook could not be called. The API
// server answers 500 InternalError with one cause, which has neither reason nor field and begins "failed calling
// webhook", whatever is wrong; only its text differs. A denial has no such cause, whichever code the webhook has
// chosen. Neither has the failure of a conversion webhook, which may come after the write.
func WebhookUnasked(err error) (UnaskedWebhook, bool) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return UnaskedWebhook{}, false
	}
	return unaskedIn(status.Status())
}

func unaskedIn(status metav1.Status) (UnaskedWebhook, bool) {
	causes := causesOf(status)
	if status.Code != http.StatusInternalServerError || status.Reason != metav1.StatusReasonInternalError ||
		len(causes) != 1 || causes[0].Type != "" || causes[0].Field != "" {
		return UnaskedWebhook{}, false
	}
	m := unaskedMark.FindStringSubmatch(causes[0].Message)
	if m == nil {
		return UnaskedWebhook{}, false
	}
	return UnaskedWebhook{Name: m[1], Why: m[2]}, true
}

// Reason returns the text on one line, without sensitive values.
func (w UnaskedWebhook) Reason(sensitive []string) string {
	return strings.Join(strings.Fields(NewRedactor(sensitive).message(w.Why)), " ")
}

// refusal says which webhook could not be called, and what to do about it.
func (w UnaskedWebhook) refusal() refusal {
	return refusal{
		class: ClassWebhookFailed,
		what:  `admission webhook "` + w.Name + `" could not be called, so the API server refused the request`,
		why:   []string{w.Why},
		next: "nothing was written. " + w.advice() + " If requests may pass without the webhook, set its failurePolicy to Ignore. " +
			"To find its configuration:\n" +
			"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o name",
	}
}

// advice reads the text, which alone tells what is wrong. A text that it does not recognise may be any kind of server
// failure.
func (w UnaskedWebhook) advice() string {
	says := func(marks ...string) bool {
		for _, mark := range marks {
			if strings.Contains(w.Why, mark) {
				return true
			}
		}
		return false
	}
	switch {
	case says("x509: certificate signed by unknown authority", "unable to load root certificates"):
		return "Its certificate is not trusted by clientConfig.caBundle of its configuration. Whoever injects that " +
			"(cert-manager's cainjector) may not have written it yet: run again. If it stays, correct caBundle."
	case says("x509: ", "tls: "):
		return "Make sure that its server has a certificate that is valid now, and for the address at which it is called."
	case says("connection refused", "no endpoints available", "not found", "no such host", "no route to host"):
		return "Make sure that its server runs, and that clientConfig of its configuration leads there; it may just be starting: run again."
	default:
		return "Make sure that its server runs and answers in time, and check its log; then run again."
	}
}
