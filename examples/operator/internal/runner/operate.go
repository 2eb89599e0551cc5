package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// result is what an operation has come to.
type result struct {
	failure *failure
	// applied, drifted and plan are as in the record.
	applied bool
	drifted bool
	plan    *v1alpha1.Plan
	summary v1alpha1.Summary
	failed  []urn.URN
	// updated says that the outputs are those of a program that has run to its end.
	updated bool
	// removed says that the stack is not in its backend any more.
	removed bool
	// deployment is the state afterwards; nil if it is not known.
	deployment *apitype.DeploymentV3
}

// reasons are those of failures that have none of their own.
var reasons = map[v1alpha1.OperationKind]string{
	v1alpha1.OperationUpdate:     ReasonUpdateFailed,
	v1alpha1.OperationPreview:    ReasonPreviewFailed,
	v1alpha1.OperationDriftCheck: ReasonDriftCheckFailed,
	v1alpha1.OperationDestroy:    ReasonDestroyFailed,

	v1alpha1.OperationDestroyPreview: ReasonPreviewFailed,
}

// operate carries the operation out. It returns an error only if it was interrupted: everything else is a result.
func (r *run) operate(life, interrupted context.Context, prepared error) (*result, error) {
	work, stop := context.WithCancelCause(life)
	defer stop(nil)
	defer context.AfterFunc(interrupted, func() { stop(errInterrupted) })()
	if r.inputs.Timeout > 0 {
		defer time.AfterFunc(r.inputs.Timeout, func() { stop(errTimedOut) }).Stop()
	}
	done := &result{}
	err := prepared
	if err == nil {
		err = r.perform(life, work, done)
	}
	if err == nil {
		return done, nil
	}
	switch cause := context.Cause(work); {
	case context.Cause(life) != nil:
		return nil, context.Cause(life)
	case errors.Is(cause, errInterrupted):
		if r.local() && done.applied {
			if _, err := r.saveCheckpoint(life); err != nil {
				return nil, err
			}
		}
		return nil, errInterrupted
	case errors.Is(cause, errTimedOut):
		done.failure = r.timedOut(err)
	default:
		done.failure = r.asFailure(err, reasons[r.Kind])
	}
	return done, nil
}

// perform does the work between restoring the state and reading it.
func (r *run) perform(life, work context.Context, done *result) (err error) {
	before, err := unpack(r.head.Checkpoint())
	if err != nil {
		return err
	}
	r.before = resourcesOf(work, r.key, before)
	if r.local() {
		done.deployment = before // Until a backend has answered, the record stays what it is.
	}
	if err := r.hide(work, before); err != nil {
		return err
	}
	if err := r.chooseProject(); err != nil {
		return err
	}
	if r.project == "" {
		r.log.Info("nothing was ever made, so there is nothing to destroy")
		done.applied = !r.Kind.IsPreview()
		return nil
	}
	if r.local() {
		if err := r.restore(); err != nil {
			return err
		}
	}
	if err := errors.Join(folders(), r.writeProgram()); err != nil {
		return err
	}
	pulumi, err := r.open(work)
	if err != nil {
		return failed(err)
	}
	if !r.local() {
		if err := r.readBack(life, pulumi, done); err != nil {
			return err
		}
		if err := r.requireResources(done); err != nil {
			return err
		}
	}
	if r.local() && !r.Kind.IsPreview() {
		saver, err := r.watchCheckpoints(life)
		if err != nil {
			return fmt.Errorf("watch Pulumi's checkpoints: %w", err)
		}
		defer saver.end()
	}
	err = r.command(life, work, pulumi, done)
	if unread := r.readBack(life, pulumi, done); unread != nil {
		return unread // What the command has said is not repeated: which secrets it may have is in the state.
	}
	for _, said := range pulumi.reports {
		said.tell(life)
	}
	return err
}

// command runs what the kind of the operation asks for.
func (r *run) command(life, work context.Context, pulumi *engine, done *result) error {
	switch r.Kind {
	case v1alpha1.OperationPreview:
		return r.previewOnly(work, pulumi, done)
	case v1alpha1.OperationDriftCheck:
		return r.checkDrift(life, work, pulumi, done)
	case v1alpha1.OperationDestroyPreview:
		preview := pulumi.previewDestroy(work)
		err := r.finish(done, preview)
		if err == nil {
			done.plan, err = plan(preview, r.inputs, false)
		}
		return err
	case v1alpha1.OperationDestroy:
		return r.destroy(life, work, pulumi, done)
	case v1alpha1.OperationUpdate:
		if r.inputs.ApprovedPlan != "" && !r.continuesApproved() {
			return r.updateApproved(life, work, pulumi, done)
		}
		return r.update(life, work, pulumi, done, r.inputs.Refresh, "", nil)
	}
	return fmt.Errorf("the operator asked for %q, which this runner does not know. Is its image older than the controller's", r.Kind)
}

func (r *run) previewOnly(work context.Context, pulumi *engine, done *result) error {
	preview := pulumi.preview(work, r.inputs.Refresh, "")
	err := r.finish(done, preview)
	if err == nil {
		done.plan, err = plan(preview, r.inputs, r.inputs.Refresh)
	}
	return err
}

// checkDrift looks whether all is as the program says, and puts it right if it may.
func (r *run) checkDrift(life, work context.Context, pulumi *engine, done *result) error {
	preview := pulumi.preview(work, true, "")
	if err := r.finish(done, preview); err != nil {
		return err
	}
	found, err := plan(preview, r.inputs, true)
	if err != nil || found == nil {
		return err
	}
	found.Drift, done.drifted = true, true
	if !r.inputs.Correct {
		done.plan = found
		return nil
	}
	return r.update(life, work, pulumi, done, true, "", nil)
}

// destroy deletes what the program made: if a plan was approved, only if that is still what would happen, or has begun already.
func (r *run) destroy(life, work context.Context, pulumi *engine, done *result) error {
	var approved *v1alpha1.Plan
	if hash := r.inputs.ApprovedPlan; hash != "" {
		approved = &v1alpha1.Plan{Hash: hash}
		if !r.continuesApproved() {
			if err := r.requireApproved(pulumi.previewDestroy(work), false, done); err != nil {
				return err
			}
		}
	}
	if err := r.applying(life, done, approved); err != nil {
		return err
	}
	err := r.finish(done, pulumi.destroy(work, !r.local()))
	done.removed = err == nil && !r.local()
	return err
}

// updateApproved makes the plan again and runs it if it is the one that was approved.
func (r *run) updateApproved(life, work context.Context, pulumi *engine, done *result) error {
	if err := r.requireApproved(pulumi.preview(work, r.inputs.Refresh, r.planFile()), r.inputs.Refresh, done); err != nil {
		return err
	}
	approved := &v1alpha1.Plan{Hash: r.inputs.ApprovedPlan, InputHash: r.inputs.InputHash}
	return r.update(life, work, pulumi, done, r.inputs.Refresh, r.planFile(), approved)
}

// requireApproved wants a preview to be what was approved.
func (r *run) requireApproved(preview *report, refresh bool, done *result) error {
	if err := r.finish(done, preview); err != nil {
		return err
	}
	now, err := plan(preview, r.inputs, refresh)
	if err != nil {
		return err
	}
	if now != nil && now.Hash != r.inputs.ApprovedPlan {
		done.plan = now
		return &failure{ReasonPlanChanged, fmt.Sprintf("The plan that was approved, %s, is not what would happen now. Nothing was changed. Look at the new plan, and approve %s.", r.inputs.ApprovedPlan, now.Hash)}
	}
	return nil
}

// continuesApproved says that an earlier run has begun with the approved plan. What is left of it is another plan, but
// not another change.
func (r *run) continuesApproved() bool {
	before := r.resumed
	return before != nil && before.Kind == r.Kind && before.Applied && before.Plan != nil &&
		before.InputHash == r.inputs.InputHash && r.inputs.ApprovedPlan != "" && before.Plan.Hash == r.inputs.ApprovedPlan
}

func (r *run) update(life, work context.Context, pulumi *engine, done *result, refresh bool, planFile string, approved *v1alpha1.Plan) error {
	if err := r.applying(life, done, approved); err != nil {
		return err
	}
	up := pulumi.up(work, refresh, planFile)
	err := r.finish(done, up)
	done.updated = err == nil
	if err != nil && up.violated() {
		return &failure{ReasonPlanChanged, up.explain(maximumMessage/2) + "\nWhat came before it is done: " + counts(up.summary) + ". Look at the new plan, and approve it."}
	}
	return err
}

// applying says in the record that from here on something may have changed.
func (r *run) applying(life context.Context, done *result, approved *v1alpha1.Plan) error {
	done.applied = true
	return r.save(life, func(head *state.Head) {
		head.Record.Applied, head.Project = true, r.project
		if approved != nil {
			head.Record.Plan = approved
		}
	})
}

// finish takes over what a command has said.
func (r *run) finish(done *result, said *report) error {
	done.summary, done.failed = said.summary, said.failed
	for _, failure := range said.errors {
		done.failed = append(done.failed, failure.urn)
	}
	return said.asError()
}

// asError is a failure without a reason of its own.
func (r *report) asError() error {
	if r.err == nil {
		return nil
	}
	return &commandError{report: r}
}

// commandError is a command that failed.
type commandError struct{ report *report }

func (e *commandError) Error() string { return e.report.explain(maximumMessage) }
func (e *commandError) Unwrap() error { return e.report.err }

// timedOut says what a run that took too long was waiting for.
func (r *run) timedOut(err error) *failure {
	message := fmt.Sprintf("The run took longer than spec.timeout, %s, and was ended. Nothing that was done is lost; the next run continues.", r.inputs.Timeout)
	if command, ok := errors.AsType[*commandError](err); ok {
		if len(command.report.summary) > 0 {
			message += " Done: " + counts(command.report.summary) + "."
		}
		if text := command.report.explain(maximumMessage - len(message) - 10); text != "" {
			message += "\n" + text
		}
	}
	return &failure{ReasonTimedOut, message}
}

// readBack reads the state as it is afterwards. It is what the record tells of, also of a failure.
func (r *run) readBack(life context.Context, pulumi *engine, done *result) error {
	var after *apitype.DeploymentV3
	if r.local() {
		content, err := r.readCheckpoint()
		if err != nil {
			return err
		}
		if after, err = unpack(content); err != nil {
			return err
		}
	} else if done.removed {
		after = &apitype.DeploymentV3{} // the stack was removed
	} else {
		ctx, cancel := context.WithTimeout(life, r.Grace)
		defer cancel()
		exported, err := r.export(ctx, pulumi)
		if err != nil {
			return err
		}
		after = exported
	}
	done.deployment = after
	if err := os.Remove(r.planFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return r.hide(life, after)
}

// counts are a summary for people.
func counts(summary v1alpha1.Summary) string {
	var parts []string
	for _, op := range []string{"create", "update", "replace", "delete", "same"} {
		if summary[op] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", op, summary[op]))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// failed is the error of a command before the engine begins.
func failed(err error) error { return (&report{err: err}).asError() }
