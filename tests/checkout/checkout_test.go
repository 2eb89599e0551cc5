package checkout_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/checkout"
)

func TestFilesAreFoundFromAnyFolder(t *testing.T) {
	text, err := checkout.Read("tests", "checkout", "checkout.go")
	require.NoError(t, err)
	assert.Contains(t, text, "package checkout")

	t.Chdir("..")
	again, err := checkout.Read("tests", "checkout", "checkout.go")
	require.NoError(t, err)
	assert.Equal(t, text, again)

	t.Chdir(t.TempDir())
	_, err = checkout.Path("go.mod")
	require.Error(t, err)
}

func TestTheMakefileHasWhatItIncludes(t *testing.T) {
	text, err := checkout.Makefile()
	require.NoError(t, err)
	for _, target := range []string{"build", "test-unit", "sdk"} {
		assert.Contains(t, text, "\n"+target+":")
	}
	assert.NotContains(t, text, "\ninclude ")
}
