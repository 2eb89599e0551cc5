package waitfor

import (
	"context"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// redact hides what is sensitive in what pods and controllers say. Texts are cut after it.
func (r Request) redact(text string) string { return failure.NewRedactor(r.Sensitive).Redact(text) }

// log is how the log of a container ends that has failed, line by line. What it has left as its
// message is said already. A log of an object with secrets is not shown.
func (r Request) log(ctx context.Context, trouble diagnosis.PodIssue) []string {
	if r.secret() {
		return nil
	}
	var lines []string
	for _, line := range trouble.Failed.Log(ctx, r.Cluster, r.redact) {
		if !strings.Contains(r.redact(trouble.Long), strings.TrimSpace(line)) {
			lines = append(lines, "        "+shorten(line))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"      Its log ends:"}, lines...)
}
