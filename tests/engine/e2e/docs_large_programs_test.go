package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageOnLargePrograms proves what switches what off. The numbers are those of "make bench", and what happens to a killed
// run is what [O87] proves.
func pageOnLargePrograms(t *testing.T, p page) {
	const aboutTheLog = "The log of the CLI"
	p.prove(t, proofs{
		commandLines: func(t *testing.T, f fence) {
			if f.section != aboutTheLog {
				commands(t, f)
			}
		},
		aStackFile: configured,
	})
	t.Run("the examples count what is in the state", func(t *testing.T) { countedResources(t, p) })
	t.Run("a file in place of the folder takes away the log of the CLI, and nothing else", func(t *testing.T) {
		t.Parallel()
		s, _, space := docsStack(t, shared.Get(t))
		home := t.TempDir()
		logs := filepath.Join(home, ".pulumi", "logs")
		s.env["PULUMI_HOME"] = filepath.Join(home, ".pulumi")
		s.program(t, "%s", configMap("settings", "settings", space))
		s.preview(t)
		written, err := filepath.Glob(filepath.Join(logs, "*.log"))
		require.NoError(t, err)
		assert.NotEmpty(t, written, "without the file there is a log")

		fences := p.in(t, aboutTheLog, commandLines)
		require.Len(t, fences, 1)
		shell := exec.CommandContext(t.Context(), "sh", "-e", "-c", fences[0].code)
		shell.Env = append(os.Environ(), "HOME="+home)
		printed, err := shell.CombinedOutput()
		require.NoError(t, err, "%s", printed)

		s.up(t)
		s.previewEmpty(t)
		info, err := os.Stat(logs)
		require.NoError(t, err)
		assert.True(t, info.Mode().IsRegular())
		assert.Zero(t, info.Size())
	})
	t.Run("without checkpoints the state is saved when a run fails, and when it is interrupted", func(t *testing.T) {
		t.Parallel()
		s, _, space := docsStack(t, shared.Get(t))
		s.env["PULUMI_SKIP_CHECKPOINTS"] = "true"
		waiting := func(name, timeout string) string {
			return "resources:" + configMapResource(name, name, space, "{a: b}") + `
  wait-for-` + name + `:
    type: k8sconnect:Wait
    properties: {resourceRef: "${` + name + `.resourceRef}", waitFor: {field: data.never, timeout: ` + timeout + `}}
`
		}
		s.program(t, "%s", waiting("failing", "1s"))
		s.upFails(t)
		assert.Contains(t, s.export(t).resources, "failing")

		s.program(t, "%s", waiting("interrupted", "2m"))
		up := s.start(t, "up", "--yes", "--skip-preview")
		up.prints(t, "Wait wait-for-interrupted creating")
		assert.NotContains(t, s.export(t).resources, "interrupted", "the run saves nothing before its end")
		up.signal(t, syscall.SIGINT)
		failed(t, up.wait(t))
		assert.Contains(t, s.export(t).resources, "interrupted")
	})
}

// countedOf are the types that the columns of the table count, in their order.
var countedOf = [][]string{
	{"Manifests", "Chart"}, {"KubeObject"}, {"Wait"}, {"ManifestsRecord", "ManifestsGuard", "ChartRecord", "ReleaseHooks"}, {"Task"},
}

// countedResources makes each example of the table, and counts.
func countedResources(t *testing.T, p page) {
	c := workloads.Get(t)
	const settings = `
        - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}
        - apiVersion: apps/v1
          kind: Deployment
          metadata: {name: web}
          spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}`
	set := func(manifests string) string {
		return "resources:\n  counted:\n    type: k8sconnect:Manifests\n    properties:\n      manifests:" + manifests + "\n"
	}
	programs := map[string]string{
		"a set of a ConfigMap and a Deployment": set(settings),
		"the same with `wait: all`":             set(settings) + "      wait: all\n",
		"a set of a definition and an instance of it": set(`
        - apiVersion: apiextensions.k8s.io/v1
          kind: CustomResourceDefinition
          metadata: {name: counts.docs.example.com}
          spec:
            group: docs.example.com
            scope: Namespaced
            names: {kind: Count, plural: counts}
            versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
        - {apiVersion: docs.example.com/v1, kind: Count, metadata: {name: one}}`),
		"a chart of three objects, with a hook before installs and upgrades, and one before deletions": `resources:
  counted: {type: k8sconnect:Chart, properties: {chart: ./charts/shop}}
`,
	}
	examples := 0
	for _, row := range tableCells.FindAllString(p.section(t, "What counts as a resource"), -1) {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != len(countedOf)+2 || cells[0] == "" || strings.HasPrefix(cells[0], "|") || strings.HasPrefix(row, "|---") {
			continue
		}
		program, known := programs[cells[0]]
		require.True(t, known, "nothing makes this example: %s", cells[0])
		examples++
		t.Run(cells[0], func(t *testing.T) {
			t.Parallel()
			s, _, _ := docsStack(t, c)
			newChartSources(t).files(t, s)
			s.program(t, "%s", program)
			s.up(t)
			saved, all := s.export(t), 0
			for i, tokens := range countedOf {
				count := 0
				for _, token := range tokens {
					count += len(saved.named("k8sconnect:index:" + token))
				}
				assert.Equal(t, cells[i+1], strconv.Itoa(count), "%v", tokens)
				all += count
			}
			assert.Equal(t, cells[len(cells)-1], strconv.Itoa(all))
			assert.Len(t, saved.all, all+2, "the stack and the default provider are the others")
			s.destroy(t)
		})
	}
	assert.Len(t, programs, examples)
}
