package e2e

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

func TestATemplateFindsTheKindsThatAnAPIServerHas(t *testing.T) { // [D67]
	t.Parallel()
	s := newChartStory(t)
	version, err := s.cluster.Client().Discovery().ServerVersion()
	require.NoError(t, err)
	s.chart(t, "1.0.0", map[string]string{"templates/found.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: found }\n" +
		"data: { ids: {{ .Capabilities.APIVersions | join \" \" | quote }} }\n"})
	s.declare(t, "kubeVersion: "+version.GitVersion)
	s.up(t)
	found := strings.Fields(s.kube.value(t, "v1/ConfigMap/"+s.space+"/found", "data", "ids").(string))

	_, lists, err := s.cluster.Client().Discovery().ServerGroupsAndResources()
	require.NoError(t, err)
	served := map[string]bool{}
	for _, list := range lists {
		group, err := schema.ParseGroupVersion(list.GroupVersion)
		require.NoError(t, err)
		own := scheme.Scheme.IsGroupRegistered(group.Group) || slices.Contains([]string{"apiextensions.k8s.io", "apiregistration.k8s.io"}, group.Group)
		for _, resource := range list.APIResources {
			in := schema.GroupVersion{Group: group.Group, Version: group.Version}
			if resource.Version != "" { // the kind of a subresource
				in = schema.GroupVersion{Group: resource.Group, Version: resource.Version}
			}
			served[in.String()+"/"+resource.Kind] = true
			served[list.GroupVersion+"/"+resource.Kind] = true
			if own && !strings.HasSuffix(resource.Kind, "Options") && in == group {
				assert.Contains(t, found, list.GroupVersion+"/"+resource.Kind)
			}
		}
	}
	for _, id := range found {
		if _, kind := path.Split(id); kind[0] >= 'A' && kind[0] <= 'Z' && !slices.Contains([]string{"v1/PodStatusResult", "v1/RangeAllocation"}, id) {
			assert.Contains(t, served, id)
		}
	}
}

func TestAVersionThatAChartHasChosenWrongly(t *testing.T) { // [D67]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{"templates/nightly.yaml": `
apiVersion: {{ if .Capabilities.APIVersions.Has "batch/v1/CronJob" }}batch/v1{{ else }}batch/v1beta1{{ end }}
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: "0 3 * * *"
  jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: it, image: "nightly:1" }] } } } }
`})
	s.declare(t, "kubeVersion: \"1.20\"")
	out := s.previewFails(t)
	assert.Contains(t, out, `the cluster has no kind "CronJob" in "batch/v1beta1"`)
	line := "apiVersions: [batch/v1, batch/v1/CronJob]"
	assert.Contains(t, out, line)
	s.declare(t, "kubeVersion: \"1.20\"\n"+line)
	s.up(t)
	s.kube.get(t, "batch/v1/CronJob/"+s.space+"/nightly")
}
