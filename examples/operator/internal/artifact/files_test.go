package artifact_test

import (
	"archive/tar"
	"fmt"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/artifact"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/artifact/registrytest"
)

const project = "name: shop\nruntime: yaml\n"

func file(name, content string) artifact.Layer {
	return artifact.Layer{MediaType: "application/vnd.oci.image.layer.v1.tar", Title: name, Content: []byte(content)}
}

func packed(t *testing.T, files map[string]string) artifact.Layer {
	t.Helper()
	return artifact.Layer{MediaType: registrytest.FluxType, Content: registrytest.Folder(t, files).Content}
}

func TestFilesOfAnArtifact(t *testing.T) { // [X63]
	want := map[string][]byte{"Pulumi.yaml": []byte(project), "Main.yaml": []byte("a: 1\n")}
	both := map[string]string{"Pulumi.yaml": project, "Main.yaml": "a: 1\n"}
	folder := packed(t, both)
	folder.Title, folder.Packed, folder.MediaType = "program", true, ocispec.MediaTypeImageLayerGzip
	for name, layers := range map[string][]artifact.Layer{
		"a layer for each file, as oras push makes them": {file("Pulumi.yaml", project), file("./Main.yaml", "a: 1\n")},
		"a packed folder, as flux push artifact does":    {packed(t, both)},
		"a packed folder with ./":                        {packed(t, map[string]string{"./Pulumi.yaml": project, "./Main.yaml": "a: 1\n"})},
		"a packed folder of oras push":                   {folder},
		"some of both":                                   {file("Main.yaml", "a: 1\n"), packed(t, map[string]string{"Pulumi.yaml": project})},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := artifact.Files(layers)
			require.NoError(t, err)
			assert.Equal(t, want, files)
		})
	}
	t.Run("a file may be an archive", func(t *testing.T) {
		archive := packed(t, both)
		archive.Title, archive.MediaType = "data.tar.gz", "application/x.tar+gzip"
		files, err := artifact.Files([]artifact.Layer{file("Pulumi.yaml", project), archive})
		require.NoError(t, err)
		assert.Equal(t, archive.Content, files["data.tar.gz"])
	})
	t.Run("as large as it may be", func(t *testing.T) {
		rest := artifact.MaxBytes - len("Pulumi.yaml") - len(project) - len("data")
		files, err := artifact.Files([]artifact.Layer{packed(t, map[string]string{"Pulumi.yaml": project, "data": strings.Repeat("x", rest)})})
		require.NoError(t, err)
		assert.Len(t, files["data"], rest)
	})
}

func TestFilesThatAreRefused(t *testing.T) { // [X63]
	entry := func(header tar.Header) []artifact.Layer {
		return []artifact.Layer{{MediaType: registrytest.FluxType, Content: registrytest.Pack(t, []*tar.Header{&header}, nil)}}
	}
	many := map[string]string{"Pulumi.yaml": project}
	for i := range artifact.MaxFiles {
		many[fmt.Sprintf("file-%d", i)] = ""
	}
	tooMany := make([]artifact.Layer, 0, len(many))
	for name, content := range many {
		tooMany = append(tooMany, file(name, content))
	}
	large := strings.Repeat("x", artifact.MaxBytes)
	for name, c := range map[string]struct {
		layers []artifact.Layer
		says   string
	}{
		"an absolute path":               {[]artifact.Layer{file("/etc/passwd", "")}, `"/etc/passwd" is absolute`},
		"an absolute path in an archive": {[]artifact.Layer{packed(t, map[string]string{"/etc/passwd": ""})}, `"/etc/passwd" is absolute`},
		"a path out of the folder":       {[]artifact.Layer{file("../other", "")}, `"../other" leads out`},
		"one that comes back":            {[]artifact.Layer{packed(t, map[string]string{"a/../Pulumi.yaml": ""})}, `"a/../Pulumi.yaml" leads out`},
		"a folder out of the folder":     {entry(tar.Header{Typeflag: tar.TypeDir, Name: "../a/"}), `"../a/" leads out`},
		"a file in a folder":             {[]artifact.Layer{packed(t, map[string]string{"src/main.yaml": ""})}, `"src/main.yaml" is in a folder, and a ConfigMap has none`},
		"a file in a folder of oras":     {[]artifact.Layer{file("src/main.yaml", "")}, "is in a folder"},
		"a name that is no key":          {[]artifact.Layer{file("with space", "")}, `no key of a ConfigMap can be "with space"`},
		"a name with a backslash":        {[]artifact.Layer{file(`..\a`, "")}, "no key of a ConfigMap"},
		"no name":                        {[]artifact.Layer{file(".", "")}, "no key of a ConfigMap"},
		"a name that is too long":        {[]artifact.Layer{file(strings.Repeat("a", 254), "")}, "no key of a ConfigMap"},
		"a link":                         {entry(tar.Header{Typeflag: tar.TypeSymlink, Name: "Pulumi.yaml", Linkname: "/etc/passwd"}), "is no file, but a link"},
		"a hard link":                    {entry(tar.Header{Typeflag: tar.TypeLink, Name: "Pulumi.yaml", Linkname: "other"}), "is no file, but a link"},
		"a device":                       {entry(tar.Header{Typeflag: tar.TypeChar, Name: "Pulumi.yaml"}), "a device"},
		"a file twice":                   {[]artifact.Layer{file("Pulumi.yaml", project), packed(t, map[string]string{"./Pulumi.yaml": project})}, `"Pulumi.yaml" twice`},
		"too many files":                 {tooMany, "more than 256 files"},
		"too many files in an archive":   {[]artifact.Layer{packed(t, many)}, "more than 256 files"},
		"too much":                       {[]artifact.Layer{file("Pulumi.yaml", project), file("data", large)}, "larger than 960 KiB"},
		"too much in an archive":         {[]artifact.Layer{packed(t, map[string]string{"data": large})}, "larger than 960 KiB"},
		"far more than it says":          {[]artifact.Layer{packed(t, map[string]string{"Pulumi.yaml": project, "data": strings.Repeat("x", 64<<20)})}, "larger than 960 KiB"},
		"what is not packed":             {[]artifact.Layer{{MediaType: registrytest.FluxType, Content: []byte("text")}}, "not packed by gzip"},
		"a layer without a name":         {[]artifact.Layer{{MediaType: "text/plain", Content: []byte("text")}}, `type "text/plain" has no title`},
		"no program":                     {[]artifact.Layer{file("README.md", "")}, "no file Pulumi.yaml"},
		"nothing":                        {nil, "no file Pulumi.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := artifact.Files(c.layers)
			require.ErrorContains(t, err, c.says)
			assert.Nil(t, files)
		})
	}
}

// What unpacks to far more than it is takes neither time nor memory.
func TestAnArchiveThatNeverEnds(t *testing.T) { // [X63]
	headers := make([]*tar.Header, 0, 20_000)
	for range cap(headers) {
		headers = append(headers, &tar.Header{Typeflag: tar.TypeDir, Name: "a/"})
	}
	_, err := artifact.Files([]artifact.Layer{{MediaType: registrytest.FluxType, Content: registrytest.Pack(t, headers, nil)}})
	require.ErrorContains(t, err, "unpacks to far more")
}
