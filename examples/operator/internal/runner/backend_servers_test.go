package runner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// stateServer keeps states for who has credentials. The keys of what it has begin with .pulumi/.
type stateServer interface {
	url() string
	credentials() map[string]string
	wrongCredentials() map[string]map[string]string
	// secretVariable is the variable that no message may have the value of.
	secretVariable() string

	// keys are those below a folder of .pulumi.
	keys(folder string) []string
	get(key string) []byte
	put(key string, content []byte)
	remove(key string)
}

// liveInBackend lives an Environment whose state is in a server.
func liveInBackend(t *testing.T, b stateServer) {
	t.Helper()
	e, signed := newEnvironment(t), b.credentials()
	stored := ".pulumi/stacks/shop/" + e.namespace + ".shop.json"
	in := func(given inputs.Inputs, credentials map[string]string) inputs.Inputs {
		given.BackendURL, given.Credentials = b.url(), credentials
		return given
	}
	update := func(colour string) (*pod, *state.Head, int) {
		t.Helper()
		return e.run(v1alpha1.OperationUpdate, in(e.twoConfigMaps(colour), signed))
	}

	p := e.start(v1alpha1.OperationUpdate, in(e.slow(), signed))
	p.eventually("the object is there", func() bool { return len(e.configMaps()) == 1 })
	p.eventually("Pulumi holds its lock", func() bool { return len(b.keys("locks")) == 1 })
	p.kill()
	<-p.ended
	own := b.keys("locks")
	require.Len(t, own, 1)
	b.put(own[0], lockOf(t, "shop-1-x7k2p")) // whose host is a pod's
	e.emptyLease()
	e.fill()
	p, head, exit := e.run(v1alpha1.OperationUpdate, in(e.slow(), signed))
	require.Zero(t, exit, "a killed run goes on: %s", p.log.String())
	assert.Equal(t, state.Succeeded, head.Record.Outcome)
	assert.Empty(t, head.Checkpoint(), "the state is not in Secrets")
	assert.Contains(t, b.keys("stacks"), stored)
	assert.Empty(t, b.keys("locks"))
	p, _, exit = update("green")
	require.Zero(t, exit, p.log.String())
	uid := e.configMap("first").UID

	t.Run("without the right keys, nothing is read, forgotten or said of them", func(t *testing.T) {
		before := b.get(stored)
		for name, credentials := range b.wrongCredentials() {
			for _, kind := range []v1alpha1.OperationKind{v1alpha1.OperationUpdate, v1alpha1.OperationDestroy} {
				p, head, exit := e.run(kind, in(e.twoConfigMaps("red"), credentials))
				require.Equal(t, 1, exit, "%s: %s", name, p.log.String())
				assert.Equal(t, state.Failed, head.Record.Outcome)
				assert.Equal(t, int32(2), head.Record.ResourceCount)
				for _, text := range []string{p.log.String(), head.Record.Message} {
					assert.NotContains(t, text, credentials[b.secretVariable()])
				}
			}
		}
		assert.Equal(t, before, b.get(stored))
		assert.Equal(t, "green", e.configMap("first").Data["colour"])
	})
	t.Run("the lock of a person stays", func(t *testing.T) {
		theirs := ".pulumi/locks/organization/shop/" + e.namespace + ".shop/theirs.json"
		b.put(theirs, lockOf(t, "laptop"))
		p, head, exit := update("red")
		require.Equal(t, 1, exit, p.log.String())
		assert.Equal(t, "StackLocked", head.Record.Reason)
		assert.Contains(t, head.Record.Message, "maria@laptop")
		assert.Equal(t, []string{theirs}, b.keys("locks"))
		b.remove(theirs)
	})
	t.Run("a stack that is lost there is not made once more", func(t *testing.T) {
		content := b.get(stored)
		b.remove(stored)
		p, head, exit := update("red")
		require.Equal(t, 1, exit, p.log.String())
		assert.Equal(t, "StateUnusable", head.Record.Reason)
		b.put(stored, content)
	})
	p, _, exit = update("red")
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, uid, e.configMap("first").UID, "in place")
	assert.Equal(t, "red", e.configMap("first").Data["colour"])

	p, head, exit = e.run(v1alpha1.OperationDestroy, in(inputs.Inputs{}, signed))
	require.Zero(t, exit, p.log.String())
	assert.Empty(t, e.configMaps())
	assert.Zero(t, head.Record.ResourceCount)
	assert.NotContains(t, b.keys("stacks"), stored)
}
