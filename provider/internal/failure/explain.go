package failure

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// Operation is what we were doing when an error occurred.
type Operation struct {
	// Verb is the action, in the form that follows "cannot": "create", "apply", "read", "delete", "watch".
	Verb string
	// Subject is the target of the action, such as "ConfigMap prod/web".
	Subject string
	// Server is the URL of the API server, if known.
	Server string
	// Sensitive lists values that must not be printed although the API server may quote them: the secrets of the
	// desired object and of the previous one. If there are any, a text that may contain a diff of the object is cut
	// before the diff.
	Sensitive []string
}

// Failure is an explained error.
type Failure struct {
	// Class is the kind of problem.
	Class Class
	// What says in one line what happened.
	What string
	// Why says why, one item per line; empty if the first line says it all.
	Why []string
	// Next says what to do.
	Next string

	cause error
}

// Error returns what, why and next on separate lines.
func (f *Failure) Error() string {
	lines := []string{f.What}
	for _, why := range f.Why {
		lines = append(lines, "  "+indented(why, "    "))
	}
	if f.Next != "" {
		lines = append(lines, "  Next: "+indented(f.Next, "        "))
	}
	return strings.Join(lines, "\n")
}

// indented indents a text of several lines. Long lines stay whole: a terminal wraps them by itself, and a message can
// be searched for verbatim.
func indented(text, indent string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+indent)
}

// Unwrap returns the explained error.
func (f *Failure) Unwrap() error { return f.cause }

// Explain explains err to a user who wanted the operation. It returns nil for nil, and returns an error that was
// already explained unchanged.
func Explain(err error, operation Operation) error {
	if err == nil {
		return nil
	}
	if explained := (*Failure)(nil); errors.As(err, &explained) {
		return err
	}
	f := &Failure{Class: Classify(err), cause: err}
	hide := NewRedactor(operation.Sensitive)
	f.describe(err, operation, hide)
	if len(operation.Sensitive) > 0 {
		f.cause = &redactedCause{err: f.cause, hide: hide}
	}
	return f
}

// describe fills in what, why and next. Texts from others may quote sensitive values, so they always go through hide.
func (f *Failure) describe(err error, operation Operation, hide Redactor) {
	server := cmp.Or(operation.Server, "the API server")
	begin := fmt.Sprintf("cannot %s %s: ", cmp.Or(operation.Verb, "reach"), cmp.Or(operation.Subject, server))
	f.What = begin + summary[f.Class]
	f.Next = next[f.Class]
	f.Why = reasons(err, hide)
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		if refused, ok := refusalOf(status.Status()); ok {
			f.What, f.Why, f.Next = begin+refused.what, nil, refused.next
			for _, why := range refused.why {
				f.Why = append(f.Why, hide.message(why))
			}
			return
		}
	}
	switch f.Class {
	case ClassUnreachable, ClassDNS, ClassCertificate, ClassTimeout, ClassConnection:
		if !mentions(f.Why, operation.Server) {
			f.Why = append(f.Why, "server: "+server)
		}
	case ClassAuthentication:
		f.Why = append(f.Why, "server: "+server)
	case ClassNamespaceMissing:
		if name := missingName(err); name != "" {
			f.What = begin + fmt.Sprintf("namespace %q does not exist", name)
		}
	case ClassKindNotServed:
		f.describeNotServed(err, begin)
	case ClassInvalid:
		f.describeInvalid(err, begin, hide)
	}
}

// describeNotServed says where the kind is served instead, and whether it may still appear.
func (f *Failure) describeNotServed(err error, begin string) {
	var notServed *KindNotServedError
	if !errors.As(err, &notServed) {
		return
	}
	if notServed.IsDefined() {
		f.describeUnserved(notServed, begin)
		return
	}
	nowhere := fmt.Sprintf("%sthe cluster has no kind %q in %q", begin, notServed.Kind, notServed.APIVersion)
	switch elsewhere := few(notServed.ServedAs); {
	case kinds.Successor(notServed.Kind) != "" && elsewhere == "":
		f.What, f.Why, f.Next = nowhere, nil, kinds.Successor(notServed.Kind)
	case notServed.Permanent && elsewhere != "":
		f.What, f.Why = nowhere+", it has it in "+elsewhere, nil
		f.Next = "set apiVersion to " + elsewhere + "; check whether its fields are the same there."
	case notServed.Permanent:
		f.What, f.Why = nowhere, nil
		f.Next = "check apiVersion and kind, upper and lower case too. No CustomResourceDefinition can add a kind to this API group."
	case elsewhere != "":
		// Its definition may still be missing.
		f.What, f.Why = nowhere, []string{"It has a kind of this name in " + elsewhere + "."}
	}
}

// describeUnserved says why objects that exist cannot be reached.
func (f *Failure) describeUnserved(notServed *KindNotServedError, begin string) {
	f.What = fmt.Sprintf("%sthe cluster does not serve kind %q of %q", begin, notServed.Kind, notServed.APIVersion)
	f.Why = []string{notServed.DefinedBy.String() + " defines it, so its objects may exist, and cannot be reached for now."}
	f.Next = notServed.Remedy() + ", then run the command again."
}

// maxListed is how many alternatives are listed.
const maxListed = 3

// few formats alternatives.
func few(texts []string) string {
	if len(texts) > maxListed {
		return fmt.Sprintf("%s or %d others", strings.Join(texts[:maxListed], ", "), len(texts)-maxListed)
	}
	return strings.Join(texts, " or ")
}

// reasons says why, as precisely as the error knows.
func reasons(err error, hide Redactor) []string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return statusReasons(err, status.Status(), hide)
	}
	return []string{hide.Redact(innermost(err).Error())}
}

// statusReasons lists every mistake and every conflict that the API server names, or its message if it names none.
func statusReasons(err error, status metav1.Status, hide Redactor) []string {
	var lines []string
	for _, mistake := range Mistakes(err) {
		lines = append(lines, hide.detail(mistake.String()))
	}
	for _, conflict := range FieldConflicts(err) {
		lines = append(lines, hide.detail(conflict.Field+": "+conflict.Message))
	}
	if len(lines) > 0 {
		return lines
	}
	return nonEmpty(hide.message(status.Message))
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
