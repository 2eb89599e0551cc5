package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
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
	t.Run("without checkpoints a run saves the state once, also if it fails", func(t *testing.T) {
		t.Parallel()
		s, _, space := docsStack(t, shared.Get(t))
		s.env["PULUMI_SKIP_CHECKPOINTS"] = "true"
		s.program(t, "%s", "resources:"+configMapResource("good", "good", space, "{a: b}")+
			"\n  bad:\n    type: k8sconnect:KubeObject\n    options: {dependsOn: ['${good}']}\n    properties: {manifest: {apiVersion: v1, kind: Secret, metadata: {name: bad, namespace: "+
			space+"}, type: Opaque, data: {a: 'not base64'}}}\n")
		s.exec(t, "up", "--yes", "--skip-preview")
		saved := s.export(t)
		assert.Contains(t, saved.resources, "good")
		assert.NotContains(t, saved.resources, "bad")
	})
}
