package failure

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The phrases in the API server's texts that identify who refused a request. They are whole phrases of the server's
// own, matched where the server writes them, so that a text that merely quotes one (a value of the manifest, for
// example) does not match.
var (
	permissionMark = regexp.MustCompile(`(?s)^(?:.+ is )?forbidden: User "(.*?)" cannot (\S+) resource "([^"]*)" ` +
		`in API group "([^"]*)"(?: in the namespace "([^"]*)"| at the cluster scope)?(?:: (.*))?$`)
	pathMark       = regexp.MustCompile(`(?s)^forbidden: User "(.*?)" cannot (\S+) path "([^"]*)"(?:: (.*))?$`)
	quotaMark      = regexp.MustCompile(`(?s)^.+ is forbidden: exceeded quota: ([^,]+), (requested: .*), (used: .*), (limited: .*)$`)
	quotaWantsMark = regexp.MustCompile(`(?s)^.+ is forbidden: failed quota: ([^:]+): must specify (.*)$`)
	policyMark     = regexp.MustCompile(`(?s)^ValidatingAdmissionPolicy '([^']+)' with binding '([^']+)' denied request(?:: (.*))?$`)
	webhookMark    = regexp.MustCompile(`(?s)^admission webhook "([^"]+)" denied the request(?:: (.*)| without explanation)$`)
)

// refusal describes who refused a request, and what they said.
type refusal struct {
	class Class
	// what completes "cannot VERB SUBJECT: …".
	what string
	// why is their explanation, one item per line.
	why []string
	// next says what to do.
	next string
}

// admission reports whether one of the checks before a write refused the request.
func (r refusal) admission() bool {
	return r.class == ClassWebhook || r.class == ClassWebhookFailed || r.class == ClassPolicy
}

// refusalOf finds out who refused a request. The authorizer, quotas, policies and webhooks all answer 403 Forbidden,
// or any code they like, and no field of the answer distinguishes them; only a terminating namespace has its own
// cause. So refusalOf reads texts that the API server has used for many versions. An unrecognised text is left to the
// status code, and shown verbatim.
func refusalOf(status metav1.Status) (refusal, bool) {
	if status.Code < http.StatusBadRequest {
		return refusal{}, false
	}
	if m := webhookMark.FindStringSubmatch(status.Message); m != nil {
		return deniedByWebhook(m[1], m[2]), true
	}
	if unasked, ok := unaskedIn(status); ok {
		return unasked.refusal(), true
	}
	for _, cause := range causesOf(status) {
		if cause.Type == corev1.NamespaceTerminatingCause {
			return namespaceTerminating(cause), true
		}
		if cause.Type != "" || cause.Field != "" {
			continue // about a field of the object
		}
		if m := policyMark.FindStringSubmatch(cause.Message); m != nil {
			return deniedByPolicy(m[1], m[2], m[3]), true
		}
	}
	if status.Code != http.StatusForbidden {
		return refusal{}, false
	}
	if m := permissionMark.FindStringSubmatch(status.Message); m != nil {
		return notPermitted(m[1], m[2], m[3], m[4], m[5], m[6]), true
	}
	if m := pathMark.FindStringSubmatch(status.Message); m != nil {
		return pathNotPermitted(m[1], m[2], m[3], m[4]), true
	}
	if m := quotaMark.FindStringSubmatch(status.Message); m != nil {
		return refusal{
			class: ClassQuota, what: fmt.Sprintf("it would exceed quota %q of its namespace (403)", m[1]), why: m[2:],
			next: fmt.Sprintf("ask for less, delete what is no longer needed, or have ResourceQuota %q raised.", m[1]),
		}, true
	}
	if m := quotaWantsMark.FindStringSubmatch(status.Message); m != nil {
		return requiredByQuota(m[1], m[2]), true
	}
	return refusal{}, false
}

// requiredByQuota reports what a quota counts and the containers do not set: "limits.cpu for: a,b; requests.cpu for:
// a". API servers before 1.24 do not name the containers.
func requiredByQuota(quota, missing string) refusal {
	var required []string
	for part := range strings.SplitSeq(missing, "; ") {
		resources, containers, named := strings.Cut(part, " for: ")
		text := strings.ReplaceAll(resources, ",", ", ")
		switch names := strings.ReplaceAll(containers, ",", ", "); {
		case named && strings.Contains(names, ","):
			text += " on containers " + names
		case named:
			text += " on container " + names
		}
		required = append(required, text)
	}
	them := "it"
	if strings.ContainsAny(missing, ",;") {
		them = "them"
	}
	return refusal{
		class: ClassQuota, what: fmt.Sprintf("quota %q requires %s (403)", quota, strings.Join(required, ", and ")),
		next: "set " + them + " (resources.requests and resources.limits of the containers), or have a LimitRange give defaults.",
	}
}

func causesOf(status metav1.Status) []metav1.StatusCause {
	if status.Details == nil {
		return nil
	}
	return status.Details.Causes
}

func notPermitted(user, verb, resource, group, namespace, more string) refusal {
	where := ""
	flag := ""
	if namespace != "" {
		where, flag = fmt.Sprintf(" in namespace %q", namespace), " --namespace "+shellWord(namespace)
	}
	if group != "" {
		resource += "." + group
	}
	needs := ""
	if verb == "patch" || verb == "create" {
		needs = " An apply needs create and patch."
	}
	return refusal{
		class: ClassPermission,
		what:  fmt.Sprintf("user %q may not %s %s%s (403)", user, verb, resource, where),
		why:   nonEmpty(more),
		next: "grant it in a Role or ClusterRole, or use other credentials." + needs + " To check:\n" +
			"kubectl auth can-i " + verb + " " + shellWord(resource) + flag + " --as " + shellWord(user),
	}
}

func pathNotPermitted(user, verb, path, more string) refusal {
	return refusal{
		class: ClassPermission,
		what:  fmt.Sprintf("user %q may not %s %s (403)", user, verb, path),
		why:   nonEmpty(more),
		next: "grant it in a ClusterRole, or use other credentials. To check:\n" +
			"kubectl auth can-i " + verb + " " + shellWord(path) + " --as " + shellWord(user),
	}
}

func deniedByWebhook(name, message string) refusal {
	return refusal{
		class: ClassWebhook,
		what:  fmt.Sprintf("admission webhook %q denied the request", name),
		why:   []string{cmp.Or(message, "It gave no explanation.")},
		next: "change the object, or ask whoever runs the webhook (its name is in a ValidatingWebhookConfiguration or a " +
			"MutatingWebhookConfiguration).",
	}
}

func deniedByPolicy(name, binding, message string) refusal {
	return refusal{
		class: ClassPolicy,
		what:  fmt.Sprintf("ValidatingAdmissionPolicy %q denied the request", name),
		why:   nonEmpty(message),
		next:  fmt.Sprintf("change the object, or ask whoever maintains the policy (it applies here by its binding %q).", binding),
	}
}

func namespaceTerminating(cause metav1.StatusCause) refusal {
	return refusal{
		class: ClassNamespaceTerminating,
		what:  "its namespace is being deleted (403)",
		why:   nonEmpty(cause.Message),
		next:  "run again when the namespace is gone and created again; its status.conditions show what blocks the deletion.",
	}
}

// AsForbidden gives the denial of an admission webhook or policy the one code that it means, 403. Webhooks and
// policies may answer with any code: taken literally, 404 to a delete would mean that the object is gone, 409 to an
// apply that another object is in the way, 422 to an update that a field cannot be changed in place, and 429 that we
// should try again. The sender passes every answer through this before any code decides by it.
func AsForbidden(err error) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		return err
	}
	denied, ok := refusalOf(status.ErrStatus)
	if !ok || (denied.class != ClassWebhook && denied.class != ClassPolicy) {
		return err
	}
	forbidden := status.ErrStatus.DeepCopy()
	forbidden.Code, forbidden.Reason = http.StatusForbidden, metav1.StatusReasonForbidden
	return &apierrors.StatusError{ErrStatus: *forbidden}
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// shellWord quotes text as one word of a command line.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return ShellQuoted(text)
}

// ShellQuoted writes a text in quotes, as a shell reads it.
func ShellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
