package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/require"
)

const (
	objectType = tokens.Type("k8sconnect:index:KubeObject")
	waitType   = tokens.Type("k8sconnect:index:Wait")
	patchType  = tokens.Type("k8sconnect:index:Patch")
)

// stored is what the engine keeps of a resource between runs.
type stored struct {
	id              resource.ID
	inputs, outputs resource.PropertyMap
	initErrors      []string
	// refresh is refresh_before_update as the provider said it last.
	refresh bool
}

// session is one resource of a stack, over any number of runs.
type session struct {
	stored

	t       testing.TB
	process *process
	urn     resource.URN

	// lastRun is the provider as the last run configured it, where the program configures it in another way: see
	// reconfigured.
	lastRun *process
	// earlier are the processes of earlier runs.
	earlier []*process

	// timeout is customTimeouts, in seconds; ignore is ignoreChanges, and ignored what it was in the last run.
	timeout         float64
	ignore, ignored []string

	// refreshed is what the last refresh shows: what the cluster did to the resource.
	refreshed plugin.DiffResult

	// destroying looks at the cluster before every destroy, and what it returns at what the destroy left.
	destroying func(s *session) (destroyed func(err error))
}

func urnOf(name string) resource.URN { return urnOfType(objectType, name) }

func urnOfType(kind tokens.Type, name string) resource.URN {
	return resource.URN("urn:pulumi:dev::shop::" + string(kind) + "::" + name)
}

// resource adds a KubeObject to the stack.
func (p *process) resource(t testing.TB, name string) *session {
	return &session{t: t, process: p, urn: urnOf(name)}
}

// wait adds a Wait to the stack.
func (p *process) wait(t testing.TB, name string) *session {
	return &session{t: t, process: p, urn: urnOfType(waitType, name)}
}

// in continues with another provider process, as every new run does.
func (s *session) in(p *process) *session {
	s.earlier = s.processes()
	s.process, s.lastRun = p, nil
	return s
}

// reconfigured continues with a program that configures the provider in another way than the last run did.
//
// The engine reads before it runs the program, so it starts a provider with the configuration that the state has of it
// (Deployment.EnsureProvider). If the program registers it with the same, that process serves the program, too; if not,
// the program gets a process of its own (Registry.Update). A destroy has no program and uses the first one alone.
func (s *session) reconfigured(program *process) *session {
	s.t.Helper()
	lastRun := s.process.again(s.t)
	s.in(program).lastRun = lastRun
	return s
}

// beforeProgram is the provider that the engine uses until the program has configured it.
func (s *session) beforeProgram() *process {
	if s.lastRun != nil {
		return s.lastRun
	}
	return s.process
}

// invalid is an error of Check.
type invalid struct{ failures []plugin.CheckFailure }

func (e invalid) Error() string {
	return fmt.Sprintf("%d check failures: %v", len(e.failures), e.failures)
}

func (s *session) check(program resource.PropertyMap, preview bool) (resource.PropertyMap, error) {
	resp, err := s.process.Check(context.Background(), plugin.CheckRequest{
		URN: s.urn, Olds: s.inputs, News: program, AllowUnknowns: preview,
	})
	if err == nil && len(resp.Failures) > 0 {
		err = invalid{resp.Failures}
	}
	return resp.Properties, err
}

// diff is what the engine shows in a preview of an existing resource.
func (s *session) diff(program resource.PropertyMap) (plugin.DiffResult, error) {
	inputs, err := s.check(program, true)
	if err != nil {
		return plugin.DiffResult{}, err
	}
	return s.diffChecked(inputs)
}

func (s *session) diffChecked(inputs resource.PropertyMap) (plugin.DiffResult, error) {
	return s.process.Diff(context.Background(), plugin.DiffRequest{
		URN: s.urn, ID: s.id, OldInputs: s.inputs, OldOutputs: s.outputs, NewInputs: inputs,
		AllowUnknowns: true, IgnoreChanges: s.ignore,
	})
}

// mustDiff is the paths of a diff and their kinds, as the engine would show them.
func (s *session) mustDiff(program resource.PropertyMap) map[string]string {
	s.t.Helper()
	diff, err := s.diff(program)
	require.NoError(s.t, err)
	return kinds(s.t, diff)
}

func kinds(t testing.TB, diff plugin.DiffResult) map[string]string {
	t.Helper()
	require.Equal(t, len(diff.DetailedDiff) > 0, diff.Changes == plugin.DiffSome, "a diff says where")
	result := map[string]string{}
	for path, change := range diff.DetailedDiff {
		result[path] = change.Kind.String()
	}
	return result
}

// create is Check and Create.
func (s *session) create(program resource.PropertyMap) error {
	inputs, err := s.check(program, false)
	if err != nil {
		return err
	}
	return s.createChecked(inputs)
}

func (s *session) createChecked(inputs resource.PropertyMap) error {
	resp, err := s.process.Create(context.Background(), plugin.CreateRequest{URN: s.urn, Properties: inputs, Timeout: s.timeout})
	if err != nil && resp.Status != resource.StatusPartialFailure {
		return err
	}
	s.stored = stored{resp.ID, inputs, resp.Properties, reasons(err), resp.RefreshBeforeUpdate}
	s.ignored = s.ignore
	return err
}

// update is the Update RPC with checked inputs.
func (s *session) update(inputs resource.PropertyMap) error {
	resp, err := s.process.Update(context.Background(), plugin.UpdateRequest{
		URN: s.urn, ID: s.id, OldInputs: s.inputs, OldOutputs: s.outputs, NewInputs: inputs,
		IgnoreChanges: s.ignore, Timeout: s.timeout,
	})
	if err != nil && resp.Status != resource.StatusPartialFailure {
		return err
	}
	if err == nil {
		s.inputs = inputs // else the engine keeps the old ones
	}
	s.outputs, s.initErrors, s.refresh, s.ignored = resp.Properties, reasons(err), resp.RefreshBeforeUpdate, s.ignore
	return err
}

// reasons are the init errors that the engine keeps.
func reasons(err error) []string {
	if failed, ok := errors.AsType[*plugin.InitError](err); ok {
		return failed.Reasons
	}
	return nil
}

// read is pulumi refresh.
func (s *session) read() error { return s.readBy(s.process, false) }

// readBy is what the engine does to refresh a resource (RefreshStep.Apply): Read, and then Diff by the same provider. An
// init error is a warning to it, and is only kept. An error of the Diff fails the command, whichever it is; what was read
// is kept all the same, as the engine changes the state before it asks.
func (s *session) readBy(p *process, preview bool) error {
	before := s.stored
	resp, err := p.Read(context.Background(), plugin.ReadRequest{
		URN: s.urn, ID: s.id, Inputs: s.inputs, State: s.outputs,
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
		inputs = resp.Inputs
	}
	s.stored = stored{resp.ID, inputs, resp.Outputs, reasons(err), resp.RefreshBeforeUpdate}

	// The engine asks for "the diff that a user would see if they immediately ran an up operation on a no-change program
	// after this refresh": from what was read, inputs too, to the inputs before it, which are the wanted ones. There is no
	// program yet, so the changes to ignore are those of the last run.
	diff, err := p.Diff(context.Background(), plugin.DiffRequest{
		URN: s.urn, ID: s.id, OldInputs: s.inputs, OldOutputs: s.outputs, NewInputs: before.inputs,
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

// mustRead is a refresh that must find the object.
func (s *session) mustRead() *session {
	s.t.Helper()
	require.NoError(s.t, s.read())
	require.NotEmpty(s.t, s.id, "the object is there")
	return s
}

// up is pulumi up: what the engine does with one resource, in the engine's order. It says what it did.
func (s *session) up(program resource.PropertyMap) (string, error) {
	if err := s.readBefore(false); err != nil {
		return "refresh", err
	}
	return s.register(program)
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

// mustUp is an up that must succeed and do this.
func (s *session) mustUp(want string, program resource.PropertyMap) *session {
	s.t.Helper()
	did, err := s.up(program)
	require.NoError(s.t, err)
	require.Equal(s.t, want, did)
	return s
}

// preview is pulumi preview. Nothing of it is kept.
func (s *session) preview(program resource.PropertyMap) (did string, outputs resource.PropertyMap, err error) {
	before := s.stored
	defer func() { s.stored = before }()
	if err := s.readBefore(true); err != nil {
		return "refresh", nil, err
	}
	inputs, err := s.check(program, true)
	if err != nil {
		return "check", nil, err
	}
	if s.id == "" {
		resp, err := s.process.Create(context.Background(), plugin.CreateRequest{URN: s.urn, Properties: inputs, Preview: true})
		return "create", resp.Properties, err
	}
	diff, err := s.diffChecked(inputs)
	switch {
	case err != nil:
		return "diff", nil, err
	case diff.Replace():
		resp, err := s.process.Create(context.Background(), plugin.CreateRequest{URN: s.urn, Properties: inputs, Preview: true})
		return "replace", resp.Properties, err
	case diff.Changes == plugin.DiffSome || len(s.initErrors) > 0:
		resp, err := s.process.Update(context.Background(), plugin.UpdateRequest{
			URN: s.urn, ID: s.id, OldInputs: s.inputs, OldOutputs: s.outputs, NewInputs: inputs,
			IgnoreChanges: s.ignore, Preview: true,
		})
		return "update", resp.Properties, err
	}
	return "same", s.outputs, nil
}

// destroy is pulumi destroy, which has no program: the read before it, and Delete if there is something left.
func (s *session) destroy() error {
	if s.lastRun != nil {
		s.in(s.lastRun)
	}
	if err := s.readBefore(false); err != nil || s.id == "" {
		return err
	}
	return s.remove()
}

// remove is what the engine does to delete a resource, in a destroy or an up.
func (s *session) remove() error {
	if s.destroying != nil {
		destroyed := s.destroying(s)
		err := s.delete()
		destroyed(err)
		return err
	}
	return s.delete()
}

// deletions are the two ways in which a Delete comes: after the read of a destroy, and alone.
var deletions = map[string]func(*session) error{"destroy": (*session).destroy, "delete": (*session).remove}

// delete is the Delete RPC.
func (s *session) delete() error {
	_, err := s.process.Delete(context.Background(), plugin.DeleteRequest{
		URN: s.urn, ID: s.id, Inputs: s.inputs, Outputs: s.outputs, Timeout: s.timeout,
	})
	if err == nil {
		s.stored = stored{}
	}
	return err
}

// importID is pulumi import.
func (s *session) importID(id string) error {
	resp, err := s.process.Read(context.Background(), plugin.ReadRequest{URN: s.urn, ID: resource.ID(id)})
	if err != nil {
		return err
	}
	switch {
	case resp.Outputs == nil: // this is how the engine knows
		return fmt.Errorf("resource %q does not exist", id)
	case resp.Inputs == nil:
		return errors.New("provider does not support importing resources")
	}
	s.stored = stored{resp.ID, resp.Inputs, resp.Outputs, nil, resp.RefreshBeforeUpdate}
	return nil
}
