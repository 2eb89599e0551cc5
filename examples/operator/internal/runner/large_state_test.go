package runner_test

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// withBulk adds ConfigMaps whose data cannot be compressed much, so that the state is larger than a Secret.
func (e *environment) withBulk(given inputs.Inputs) inputs.Inputs {
	e.t.Helper()
	var text strings.Builder
	text.Write(given.Files["Pulumi.yaml"])
	for i := range 6 {
		random := make([]byte, 70_000)
		_, err := rand.Read(random)
		require.NoError(e.t, err)
		fmt.Fprintf(&text, `  bulk-%d:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: bulk-%[1]d, namespace: %s}
        data: {content: "%s"}
`, i, e.namespace, hex.EncodeToString(random))
	}
	given.Files["Pulumi.yaml"] = []byte(text.String())
	return given
}

// chunks are the names of the parts of the state.
func (e *environment) chunks() (names []string) {
	e.t.Helper()
	var list corev1.SecretList
	require.NoError(e.t, direct.List(e.t.Context(), &list, client.InNamespace(e.namespace), client.MatchingLabels{v1alpha1.LabelPart: v1alpha1.PartChunk}))
	for _, found := range list.Items {
		names = append(names, found.Name)
	}
	return names
}

func TestARunWithAStateInPartsIsKilledInTheMiddle(t *testing.T) { // [X72]
	t.Parallel()
	e := newEnvironment(t)
	given := e.withBulk(e.slow())
	p := e.start(v1alpha1.OperationUpdate, given)
	p.eventually("all that is made is in the saved state", func() bool {
		head := e.head()
		return head.Record.Outcome == state.Running && len(e.chunks()) > 1 && saysAll(unpacked(t, head))
	})
	uids := map[string]types.UID{}
	for _, name := range e.configMaps() {
		uids[name] = e.configMap(name).UID
	}
	require.Len(t, uids, 7)
	p.kill()
	<-p.ended
	e.emptyLease()
	e.fill()

	p, head, exit := e.run(v1alpha1.OperationUpdate, given)
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, int32(9), head.Record.ResourceCount)
	assert.Zero(t, head.Record.PendingOperations)
	for name, uid := range uids {
		assert.Equal(t, uid, e.configMap(name).UID, name)
	}
	named := e.chunks()
	assert.Greater(t, len(named), 1)

	p, _, exit = e.run(v1alpha1.OperationUpdate, given)
	require.Zero(t, exit, p.log.String())
	assert.Len(t, e.chunks(), len(named), "what a run replaces, it removes")
	p, _, exit = e.run(v1alpha1.OperationDestroy, inputs.Inputs{})
	require.Zero(t, exit, p.log.String())
	assert.Empty(t, e.configMaps())
	assert.Empty(t, e.chunks())
}

// saysAll reports whether a checkpoint has all that is made before the wait, and the wait itself.
func saysAll(checkpoint string) bool {
	for i := range 6 {
		if !strings.Contains(checkpoint, fmt.Sprintf("::bulk-%d\"", i)) {
			return false
		}
	}
	return strings.Contains(checkpoint, "::filled\"")
}
