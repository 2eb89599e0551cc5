package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// Version is the minor version of Kubernetes that the API server is of, such as v1.36.
func (c *Cluster) Version(t testing.TB) string {
	t.Helper()
	info, err := c.client.Discovery().ServerVersion()
	if err != nil {
		t.Fatalf("version of the API server: %v", err)
	}
	return semver.MajorMinor(info.GitVersion)
}

// IsPinned reports whether the API server is of the version that "make tools" builds. What it lacks is then a failure;
// on another version ("make test-version") a test may leave that out.
func (c *Cluster) IsPinned(t testing.TB) bool {
	t.Helper()
	pinned, err := pinnedVersion()
	if err != nil {
		t.Fatal(err)
	}
	return c.Version(t) == semver.MajorMinor(pinned)
}

// pinnedVersion is what the module of the control plane requires. Like the programs ([Tool]) it is looked for in the
// working directory and in the directories above it.
func pinnedVersion() (string, error) {
	const path, module = "tests/cluster/controlplane/go.mod", "k8s.io/kubernetes"
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("pinned version of Kubernetes: %w", err)
	}
	content, err := os.ReadFile(filepath.Join(dir, path))
	for errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		content, err = os.ReadFile(filepath.Join(dir, path))
	}
	if err != nil {
		return "", fmt.Errorf("pinned version of Kubernetes: %w", err)
	}
	file, err := modfile.ParseLax(path, content, nil)
	if err != nil {
		return "", fmt.Errorf("pinned version of Kubernetes: %w", err)
	}
	for _, required := range file.Require {
		if required.Mod.Path == module {
			return required.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("pinned version of Kubernetes: %s does not require %s", path, module)
}
