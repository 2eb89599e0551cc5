package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

func TestPulumiKnowsItsMemory(t *testing.T) { // [X53]
	t.Parallel()
	e := newEnvironment(t)
	limits := filepath.Join(t.TempDir(), "limits")
	e.pulumi("echo $GOMEMLIMIT >> " + limits)
	e.memory = "1073741824"
	p, _, exit := e.run(v1alpha1.OperationUpdate, program("\noutputs: {a: b}\n"))
	require.Zero(t, exit, p.log.String())
	seen, err := os.ReadFile(limits)
	require.NoError(t, err)
	require.NotEmpty(t, seen)
	for limit := range strings.FieldsSeq(string(seen)) {
		assert.Equal(t, "429496729", limit)
	}
}

func TestStateOutlivesThePod(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)

	p, head, exit := e.run(v1alpha1.OperationUpdate, e.twoConfigMaps("green"))
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, state.Succeeded, head.Record.Outcome)
	assert.True(t, head.Record.Applied)
	assert.Equal(t, v1alpha1.Summary{"create": 2}, head.Record.Summary)
	assert.Equal(t, "Succeeded", p.message["outcome"])
	assert.Equal(t, "shop", head.Project)
	first := e.configMap("first")
	assert.Equal(t, map[string]state.Output{"colour": {Value: "green"}, "uid": {Value: string(first.UID)}}, head.Outputs)
	assert.Equal(t, []v1alpha1.ResourceStatus{
		{Name: "first", APIVersion: "v1", Kind: "ConfigMap", Namespace: e.namespace, ObjectName: "first", UID: first.UID, State: v1alpha1.ResourceApplied},
		{Name: "second", APIVersion: "v1", Kind: "ConfigMap", Namespace: e.namespace, ObjectName: "second", UID: e.configMap("second").UID, State: v1alpha1.ResourceApplied},
	}, head.Record.Resources)
	assert.Equal(t, int32(2), head.Record.ResourceCount)
	assert.Zero(t, head.Record.ElsewhereCount)

	p, head, exit = e.run(v1alpha1.OperationUpdate, e.twoConfigMaps("blue"))
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, v1alpha1.Summary{"update": 2}, head.Record.Summary, "[X5] the next run, with an empty folder, updates in place")
	assert.Equal(t, first.UID, e.configMap("first").UID, "[X5]")
	assert.Equal(t, "blue", e.configMap("second").Data["colour"])
	assert.Equal(t, "blue", head.Outputs["colour"].Value)

	p, head, exit = e.run(v1alpha1.OperationUpdate, e.twoConfigMaps("blue"))
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, v1alpha1.Summary{"same": 2}, head.Record.Summary)

	p, head, exit = e.run(v1alpha1.OperationDestroy, inputs.Inputs{})
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, v1alpha1.Summary{"delete": 2}, head.Record.Summary, "[X23] a destroy needs no program")
	assert.Empty(t, e.configMaps())
	assert.Zero(t, head.Record.ResourceCount)
	assert.Empty(t, head.Outputs)

	p, _, exit = e.run(v1alpha1.OperationDestroy, inputs.Inputs{})
	require.Zero(t, exit, "a second time there is nothing to destroy: %s", p.log.String())
}

func TestSavesAreFewerThanCheckpoints(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	var text strings.Builder
	text.WriteString("\nresources:\n")
	for n := range 40 {
		fmt.Fprintf(&text, "  object-%d:\n    type: k8sconnect:KubeObject\n    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: object-%[1]d, namespace: %s}}}\n", n, e.namespace)
	}
	p, head, exit := e.run(v1alpha1.OperationUpdate, program(text.String()))
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, int32(40), head.Record.ResourceCount)
	assert.LessOrEqual(t, head.Revision, int64(8), "Pulumi has written some 80 checkpoints")
	assert.Greater(t, head.Revision, int64(0))
	t.Logf("%d bytes, revision %d", len(head.Checkpoint()), head.Revision)
}
