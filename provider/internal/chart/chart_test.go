package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// folder is a chart as texts by file name.
type folder map[string]string

// files lists the files, by name.
func (f folder) files() []File {
	var files []File
	for _, name := range slices.Sorted(maps.Keys(f)) {
		files = append(files, File{Name: name, Data: []byte(f[name])})
	}
	return files
}

// with adds files.
func (f folder) with(more folder) folder {
	all := maps.Clone(f)
	maps.Copy(all, more)
	return all
}

// in moves the files into a folder.
func (f folder) in(name string) folder {
	moved := folder{}
	for file, text := range f {
		moved[name+"/"+file] = text
	}
	return moved
}

// archive packs the files.
func (f folder) archive(t testing.TB, name string) string {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	written := tar.NewWriter(zipped)
	for _, file := range f.files() {
		require.NoError(t, written.WriteHeader(&tar.Header{Name: name + "/" + file.Name, Size: int64(len(file.Data)), Mode: 0o644}))
		_, err := written.Write(file.Data)
		require.NoError(t, err)
	}
	require.NoError(t, written.Close())
	require.NoError(t, zipped.Close())
	return packed.String()
}

// named is a chart without templates.
func named(name string) folder {
	return folder{"Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: %s\nversion: 1.2.3\n", name)}
}

// template is a chart named shop with one template.
func templated(text string) folder { return named("shop").with(folder{"templates/it.yaml": text}) }

// configMap is a template of a ConfigMap with data.
func configMap(name, data string) string {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n"
	for line := range strings.SplitSeq(strings.Trim(data, "\n"), "\n") {
		text += "  " + line + "\n"
	}
	return text
}

func loaded(t testing.TB, f folder) *Chart {
	t.Helper()
	chart, err := Load(f.files())
	require.NoError(t, err)
	return chart
}

// release is the release of the tests.
var release = Release{Name: "web", Namespace: "prod", KubeVersion: "1.36"}

func render(t testing.TB, f folder, values map[string]any) *Rendered {
	t.Helper()
	rendered, err := loaded(t, f).Render(t.Context(), release, values, Functions{})
	require.NoError(t, err)
	return rendered
}

// dataOf returns the data of the ConfigMaps, by name.
func dataOf(rendered *Rendered) map[string]map[string]any {
	found := map[string]map[string]any{}
	for _, document := range rendered.Objects {
		metadata, _ := document.Object["metadata"].(map[string]any)
		name, _ := metadata["name"].(string)
		data, _ := document.Object["data"].(map[string]any)
		found[name] = data
	}
	return found
}
