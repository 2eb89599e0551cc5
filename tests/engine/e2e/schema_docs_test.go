package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/chartserver"
)

// renderedChart are the files of the chart in the folder of renderChart's example.
var renderedChart = map[string]string{
	"values.yaml": "replicas: 1\n",
	"templates/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}, labels: {chart: {{ .Chart.Name }}}}
spec: {replicas: {{ .Values.replicas }}}
`,
}

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// TestTheExamplesInTheSchema runs the examples in the descriptions of the resources and functions, in a
// namespace of its own which is the provider's default, and which stands for kube-system.
func TestTheExamplesInTheSchema(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "schema.json"))
	require.NoError(t, err)
	var schema struct {
		Resources, Functions map[string]struct{ Description string }
	}
	require.NoError(t, json.Unmarshal(text, &schema))
	k := kubeOf(t, c)

	// What the examples promise, by where they are.
	promised := map[string]func(t *testing.T, s *stack, space string, outputs map[string]any){
		"k8sconnect:index:KubeObject": func(t *testing.T, s *stack, space string, outputs map[string]any) {
			shop := "apps/v1/Deployment/" + space + "/shop"
			assert.Equal(t, map[string]any{"uid": string(k.get(t, shop).GetUID())}, outputs)
			applyAs(t, c, "autoscaler", fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\n"+
				"metadata: {name: shop, namespace: %s}\nspec: {replicas: 5}\n", space), "--force-conflicts")
			s.previewEmpty(t)
			assert.Equal(t, int64(5), k.value(t, shop, "spec", "replicas"))
		},
		"k8sconnect:index:Wait": func(t *testing.T, s *stack, space string, _ map[string]any) {
			assert.Equal(t, int64(1), k.value(t, "apps/v1/Deployment/"+space+"/shop", "status", "availableReplicas"))
			k.get(t, "v1/Service/"+space+"/shop")
			assert.Contains(t, fmt.Sprint(s.export(t).get(t, "shop-service").Dependencies), "::shop-ready")
		},
		"k8sconnect:index:Patch": func(t *testing.T, _ *stack, space string, outputs map[string]any) {
			assert.Equal(t, map[string]any{"previousOwners": map[string]any{}}, outputs)
			variables, _ := k.value(t, "apps/v1/DaemonSet/"+space+"/aws-node",
				"spec", "template", "spec", "containers", 0, "env").([]any)
			assert.Contains(t, variables, map[string]any{"name": "HTTP_PROXY", "value": "http://proxy.example:3128"})
			assert.Len(t, variables, 3)
		},
		"k8sconnect:index:getObject": func(t *testing.T, _ *stack, _ string, outputs map[string]any) {
			assert.Equal(t, map[string]any{"address": k.value(t, "v1/Service/default/kubernetes", "spec", "clusterIP")}, outputs)
		},
		"k8sconnect:index:getObjects": func(t *testing.T, _ *stack, _ string, outputs map[string]any) {
			assert.Equal(t, map[string]any{"addresses": []any{k.value(t, "v1/Service/default/kubernetes", "spec", "clusterIP")}}, outputs)
		},
		"k8sconnect:index:Manifests": func(t *testing.T, _ *stack, space string, _ map[string]any) {
			k.get(t, "v1/ConfigMap/"+space+"/settings")
			k.get(t, "apps/v1/Deployment/"+space+"/shop")
		},
		"k8sconnect:index:Task": func(t *testing.T, s *stack, space string, _ map[string]any) {
			k.get(t, "apps/v1/Deployment/"+space+"/shop")
			assert.Equal(t, true, s.export(t).get(t, "migrate").Outputs["succeeded"])
		},
		"k8sconnect:index:splitYaml": func(t *testing.T, _ *stack, space string, _ map[string]any) {
			k.get(t, "v1/ConfigMap/"+space+"/settings")
			k.get(t, "apps/v1/Deployment/"+space+"/shop")
		},
		"k8sconnect:index:Chart": func(t *testing.T, s *stack, space string, outputs map[string]any) {
			assert.Equal(t, map[string]any{"notes": "Shop 1.4.2 is in " + space + "."}, outputs)
			assert.Equal(t, int64(3), k.value(t, "apps/v1/Deployment/"+space+"/shop-web", "spec", "replicas"))
			assert.Equal(t, "good day", k.value(t, "v1/ConfigMap/"+space+"/shop-settings", "data", "greeting"))
			encoded := base64.StdEncoding.EncodeToString([]byte("correct-horse"))
			assert.Equal(t, encoded, k.value(t, "v1/Secret/"+space+"/shop-credentials", "data", "password"))
			assert.NotContains(t, s.everythingSaved(t), "correct-horse")
			assert.NotContains(t, s.everythingSaved(t), encoded)
		},
		"k8sconnect:index:renderChart": func(t *testing.T, _ *stack, _ string, outputs map[string]any) {
			assert.InDelta(t, 2, at(outputs, "deployment", "spec", "replicas"), 0)
			assert.Equal(t, "web", at(outputs, "deployment", "metadata", "labels", "chart"))
		},
	}
	// The manifests of which splitYaml's example speaks are those of the page on functions.
	manifests := readPage(t, "functions.md").in(t, "Manifests in files", aFile)[0].code

	sources := newChartSources(t)

	descriptions := schema.Resources
	maps.Copy(descriptions, schema.Functions)
	require.Len(t, descriptions, len(promised))
	for token, described := range descriptions {
		t.Run("an example works as printed: "+token, func(t *testing.T) {
			t.Parallel()
			examples := yamlBlock.FindAllStringSubmatch(described.Description, -1)
			require.Len(t, examples, 1)
			s, _, space := docsStack(t, c)
			in := func(text string) string { return strings.ReplaceAll(text, "kube-system", space) }
			for _, manifest := range addOns {
				applyAs(t, c, "eks", in(manifest))
			}
			require.NoError(t, os.Mkdir(filepath.Join(s.dir, "manifests"), 0o700))
			s.file(t, "manifests/shop.yaml", manifests)
			chartserver.WriteFolder(t, s.dir, "web", "1.0.0", renderedChart)
			s.config(t, "databasePassword", "correct-horse", "--secret")
			sources.files(t, s)
			s.program(t, "%s", strings.ReplaceAll(sources.found(in(examples[0][1])), "namespace: shop", "namespace: "+space))
			s.preview(t)
			s.up(t)
			s.previewEmpty(t)
			var outputs map[string]any
			require.NoError(t, json.Unmarshal([]byte(s.succeed(t, "stack", "output", "--json").stdout), &outputs))
			promised[token](t, s, space, outputs)
			s.destroy(t)
		})
	}
}
