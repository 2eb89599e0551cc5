package sdk_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
)

// savedResource is what the state has of a resource of the story.
type savedResource struct {
	URN     string         `json:"urn"`
	Type    string         `json:"type"`
	Inputs  map[string]any `json:"inputs"`
	Outputs map[string]any `json:"outputs"`
}

// state are the outputs of the resources in the state by their names, as "pulumi stack export" has them.
func (s *story) state(t *testing.T) map[string]map[string]any {
	t.Helper()
	outputs := map[string]map[string]any{}
	for name, resource := range s.saved(t) {
		if strings.HasPrefix(resource.Type, "k8sconnect:") {
			outputs[name] = resource.Outputs
		}
	}
	return outputs
}

// inputs are the inputs in the state, those of the provider too.
func (s *story) inputs(t *testing.T) map[string]map[string]any {
	t.Helper()
	inputs := map[string]map[string]any{}
	for name, resource := range s.saved(t) {
		inputs[name] = resource.Inputs
	}
	return inputs
}

func (s *story) saved(t *testing.T) map[string]savedResource {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.backend, ".pulumi", "stacks", s.project, cli.StackName+".json"))
	require.NoError(t, err)
	var saved struct {
		Checkpoint struct {
			Latest struct {
				Resources []savedResource `json:"resources"`
			} `json:"latest"`
		} `json:"checkpoint"`
	}
	require.NoError(t, json.Unmarshal(text, &saved))
	resources := map[string]savedResource{}
	for _, r := range saved.Checkpoint.Latest.Resources {
		resources[r.URN[strings.LastIndex(r.URN, "::")+2:]] = r
	}
	return resources
}

// assertNotSaved looks for a secret in all that the backend has: the state, its backups, the history.
func (s *story) assertNotSaved(t *testing.T, secret string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(s.backend, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		assert.NotContains(t, string(content), secret, path)
		return err
	}))
}
