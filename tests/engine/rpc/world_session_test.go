package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	state "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
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
	// aliases is the URN of before, until the program has come to the resource.
	aliases []resource.URN
	// madeOf are the resources that its properties are made of, as the state has them.
	madeOf map[resource.PropertyKey][]resource.URN
	// unfinished is what a replacement that failed has left in the state: what is to be deleted, or made again.
	unfinished []*state.State

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

// in continues with another provider process, as every new operation of the engine does.
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
		URN: s.urn, OldInputs: sent(s.inputs), NewInputs: sent(program), AllowUnknowns: preview,
	})
	if err == nil && len(resp.Failures) > 0 {
		err = invalid{resp.Failures}
	}
	return received(resp.Properties), err
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
	diff, err := s.process.Diff(context.Background(), plugin.DiffRequest{
		URN: s.urn, ID: s.id, OldInputs: sent(s.inputs), OldOutputs: sent(s.outputs), NewInputs: sent(inputs),
		AllowUnknowns: true, IgnoreChanges: s.ignore,
	})
	if err != nil || diff.Changes != plugin.DiffSome || len(diff.DetailedDiff) > 0 {
		return diff, err
	}
	// The error of this Diff is that of the Update that follows.
	_, err = s.process.Update(context.Background(), plugin.UpdateRequest{
		URN: s.urn, ID: s.id, OldInputs: sent(s.inputs), OldOutputs: sent(s.outputs), NewInputs: sent(inputs),
		IgnoreChanges: s.ignore, Preview: true,
	})
	return diff, err
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
	resp, err := s.process.Create(context.Background(), plugin.CreateRequest{URN: s.urn, Properties: sent(inputs), Timeout: s.timeout})
	if err != nil && resp.Status != resource.StatusPartialFailure {
		return err
	}
	s.stored = stored{resp.ID, inputs, received(resp.Properties), reasons(err), resp.RefreshBeforeUpdate}
	s.ignored = s.ignore
	return err
}

// update is the Update RPC with checked inputs.
func (s *session) update(inputs resource.PropertyMap) error {
	resp, err := s.process.Update(context.Background(), plugin.UpdateRequest{
		URN: s.urn, ID: s.id, OldInputs: sent(s.inputs), OldOutputs: sent(s.outputs), NewInputs: sent(inputs),
		IgnoreChanges: s.ignore, Timeout: s.timeout,
	})
	if err != nil && resp.Status != resource.StatusPartialFailure {
		return err
	}
	if err == nil {
		s.inputs = inputs // else the engine keeps the old ones
	}
	s.outputs, s.initErrors, s.refresh, s.ignored = received(resp.Properties), reasons(err), resp.RefreshBeforeUpdate, s.ignore
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
func (s *session) read() error {
	s.refreshed = plugin.DiffResult{}
	w := s.operate(engine.Refresh, nil)
	if w.read != nil {
		s.refreshed = w.read.Invert() // it shows what became of the resource, not what would become of it
	}
	return w.cause()
}

// mustRead is a refresh that must find the object.
func (s *session) mustRead() *session {
	s.t.Helper()
	require.NoError(s.t, s.read())
	require.NotEmpty(s.t, s.id, "the object is there")
	return s
}

// replace is pulumi up --replace of the resource, where the program says deleteBeforeReplace.
func (s *session) replace(program resource.PropertyMap) error {
	s.t.Helper()
	register := func(o *engineOperation) error {
		first := true
		_, err := o.monitor.RegisterResource(s.urn.Type(), s.urn.Name(), true, deploytest.ResourceOptions{
			Inputs: program, Provider: o.provider, DeleteBeforeReplace: &first, CustomTimeouts: s.timeouts(), SupportsResultReporting: true,
		})
		return err
	}
	options := engine.Options{Replaces: []string{string(s.urn)}}
	return newOperation(engine.Up, options, register, s).run().resources[0].cause()
}

// up is pulumi up. It says what it did.
func (s *session) up(program resource.PropertyMap) (string, error) {
	w := s.operate(engine.Up, program)
	return w.did(), w.cause()
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
	w := s.operate(engine.Preview, program)
	return w.did(), w.told, w.cause()
}

// destroy is pulumi destroy, which has no program: the read before it, and Delete if there is something left.
func (s *session) destroy() error {
	return s.operate(engine.Destroy, nil).cause()
}

// remove is a Delete without the read before it.
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
		URN: s.urn, ID: s.id, Inputs: sent(s.inputs), Outputs: sent(s.outputs), Timeout: s.timeout,
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
	s.stored = stored{resp.ID, receivedAny(resp.Inputs), receivedAny(resp.Outputs), nil, resp.RefreshBeforeUpdate}
	return nil
}
