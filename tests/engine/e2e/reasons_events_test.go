package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The recipe of the page finds the reason in what a program of the Automation API gets, which reads the same file.
func TestTheReasonIsFoundInTheEvents(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "reasons.md"))
	require.NoError(t, err)
	found := regexp.MustCompile("first match of this regular\nexpression, [^`]*`([^`]+)`").FindSubmatch(page)
	require.NotNil(t, found, "the page has a regular expression")
	recipe := regexp.MustCompile(string(found[1]))
	reasonIn := func(text string) string {
		if match := recipe.FindStringSubmatch(text); match != nil {
			return match[1]
		}
		return "none in " + text
	}
	s, space := newStack(t), shared.Get(t).Namespace(t)
	s.program(t, `
resources:
  waits:
    type: k8sconnect:Wait
    properties:
      resourceRef: {apiVersion: v1, kind: ConfigMap, name: never, namespace: %[1]s}
      waitFor: {field: data.x, timeout: 1s}
  fails:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: Never, namespace: %[1]s, annotations: {"a": "[NoReason]"}}}
`, space)
	events := filepath.Join(t.TempDir(), "events")
	s.env["PULUMI_DEBUG_COMMANDS"] = "true" // --event-log is hidden without it
	s.runFails(t, "up", "--yes", "--skip-preview", "--event-log", events)
	reasons := map[string]string{}
	log, err := os.ReadFile(events)
	require.NoError(t, err)
	for line := range bytes.Lines(log) {
		var event apitype.EngineEvent
		require.NoError(t, json.Unmarshal(line, &event))
		if said := event.DiagnosticEvent; said != nil && said.Severity == "error" && said.URN != "" {
			if name := said.URN[len(said.URN)-5:]; name == "waits" || name == "fails" {
				reasons[name] = reasonIn(said.Message)
			}
		}
		if failed := event.ResOpFailedEvent; failed != nil && failed.Metadata.New != nil {
			for _, problem := range failed.Metadata.New.InitErrors {
				reasons["initErrors"] = reasonIn(problem)
			}
		}
	}
	assert.Equal(t, map[string]string{"waits": "WaitTimedOut", "fails": "Invalid", "initErrors": "WaitTimedOut"}, reasons, "[D79]")
}
