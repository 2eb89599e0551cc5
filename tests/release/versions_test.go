package release_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// otherVersions are the versions of Kubernetes that there is a module file of, beside the one that all tests take.
func otherVersions(t *testing.T) []string {
	t.Helper()
	modules, err := filepath.Glob(filepath.Join(root, "tests", "cluster", "controlplane", "kubernetes-*.mod"))
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	var versions []string
	for _, module := range modules {
		versions = append(versions, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(module), "kubernetes-"), ".mod"))
	}
	return versions
}

func TestVersionsOfKubernetes(t *testing.T) {
	t.Parallel()
	for name, argument := range map[string]string{
		"a version without a module file is refused, with those that there are [V1]": "KUBERNETES=1.7",
		"no version is refused, with those that there are [V1]":                      "KUBERNETES=",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := exec.Command("make", "test-version", argument)
			command.Dir = root
			out, err := command.CombinedOutput()
			require.Error(t, err)
			assert.Contains(t, string(out), "wants KUBERNETES to be one of: "+strings.Join(otherVersions(t), " ")+".")
		})
	}
}
