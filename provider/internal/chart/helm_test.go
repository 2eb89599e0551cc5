package chart

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/charts"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// TestHelm compares what charts render to with what `helm template` of the same version prints [H4].
func TestHelm(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs bin/helm")
	}
	for _, name := range charts.Names(t) {
		folder := charts.Folder(t, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("with its defaults", func(t *testing.T) { t.Parallel(); sameAsHelm(t, folder, release, "") })
			t.Run("as an upgrade", func(t *testing.T) {
				t.Parallel()
				upgrade := release
				upgrade.IsUpgrade, upgrade.KubeVersion, upgrade.SkipCRDs = true, "v1.20.3-eks.1", true
				upgrade.APIVersions = []string{"monitoring.coreos.com/v1", "example.com/v1/Widget"}
				sameAsHelm(t, folder, upgrade, "")
			})
			for _, values := range charts.Values(t, folder) {
				t.Run(filepath.Base(values), func(t *testing.T) { t.Parallel(); sameAsHelm(t, folder, release, values) })
			}
			t.Run("with its subcharts as archives", func(t *testing.T) {
				t.Parallel()
				packed := packSubcharts(t, folder)
				for _, values := range append(charts.Values(t, packed), "") {
					sameAsHelm(t, packed, release, values)
				}
			})
		})
	}
}

// refuseUpgrades are the charts that fail as an upgrade: one needs the password that is in the cluster, the other a newer
// version of Kubernetes.
var refuseUpgrades = []string{"database", "functions"}

// printedAs writes an object and its file in one line.
func printedAs(t *testing.T, file string, object any) string {
	t.Helper()
	text, err := json.Marshal(object)
	require.NoError(t, err)
	return file + ": " + string(text)
}

// sameAsHelm compares a chart of the tests, which Helm can render.
func sameAsHelm(t *testing.T, folder string, release Release, valuesFile string) {
	t.Helper()
	failed := compare(t, folder, release, valuesFile)
	assert.True(t, failed == "" || release.IsUpgrade && slices.Contains(refuseUpgrades, filepath.Base(folder)), "helm fails: %s", failed)
}

// compare renders a chart by Helm and by the package, and returns why Helm fails, which the package then has to do too.
func compare(t *testing.T, folder string, release Release, valuesFile string) (failed string) {
	t.Helper()
	wanted, notes, failed := helmTemplate(t, folder, release, valuesFile)
	rendered, err := renderFolder(t, folder, release, valuesFile)
	if failed != "" {
		require.Error(t, err, "helm fails: %s", failed)
		return failed
	}
	require.NoError(t, err)
	var found []string
	add := func(document Document) {
		text, err := json.Marshal(document.Object)
		require.NoError(t, err)
		var object any
		require.NoError(t, json.Unmarshal(text, &object))
		found = append(found, printedAs(t, document.File, object))
	}
	for _, document := range slices.Concat(rendered.CRDs, rendered.Objects) {
		add(document)
	}
	for _, hook := range rendered.Hooks {
		add(hook.Document)
	}
	if !slices.Equal(wanted, found) || notes != rendered.Notes {
		// What Helm itself renders twice in two ways is drawn, and says nothing.
		again, other, _ := helmTemplate(t, folder, release, valuesFile)
		found = withDrawn(t, wanted, again, found)
		if notes != other {
			rendered.Notes = notes
		}
	}
	assert.Equal(t, wanted, found)
	assert.Equal(t, notes, rendered.Notes)
	return ""
}

// withDrawn are found objects with the wanted values in the places in which two renderings by Helm differ.
func withDrawn(t *testing.T, wanted, again, found []string) []string {
	t.Helper()
	if len(wanted) != len(found) || len(wanted) != len(again) {
		return found
	}
	same := slices.Clone(found)
	for i := range found {
		var objects [3]any
		for j, line := range []string{wanted[i], again[i], found[i]} {
			_, text, _ := strings.Cut(line, ": ")
			require.NoError(t, json.Unmarshal([]byte(text), &objects[j]))
		}
		file, _, _ := strings.Cut(found[i], ": ")
		text, err := json.Marshal(drawnAs(objects[0], objects[1], objects[2]))
		require.NoError(t, err)
		same[i] = file + ": " + string(text)
	}
	return same
}

func drawnAs(wanted, again, found any) any {
	if reflect.DeepEqual(wanted, again) {
		return found
	}
	switch wanted := wanted.(type) {
	case map[string]any:
		other, isMap := again.(map[string]any)
		ours, isToo := found.(map[string]any)
		if isMap && isToo {
			merged := maps.Clone(ours)
			for key := range ours {
				merged[key] = drawnAs(wanted[key], other[key], ours[key])
			}
			return merged
		}
	case []any:
		other, isList := again.([]any)
		ours, isToo := found.([]any)
		if isList && isToo && len(other) == len(wanted) && len(ours) == len(wanted) {
			merged := slices.Clone(ours)
			for i := range ours {
				merged[i] = drawnAs(wanted[i], other[i], ours[i])
			}
			return merged
		}
	}
	return wanted
}

func renderFolder(t *testing.T, folder string, release Release, valuesFile string) (*Rendered, error) {
	t.Helper()
	values := map[string]any{}
	if valuesFile != "" {
		text, err := os.ReadFile(valuesFile)
		require.NoError(t, err)
		values, err = ParseValues(string(text))
		require.NoError(t, err)
	}
	chart, err := chartIn(t, folder)
	if err != nil {
		return nil, err
	}
	return chart.Render(t.Context(), release, values, Functions{})
}

func loadFolder(t testing.TB, folder string) *Chart {
	t.Helper()
	chart, err := chartIn(t, folder)
	require.NoError(t, err)
	return chart
}

func chartIn(t testing.TB, folder string) (*Chart, error) {
	t.Helper()
	byHelm, err := loader.LoadDir(folder) // without what .helmignore lists
	require.NoError(t, err)
	var files []File
	for _, file := range byHelm.Raw {
		files = append(files, File{file.Name, file.Data})
	}
	return Load(files)
}

// source is the line in which helm names the file of an object.
var sourceLine = regexp.MustCompile(`(?m)^---\n# Source: (.*)\n`)

// helmTemplate runs `helm template`, and for the notes a dry run of `helm install`. failed is what it says if it fails.
func helmTemplate(t *testing.T, folder string, release Release, valuesFile string) (objects []string, notes, failed string) {
	t.Helper()
	arguments := []string{release.Name, folder, "--namespace", release.Namespace}
	if valuesFile != "" {
		arguments = append(arguments, "--values", valuesFile)
	}
	more := []string{"--skip-tests", "--kube-version", release.KubeVersion}
	if !release.SkipCRDs {
		more = append(more, "--include-crds")
	}
	if release.IsUpgrade {
		more = append(more, "--is-upgrade")
	}
	for _, version := range release.APIVersions {
		more = append(more, "--api-versions", version)
	}
	output, failed := runHelm(t, slices.Concat([]string{"template"}, arguments, more))
	if failed != "" {
		return nil, "", failed
	}
	places := sourceLine.FindAllStringSubmatchIndex(output, -1)
	for i, place := range places {
		end := len(output)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		for text := range strings.SplitSeq(output[place[1]:end], "\n---\n") { // a file of crds/ is printed as it is
			var object any
			require.NoError(t, yaml.Unmarshal([]byte(text), &object))
			for _, one := range flat(object) {
				objects = append(objects, printedAs(t, output[place[2]:place[3]], one))
			}
		}
	}
	file := filepath.Join(folder, "templates", "NOTES.txt")
	if _, err := os.Stat(file); err == nil && !release.IsUpgrade {
		var installed struct{ Info struct{ Notes string } }
		output, failed := runHelm(t, slices.Concat([]string{"install", "--dry-run=client", "--output=json"}, arguments))
		require.Empty(t, failed)
		require.NoError(t, json.Unmarshal([]byte(output), &installed))
		return objects, installed.Info.Notes, ""
	}
	if release.IsUpgrade {
		rendered, err := renderFolder(t, folder, release, valuesFile)
		require.NoError(t, err)
		notes = rendered.Notes // helm prints none
	}
	return objects, notes, ""
}

func runHelm(t *testing.T, arguments []string) (output, failed string) {
	t.Helper()
	path, err := cluster.Tool("helm")
	require.NoError(t, err)
	home := t.TempDir()
	command := exec.CommandContext(t.Context(), path, arguments...)
	command.Env = []string{"HOME=" + home, "HELM_CACHE_HOME=" + home, "HELM_CONFIG_HOME=" + home, "HELM_DATA_HOME=" + home,
		"KUBECONFIG=" + filepath.Join(home, "none"), "PATH="}
	var written, said bytes.Buffer
	command.Stdout, command.Stderr = &written, &said
	if err := command.Run(); err != nil {
		return "", err.Error() + ": " + said.String()
	}
	return written.String(), ""
}

// flat takes a List apart, and drops a document without an object.
func flat(object any) []any {
	list, _ := object.(map[string]any)
	if items, isList := list["items"].([]any); isList && list["kind"] == "List" {
		return items
	}
	if object == nil {
		return nil
	}
	return []any{object}
}

// packSubcharts copies a chart with archives in place of the folders in charts/.
func packSubcharts(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	subcharts := map[string]folder{}
	for name, data := range charts.Files(t, from) {
		if inner, below := strings.CutPrefix(name, "charts/"); below {
			child, file, _ := strings.Cut(inner, "/")
			if subcharts[child] == nil {
				subcharts[child] = folder{}
			}
			subcharts[child][file] = string(data)
			continue
		}
		write(t, filepath.Join(to, name), data)
	}
	for name, files := range subcharts {
		write(t, filepath.Join(to, "charts", name+"-1.0.0.tgz"), []byte(files.archive(t, name)))
	}
	return to
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

// chartFiles are the files of a chart of the tests.
func chartFiles(t testing.TB, name string) map[string][]byte {
	t.Helper()
	return charts.Files(t, chartFolder(t, name))
}

func chartFolder(t testing.TB, name string) string {
	t.Helper()
	return charts.Folder(t, name)
}
