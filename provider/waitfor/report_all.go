package waitfor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// subject names the objects for people.
func (m *Many) subject() string {
	text := m.Object.Kind + " objects"
	switch {
	case m.Spec.Secret:
		text += " that are selected"
	case m.LabelSelector != "":
		text += " with " + m.LabelSelector
	}
	if m.Object.Namespace != "" {
		text += " in namespace " + m.Object.Namespace
	}
	return text
}

// goal describes the goal of the wait.
func (m *Many) goal() string {
	if m.Spec.Goal.ForDeletion() {
		return m.Request.goal() + " of all"
	}
	return fmt.Sprintf("%s of %s", m.Request.goal(), m.Count)
}

// behind says how many objects have reached the goal, and what the worst ones lack.
func (m *Many) behind(tally readiness.Tally) []string {
	lines := []string{tally.String()}
	for _, member := range tally.Behind[:min(len(tally.Behind), maxMissing)] {
		lines = append(lines, m.lacks(member))
	}
	return lines
}

// lacks says what an object lacks.
func (m *Many) lacks(member readiness.Member) string {
	name := member.Live.GetName()
	switch {
	case m.secret():
		return name
	case member.Failed != "":
		return name + ": failed: " + m.redact(member.Failed)
	default:
		return name + ": " + m.redact(member.Missing[0])
	}
}

// StillMissing says in a few words what keeps a wait pending; empty if the goal is reached.
func (m *Many) StillMissing(tally readiness.Tally) string {
	if tally.Holds() {
		return ""
	}
	return shorten(strings.Join(m.behind(tally), "; "))
}

// report says what the wait was for, how long it took, what was seen last, the reasons for what the worst object lacks,
// and what to do.
func (m *Many) report(ctx context.Context, e *readiness.NotReadyError, trouble error) string {
	took := duration(e.Took)
	if e.Reason == readiness.Unreadable {
		return failure.Explain(e.Err, failure.Operation{
			Verb: "list", Subject: m.subject() + ", to wait for " + m.goal(), Server: m.Cluster.Server(),
		}).Error() + "\n" + allLeft
	}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch e.Reason {
	case readiness.Failed:
		worst, _ := e.Among.Failed()
		add("%s: failed after %s waiting for %s: %s", m.subject(), took, m.goal(), shorten(m.whyFailed(worst)))
	case readiness.Interrupted:
		add("%s: interrupted after %s waiting for %s", m.subject(), took, m.goal())
	default:
		add("%s: timed out after %s waiting for %s", m.subject(), took, m.goal())
	}
	lines = append(lines, m.seen(e)...)
	advice := e.Next
	switch {
	case trouble != nil:
		add("  The API server could not be asked at the end: %s", shorten(oneLine(trouble.Error())))
	case e.Among != nil && len(e.Among.Behind) > 0 && e.Reason != readiness.Interrupted:
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), diagnosisTimeout)
		defer cancel()
		var why []string
		why, advice = m.reasonsOf(ctx, e, e.Among.Behind[0])
		lines = append(lines, why...)
	}
	return strings.Join(append(lines, m.next(e, advice)), "\n")
}

func (m *Many) whyFailed(worst readiness.Member) string {
	if m.secret() {
		return worst.Live.GetName() + " can no longer succeed"
	}
	return worst.Live.GetName() + ": " + m.redact(worst.Failed)
}

// seen describes the objects at the end.
func (m *Many) seen(e *readiness.NotReadyError) []string {
	if e.Among == nil {
		return m.unseen(e)
	}
	var texts []string
	for _, member := range e.Among.Behind {
		texts = append(texts, m.lacks(member))
	}
	return append([]string{fmt.Sprintf("  Seen last: %s.", e.Among)}, upTo(maxMissing, texts, "that lack something")...)
}

// reasonsOf are the reasons that the cluster shows for what one of the objects lacks, with advice.
func (m *Many) reasonsOf(ctx context.Context, e *readiness.NotReadyError, worst readiness.Member) (lines []string, advice string) {
	lines, advice = m.of(worst.Live).reasons(ctx, &readiness.NotReadyError{
		Reason: e.Reason, Goal: e.Goal, Why: worst.Failed, Next: worst.Next, Suspended: worst.Suspended, Last: worst.Live, Missing: worst.Missing,
	})
	if len(lines) > 0 {
		lines[0] = strings.TrimSuffix(lines[0], ":") + " (" + worst.Live.GetName() + "):"
	}
	return lines, advice
}

// allLeft says what the next command does about a wait that was cut short.
const allLeft = "  The objects were left as they are. The next `pulumi up` waits again, in place; nothing is destroyed to retry."

// next says what to do, in two lines at most.
func (m *Many) next(e *readiness.NotReadyError, advice string) string {
	then, again := ".\n  Then run `pulumi up`, which waits again, in place. The objects were left as they are.", "The next `pulumi up` waits again, in place."
	if m.GoesOn {
		then, again = ". The objects were left as they are.", "To wait again, change waitFor or triggers."
	}
	notServed := (*failure.KindNotServedError)(nil)
	switch {
	case e.Reason == readiness.Interrupted:
		return allLeft
	case errors.As(e.Err, &notServed):
		return "  Next: " + remedyFor(notServed) + ". " + again
	case e.Reason == readiness.Failed && hasEnded(e.Among.Behind[0].Live):
		return fmt.Sprintf("  Next: %s.\n  %s", cmp.Or(advice, "fix what failed"), wayOut(e.Among.Behind[0].Live))
	case e.Reason == readiness.Failed:
		return "  Next: " + cmp.Or(advice, "fix what failed") + then
	case e.Among != nil && e.Among.Total == 0:
		return "  Next: make sure that something creates the objects, or correct kind, namespace and labelSelector. " + again
	default:
		return "  Next: " + cmp.Or(advice, "fix what is missing, or correct count") + ", or give it more time with " + m.moreTime() + then
	}
}
