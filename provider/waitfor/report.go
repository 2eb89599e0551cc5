package waitfor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

const (
	// diagnosisPatience is how long looking for the reasons may take.
	diagnosisPatience = 5 * time.Second
	// longestLine is the length of a line of what the cluster says.
	longestLine = 220
	// The most lines of each part of a report, so that all has 25 at most.
	mostMissing, mostConditions, mostPods = 4, 6, 4
)

// secret reports whether values of the object may not be printed.
func (r Request) secret() bool {
	return r.Spec.Secret || manifest.IsSecretKind(r.Object.APIVersion, r.Object.Kind)
}

// subject names the object for people.
func (r Request) subject() string {
	return cluster.Ref{
		APIVersion: r.Object.APIVersion, Kind: r.Object.Kind, Namespace: r.Object.Namespace, Name: r.Object.Name,
	}.String()
}

// goal says what was waited for.
func (r Request) goal() string {
	if r.secret() {
		return "what is asked for (it is not shown, because it is secret)"
	}
	return shorten(r.Spec.Goal.String(), longestLine)
}

// report says what was waited for and how long, what was seen last, why, and what to do.
func (r Request) report(ctx context.Context, e *readiness.NotReadyError, trouble error) string {
	took := duration(e.Took)
	if e.Reason == readiness.Unreadable {
		return failure.Explain(e.Err, failure.Operation{
			Verb: "read", Subject: r.subject() + ", to wait for " + r.goal(), Server: r.Cluster.Server(),
		}).Error() + "\n" + retryHint
	}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch e.Reason {
	case readiness.Failed:
		why := e.Why
		if r.secret() {
			why = "it will not come true"
		}
		add("%s: failed after %s waiting for %s: %s", r.subject(), took, r.goal(), shorten(why, longestLine))
	case readiness.Interrupted:
		add("%s: interrupted after %s waiting for %s", r.subject(), took, r.goal())
	default:
		add("%s: timed out after %s waiting for %s", r.subject(), took, r.goal())
	}
	lines = append(lines, r.seen(e)...)
	if trouble != nil {
		add("  The API server could not be asked at the end: %s", shorten(oneLine(trouble.Error()), longestLine))
	} else if e.Last != nil && e.Reason != readiness.Interrupted {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), diagnosisPatience)
		defer cancel()
		lines = append(lines, r.reasons(ctx, e.Last)...)
	}
	return strings.Join(append(lines, r.next(e)), "\n")
}

// seen lists what the object was like at the end.
func (r Request) seen(e *readiness.NotReadyError) []string {
	if e.Last == nil {
		if notServed := (*failure.KindNotServedError)(nil); errors.As(e.Err, &notServed) {
			return []string{fmt.Sprintf("  Seen last: the API server does not serve the kind %s of %s.", notServed.Kind, notServed.APIVersion)}
		}
		if r.Spec.Goal.ForDeletion() || len(e.Missing) == 0 {
			return []string{"  It was not seen: the API server had not answered yet."}
		}
		return []string{"  Seen last: it does not exist."}
	}
	lines := []string{"  Seen last:"}
	if !r.secret() {
		for _, missing := range first(e.Missing, mostMissing) {
			lines = append(lines, "    "+shorten(missing, longestLine))
		}
	}
	for _, condition := range first(readiness.Conditions(e.Last.Object), mostConditions) {
		line := "condition " + condition.String()
		if !contains(e.Missing, line) {
			lines = append(lines, "    "+shorten(oneLine(line), longestLine))
		}
	}
	if len(lines) == 1 {
		return nil
	}
	return lines
}

// reasons says why, as far as the cluster tells.
func (r Request) reasons(ctx context.Context, last *unstructured.Unstructured) []string {
	var lines []string
	troubles := diagnosis.Troubles(ctx, r.Cluster, last)
	for _, trouble := range first(troubles, mostPods) {
		lines = append(lines, "    "+shorten(oneLine(fmt.Sprintf("pod %s: %s", trouble.Pod, trouble.Long)), longestLine))
	}
	if more := len(troubles) - mostPods; more > 0 {
		lines = append(lines, fmt.Sprintf("    and %d more pods that are not ready", more))
	}
	for _, event := range diagnosis.Events(ctx, r.Cluster, last, troubles) {
		lines = append(lines, "    "+shorten(oneLine("event of "+event.String()), longestLine))
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"  Why:"}, lines...)
}

const retryHint = "  The object was left as it is. The next `pulumi up` waits again, in place; nothing is destroyed to retry."

// next says what to do.
func (r Request) next(e *readiness.NotReadyError) string {
	notServed := (*failure.KindNotServedError)(nil)
	switch {
	case e.Reason == readiness.Interrupted:
		return retryHint
	case errors.As(e.Err, &notServed):
		return "  Next: see that its CustomResourceDefinition is installed, or correct apiVersion and kind. " +
			"The next `pulumi up` waits again, in place."
	case e.Last == nil && len(e.Missing) > 0:
		return "  Next: see that something makes the object, or correct apiVersion, kind, namespace and name. " +
			"The next `pulumi up` waits again, in place."
	case e.Reason == readiness.Failed:
		return "  Next: mend what failed, then run `pulumi up` again, which waits again, in place. The object was left as it is."
	default:
		return "  Next: mend what is missing, or give it more time with waitFor.timeout, then run `pulumi up` again, which " +
			"waits again, in place. The object was left as it is."
	}
}

// duration is as long as it is said: seconds, and below one second milliseconds.
func duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	return text
}

func first[T any](list []T, most int) []T { return list[:min(len(list), most)] }

func contains(lines []string, line string) bool {
	for _, candidate := range lines {
		if candidate == line {
			return true
		}
	}
	return false
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// shorten cuts a text that is longer than a line.
func shorten(text string, longest int) string {
	runes := []rune(text)
	if len(runes) <= longest {
		return text
	}
	return string(runes[:longest-1]) + "…"
}
