package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDescriptionsForPython(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ written, want string }{
		"name inputs and outputs as Python does":         {"Set `waitFor` or `host`.", "Set `wait_for` or `host`."},
		"keep what follows a name":                       {"as `waitFor.failWhen` says", "as `wait_for.failWhen` says"},
		"name resource options as Python does":           {"Default: `customTimeouts`.", "Default: `custom_timeouts`."},
		"leave the names of Kubernetes alone":            {"`metadata.managedFields`, `clusterIP`, `status.waitFor`", "`metadata.managedFields`, `clusterIP`, `status.waitFor`"},
		"leave values and other code alone":              {"`Foreground`, `waitFor: {}`, waitFor", "`Foreground`, `waitFor: {}`, waitFor"},
		"leave examples alone":                           {"`waitFor`\n\n{{% examples %}}\n`waitFor`", "`wait_for`\n\n{{% examples %}}\n`waitFor`"},
		"leave a name alone that is a word of the prose": {"waitFor", "waitFor"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written, err := json.Marshal(map[string]any{
				"description": c.written,
				"config":      map[string]any{"variables": map[string]any{"host": map[string]any{"type": "string"}}},
				"resources": map[string]any{"a": map[string]any{
					"description":     c.written,
					"inputProperties": map[string]any{"waitFor": map[string]any{"description": c.written}},
				}},
			})
			require.NoError(t, err)
			text, err := withPythonNames(written)
			require.NoError(t, err)
			var schema struct {
				Description string
				Resources   map[string]struct {
					Description     string
					InputProperties map[string]struct{ Description string }
				}
			}
			require.NoError(t, json.Unmarshal(text, &schema))
			a := schema.Resources["a"]
			assert.Equal(t, []string{c.want, c.want, c.want},
				[]string{schema.Description, a.Description, a.InputProperties["waitFor"].Description})
		})
	}
}
