package sdk_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// TestFirstProgram is the path of a stranger: the files and the commands of the README, as printed and nothing
// else, from the clone to a program that runs. The other tests of this package use the projects that came of it.
func TestFirstProgram(t *testing.T) {
	t.Parallel()
	const ours, pulumis = "by the host of these tests", "by Pulumi's own host"
	// One after the other: all make the same object.
	for _, language := range []struct {
		name  string
		first *installation
	}{
		{"yaml", &yamlProgram},
		{"nodejs", &nodePrograms},
		{"go", &goPrograms},
		{"python", &pythonPrograms},
		{"java", &javaPrograms},
	} {
		t.Run(language.name, func(t *testing.T) {
			if language.name != "yaml" {
				selected(t, language.name)
			}
			p := language.first.get(t)
			host := hostPrefix + language.name
			if _, err := os.Lstat(filepath.Join(strangerPath("hosts"), host)); err == nil {
				t.Run(ours, func(t *testing.T) {
					runFirstProgram(t, p, strangerPath("hosts")+string(os.PathListSeparator)+strangerPath("bin"))
				})
			}
			t.Run(pulumis, func(t *testing.T) {
				if _, err := os.Lstat(filepath.Join(strangerPath("bin"), host)); err != nil {
					if _, err := exec.LookPath(host); err != nil {
						t.Skipf("%s is not on the PATH: it comes with a released Pulumi CLI. "+
							"The same folder was run %s", host, ours)
					}
				}
				runFirstProgram(t, p, strangerPath("bin"))
			})
		})
	}
}

var yamlProgram = installation{install: func(t *testing.T, p *project) { p.followReadme(t, "YAML") }}

// runFirstProgram does what the README has everybody do in the end, with the tools in path, and looks at the cluster.
func runFirstProgram(t *testing.T, p project, path string) {
	t.Helper()
	c := workloads.Get(t)
	p.env = append(slices.Clip(p.env), "PATH="+path+string(os.PathListSeparator)+os.Getenv("PATH"),
		"PULUMI_BACKEND_URL=file://"+filepath.ToSlash(t.TempDir()), "KUBECONFIG="+c.KubeconfigFile(),
		"GOGC=off", "GOMEMLIMIT=400MiB") // each command is several short processes, which need not collect their garbage
	settings := c.Client().CoreV1().ConfigMaps("default")
	assertGone := func() {
		_, err := settings.Get(t.Context(), "settings", metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err), "%v", err)
	}

	assertGone()
	t.Cleanup(func() {
		err := settings.Delete(context.Background(), "settings", metav1.DeleteOptions{})
		assert.True(t, apierrors.IsNotFound(err), "the next one makes the same object, and here it was left over: %v", err)
	})
	var done []string
	for _, line := range readFirstSteps(t).after {
		command, _, _ := strings.Cut(line, "#")
		command = strings.TrimSpace(command)
		said := p.run(t, "bash", "-c", line)
		done = append(done, command)
		switch command {
		case "pulumi up":
			live, err := settings.Get(t.Context(), "settings", metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, map[string]string{"greeting": "hello"}, live.Data)
			assert.Contains(t, said, "uid: [unknown]", "the preview, which comes first")
			assert.Contains(t, said, "2 to create")
			assert.Contains(t, said, "2 created")
			again := p.run(t, "bash", "-c", "pulumi preview --expect-no-changes")
			assert.Contains(t, again, "2 unchanged")
		case "pulumi stack output uid":
			live, err := settings.Get(t.Context(), "settings", metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, string(live.UID), strings.TrimSpace(said))
		case "pulumi destroy":
			assertGone()
		}
	}
	assert.Equal(t, []string{"pulumi stack init dev", "pulumi up", "pulumi stack output uid", "pulumi destroy"}, done)
}

// stranger is someone who knows Pulumi, with a shell of their own in which the README's commands in the clone were run.
var stranger struct {
	once sync.Once
	env  []string
}

// strangerPath is where the stranger has something: the tools that are there before (bin), the hosts of host_test.go
// (hosts), the home of their Pulumi (home), in which nothing is installed but by the README's commands.
func strangerPath(name string) string { return filepath.Join(scratch, "stranger", name) }

// strangerShell returns the environment of the stranger's shell.
func strangerShell(t *testing.T) []string {
	t.Helper()
	stranger.once.Do(func() {
		require.NoError(t, os.MkdirAll(strangerPath("bin"), 0o755))
		require.NoError(t, linkHosts(strangerPath("hosts")))
		for _, tool := range []string{"pulumi", "pulumi-language-yaml", "pulumi-language-java"} {
			if tool == "pulumi-language-java" && !isSelected("java") {
				continue
			}
			path, err := cluster.Tool(tool)
			require.NoError(t, err)
			// Not the whole folder, which has the provider too.
			require.NoError(t, os.Symlink(path, filepath.Join(strangerPath("bin"), tool)))
		}
		var env []string
		for _, setting := range os.Environ() {
			if !strings.HasPrefix(setting, "PULUMI_") {
				env = append(env, setting)
			}
		}
		env = append(env, "PATH="+strangerPath("bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
			"PULUMI_HOME="+strangerPath("home"), "PULUMI_CONFIG_PASSPHRASE=correct horse battery staple",
			"PULUMI_SKIP_UPDATE_CHECK=true", "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true",
			"PULUMI_SKIP_CONFIRMATIONS=true") // the stranger says yes

		// The commands of the languages pack too, all at the same time: here they are given nothing to do.
		pack := "make sdk-pack SDK_LANGUAGES='" + strings.Join(selectedLanguages(), " ") + "'\n"
		clone := project{dir: filepath.Join("..", ".."), env: env}
		clone.run(t, "bash", "-e", "-c", pack+readFirstSteps(t).before+`env -0 > "$0"`, strangerPath("env"))
		after, err := os.ReadFile(strangerPath("env"))
		require.NoError(t, err)
		for setting := range bytes.SplitSeq(bytes.TrimSuffix(after, []byte{0}), []byte{0}) {
			stranger.env = append(stranger.env, string(setting))
		}
	})
	require.NotEmpty(t, stranger.env, "the README's commands in the clone failed: see the other test")
	return stranger.env
}

// followReadme makes a project of the README's files for a language, and installs what it needs by its commands.
func (p project) followReadme(t *testing.T, language string) {
	t.Helper()
	steps, found := readFirstSteps(t).languages[language]
	require.True(t, found, "the README has no first program in %s", language)
	for name, content := range steps.files {
		p.write(t, name, content)
	}
	p.run(t, "bash", "-e", "-c", steps.commands)
}
