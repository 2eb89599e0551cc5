package rpc_test

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// A life has a stack of several resources with a process for all of them, and a life looks between their steps. So it does
// step by step what Pulumi's engine does with one resource; what the other tests do is done by that engine, see operation.

// readBy is what the engine does to refresh a resource (RefreshStep.Apply): Read, and then Diff by the same provider. An
// init error is a warning to it, and is only kept. An error of the Diff fails the command, whichever it is; what was read
// is kept all the same, as the engine changes the state before it asks.
func (s *session) readBy(p *process, preview bool) error {
	before := s.stored
	resp, err := p.Read(context.Background(), plugin.ReadRequest{
		URN: s.urn, ID: s.id, Inputs: sent(s.inputs), State: sent(s.outputs),
	})
	if err != nil && resp.Status != resource.StatusPartialFailure {
		return err
	}
	s.refreshed = plugin.DiffResult{}
	if resp.ID == "" || resp.Outputs == nil { // this is how the engine knows
		s.stored = stored{}
		return nil
	}
	inputs := s.inputs
	if resp.Inputs != nil {
		inputs = receivedAny(resp.Inputs)
	}
	s.stored = stored{resp.ID, inputs, receivedAny(resp.Outputs), reasons(err), resp.RefreshBeforeUpdate}

	// The engine asks for "the diff that a user would see if they immediately ran an up operation on a no-change program
	// after this refresh": from what was read, inputs too, to the inputs before it, which are the wanted ones. There is no
	// program yet, so the changes to ignore are those of the last run.
	diff, err := p.Diff(context.Background(), plugin.DiffRequest{
		URN: s.urn, ID: s.id, OldInputs: sent(s.inputs), OldOutputs: sent(s.outputs), NewInputs: sent(before.inputs),
		AllowUnknowns: preview, IgnoreChanges: s.ignored,
	})
	if err != nil {
		return fmt.Errorf("the Diff after the Read: %w", err)
	}
	s.refreshed = diff.Invert() // it shows what became of the resource, not what would become of it
	return nil
}

// readBefore is the refresh before everything else that the provider asks for with refresh_before_update.
func (s *session) readBefore(preview bool) error {
	if s.id == "" || !s.refresh {
		return nil
	}
	return s.readBy(s.beforeProgram(), preview)
}

// register is what an up does with a resource after the reads, when its program comes to it.
func (s *session) register(program resource.PropertyMap) (string, error) {
	if s.lastRun != nil {
		s.in(s.process) // the program has configured the provider, and the state has that
	}
	inputs, err := s.check(program, false)
	if err != nil {
		return "check", err
	}
	if s.id == "" {
		return "create", s.createChecked(inputs)
	}
	diff, err := s.diffChecked(inputs)
	switch {
	case err != nil:
		return "diff", err
	case diff.Replace():
		if err := s.remove(); err != nil {
			return "delete", err
		}
		return "replace", s.createChecked(inputs)
	case diff.Changes == plugin.DiffSome || len(s.initErrors) > 0:
		return "update", s.update(inputs)
	}
	s.inputs, s.ignored = inputs, s.ignore // an unchanged resource keeps its outputs
	return "same", nil
}
