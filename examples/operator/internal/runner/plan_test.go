package runner_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

func TestOnlyTheApprovedPlanRuns(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	given := e.twoConfigMaps("green")
	given.InputHash = "inputs-1"

	p, head, exit := e.run(v1alpha1.OperationPreview, given)
	require.Zero(t, exit, p.log.String())
	plan := head.Record.Plan
	require.NotNil(t, plan)
	assert.False(t, head.Record.Applied)
	assert.Empty(t, e.configMaps(), "a preview changes nothing")
	assert.Equal(t, v1alpha1.Summary{"create": 2}, plan.Summary)
	assert.Equal(t, []v1alpha1.Change{
		{Op: "create", Type: "k8sconnect:index:KubeObject", Name: "first"},
		{Op: "create", Type: "k8sconnect:index:KubeObject", Name: "second"},
	}, plan.Changes)
	assert.Equal(t, "inputs-1", plan.InputHash)
	assert.Zero(t, head.Revision, "a preview makes no state")
	assert.Empty(t, head.Project)

	_, head, exit = e.run(v1alpha1.OperationPreview, given)
	require.Zero(t, exit)
	require.NotNil(t, head.Record.Plan)
	assert.Equal(t, plan.Hash, head.Record.Plan.Hash, "[X9] the same plan has the same hash")

	outdated := given
	outdated.ApprovedPlan = "0123456789abcdef"
	p, head, exit = e.run(v1alpha1.OperationUpdate, outdated)
	assert.Equal(t, 1, exit, p.log.String())
	assert.Equal(t, runner.ReasonPlanChanged, head.Record.Reason, "[X9] an outdated approval does nothing")
	assert.False(t, head.Record.Applied)
	require.NotNil(t, head.Record.Plan)
	assert.Equal(t, plan.Hash, head.Record.Plan.Hash)
	assert.Empty(t, e.configMaps())

	approved := given
	approved.ApprovedPlan = plan.Hash
	p, head, exit = e.run(v1alpha1.OperationUpdate, approved)
	require.Zero(t, exit, p.log.String())
	assert.Nil(t, head.Record.Plan)
	assert.ElementsMatch(t, []string{"first", "second"}, e.configMaps(), "[X9] the approved plan runs")

	p, head, exit = e.run(v1alpha1.OperationPreview, given)
	require.Zero(t, exit, p.log.String())
	assert.Nil(t, head.Record.Plan, "nothing would change")

	changed := e.twoConfigMaps("blue")
	p, head, exit = e.run(v1alpha1.OperationPreview, changed)
	require.Zero(t, exit, p.log.String())
	require.NotNil(t, head.Record.Plan)
	assert.Equal(t, v1alpha1.Summary{"update": 2}, head.Record.Plan.Summary)
	assert.Equal(t, []string{"manifest.data.colour"}, head.Record.Plan.Changes[0].Paths)
	assert.Equal(t, "green", head.Outputs["colour"].Value, "a preview leaves the outputs")
}

func TestOnlyTheApprovedDestroyRuns(t *testing.T) { // [X68]
	t.Parallel()
	e := newEnvironment(t)
	p, _, exit := e.run(v1alpha1.OperationUpdate, e.twoConfigMaps("green"))
	require.Zero(t, exit, p.log.String())

	p, head, exit := e.run(v1alpha1.OperationDestroyPreview, inputs.Inputs{InputHash: "none"})
	require.Zero(t, exit, p.log.String())
	plan := head.Record.Plan
	require.NotNil(t, plan)
	assert.Equal(t, v1alpha1.Summary{"delete": 2}, plan.Summary)
	assert.Equal(t, []v1alpha1.Change{
		{Op: "delete", Type: "k8sconnect:index:KubeObject", Name: "first"},
		{Op: "delete", Type: "k8sconnect:index:KubeObject", Name: "second"},
	}, plan.Changes)
	assert.False(t, head.Record.Applied)
	assert.ElementsMatch(t, []string{"first", "second"}, e.configMaps(), "a plan destroys nothing")
	assert.Equal(t, int32(2), head.Record.ResourceCount)
	assert.NotEmpty(t, head.Outputs)

	p, head, exit = e.run(v1alpha1.OperationDestroy, inputs.Inputs{InputHash: "none", ApprovedPlan: "0123456789abcdef"})
	assert.Equal(t, 1, exit, p.log.String())
	assert.Equal(t, runner.ReasonPlanChanged, head.Record.Reason)
	require.NotNil(t, head.Record.Plan)
	assert.Equal(t, plan.Hash, head.Record.Plan.Hash)
	assert.ElementsMatch(t, []string{"first", "second"}, e.configMaps(), "an outdated approval destroys nothing")

	// It fails in the middle.
	first := e.configMap("first")
	first.Finalizers = []string{"example.com/held"}
	require.NoError(t, direct.Update(t.Context(), first))
	approved := inputs.Inputs{InputHash: "none", ApprovedPlan: plan.Hash}
	held := approved
	held.Timeout = 15 * time.Second
	p, head, exit = e.run(v1alpha1.OperationDestroy, held)
	assert.Equal(t, 1, exit, p.log.String())
	assert.Equal(t, runner.ReasonTimedOut, head.Record.Reason, head.Record.Message)
	assert.Equal(t, []string{"first"}, e.configMaps())

	first = e.configMap("first")
	first.Finalizers = nil
	require.NoError(t, direct.Update(t.Context(), first))
	p, _, exit = e.run(v1alpha1.OperationDestroy, approved)
	require.Zero(t, exit, "what is left of an approved destroy needs no other approval: %s", p.log.String())
	assert.Empty(t, e.configMaps())
}

func TestApprovedRunThatWasKilledIsContinued(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	given := e.slow()
	given.InputHash = "inputs-1"
	_, head, exit := e.run(v1alpha1.OperationPreview, given)
	require.Zero(t, exit)
	require.NotNil(t, head.Record.Plan)
	given.ApprovedPlan = head.Record.Plan.Hash

	for range 2 { // killed once, and killed again before it was over
		p := e.start(v1alpha1.OperationUpdate, given)
		p.waiting()
		p.eventually("Pulumi waits", func() bool { return strings.Contains(p.log.String(), "op=create name=filled") })
		p.kill()
		<-p.ended
		e.emptyLease()
	}
	e.fill()
	p, head, exit := e.run(v1alpha1.OperationUpdate, given)
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, state.Succeeded, head.Record.Outcome, "[X21] what is left of an approved plan needs no new approval")
}

func TestDriftIsFound(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	given := e.twoConfigMaps("green")
	given.InputHash = "inputs-1"
	_, _, exit := e.run(v1alpha1.OperationUpdate, given)
	require.Zero(t, exit)

	p, head, exit := e.run(v1alpha1.OperationDriftCheck, given)
	require.Zero(t, exit, p.log.String())
	assert.False(t, head.Record.Drifted, "[X6] there is none")
	assert.False(t, head.Record.Applied)
	assert.Nil(t, head.Record.Plan)

	drift := func() {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"data":{"colour":"red"}}`))
		require.NoError(t, direct.Patch(t.Context(), e.configMap("first"), patch))
		require.NoError(t, direct.Delete(t.Context(), e.configMap("second")))
	}
	drift()
	p, head, exit = e.run(v1alpha1.OperationDriftCheck, given)
	require.Zero(t, exit, p.log.String())
	assert.True(t, head.Record.Drifted, "[X6]")
	assert.False(t, head.Record.Applied)
	require.NotNil(t, head.Record.Plan)
	assert.True(t, head.Record.Plan.Drift)
	assert.Equal(t, "red", e.configMap("first").Data["colour"], "[X6] it is only reported")
	t.Logf("%+v", head.Record.Plan)

	approved := given
	approved.ApprovedPlan, approved.Refresh = head.Record.Plan.Hash, true
	p, head, exit = e.run(v1alpha1.OperationUpdate, approved)
	require.Zero(t, exit, "[X24] the plan of a drift check can be approved: %s", p.log.String())
	assert.Equal(t, "green", e.configMap("first").Data["colour"])
	assert.ElementsMatch(t, []string{"first", "second"}, e.configMaps())
	assert.Equal(t, state.Succeeded, head.Record.Outcome)

	drift()
	correct := given
	correct.Correct = true
	p, head, exit = e.run(v1alpha1.OperationDriftCheck, correct)
	require.Zero(t, exit, p.log.String())
	assert.True(t, head.Record.Drifted, "[X6]")
	assert.True(t, head.Record.Applied)
	assert.Nil(t, head.Record.Plan)
	assert.Equal(t, "green", e.configMap("first").Data["colour"], "[X6] it is put right")
	assert.ElementsMatch(t, []string{"first", "second"}, e.configMaps())
}
