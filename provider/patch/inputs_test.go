package patch

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAWaitForThatCannotBeReadConcernsOnlyWhoIsAboutToWait(t *testing.T) {
	text := func(s string) property.Value { return property.New(s) }
	saved := property.NewMap(map[string]property.Value{
		keyTarget: property.New(map[string]property.Value{
			"apiVersion": text("v1"), "kind": text("ConfigMap"), "namespace": text("shop"), "name": text("web"),
		}),
		keyPatch:   property.New(map[string]property.Value{"data": property.New(map[string]property.Value{"a": text("9")})}),
		keyWaitFor: property.New(map[string]property.Value{"condition": text("Ready=Perhaps")}),
	})
	t.Run("all else in the inputs is read [D12]", func(t *testing.T) {
		in, err := decodeInputs(saved)
		require.NoError(t, err)
		assert.Equal(t, "web", in.object.Name)
		assert.Equal(t, map[string]any{"data": map[string]any{"a": "9"}}, in.tree())
		assert.Nil(t, in.wait.Goal)
		assert.NotEmpty(t, stillMissing(t.Context(), target{}, in, &unstructured.Unstructured{}, nil), "it is not known to hold")
	})
	t.Run("who carries them out is told what is wrong [D12]", func(t *testing.T) {
		_, err := decodeProgram(saved)
		require.ErrorContains(t, err, `waitFor: the status of a condition is True, False or Unknown, not "Perhaps"`)
	})
	t.Run("nothing to wait for is not missing [D12]", func(t *testing.T) {
		in, err := decodeProgram(saved.Delete(keyWaitFor))
		require.NoError(t, err)
		assert.Empty(t, stillMissing(t.Context(), target{}, in, &unstructured.Unstructured{}, nil))
	})
}
