//go:build published

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/charts"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// Charts of others live through what their users do with them: they are installed, nothing differs then, and they are removed; and those
// that Helm has installed are taken over without a change to a workload or a Secret. Each has a cluster of its own, since most have
// definitions, webhooks and cluster roles.
func TestPublishedChartsLive(t *testing.T) {
	for name, folder := range charts.Published(t) {
		t.Run(name, func(t *testing.T) {
			if chartType(t, folder) == "library" {
				return // It has no objects.
			}
			t.Run("installed", func(t *testing.T) { aloneIn(t).installs(t, folder) })
			t.Run("taken over", func(t *testing.T) { aloneIn(t).takesOver(t, folder) })
		})
	}
}

// TestPublishedManifestsLive does so with the files of manifests beside the charts, which are named install.yaml and deploy.yaml.
func TestPublishedManifestsLive(t *testing.T) {
	root := os.Getenv("CHARTS")
	if root == "" {
		t.Skip("CHARTS names no folder")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.yaml"))
	require.NoError(t, err)
	for _, file := range files {
		if !slices.Contains([]string{"install.yaml", "deploy.yaml"}, filepath.Base(file)) {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			s := aloneIn(t)
			s.program(t, "resources:\n  it:\n    type: k8sconnect:Manifests\n    properties: {files: [%q], namespace: %q}\n", file, s.space)
			s.up(t)
			s.previewEmpty(t)
			s.destroy(t)
			assert.Empty(t, s.export(t).all)
		})
	}
}

// aloneIn begins a story in a cluster of its own.
func aloneIn(t *testing.T) chartStory {
	t.Helper()
	c, err := cluster.Start(context.Background(), workloads.Options)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Stop()) })
	return chartStory{newStackIn(t, kubeOf(t, c), c.KubeconfigFile()), kubeOf(t, c), c, c.Namespace(t)}
}

func chartType(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "Chart.yaml"))
	require.NoError(t, err)
	var chart struct{ Type string }
	require.NoError(t, yaml.Unmarshal(text, &chart))
	return chart.Type
}

// of writes a program with the chart.
func (s chartStory) of(t *testing.T, folder, inputs string) {
	t.Helper()
	s.program(t, "resources:\n  shop:\n    type: k8sconnect:Chart\n    properties:\n      chart: %q\n      namespace: %s\n      kubeVersion: 1.36.0\n      %s\n",
		folder, s.space, strings.ReplaceAll(inputs, "\n", "\n      "))
}

func (s chartStory) installs(t *testing.T, folder string) {
	s.of(t, folder, "")
	s.up(t)
	s.previewEmpty(t)
	s.of(t, folder, "edits: {labels: {team: shop}}")
	s.up(t)
	s.previewEmpty(t)
	s.destroy(t)
	assert.Empty(t, s.export(t).all)
}

func (s chartStory) takesOver(t *testing.T, folder string) {
	s.of(t, folder, "")
	s.helm(t, s.cluster, s.space, "install", "shop", folder, "--timeout", "10m")
	before := s.kept(t)
	s.of(t, folder, "adopt: true\ntakeOverFrom: [helm]")
	t.Log(s.preview(t))
	s.up(t)
	for id, was := range before {
		assert.Equal(t, was, s.kept(t)[id], id)
	}
	s.previewEmpty(t)
	s.destroy(t)
	assert.Empty(t, s.export(t).all)
}

// kept is what a takeover must not change: the generations of workloads and the data of Secrets.
func (s chartStory) kept(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, of := range []schema.GroupVersionResource{
		{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "apps", Version: "v1", Resource: "statefulsets"},
		{Group: "apps", Version: "v1", Resource: "daemonsets"}, {Version: "v1", Resource: "secrets"},
	} {
		list, err := s.kube.client.Resource(of).Namespace(s.space).List(t.Context(), metav1.ListOptions{LabelSelector: "owner!=helm"})
		require.NoError(t, err)
		for _, one := range list.Items {
			content, _, _ := unstructured.NestedFieldNoCopy(one.Object, "spec", "template")
			annotations, _, _ := unstructured.NestedMap(one.Object, "spec", "template", "metadata", "annotations")
			for name := range annotations {
				if strings.HasPrefix(name, "checksum/") { // Helm computes it from another rendering, with other draws, than it applies.
					unstructured.RemoveNestedField(one.Object, "spec", "template", "metadata", "annotations", name)
				}
			}
			if of.Resource == "secrets" {
				content = one.Object["data"]
			}
			text, err := json.Marshal(content)
			require.NoError(t, err)
			all[one.GetKind()+" "+one.GetName()] = string(text)
		}
	}
	return all
}
