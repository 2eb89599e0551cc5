//go:build linux && node

package node

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// release is what Helm has installed of the chart in testdata/shop, by the names of the resources that adopt it.
type release map[string]string

// installRelease has Helm install the chart in the namespace, and returns what it says that it has applied.
func installRelease(t *testing.T, s *stack) release {
	t.Helper()
	helm(t, s, "install", "shop", "testdata/shop", "--wait", "--timeout=2m")
	applied := release{}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(helm(t, s, "get", "manifest", "shop"))))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return applied
		}
		require.NoError(t, err)
		object := unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal(document, &object.Object))
		if len(object.Object) > 0 {
			object.SetNamespace(s.space) // Helm gets it from the command line
			text, err := yaml.Marshal(object.Object)
			require.NoError(t, err)
			applied[strings.ToLower(object.GetKind())+"-"+object.GetName()] = string(text)
		}
	}
}

// helm runs Helm in the namespace and returns what it printed.
func helm(t *testing.T, s *stack, args ...string) string {
	t.Helper()
	path, err := cluster.Tool("helm")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, append([]string{"--kubeconfig=" + s.cluster.KubeconfigFile(), "--namespace=" + s.space}, args...)...)
	cmd.Env = []string{"HOME=" + tools.Home}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, "helm %s\n%s", args, &said)
	return string(out)
}

// without is the release after a line was taken out of an object's manifest.
func (r release) without(t *testing.T, name, line string) release {
	t.Helper()
	changed := release{}
	for key, text := range r {
		if key == name {
			lines := strings.Split(text, "\n")
			var kept []string
			for _, l := range lines {
				if strings.TrimSpace(l) != line {
					kept = append(kept, l)
				}
			}
			require.Len(t, kept, len(lines)-1, "%s has the line %q once:\n%s", name, line, text)
			text = strings.Join(kept, "\n")
		}
		changed[key] = text
	}
	return changed
}

// program is one in which each object of the release is a resource with further inputs.
func (r release) program(inputs string) string {
	var b strings.Builder
	b.WriteString("resources:\n")
	for name, text := range r {
		fmt.Fprintf(&b, "  %s:\n    type: k8sconnect:KubeObject\n    properties: {%s, yaml: %s}\n", name, inputs, strconv.Quote(text))
	}
	return b.String()
}

func TestWhatHelmHasApplied(t *testing.T) {
	s := newStack(t)
	installed := installRelease(t, s)
	require.Len(t, installed, 5)
	pods := func(t *testing.T) string {
		t.Helper()
		return s.kubectl(t, "get", "pods", "--output=jsonpath={range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount}{\"\\n\"}{end}")
	}
	generations := func(t *testing.T) string {
		t.Helper()
		return s.kubectl(t, "get", "deployments,statefulsets", "--output=jsonpath={.items[*].metadata.generation}")
	}
	banner := func(t *testing.T) string {
		t.Helper()
		return s.kubectl(t, "get", "configmap", "shop", "--output=jsonpath={.data.banner}")
	}
	podsBefore, generationsBefore := pods(t), generations(t)
	require.Len(t, strings.Split(podsBefore, "\n"), 3)

	step(t, "what Helm applied is Helm's, under the name that takeOverFrom knows [N13]", func(t *testing.T) {
		assert.Equal(t, "helm", s.kubectl(t, "get", "configmap", "shop", "--show-managed-fields", "--output=jsonpath={.metadata.managedFields[*].manager}"))
	})
	step(t, "without adopt, nothing of it is touched [N13]", func(t *testing.T) {
		s.program(t, installed.program("conflictPolicy: fail"))
		assert.Contains(t, s.fails(t, "preview"), "adopt: true")
	})
	step(t, "the preview of the adoption changes no value [N13]", func(t *testing.T) {
		s.program(t, installed.program("adopt: true"))
		out := s.run(t, "preview", "--diff")
		assert.Equal(t, 5, strings.Count(out, "will be adopted"), out)
		assert.NotContains(t, out, " -> ")
	})
	step(t, "adopted, no pod was restarted or made again, and the next preview is empty [N13]", func(t *testing.T) {
		s.up(t)
		assert.Equal(t, podsBefore, pods(t))
		assert.Equal(t, generationsBefore, generations(t))
		s.previewEmpty(t)
	})
	changed := installed.without(t, "configmap-shop", "banner: Everything must go")
	step(t, "what leaves the program while it is Helm's too stays on the object, which is said [N13]", func(t *testing.T) {
		s.program(t, changed.program("adopt: true"))
		out := s.up(t)
		assert.Contains(t, out, "takeOverFrom: [\"helm\"]")
		assert.Equal(t, "Everything must go", banner(t))
	})
	step(t, "taken over from Helm, it goes, and no pod is restarted [N13]", func(t *testing.T) {
		s.program(t, changed.program("adopt: true, takeOverFrom: [helm]"))
		assert.Contains(t, s.run(t, "preview", "--diff"), "the update removes fields that left the manifest earlier and that no other manager owns any more: data.banner")
		s.up(t)
		assert.Empty(t, banner(t))
		assert.Equal(t, "Helm", s.kubectl(t, "get", "serviceaccount", "shop", "--output=jsonpath={.metadata.labels.app\\.kubernetes\\.io/managed-by}"),
			"of which the program has nothing")
		assert.Equal(t, podsBefore, pods(t))
		assert.Equal(t, generationsBefore, generations(t))
		s.previewEmpty(t)
	})
	step(t, "from then on a removal is real at once [N13]", func(t *testing.T) {
		s.program(t, changed.without(t, "configmap-shop", "app.kubernetes.io/managed-by: Helm").program("adopt: true, takeOverFrom: [helm]"))
		s.up(t)
		assert.Empty(t, s.kubectl(t, "get", "configmap", "shop", "--output=jsonpath={.metadata.labels.app\\.kubernetes\\.io/managed-by}"))
		s.previewEmpty(t)
	})
	step(t, "destroy deletes what was Helm's [N13]", func(t *testing.T) {
		s.destroy(t)
		s.eventually(t, "", "get", "deployments,statefulsets,services,pods", "--output=name")
	})
}
