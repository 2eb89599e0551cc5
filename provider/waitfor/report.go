package waitfor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

const (
	// diagnosisTimeout bounds the search for the reasons.
	diagnosisTimeout = 5 * time.Second
	// maxLine is the maximum length of a line from the cluster.
	maxLine = 220
	// The maximum number of lines for each part of a report. A report has at most 25 lines: these, one line for
	// what is left out of each of the first three parts, and five others.
	maxMissing, maxConditions, maxPods, maxEvents = 3, 5, 4, 5
)

// secret reports whether values of the object may not be printed.
func (r Request) secret() bool {
	return r.Spec.Secret || manifest.IsSecretKind(r.Object.APIVersion, r.Object.Kind)
}

// subject names the object for people.
func (r Request) subject() string { return cluster.Ref(r.Object).String() }

// goal describes the goal of the wait.
func (r Request) goal() string {
	if r.secret() {
		return "what is asked for (it is not shown, because it is secret)"
	}
	return shorten(r.Spec.Goal.String())
}

// report says what the wait was for, how long it took, what was seen last, the reasons, and what to do.
func (r Request) report(ctx context.Context, e *readiness.NotReadyError, trouble error) string {
	took := duration(e.Took)
	if e.Reason == readiness.Unreadable {
		verb := "read"
		if _, asked := errors.AsType[unaskedError](e.Err); asked {
			verb = "ask"
		}
		return failure.Explain(e.Err, failure.Operation{
			Verb: verb, Subject: r.subject() + ", to wait for " + r.goal(), Server: r.Cluster.Server(),
		}).Error() + "\n" + r.retryHint()
	}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch e.Reason {
	case readiness.Failed:
		why := r.redact(e.Why)
		if r.secret() {
			why = "it can no longer succeed"
		}
		add("%s: failed after %s waiting for %s: %s", r.subject(), took, r.goal(), shorten(why))
	case readiness.Interrupted:
		add("%s: interrupted after %s waiting for %s", r.subject(), took, r.goal())
	default:
		add("%s: timed out after %s waiting for %s", r.subject(), took, r.goal())
	}
	lines = append(lines, r.seen(e)...)
	advice := ""
	if trouble != nil {
		add("  The API server could not be asked at the end: %s", shorten(oneLine(trouble.Error())))
	} else if e.Last != nil && e.Reason != readiness.Interrupted {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), diagnosisTimeout)
		defer cancel()
		var why []string
		why, advice = r.reasons(ctx, e)
		lines = append(lines, why...)
	}
	return strings.Join(append(lines, r.next(e, advice)), "\n")
}

// seen describes the object at the end. It does not repeat the first line.
func (r Request) seen(e *readiness.NotReadyError) []string {
	if e.Last == nil {
		return r.unseen(e)
	}
	var lines []string
	if !r.secret() && e.Reason != readiness.Failed {
		var missing []string
		for _, text := range e.Missing {
			missing = append(missing, r.redact(text))
		}
		lines = upTo(maxMissing, missing, "that is missing")
	}
	var conditions []string
	for _, condition := range readiness.Conditions(e.Last.Object) {
		line := "condition " + condition.String()
		if slices.Contains(e.Missing, line) || line == e.Why || isRefusal(condition) {
			continue
		}
		if condition.Message != "" && strings.Contains(e.Why, condition.Message) {
			condition.Message = ""
			line = "condition " + condition.String()
		}
		conditions = append(conditions, r.redact(line))
	}
	lines = append(lines, upTo(maxConditions, conditions, "conditions")...)
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"  Seen last:"}, lines...)
}

// unseen says why there is no object to describe.
func (r Request) unseen(e *readiness.NotReadyError) []string {
	if notServed := (*failure.KindNotServedError)(nil); errors.As(e.Err, &notServed) {
		line := fmt.Sprintf("  Seen last: the API server does not serve the kind %s of %s", notServed.Kind, notServed.APIVersion)
		if notServed.IsDefined() {
			line += ", although " + notServed.DefinedBy.String() + " defines it"
		}
		return []string{line + "."}
	}
	if r.vanished(e) {
		return nil // the first line has already said it
	}
	if r.Spec.Goal.ForDeletion() || len(e.Missing) == 0 {
		return []string{"  It was not seen: the API server had not answered yet."}
	}
	return []string{"  Seen last: it does not exist."}
}

// reasons are the reasons that the cluster shows, with advice.
func (r Request) reasons(ctx context.Context, e *readiness.NotReadyError) (lines []string, advice string) {
	troubles := diagnosis.PodIssues(ctx, r.Cluster, e.Last, r.pods)
	causes, advice := r.causes(ctx, e)
	var told strings.Builder
	told.WriteString(e.Why)
	for _, condition := range readiness.Conditions(e.Last.Object) {
		told.WriteString("\n" + condition.Message)
	}
	if len(troubles) > 0 {
		advice = cmp.Or(advice, troubles[0].Advice)
	}
	var pods []string
	for _, group := range byReason(troubles) {
		told.WriteString("\n" + group[0].Long)
		line := "pod " + group[0].Pod
		if more := len(group) - 1; more > 0 {
			line = fmt.Sprintf("%d pods, such as %s", len(group), group[0].Pod)
		}
		pods = append(pods, line+": "+r.trouble(group[0]))
	}
	for _, cause := range causes {
		told.WriteString("\n" + cause)
		lines = append(lines, "    "+r.redact(cause))
	}
	shown := upTo(maxPods, pods, "reasons of other pods")
	if len(troubles) > 0 {
		shown = slices.Insert(shown, 1, r.log(ctx, troubles[0])...)
	}
	lines = append(lines, shown...)
	events := slices.DeleteFunc(diagnosis.Events(ctx, r.Cluster, e.Last, troubles), func(event diagnosis.Event) bool {
		return event.Repeats(told.String())
	})
	var others []string
	for _, event := range diagnosis.Foremost(events, maxEvents) {
		line := "    " + r.event(event)
		switch {
		case !event.IsWarning():
			others = append(others, line)
			continue
		case event.RefusesPods():
			advice = cmp.Or(advice, refusedPods)
		}
		lines = append(lines, line)
	}
	switch {
	case len(lines) > 0:
		lines = append([]string{"  Why:"}, lines...)
	case len(others) > 0:
		// This is not a cause, but it is all that is known.
		lines = append([]string{"  Reported last, not as a warning:"}, others...)
	}
	return lines, advice
}

// byReason groups the pods with the same trouble, the worst first.
func byReason(troubles []diagnosis.PodIssue) [][]diagnosis.PodIssue {
	var groups [][]diagnosis.PodIssue
	index := map[string]int{}
	for _, trouble := range troubles {
		at, known := index[trouble.Long]
		if !known {
			at = len(groups)
			index[trouble.Long] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], trouble)
	}
	return groups
}

// duration formats a duration: in seconds, and below one second in milliseconds.
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

// upTo returns the first lines of a list, and a line that says how many are left out.
func upTo(most int, texts []string, what string) []string {
	var lines []string
	for _, text := range texts[:min(len(texts), most)] {
		lines = append(lines, "    "+shorten(oneLine(text)))
	}
	if more := len(texts) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("    and %d more %s", more, what))
	}
	return lines
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// shorten cuts out the middle of a text that is longer than a line. What went wrong is often at the very end.
func shorten(text string) string {
	runes := []rune(text)
	if len(runes) <= maxLine {
		return text
	}
	const tail = maxLine * 2 / 5
	return string(runes[:maxLine-1-tail]) + "…" + string(runes[len(runes)-tail:])
}
