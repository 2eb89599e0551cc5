package runner_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// slow makes two ConfigMaps and waits, between them, for the first to get a key.
func (e *environment) slow() inputs.Inputs {
	return program(strings.ReplaceAll(`
resources:
  first:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: first, namespace: NAMESPACE}
  filled:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${first.resourceRef}
      waitFor: {field: data.ready, timeout: 5m}
  second:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: second, namespace: NAMESPACE}
    options: {dependsOn: ["${filled}"]}
`, "NAMESPACE", e.namespace))
}

// fill lets a wait end.
func (e *environment) fill() {
	e.t.Helper()
	patch := client.RawPatch(types.MergePatchType, []byte(`{"data":{"ready":"yes"}}`))
	require.NoError(e.t, direct.Patch(e.t.Context(), e.configMap("first"), patch))
}

// waiting waits until a checkpoint is saved that has the first object and the wait that goes on.
func (p *pod) waiting() *state.Head {
	p.e.t.Helper()
	var head *state.Head
	p.eventually("the first object is in the saved state", func() bool {
		head = p.e.head()
		return head.Record.Outcome == state.Running && strings.Contains(unpacked(p.e.t, head), "::filled")
	})
	return head
}

func TestKilledRunIsContinued(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	p := e.start(v1alpha1.OperationUpdate, e.slow())
	p.waiting()
	first := e.configMap("first").UID
	p.kill()
	<-p.ended
	assert.Equal(t, state.Running, e.head().Record.Outcome)

	e.emptyLease()
	e.fill()
	p, head, exit := e.run(v1alpha1.OperationUpdate, e.slow())
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, state.Succeeded, head.Record.Outcome)
	assert.Equal(t, first, e.configMap("first").UID, "[X21] what was there is kept")
	assert.ElementsMatch(t, []string{"first", "second"}, e.configMaps(), "[X21] nothing is there twice")
	assert.Equal(t, int32(3), head.Record.ResourceCount)
	assert.Zero(t, head.Record.PendingOperations)
}

func TestRunThatIsToldToEndSaves(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	p := e.start(v1alpha1.OperationUpdate, e.slow())
	p.waiting()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 2, p.wait(), p.log.String())
	assert.Equal(t, "Interrupted", p.message["reason"])
	head := e.head()
	assert.Equal(t, state.Running, head.Record.Outcome, "it is not concluded")
	assert.Contains(t, unpacked(t, head), "::first")
	assert.Empty(t, e.holder(), "the next run need not wait")

	e.fill()
	p, head, exit := e.run(v1alpha1.OperationUpdate, e.slow())
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, state.Succeeded, head.Record.Outcome)
}

func TestRunEndsAfterItsTimeout(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	given := e.slow()
	given.Timeout = 8 * time.Second
	p, head, exit := e.run(v1alpha1.OperationUpdate, given)
	assert.Equal(t, 1, exit, p.log.String())
	assert.Equal(t, state.Failed, head.Record.Outcome)
	assert.Equal(t, runner.ReasonTimedOut, head.Record.Reason, "[X10]")
	assert.Contains(t, head.Record.Message, "spec.timeout, 8s")
	assert.Contains(t, head.Record.Message, "create 1", "[X10] it says what was done")
	assert.Contains(t, head.Record.Message, "filled", "[X10] and what it waited for")
	t.Log(head.Record.Message)
	assert.Contains(t, unpacked(t, head), "::first")
}

func (e *environment) lease() *coordinationv1.Lease {
	e.t.Helper()
	found := &coordinationv1.Lease{}
	require.NoError(e.t, direct.Get(e.t.Context(), client.ObjectKey{Namespace: e.namespace, Name: "shop-run"}, found))
	return found
}

func (e *environment) holder() string {
	e.t.Helper()
	if holder := e.lease().Spec.HolderIdentity; holder != nil {
		return *holder
	}
	return ""
}

// emptyLease does what the controller does when the holder is dead.
func (e *environment) emptyLease() {
	e.t.Helper()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "shop-run"}}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"holderIdentity":""}}`))
	require.NoError(e.t, client.IgnoreNotFound(direct.Patch(e.t.Context(), lease, patch)))
}

func TestRunTakesNoLeaseOfOthers(t *testing.T) { // [X43]
	t.Parallel()
	e := newEnvironment(t)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "shop-run"}}
	require.NoError(t, direct.Create(t.Context(), lease))
	p := e.start(v1alpha1.OperationUpdate, e.twoConfigMaps("green"))
	require.Equal(t, 1, p.wait(), p.log.String())
	assert.Contains(t, p.log.String(), "shop-run: it is not of this Environment")
	assert.Equal(t, lease.ResourceVersion, e.lease().ResourceVersion)
	assert.Empty(t, e.configMaps())
}

func TestRunWaitsForTheLease(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	other := "another-pod"
	lease := &coordinationv1.Lease{}
	lease.Namespace, lease.Name, lease.Labels = e.namespace, "shop-run", ownership.Labels("shop", "")
	lease.Spec.HolderIdentity = &other
	require.NoError(t, direct.Create(t.Context(), lease))

	p := e.start(v1alpha1.OperationUpdate, e.twoConfigMaps("green"))
	p.eventually("it says that it waits", func() bool { return strings.Contains(p.log.String(), "another-pod") })
	assert.Zero(t, e.head().Record.Serial, "[X22] it has not begun")
	e.emptyLease()
	p.eventually("it is the holder", func() bool { return e.holder() == p.uid || e.head().Record.Outcome == state.Succeeded })
	assert.Equal(t, "shop-1", e.lease().Annotations["platform.example.com/pod"])
	require.Zero(t, p.wait(), p.log.String())
	assert.Empty(t, e.holder())

	lease = e.lease()
	lease.Spec.HolderIdentity = &other
	require.NoError(t, direct.Update(t.Context(), lease))
	p = e.start(v1alpha1.OperationUpdate, e.twoConfigMaps("green"))
	p.eventually("it says that it waits", func() bool { return strings.Contains(p.log.String(), "another-pod") })
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, 2, p.wait(), "it can be told to end while it waits")
}

func TestZombieEnds(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	p := e.start(v1alpha1.OperationUpdate, e.slow())
	p.waiting()

	// Another run takes the state, and what was waited for comes: the next checkpoint cannot be saved.
	newer := e.head()
	newer.Record = state.Record{Serial: 2, Outcome: state.Running, PodUID: "newer"}
	require.NoError(t, e.store.Save(t.Context(), newer))
	e.fill()
	assert.Equal(t, 3, p.wait(), p.log.String())
	assert.Equal(t, "Overtaken", p.message["reason"])
	assert.Equal(t, int64(2), e.head().Record.Serial)
	assert.Equal(t, newer.Revision, e.head().Revision)

	p = e.startSerial(1, v1alpha1.OperationUpdate, e.slow())
	assert.Equal(t, 3, p.wait(), "[X33] a run that comes late does not even begin: %s", p.log.String())
}

func TestRunThatLosesItsLeaseEnds(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	p := e.start(v1alpha1.OperationUpdate, e.slow())
	p.waiting()
	e.emptyLease()
	assert.Equal(t, 3, p.wait(), p.log.String())
	assert.Contains(t, p.message["message"], "holds the Lease shop-run")
	assert.Empty(t, descendants(p.cmd.Process.Pid))
}

func TestConcludedRunIsNotRepeated(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	p, before, exit := e.run(v1alpha1.OperationUpdate, program("\noutputs: {a: 1}\n"))
	require.Zero(t, exit, p.log.String())
	p = e.startSerial(1, v1alpha1.OperationUpdate, program("\noutputs: {a: 2}\n"))
	require.Zero(t, p.wait(), p.log.String())
	assert.Equal(t, before.Record, e.head().Record)
	assert.Equal(t, before.Outputs, e.head().Outputs)
}
