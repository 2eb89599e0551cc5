package waitfor

import (
	"context"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// LogLines is the number of log lines that are shown if the program does not set it.
const LogLines = 10

// redact hides sensitive texts in the output of pods and controllers. Redact before cutting a text.
func (r Request) redact(text string) string { return failure.NewRedactor(r.Sensitive).Redact(text) }

// log returns the last lines of a failed container's log, without those that are in its termination message, which is
// already reported. It does not show the log of an object with secrets.
func (r Request) log(ctx context.Context, trouble diagnosis.PodIssue) []string {
	if r.secret() || r.HideOutput {
		return nil
	}
	var lines []string
	for _, line := range trouble.Failed.Log(ctx, r.Cluster, r.LogLines, r.redact) {
		if !strings.Contains(r.redact(trouble.Long), strings.TrimSpace(line)) {
			lines = append(lines, "        "+shorten(line))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"      Its log ends:"}, lines...)
}

// trouble says what is wrong with a pod.
func (r Request) trouble(issue diagnosis.PodIssue) string {
	text := issue.Long
	if r.HideOutput && issue.Message != "" {
		text = strings.ReplaceAll(text, issue.Message, "(its message is not shown, because inputs are secret)")
	}
	return r.redact(text)
}
