package runner_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// TestStateStaysInTheBackendThatIsNamed has a folder in place of a bucket, named by a variable of the credentials: without
// them it is not found.
func TestStateStaysInTheBackendThatIsNamed(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	bucket := t.TempDir()
	elsewhere := func(given inputs.Inputs) inputs.Inputs {
		given.BackendURL = "file://" + bucket
		given.Credentials = map[string]string{"PULUMI_DIY_BACKEND_GZIP": "true"}
		return given
	}
	stored := filepath.Join(bucket, ".pulumi", "stacks", "shop", e.namespace+".shop.json.gz")

	p := e.start(v1alpha1.OperationUpdate, elsewhere(e.slow()))
	p.eventually("the object is there", func() bool { return len(e.configMaps()) == 1 })
	p.eventually("Pulumi holds its lock", func() bool {
		locks, err := filepath.Glob(filepath.Join(bucket, ".pulumi", "locks", "*", "*", "*", "*.json"))
		return err == nil && len(locks) > 0
	})
	p.kill()
	<-p.ended
	e.asInPod(bucket, "shop-1-x7k2p")
	e.emptyLease()
	e.fill()

	p, head, exit := e.run(v1alpha1.OperationUpdate, elsewhere(e.slow()))
	require.Zero(t, exit, "[X38] the lock of the killed run does not stop the next one: %s", p.log.String())
	assert.Equal(t, state.Succeeded, head.Record.Outcome)
	assert.Empty(t, head.Checkpoint(), "[X38] the state is not in Secrets")
	assert.FileExists(t, stored, "[X38]")
	assert.Equal(t, int32(3), head.Record.ResourceCount)

	p, head, exit = e.run(v1alpha1.OperationUpdate, elsewhere(e.twoConfigMaps("green")))
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, "green", head.Outputs["colour"].Value)
	assert.Equal(t, e.configMap("first").UID, head.Record.Resources[0].UID)

	t.Run("[X44] a stack that is lost in its backend is neither made once more nor taken for destroyed", func(t *testing.T) {
		content, err := os.ReadFile(stored)
		require.NoError(t, err)
		require.NoError(t, os.Remove(stored))
		for _, kind := range []v1alpha1.OperationKind{v1alpha1.OperationUpdate, v1alpha1.OperationDestroy} {
			p, head, exit := e.run(kind, elsewhere(e.twoConfigMaps("green")))
			require.Equal(t, 1, exit, p.log.String())
			assert.Equal(t, "StateUnusable", head.Record.Reason)
			assert.Contains(t, head.Record.Message, "is empty in the backend")
			assert.Equal(t, int32(2), head.Record.ResourceCount)
			assert.Len(t, e.configMaps(), 2)
		}
		require.NoError(t, os.WriteFile(stored, content, 0o600))
	})

	t.Run("[X44] a backend that does not answer makes no run forget what was made", func(t *testing.T) {
		away := bucket + "-away"
		require.NoError(t, os.Rename(bucket, away))
		for _, kind := range []v1alpha1.OperationKind{v1alpha1.OperationUpdate, v1alpha1.OperationDriftCheck} {
			p, head, exit := e.run(kind, elsewhere(e.twoConfigMaps("green")))
			require.Equal(t, 1, exit, p.log.String())
			assert.Equal(t, int32(2), head.Record.ResourceCount)
			assert.Len(t, head.Record.Resources, 2)
		}
		require.NoError(t, os.Rename(away, bucket))
	})

	for range 2 { // a second time there is nothing to destroy
		p, head, exit = e.run(v1alpha1.OperationDestroy, elsewhere(inputs.Inputs{}))
		require.Zero(t, exit, p.log.String())
		assert.Empty(t, e.configMaps())
		assert.Zero(t, head.Record.ResourceCount)
		assert.NoFileExists(t, stored)
	}
}

func TestBackendThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	given := program("\noutputs: {a: 1}\n")
	given.BackendURL = "file://" + filepath.Join(t.TempDir(), "missing", "bucket")
	p, head, exit := e.run(v1alpha1.OperationUpdate, given)
	assert.Equal(t, 1, exit, p.log.String())
	assert.Equal(t, state.Failed, head.Record.Outcome)
	assert.Contains(t, head.Record.Message, "bucket")
	t.Log(head.Record.Message)
	_, err := os.Stat(p.folder + "/work/backend")
	assert.ErrorIs(t, err, os.ErrNotExist)
}
