package runner_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// TestAStackThatAnotherClusterHas shares a backend between two clusters that have an Environment of one name each.
func TestAStackThatAnotherClusterHas(t *testing.T) { // [X44]
	t.Parallel()
	e := newEnvironment(t)
	bucket := t.TempDir()
	shared := func(given inputs.Inputs) inputs.Inputs {
		given.BackendURL = "file://" + bucket
		return given
	}
	p, _, exit := e.run(v1alpha1.OperationUpdate, shared(e.twoConfigMaps("green")))
	require.Zero(t, exit, p.log.String())
	stored := filepath.Join(bucket, ".pulumi", "stacks", "shop", e.namespace+".shop.json")
	before, err := os.ReadFile(stored)
	require.NoError(t, err)

	first := e.passphrase
	e.inAnotherCluster()
	requireTaken := func() {
		t.Helper()
		p, head, exit := e.run(v1alpha1.OperationUpdate, shared(e.twoConfigMaps("red")))
		require.Equal(t, 1, exit, p.log.String())
		assert.Equal(t, "StackTaken", head.Record.Reason)
		assert.Contains(t, head.Record.Message, "The stack "+e.namespace+".shop in the backend file://"+bucket)
		assert.Contains(t, head.Record.Message, "was encrypted with another passphrase")
		assert.Zero(t, head.Record.ResourceCount, "what others have made is not counted as made by this Environment")
	}
	requireTaken()
	t.Run("also where it holds no secret", func(*testing.T) {
		hidden := regexp.MustCompile(`"ciphertext": "[^"]*"`)
		e.write(stored, hidden.ReplaceAll(before, []byte(`"plaintext": "\"shown\""`)))
		requireTaken()
		e.write(stored, before)
	})
	p, _, exit = e.run(v1alpha1.OperationDestroy, shared(inputs.Inputs{}))
	require.Zero(t, exit, "what made nothing has nothing to destroy: %s", p.log.String())
	after, err := os.ReadFile(stored)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after), "the state of the other cluster stays as it is")
	assert.Equal(t, "green", e.configMap("first").Data["colour"])

	t.Run("the passphrase comes back, and with it the stack", func(t *testing.T) {
		e.passphrase = first
		p, head, exit := e.run(v1alpha1.OperationUpdate, shared(e.twoConfigMaps("red")))
		require.Zero(t, exit, p.log.String())
		assert.Equal(t, int32(2), head.Record.ResourceCount)
	})
}

// inAnotherCluster leaves nothing of the Environment's state and gives it another passphrase.
func (e *environment) inAnotherCluster() {
	e.t.Helper()
	require.NoError(e.t, e.store.Delete(e.t.Context()))
	require.NoError(e.t, e.store.CreateEmpty(e.t.Context()))
	passphrase, salt, err := stack.New()
	require.NoError(e.t, err)
	e.passphrase = e.t.TempDir()
	e.write(filepath.Join(e.passphrase, "passphrase"), []byte(passphrase))
	e.write(filepath.Join(e.passphrase, "salt"), []byte(salt))
}

// TestLocksOfAStack leaves locks in a backend, as those write them who hold one.
func TestLocksOfAStack(t *testing.T) { // [X44]
	t.Parallel()
	e := newEnvironment(t)
	bucket := t.TempDir()
	given := e.twoConfigMaps("green")
	given.BackendURL = "file://" + bucket
	p, _, exit := e.run(v1alpha1.OperationUpdate, given)
	require.Zero(t, exit, p.log.String())

	lock := func(host string) string {
		folder := filepath.Join(bucket, ".pulumi", "locks", "organization", "shop", e.namespace+".shop")
		require.NoError(t, os.MkdirAll(folder, 0o700))
		file := filepath.Join(folder, host+".json")
		e.write(file, lockOf(t, host))
		return file
	}
	printed := ""
	t.Run("that of a person stops the run, which names them", func(t *testing.T) {
		file := lock("laptop")
		for _, resumed := range []bool{false, true} {
			if resumed {
				head := e.head()
				head.Record.Outcome = state.Running
				require.NoError(t, e.store.Save(t.Context(), head))
			}
			p, head, exit := e.run(v1alpha1.OperationUpdate, given)
			require.Equal(t, 1, exit, p.log.String())
			assert.Equal(t, "StackLocked", head.Record.Reason)
			assert.Contains(t, head.Record.Message, "maria@laptop")
			assert.Contains(t, head.Record.Message, "pulumi cancel")
			assert.Equal(t, int32(2), head.Record.ResourceCount)
			assert.FileExists(t, file)
			printed = head.Record.Message
		}
	})
	t.Run("what the message offers removes it", func(t *testing.T) {
		_, offered, found := strings.Cut(printed, "remove it: pulumi ")
		require.True(t, found, printed)
		cmd := exec.Command(filepath.Join(tools, "pulumi"), append(strings.Fields(offered), "--yes")...) //nolint:gosec // what our message says
		cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "PULUMI_BACKEND_URL="+given.BackendURL, "PULUMI_HOME="+t.TempDir(), "PULUMI_CONFIG_PASSPHRASE="+e.phrase)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		p, head, exit := e.run(v1alpha1.OperationUpdate, given)
		require.Zero(t, exit, p.log.String())
		assert.Equal(t, int32(2), head.Record.ResourceCount)
	})
	t.Run("that of a pod of the Environment is removed, however its run has ended", func(t *testing.T) {
		file := lock("shop-12-x7k2p")
		p, head, exit := e.run(v1alpha1.OperationUpdate, given)
		require.Zero(t, exit, p.log.String())
		assert.Equal(t, state.Succeeded, head.Record.Outcome)
		assert.NoFileExists(t, file)
	})
	t.Run("that of a pod beside that of a person stays, too", func(t *testing.T) {
		files := []string{lock("shop-12-x7k2p"), lock("laptop")}
		p, head, exit := e.run(v1alpha1.OperationDestroy, given)
		require.Equal(t, 1, exit, p.log.String())
		assert.Equal(t, "StackLocked", head.Record.Reason)
		for _, file := range files {
			assert.FileExists(t, file)
		}
	})
}

// lockOf is a lock as Pulumi writes it on a host.
func lockOf(t *testing.T, host string) []byte {
	t.Helper()
	content, err := json.Marshal(map[string]any{"pid": 7, "username": "maria", "hostname": host, "timestamp": time.Now()})
	require.NoError(t, err)
	return content
}

// asInPod rewrites the locks of a bucket to what they would be in a pod, whose host has its name.
func (e *environment) asInPod(bucket, pod string) {
	e.t.Helper()
	locks, err := filepath.Glob(filepath.Join(bucket, ".pulumi", "locks", "*", "*", "*", "*.json"))
	require.NoError(e.t, err)
	require.NotEmpty(e.t, locks)
	for _, file := range locks {
		e.write(file, lockOf(e.t, pod))
	}
}
