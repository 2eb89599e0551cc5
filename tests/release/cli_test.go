package release_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// pulumi is a CLI with a home of its own, in which nothing is installed, and a project.
type pulumi struct {
	tools cli.Tools
	dir   string
	env   map[string]string
}

// newPulumi makes a CLI that finds no plugin of ours: what make has built lies beside the real ones in bin/.
func newPulumi(t *testing.T, program string) pulumi {
	t.Helper()
	kubeconfig := shared.Get(t).KubeconfigFile()
	tools, err := cli.Prepare(t.TempDir(), nil)
	require.NoError(t, err)
	path := t.TempDir()
	for _, name := range []string{"pulumi", "pulumi-language-yaml"} {
		tool, err := cluster.Tool(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(tool, filepath.Join(path, name)))
	}
	tools.Path = path + string(os.PathListSeparator) + os.Getenv("PATH")
	p := pulumi{tools: tools, dir: t.TempDir(), env: tools.Environment(t.TempDir(), kubeconfig)}
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "Pulumi.yaml"), []byte(program), 0o600))
	return p
}

func (p pulumi) try(t *testing.T, args ...string) (stdout, all string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	command := p.tools.Command(ctx, p.dir, p.env, args...)
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	err = command.Run()
	return out.String(), out.String() + problems.String(), err
}

// run runs a command that has to succeed and returns what it printed to stdout.
func (p pulumi) run(t *testing.T, args ...string) string {
	t.Helper()
	stdout, all, err := p.try(t, args...)
	require.NoError(t, err, "pulumi %v\n%s", args, all)
	return stdout
}

const program = `name: released
runtime: yaml
resources:
  settings:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: released, namespace: default}, data: {a: "1"}}
`

// runInstalled installs the archive as its README says and tells the life of an object with it.
func runInstalled(t *testing.T, s snapshot) {
	p := newPulumi(t, program)
	p.run(t, "stack", "init", cli.StackName)
	_, all, err := p.try(t, "preview")
	require.Error(t, err, "there is another plugin that the CLI finds:\n%s", all)
	require.Contains(t, all, "no resource plugin 'pulumi-resource-k8sconnect' found")

	p.run(t, "plugin", "install", "resource", "k8sconnect", version, "--file", s.path(s.archive))
	assert.Contains(t, p.run(t, "plugin", "ls"), version)
	p.run(t, "preview")
	p.run(t, "up", "--yes", "--skip-preview")
	k := kubectl(t)
	assert.Equal(t, "1", k("get", "configmap", "released", "-o", "jsonpath={.data.a}"))
	p.run(t, "preview", "--expect-no-changes")
	p.run(t, "destroy", "--yes", "--skip-preview")
	assert.Empty(t, k("get", "configmap", "released", "--ignore-not-found"))
}

// kubectl runs it against the cluster, in the namespace default.
func kubectl(t *testing.T) func(args ...string) string {
	t.Helper()
	tool, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	return func(args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), tool, args...)
		command.Env = append(os.Environ(), "KUBECONFIG="+shared.Get(t).KubeconfigFile())
		out, err := command.CombinedOutput()
		require.NoError(t, err, "kubectl %v\n%s", args, out)
		return string(out)
	}
}

// compareSchema compares the schema that the binary gives with that which is checked in. Only the first has a version.
func compareSchema(t *testing.T, binary string) {
	var got, want map[string]any
	require.NoError(t, json.Unmarshal([]byte(newPulumi(t, program).run(t, "package", "get-schema", binary)), &got))
	text, err := os.ReadFile(filepath.Join(root, "schema.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &want))
	assert.Equal(t, version, got["version"])
	delete(got, "version")
	assert.Equal(t, want, got)
}

// addPackage adds the provider to projects in the ways that the CLI has. What it writes names a version, which has to
// be installed when the program runs.
func addPackage(t *testing.T, binary string) {
	added := func(t *testing.T, p pulumi) {
		t.Helper()
		project, err := os.ReadFile(filepath.Join(p.dir, "Pulumi.yaml"))
		require.NoError(t, err)
		assert.Contains(t, string(project), "\npackages:\n  k8sconnect: k8sconnect@")
	}
	t.Run("by the path of the binary, then installed and used", func(t *testing.T) {
		p := newPulumi(t, program)
		p.run(t, "stack", "init", cli.StackName)
		p.run(t, "package", "add", binary)
		added(t, p)
		p.run(t, "plugin", "install", "resource", "k8sconnect", version, "--file", binary)
		p.run(t, "preview")
	})
	t.Run("by its name where it is installed", func(t *testing.T) {
		p := newPulumi(t, program)
		p.run(t, "plugin", "install", "resource", "k8sconnect", version, "--file", binary)
		p.run(t, "package", "add", "k8sconnect")
		added(t, p)
	})
	t.Run("by the folder of its source, which the language host for Go builds", func(t *testing.T) {
		if _, err := exec.LookPath("pulumi-language-go"); err != nil {
			t.Skip("pulumi-language-go is not on the PATH; it comes with a released Pulumi CLI")
		}
		p := newPulumi(t, program)
		source, err := filepath.Abs(root)
		require.NoError(t, err)
		p.run(t, "package", "add", source)
		added(t, p)
	})
}
