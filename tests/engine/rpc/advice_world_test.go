package rpc_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// pasted is what a message says to write for an input that is a list, read out of the message and parsed as the YAML of a program.
func pasted(t testing.TB, message, input string) m {
	t.Helper()
	_, rest, found := strings.Cut(message, input+": [")
	require.True(t, found, "%s: [ is in %q", input, message)
	list := json.NewDecoder(strings.NewReader("[" + rest))
	require.NoError(t, list.Decode(&[]any{}), "in %q", message)
	line := input + ": " + ("[" + rest)[:list.InputOffset()]
	var inputs m
	require.NoError(t, yaml.Unmarshal([]byte(line), &inputs), line)
	return inputs
}

// told is all messages that have a text, as one.
func (s *session) told(text string) string {
	s.t.Helper()
	said := s.process.log.all()
	require.Contains(s.t, said, text)
	return said[strings.Index(said, text):]
}

// commandIn is the command line in a message that begins like this.
func commandIn(t testing.TB, message, begins string) string {
	t.Helper()
	_, rest, found := strings.Cut(message, begins)
	require.True(t, found, "%s is in %q", begins, message)
	return strings.TrimSpace(begins + rest[:strings.IndexAny(rest+"\n", "\n`")])
}

// sh runs a command line as an administrator of the cluster pastes it.
func sh(t testing.TB, line string) (output string, err error) {
	t.Helper()
	path, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Env = []string{"HOME=" + t.TempDir(), "KUBECONFIG=" + shared.Get(t).KubeconfigFile(), "PATH=" + filepath.Dir(path) + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// mustSh is a command line that must succeed.
func mustSh(t testing.TB, line string) string {
	t.Helper()
	out, err := sh(t, line)
	require.NoError(t, err, "%s\n%s", line, out)
	return out
}
