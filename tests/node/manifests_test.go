//go:build linux && node

package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// setOf writes the manifests of a program's objects into one file, and a program that applies it as a set.
func (s *stack) setOf(t *testing.T, program string) {
	t.Helper()
	var parsed struct {
		Resources map[string]struct {
			Type       string
			Properties struct{ Manifest map[string]any }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(strings.ReplaceAll(program, "$NS", s.space)), &parsed))
	var documents []string
	for _, resource := range parsed.Resources {
		if resource.Type != "k8sconnect:KubeObject" {
			continue
		}
		document, err := yaml.Marshal(resource.Properties.Manifest)
		require.NoError(t, err)
		documents = append(documents, string(document))
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "set.yaml"), []byte(strings.Join(documents, "---\n")), 0o600))
	s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {files: [set.yaml]}}}\n")
}

// TestASetWithItsOperatorAndItsWebhook applies a set in which nothing says in which order. Its webhook, whose pod is ready late,
// has to be asked about its custom resource, and its operator alone lets that go.
func TestASetWithItsOperatorAndItsWebhook(t *testing.T) {
	s := newStack(t)
	p := newPair(t, s)
	get := func(t *testing.T, path string, object ...string) string {
		t.Helper()
		return s.kubectl(t, append([]string{"get", "--output=jsonpath=" + path}, object...)...)
	}
	begin := func(t *testing.T) {
		t.Helper()
		late := strings.Replace(p.with(s, true, "", customKind+controller), "periodSeconds: 1", "periodSeconds: 1, initialDelaySeconds: 8", 1)
		s.setOf(t, strings.Replace(late, "$SIZE", "1", 1))
		assert.NotContains(t, s.up(t), "warning:")
		for line := range strings.Lines(s.kubectl(t, "get", "--raw", "/metrics")) {
			if strings.HasPrefix(line, "apiserver_admission_webhook_rejection_count{") {
				assert.NotContains(t, line, "rules."+s.space+".example.com", "no request was refused because the webhook could not be called")
			}
		}
		s.eventually(t, `["shop.example.com/clean-up"]`, "get", plural(s)+".shop.example.com", "first", "--output=jsonpath={.metadata.finalizers}")
	}
	ended := func(t *testing.T, began time.Time) {
		t.Helper()
		assert.Less(t, time.Since(began), 100*time.Second, "nothing hangs") // The garbage collector knows new kinds after 30 seconds.
		out, err := s.tryKubectl(t, "get", "crd", plural(s)+".shop.example.com")
		require.Error(t, err)
		assert.Contains(t, out, "NotFound")
		assert.Empty(t, s.kubectl(t, "get", "deployments", "--output=name"))
	}
	step(t, "one up applies it, and the custom resource waits until the webhook is ready [M7]", func(t *testing.T) {
		begin(t)
		instant := func(text string) time.Time {
			at, err := time.Parse(time.RFC3339, text)
			require.NoError(t, err, text)
			return at
		}
		available := instant(get(t, `{.status.conditions[?(@.type=="Available")].lastTransitionTime}`, "deployment", "hook"))
		started := instant(get(t, "{.metadata.creationTimestamp}", "deployment", "hook"))
		created := instant(get(t, "{.metadata.creationTimestamp}", plural(s)+".shop.example.com", "first"))
		assert.GreaterOrEqual(t, available.Sub(started), 8*time.Second, "its pod is ready late")
		assert.False(t, created.Before(available), "created at %s, and the webhook was available at %s", created, available)
		s.previewEmpty(t)
	})
	step(t, "it is destroyed before its operator and its webhook [M6]", func(t *testing.T) {
		began := time.Now()
		s.destroy(t)
		ended(t, began)
	})
	step(t, "and so it is when the set becomes empty [M6]", func(t *testing.T) {
		begin(t)
		s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {manifests: []}}}\n")
		began := time.Now()
		assert.NotContains(t, s.up(t), "warning:")
		ended(t, began)
	})
}
