package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// pageOnWaiting runs every program of the page, in a namespace of its own which is the provider's
// default. What a cloud and a storage driver do is played. The tables are tried out row by row.
func pageOnWaiting(t *testing.T, p page) {
	c := workloads.Get(t)
	p.prove(t, proofs{
		aProgram: func(t *testing.T, f fence) {
			code := f.code
			s, k, space := docsStack(t, c)
			s.program(t, "%s", programOf(t, code))
			if strings.Contains(code, "PersistentVolumeClaim") {
				volume := "v1/PersistentVolume/" + space
				k.create(t, volume, strings.Replace(fmt.Sprintf(volumeManifest, space), "storageClassName: "+space, "storageClassName: standard", 1))
				t.Cleanup(func() { k.remove(t, volume) })
			}
			up := s.start(t, "up", "--yes", "--skip-preview")
			if strings.Contains(code, "http:") {
				answerFor(t, c, space, "api", 8080, "/healthz")
			}
			if strings.Contains(code, "LoadBalancer") {
				service := "v1/Service/" + space + "/shop"
				eventually(t, "the service is there", func() bool { return k.find(t, service) != nil })
				k.status(t, service, "{status: {loadBalancer: {ingress: [{hostname: a.example}]}}}")
			}
			up.wait(t).succeeded(t)
			s.previewEmpty(t)

			var outputs map[string]string
			require.NoError(t, json.Unmarshal([]byte(s.succeed(t, "stack", "output", "--json").stdout), &outputs))
			want := map[string]string{}
			if _, ok := outputs["hostname"]; ok {
				want["hostname"] = "a.example"
				assert.Equal(t, "https://a.example/", k.value(t, "v1/ConfigMap/"+space+"/settings", "data", "url"))
			}
			if _, ok := outputs["account"]; ok {
				want["account"] = string(k.get(t, "v1/ServiceAccount/"+space+"/default").GetUID())
			}
			assert.Equal(t, want, outputs)
			assert.Equal(t, strings.Contains(code, "outputs:"), len(outputs) > 0)
		},
		anOutput: func(t *testing.T, f fence) {
			golden, err := os.ReadFile(filepath.Join("testdata", "wait", "crash.txt"))
			require.NoError(t, err)
			shown := strings.NewReplacer("Deployment shop/", "Deployment NAMESPACE/", "--namespace shop", "--namespace NAMESPACE", "10m", "2s").Replace(f.code)
			for line := range strings.Lines(withoutChance(shown, "NAMESPACE")) {
				assert.Contains(t, string(golden), strings.TrimSuffix(line, "…\n"))
			}
		},
	})

	t.Run("every form that the page lists is one, and it lists all", func(t *testing.T) {
		t.Parallel()
		s, _, _ := docsStack(t, c)
		listed, program := map[string]bool{}, "resources:\n"
		for _, row := range tableRow.FindAllStringSubmatch(p.section(t, "What can be waited for"), -1) {
			if row[1] == "waitFor" {
				continue
			}
			var waitFor map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(row[1]), &waitFor))
			require.Len(t, waitFor, 1, row[1])
			for key, value := range waitFor {
				listed[key] = true
				one := map[string]any{key: value}
				if key == "failWhen" || key == "timeout" {
					one["field"] = "metadata.name"
				}
				object := "{apiVersion: apps/v1, kind: Deployment, name: any}"
				if key == "http" {
					object = "{apiVersion: v1, kind: Service, name: any}"
				}
				written, err := json.Marshal(one)
				require.NoError(t, err)
				program += fmt.Sprintf(`
  %s:
    type: k8sconnect:Wait
    properties:
      resourceRef: %s
      waitFor: %s
`, key, object, written)
			}
		}
		s.program(t, "%s", program)
		s.preview(t)

		schema, err := os.ReadFile(filepath.Join("..", "..", "..", "schema.json"))
		require.NoError(t, err)
		forms, _ := at(parse(schema), "types", "k8sconnect:index:WaitFor", "properties").(map[string]any)
		assert.ElementsMatch(t, slices.Collect(maps.Keys(forms)), slices.Collect(maps.Keys(listed)))
	})

	t.Run("every path that the page lists has the value beside it", func(t *testing.T) {
		t.Parallel()
		s, _, _ := docsStack(t, c)
		program := programOf(t, p.in(t, "Paths", aProgram)[0].code)
		rows := tableRow.FindAllStringSubmatch(p.section(t, "Paths"), -1)
		require.Greater(t, len(rows), 5)
		for i, row := range rows {
			value := strings.Split(row[2], "`")[1]
			waitFor, err := json.Marshal(map[string]any{"fieldValue": map[string]string{row[1]: value}, "timeout": "30s"})
			require.NoError(t, err)
			program += fmt.Sprintf(`
  row-%d:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${shop.resourceRef}
      waitFor: %s
`, i, waitFor)
		}
		s.program(t, "%s", program)
		s.up(t)
		saved := s.export(t)
		for i, row := range rows {
			if strings.HasSuffix(row[2], ", twice") {
				containers, _ := at(saved.get(t, fmt.Sprint("row-", i)).Outputs, "status", "spec", "template", "spec", "containers").([]any)
				assert.Len(t, containers, 2)
			}
		}
	})
}
