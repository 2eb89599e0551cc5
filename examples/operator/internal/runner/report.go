package runner

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// report is what the engine has said during one command.
type report struct {
	log *slog.Logger
	// err is the command's. What is behind it is in the rest.
	err error
	// summary counts what was done, or planned, the stack itself and providers left out.
	summary v1alpha1.Summary
	// steps are those of a preview that would change something.
	steps []apitype.StepEventMetadata
	// failed are the resources whose operation failed.
	failed []urn.URN
	// begun are the resources whose operation has no end yet.
	begun []urn.URN
	// heard are all messages, each of which counts once.
	heard map[message]bool
	// errors are those of resources.
	errors []message
	// general are those that the engine tells of no resource.
	general []message
	// program is what the program has written to its standard error, in parts.
	program []string
	// held are the warnings and other messages for the log. They may have a secret that is in no state yet, and are told when all
	// are known: see tell.
	held []slog.Record
}

// message is what the engine or a provider says.
type message struct {
	urn      urn.URN
	severity string
	text     string
}

func newReport(log *slog.Logger) *report {
	return &report{log: log, summary: v1alpha1.Summary{}, heard: map[message]bool{}}
}

func (r *report) add(event apitype.EngineEvent) {
	switch {
	case event.ResourcePreEvent != nil:
		r.began(event.ResourcePreEvent)
	case event.ResOutputsEvent != nil:
		r.done(event.ResOutputsEvent)
	case event.ResOpFailedEvent != nil:
		failed := urn.URN(event.ResOpFailedEvent.Metadata.URN)
		r.failed = append(r.failed, failed)
		r.ended(failed)
	case event.DiagnosticEvent != nil:
		r.said(event.DiagnosticEvent)
	case event.ErrorEvent != nil:
		r.general = append(r.general, message{text: event.ErrorEvent.Error})
	}
}

func (r *report) began(event *apitype.ResourcePreEvent) {
	step := event.Metadata
	if event.Planning && changes(step) {
		r.steps = append(r.steps, step)
	}
	switch {
	case !counted(step):
	case event.Planning:
		r.summary[string(step.Op)]++
	default:
		r.begun = append(r.begun, urn.URN(step.URN))
	}
	if counted(step) && step.Op != apitype.OpSame {
		r.log.Info(map[bool]string{true: "planned", false: "begun"}[event.Planning], "op", step.Op, "name", urn.URN(step.URN).Name(), "type", step.Type)
	}
}

func (r *report) done(event *apitype.ResOutputsEvent) {
	if step := event.Metadata; counted(step) && !event.Planning {
		r.summary[string(step.Op)]++
		r.ended(urn.URN(step.URN))
		if step.Op != apitype.OpSame {
			r.log.Info("done", "op", step.Op, "name", urn.URN(step.URN).Name(), "type", step.Type)
		}
	}
}

func (r *report) ended(resource urn.URN) {
	if at := slices.Index(r.begun, resource); at >= 0 {
		r.begun = slices.Delete(r.begun, at, at+1)
	}
}

// said sorts what the engine and the providers say. An error of a resource has its urn; one of the program comes in parts
// without one, each a line or less.
func (r *report) said(event *apitype.DiagnosticEvent) {
	found := message{urn.URN(event.URN), event.Severity, strings.TrimSpace(event.Message)}
	switch {
	case event.Ephemeral, event.Severity == "debug":
		return
	case event.Severity == "info#err":
		r.program = append(r.program, event.Message)
		return
	case r.heard[found]:
		return
	}
	r.heard[found] = true
	headline, _ := found.lines()
	switch event.Severity {
	case "error":
		r.log.Error("an error, which is explained at the end", "urn", event.URN) // for the same reason
	case "warning":
		r.hold(slog.LevelWarn, headline)
		return
	default:
		r.hold(slog.LevelInfo, headline)
		return
	}
	if event.URN == "" {
		r.general = append(r.general, found)
	} else {
		r.errors = append(r.errors, found)
	}
}

func (r *report) hold(level slog.Level, text string) {
	r.held = append(r.held, slog.NewRecord(time.Now(), level, text, 0))
}

// tell writes what was held back, each with the time when it was said.
func (r *report) tell(ctx context.Context) {
	for _, record := range r.held {
		_ = r.log.Handler().Handle(ctx, record)
	}
	r.held = nil
}

// counted says whether a step is one of a resource that the program made.
func counted(step apitype.StepEventMetadata) bool {
	switch step.Op {
	case apitype.OpRefresh, apitype.OpReadDiscard, apitype.OpDiscardReplaced, apitype.OpRemovePendingReplace,
		apitype.OpCreateReplacement, apitype.OpDeleteReplaced, apitype.OpReadReplacement:
		return false // parts of others, and a look
	}
	return step.Type != string(rootType) && !strings.HasPrefix(step.Type, providerPrefix)
}

// changes says whether a step changes what the program made. The engine makes a default provider for each version of a plugin:
// that another one comes with a new image of the runner changes nothing.
func changes(step apitype.StepEventMetadata) bool {
	switch step.Op {
	case apitype.OpSame, apitype.OpRead, apitype.OpRefresh, apitype.OpReadDiscard, apitype.OpReadReplacement,
		apitype.OpDiscardReplaced, apitype.OpRemovePendingReplace:
		return false
	}
	isDefault := strings.HasPrefix(step.Type, providerPrefix) && strings.HasPrefix(urn.URN(step.URN).Name(), "default")
	return step.Type != string(rootType) && !isDefault
}
