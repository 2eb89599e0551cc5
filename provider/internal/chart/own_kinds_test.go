package chart

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/common"
)

func has(t *testing.T, kubernetes string, ids ...string) map[string]bool {
	t.Helper()
	var template strings.Builder
	template.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: { name: has }\ndata:\n")
	for _, id := range ids {
		fmt.Fprintf(&template, "  %q: {{ .Capabilities.APIVersions.Has %q | quote }}\n", strings.ReplaceAll(id, "/", "_"), id)
	}
	chart, err := Load([]File{
		{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: has\nversion: 1.0.0\n")},
		{Name: "templates/has.yaml", Data: []byte(template.String())},
	})
	require.NoError(t, err)
	rendered, err := chart.Render(t.Context(), Release{Name: "has", KubeVersion: kubernetes}, nil, Functions{})
	require.NoError(t, err)
	found := map[string]bool{}
	for _, id := range ids {
		data, _ := rendered.Objects[0].Object["data"].(map[string]any)
		found[id] = data[strings.ReplaceAll(id, "/", "_")] == "true"
	}
	return found
}

func TestOwnKinds(t *testing.T) {
	t.Parallel()
	t.Run("templates find kinds of Kubernetes' own, as in a cluster [D67]", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, map[string]bool{
			"v1/Service": true, "apps/v1/Deployment": true, "policy/v1/PodDisruptionBudget": true, "networking.k8s.io/v1/Ingress": true,
			"apiextensions.k8s.io/v1/CustomResourceDefinition": true, "apiregistration.k8s.io/v1": true, "apiregistration.k8s.io/v1/APIService": true,
			"policy/v1/Eviction": true, "batch/v1beta1/CronJob": false, "extensions/v1beta1/Ingress": false, "v1/ListOptions": false,
			"policy/v1beta1/PodSecurityPolicy": false, "example.com/v1/Widget": false, "networking.k8s.io/v1beta1/IPAddress": false,
		}, has(t, "1.36",
			"v1/Service", "apps/v1/Deployment", "policy/v1/PodDisruptionBudget", "networking.k8s.io/v1/Ingress",
			"apiextensions.k8s.io/v1/CustomResourceDefinition", "apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1/APIService",
			"policy/v1/Eviction", "batch/v1beta1/CronJob", "extensions/v1beta1/Ingress", "v1/ListOptions",
			"policy/v1beta1/PodSecurityPolicy", "example.com/v1/Widget", "networking.k8s.io/v1beta1/IPAddress"))
	})
	t.Run("they find those of the release of kubeVersion [D67]", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, map[string]bool{"batch/v1beta1/CronJob": true, "batch/v1/CronJob": false, "autoscaling/v2/HorizontalPodAutoscaler": false},
			has(t, "v1.20.3-eks.1", "batch/v1beta1/CronJob", "batch/v1/CronJob", "autoscaling/v2/HorizontalPodAutoscaler"))
		assert.Equal(t, map[string]bool{"batch/v1beta1/CronJob": true, "batch/v1/CronJob": true, "autoscaling/v2/HorizontalPodAutoscaler": true},
			has(t, "1.24.1", "batch/v1beta1/CronJob", "batch/v1/CronJob", "autoscaling/v2/HorizontalPodAutoscaler"))
	})
	t.Run("each has a version that Helm finds without a cluster, too [D67]", func(t *testing.T) {
		t.Parallel()
		version, err := common.ParseKubeVersion("1.36")
		require.NoError(t, err)
		caps, err := Release{KubeVersion: "1.36"}.capabilities()
		require.NoError(t, err)
		assert.Greater(t, len(ownKinds(*version)), 60)
		for _, id := range ownKinds(*version)[1:] {
			assert.True(t, caps.APIVersions.Has(path.Dir(id)), id)
			assert.Equal(t, 1, len(slices.DeleteFunc(slices.Clone(caps.APIVersions), func(other string) bool { return other != id })), id)
		}
	})
}
