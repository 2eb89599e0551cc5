package runner_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// image is a folder as that of a program in an image is: nobody can write to it, and it has folders.
func (e *environment) image(text string) string {
	e.t.Helper()
	folder := filepath.Join(e.t.TempDir(), "program")
	require.NoError(e.t, os.MkdirAll(filepath.Join(folder, "parts"), 0o755))
	require.NoError(e.t, os.WriteFile(filepath.Join(folder, "Pulumi.yaml"), []byte(text), 0o400))
	require.NoError(e.t, os.WriteFile(filepath.Join(folder, "parts", "colour"), []byte("green"), 0o400))
	return folder
}

const programInImage = `name: shop
runtime: yaml
config:
  size: {type: integer}
resources:
  first:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: first}
        data: {colour: {"fn::readFile": ./parts/colour}, size: "${size} pieces"}
`

func TestAProgramInTheImage(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	folder := e.image(programInImage)
	given := inputs.Inputs{Image: "localhost/program@sha256:1", Config: map[string]json.RawMessage{
		"size": json.RawMessage("3"), "k8sconnect:namespace": json.RawMessage(`"` + e.namespace + `"`),
	}}
	run := func(kind v1alpha1.OperationKind, given inputs.Inputs, folder string) (*state.Head, int) {
		exit := e.start(kind, given, "--program="+folder).wait()
		return e.head(), exit
	}
	head, exit := run(v1alpha1.OperationUpdate, given, folder)
	require.Zero(t, exit, head.Record.Message)
	assert.Equal(t, map[string]string{"colour": "green", "size": "3 pieces"}, e.configMap("first").Data)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 2, "nothing was written to it")

	t.Run("wants the keys that it knows, and says what is wrong with it", func(t *testing.T) {
		misspelt := given
		misspelt.Config = map[string]json.RawMessage{"sice": json.RawMessage("3")}
		head, _ := run(v1alpha1.OperationUpdate, misspelt, folder)
		assert.Equal(t, "ConfigInvalid", head.Record.Reason)
		assert.Contains(t, head.Record.Message, `Did you mean "size"`)
		head, _ = run(v1alpha1.OperationUpdate, given, filepath.Join(folder, "missing"))
		assert.Equal(t, "ProgramInvalid", head.Record.Reason)
		assert.Contains(t, head.Record.Message, "the image localhost/program@sha256:1: it has no program in its folder "+filepath.Join(folder, "missing"))
	})
	t.Run("is not needed to destroy", func(t *testing.T) {
		head, exit := run(v1alpha1.OperationDestroy, given, filepath.Join(folder, "missing"))
		require.Zero(t, exit, head.Record.Message)
		assert.Empty(t, e.configMaps())
	})
}
