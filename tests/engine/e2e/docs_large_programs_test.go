package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageOnLargePrograms proves what switches what off. The numbers are those of "make bench", and what happens to a killed
// run is what [O87] proves.
func pageOnLargePrograms(t *testing.T, p page) {
	const aboutTheLog = "The log of the CLI"
	p.prove(t, proofs{
		commandLines: func(t *testing.T, f fence) {
			if f.section != aboutTheLog {
				commands(t, f)
			}
		},
		aStackFile: configured,
	})
	t.Run("a file in place of the folder takes away the log of the CLI, and nothing else", func(t *testing.T) {
		t.Parallel()
		s, _, space := docsStack(t, shared.Get(t))
		home := t.TempDir()
		logs := filepath.Join(home, ".pulumi", "logs")
		s.env["PULUMI_HOME"] = filepath.Join(home, ".pulumi")
		s.program(t, "%s", configMap("settings", "settings", space))
		s.preview(t)
		written, err := filepath.Glob(filepath.Join(logs, "*.log"))
		require.NoError(t, err)
		assert.NotEmpty(t, written, "without the file there is a log")

		fences := p.in(t, aboutTheLog, commandLines)
		require.Len(t, fences, 1)
		shell := exec.CommandContext(t.Context(), "sh", "-e", "-c", fences[0].code)
		shell.Env = append(os.Environ(), "HOME="+home)
		printed, err := shell.CombinedOutput()
		require.NoError(t, err, "%s", printed)

		s.up(t)
		s.previewEmpty(t)
		info, err := os.Stat(logs)
		require.NoError(t, err)
		assert.True(t, info.Mode().IsRegular())
		assert.Zero(t, info.Size())
	})
	t.Run("without checkpoints the state is saved when a run fails, and when it is interrupted", func(t *testing.T) {
		t.Parallel()
		s, _, space := docsStack(t, shared.Get(t))
		s.env["PULUMI_SKIP_CHECKPOINTS"] = "true"
		waiting := func(name, timeout string) string {
			return "resources:" + configMapResource(name, name, space, "{a: b}") + `
  wait-for-` + name + `:
    type: k8sconnect:Wait
    properties: {resourceRef: "${` + name + `.resourceRef}", waitFor: {field: data.never, timeout: ` + timeout + `}}
`
		}
		s.program(t, "%s", waiting("failing", "1s"))
		s.upFails(t)
		assert.Contains(t, s.export(t).resources, "failing")

		s.program(t, "%s", waiting("interrupted", "2m"))
		up := s.start(t, "up", "--yes", "--skip-preview")
		up.prints(t, "Wait wait-for-interrupted creating")
		assert.NotContains(t, s.export(t).resources, "interrupted", "the run saves nothing before its end")
		up.signal(t, syscall.SIGINT)
		failed(t, up.wait(t))
		assert.Contains(t, s.export(t).resources, "interrupted")
	})
}
