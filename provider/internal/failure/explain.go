package failure

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sort"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// redacted stands where a sensitive value was.
const redacted = "[secret]"

// shortestBare is the length from which a sensitive value is replaced wherever it stands. Shorter ones are replaced
// only where the API server quotes them: replacing every "a" would leave an unreadable text and hide nothing.
const shortestBare = 4

// Operation is what was being done when an error came.
type Operation struct {
	// Verb is what was done, in the form that follows "cannot": "create", "apply", "read", "delete", "watch".
	Verb string
	// Subject is what it was done to, such as "ConfigMap prod/web".
	Subject string
	// Server is the URL of the API server, if known.
	Server string
	// Sensitive lists values that must not be printed although the API server may quote them.
	Sensitive []string
}

// Failure is an explained error.
type Failure struct {
	// Class is the kind of problem.
	Class Class
	// What says in one line what happened.
	What string
	// Why says why, one item a line; empty if the first line says it all.
	Why []string
	// Next says what to do.
	Next string

	cause error
}

// Error gives what, why and next on lines of their own.
func (f *Failure) Error() string {
	lines := []string{f.What}
	for _, why := range f.Why {
		lines = append(lines, wrap(why, "  ", "    ")...)
	}
	if f.Next != "" {
		lines = append(lines, wrap("Next: "+f.Next, "  ", "        ")...)
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the explained error.
func (f *Failure) Unwrap() error { return f.cause }

// Explain says what err means to somebody who wanted the operation. It returns nil for nil, and an error that was
// explained before as it is.
func Explain(err error, operation Operation) error {
	if err == nil {
		return nil
	}
	if explained := (*Failure)(nil); errors.As(err, &explained) {
		return err
	}
	f := &Failure{Class: Classify(err), cause: err}
	f.describe(err, operation)
	f.redact(operation.Sensitive)
	return f
}

func (f *Failure) describe(err error, operation Operation) {
	server := operation.Server
	if server == "" {
		server = "the API server"
	}
	f.What = fmt.Sprintf("cannot %s %s: %s", orElse(operation.Verb, "reach"), orElse(operation.Subject, server), summary[f.Class])
	f.Next = next[f.Class]
	f.Why = reasons(err)
	switch f.Class {
	case ClassConfiguration, ClassOther, ClassCredentials:
		return
	case ClassUnreachable, ClassDNS, ClassCertificate, ClassTimeout, ClassConnection:
		if !mentions(f.Why, operation.Server) {
			f.Why = append(f.Why, "server: "+server)
		}
	case ClassAuthentication:
		f.Why = append(f.Why, "server: "+server)
	case ClassNamespaceMissing:
		if name := missingName(err); name != "" {
			f.What = fmt.Sprintf("cannot %s %s: namespace %q does not exist", orElse(operation.Verb, "reach"), operation.Subject, name)
		}
	case ClassInvalid:
		if IsTypedPatchError(err) {
			f.What = fmt.Sprintf("cannot %s %s: the manifest does not fit the kind's schema", orElse(operation.Verb, "reach"), operation.Subject)
		}
	}
}

// redact replaces sensitive values. Longer values go first, so that a value that contains another leaves no rest.
func (f *Failure) redact(sensitive []string) {
	values := append([]string(nil), sensitive...)
	sort.Slice(values, func(i, j int) bool { return len(values[i]) > len(values[j]) })
	var pairs []string
	for _, value := range values {
		quoted := fmt.Sprintf("%q", value)
		switch {
		case value == "":
		case len(value) < shortestBare:
			pairs = append(pairs, quoted, redacted)
		default:
			pairs = append(pairs, value, redacted, strings.Trim(quoted, `"`), redacted)
		}
	}
	if len(pairs) == 0 {
		return
	}
	replacer := strings.NewReplacer(pairs...)
	for i := range f.Why {
		f.Why[i] = replacer.Replace(f.Why[i])
	}
	f.cause = &redactedCause{err: f.cause, replacer: replacer}
}

// redactedCause keeps the cause reachable for errors.As and prints it without sensitive values.
type redactedCause struct {
	err      error
	replacer *strings.Replacer
}

func (c *redactedCause) Error() string { return c.replacer.Replace(c.err.Error()) }

// Unwrap gives the cause itself.
func (c *redactedCause) Unwrap() error { return c.err }

// reasons says why, as precisely as the error knows.
func reasons(err error) []string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return statusReasons(err, status.Status())
	}
	return []string{innermost(err).Error()}
}

// statusReasons lists every cause that the API server gives, or its message if it gives none.
func statusReasons(err error, status metav1.Status) []string {
	if status.Details != nil && (status.Code == http.StatusUnprocessableEntity || len(FieldConflicts(err)) > 0) {
		var lines []string
		for _, cause := range status.Details.Causes {
			switch {
			case cause.Field == "" || cause.Field == "<nil>":
				lines = append(lines, cause.Message)
			default:
				lines = append(lines, fmt.Sprintf("%s: %s", cause.Field, cause.Message))
			}
		}
		if len(lines) > 0 {
			return lines
		}
	}
	if status.Message == "" {
		return nil
	}
	return []string{status.Message}
}

// innermost drops the wrappers that only repeat the URL of the request, which is long and says nothing new.
func innermost(err error) error {
	for {
		var request *url.Error
		if !errors.As(err, &request) {
			return err
		}
		err = request.Err
	}
}

func missingName(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil {
		return status.Status().Details.Name
	}
	return ""
}

func mentions(lines []string, server string) bool {
	address, err := url.Parse(server)
	if err != nil || address.Host == "" {
		return false
	}
	host, _, splitErr := net.SplitHostPort(address.Host)
	if splitErr != nil {
		host = address.Host
	}
	for _, line := range lines {
		if strings.Contains(line, host) {
			return true
		}
	}
	return false
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
