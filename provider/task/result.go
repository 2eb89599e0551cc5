package task

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// result is the result of a run. It is known once the run has ended.
type result struct {
	known, succeeded       bool
	startedAt, completedAt string
	attempts               int64
	log                    string
	exitCodes              map[string]int32
	messages               map[string]string
}

// resultOf collects the result of a run whose object has ended. What the credentials may not read stays empty, unless it is
// remembered.
func (r *run) resultOf(ctx context.Context, e end, remembered *diagnosis.Remembered) result {
	live := e.live
	text := func(path ...string) string {
		text, _, _ := unstructured.NestedString(live.Object, path...)
		return text
	}
	found := result{
		known: true, succeeded: e.outcome() == afterSuccess, startedAt: text("status", "startTime"),
		exitCodes: map[string]int32{}, messages: map[string]string{},
	}
	ended := diagnosis.EndedContainers(ctx, r.target.Cluster, live, remembered)
	var finished time.Time
	var restarts int32
	redactor := failure.NewRedactor(r.sensitive)
	for _, container := range ended {
		found.exitCodes[container.Name] = container.ExitCode
		if container.Message != "" {
			found.messages[container.Name] = redactor.Redact(container.Message)
		}
		if container.Finished.After(finished) {
			finished = container.Finished
		}
		restarts = max(restarts, container.Restarts)
	}
	found.log = logOf(ctx, r.target.Cluster, ended, r.in.logLines, redactor.Redact)
	if isJob(live.GroupVersionKind().GroupKind()) {
		for _, count := range []string{"succeeded", "failed"} {
			n, _, _ := unstructured.NestedInt64(live.Object, "status", count)
			found.attempts += n
		}
		found.completedAt = text("status", "completionTime")
	} else {
		found.attempts = int64(restarts) + 1
	}
	if found.completedAt == "" && !finished.IsZero() {
		found.completedAt = finished.UTC().Format(time.RFC3339)
	}
	return found
}

// logOf returns the ends of the containers' logs, without init containers that have succeeded. If there are several containers,
// each line begins with the name of its container.
func logOf(ctx context.Context, clu *cluster.Cluster, ended []diagnosis.EndedContainer, lines int, redact func(string) string) string {
	ended = slices.DeleteFunc(slices.Clone(ended), func(c diagnosis.EndedContainer) bool { return c.Init && c.ExitCode == 0 })
	var log []string
	for _, container := range ended {
		for _, line := range container.Log(ctx, clu, lines, redact) {
			if len(ended) > 1 {
				line = "[" + container.Name + "] " + line
			}
			log = append(log, line)
		}
	}
	return strings.Join(log, "\n")
}

// encodeResult returns the outputs about the result. What the containers have written is secret if an input is secret.
func (s state) encodeResult() map[string]property.Value {
	out := map[string]property.Value{}
	r := s.result
	if !r.known {
		return out
	}
	out[keySucceeded], out[keyAttempts] = property.New(r.succeeded), property.New(float64(r.attempts))
	out[keyLog] = property.New(r.log).WithSecret(s.secret)
	for key, text := range map[string]string{keyStartedAt: r.startedAt, keyCompletedAt: r.completedAt} {
		if text != "" {
			out[key] = property.New(text)
		}
	}
	codes, messages := map[string]property.Value{}, map[string]property.Value{}
	for name, code := range r.exitCodes {
		codes[name] = property.New(float64(code))
	}
	for name, message := range r.messages {
		messages[name] = property.New(message)
	}
	out[keyExitCodes], out[keyMessages] = property.New(codes), property.New(messages).WithSecret(s.secret)
	return out
}

// decodeResult reads what encodeResult writes.
func decodeResult(outputs property.Map) result {
	r := result{
		known: outputs.Get(keySucceeded).IsBool(), succeeded: values.Flag(outputs.Get(keySucceeded)), log: values.Text(outputs.Get(keyLog)),
		startedAt: values.Text(outputs.Get(keyStartedAt)), completedAt: values.Text(outputs.Get(keyCompletedAt)),
		exitCodes: map[string]int32{}, messages: map[string]string{},
	}
	if attempts := outputs.Get(keyAttempts); attempts.IsNumber() {
		r.attempts = int64(attempts.AsNumber())
	}
	if codes := outputs.Get(keyExitCodes); codes.IsMap() {
		for name, code := range codes.AsMap().All {
			if code.IsNumber() {
				r.exitCodes[name] = int32(code.AsNumber())
			}
		}
	}
	if messages := outputs.Get(keyMessages); messages.IsMap() {
		for name, message := range messages.AsMap().All {
			r.messages[name] = values.Text(message)
		}
	}
	return r
}
