package kubelet

import (
	"archive/tar"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// archived are the files of an archive with an image. A layer is among them, and the image's name comes last.
func archived(config string) map[string]string {
	return map[string]string{
		"blobs/sha256/aa": strings.Repeat("layer", maxDocument),
		"blobs/sha256/bb": `{"config": ` + config + `}`,
		"blobs/sha256/cc": `{"config": {"digest": "sha256:bb"}, "layers": [{"digest": "sha256:aa"}]}`,
		"index.json":      `{"manifests": [{"digest": "sha256:cc", "annotations": {"io.containerd.image.name": "example.com/shop:1"}}]}`,
	}
}

func writeArchive(t *testing.T, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.tar")
	file, err := os.Create(path)
	require.NoError(t, err)
	archive := tar.NewWriter(file)
	for name, content := range files {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o644}))
		_, err := archive.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, file.Close())
	return path
}

func TestReadImage(t *testing.T) {
	root := t.TempDir()
	for config, expected := range map[string]Image{
		`{"Entrypoint": ["/shop", "-v"], "Env": ["PATH=/"], "User": "65532:100", "WorkingDir": "/"}`: {
			Entrypoint: []string{"/shop", "-v"}, Env: []string{"PATH=/"}, UID: 65532, GID: 100,
		},
		`{"User": "7"}`: {UID: 7},
		`{}`:            {},
	} {
		name, image, err := ReadImage(writeArchive(t, archived(config)), root)
		require.NoError(t, err, config)
		expected.Root, expected.Digest = root, "sha256:cc"
		assert.Equal(t, "example.com/shop:1", name)
		assert.Equal(t, expected, image)
	}
}

func TestAnImageIsFoundByItsDigest(t *testing.T) {
	options := Options{Images: map[string]Image{"example.com:5000/shop:1": {Root: "shop", Digest: "sha256:bb"}, "example.com/other": {Root: "other"}}}
	for reference, root := range map[string]string{
		"example.com:5000/shop:1":           "shop",
		"example.com:5000/shop@sha256:bb":   "shop",
		"example.com:5000/shop:2@sha256:bb": "shop",
		"example.com:5000/shop@sha256:cc":   "",
		"example.com:5000/shop":             "",
		"example.com:5000/more@sha256:bb":   "",
		"example.com/other":                 "other",
		"example.com/other@":                "",
	} {
		image, known := options.image(reference)
		assert.Equal(t, root != "", known, reference)
		assert.Equal(t, root, image.Root, reference)
	}
}

func TestWhatIsNoImage(t *testing.T) {
	changed := func(name, content string) string {
		files := archived(`{}`)
		maps.Copy(files, map[string]string{name: content})
		return writeArchive(t, files)
	}
	root, archive := t.TempDir(), writeArchive(t, archived(`{}`))
	for name, c := range map[string]struct{ archive, root, expected string }{
		"no folder":                   {archive, filepath.Join(root, "missing"), "no such file"},
		"a file in place of a folder": {archive, archive, "not a folder"},
		"no archive":                  {filepath.Join(root, "missing"), root, "no such file"},
		"what is none":                {writeArchive(t, nil), root, "there is no index.json"},
		"two images":                  {changed("index.json", `{"manifests": [{}, {}]}`), root, "want one image"},
		"no name":                     {changed("index.json", `{"manifests": [{"digest": "sha256:cc"}]}`), root, "with a name"},
		"a file that is missing":      {changed("blobs/sha256/cc", `{"config": {"digest": "sha256:dd"}}`), root, "there is no blobs/sha256/dd"},
		"a file that is not JSON":     {changed("blobs/sha256/bb", `config`), root, "blobs/sha256/bb: invalid character"},
		"a user without a number":     {writeArchive(t, archived(`{"User": "shop:0"}`)), root, "user shop:0: want numbers"},
		"a group without a number":    {writeArchive(t, archived(`{"User": "0:shop"}`)), root, "user 0:shop: want numbers"},
		"arguments of its own":        {writeArchive(t, archived(`{"Cmd": ["serve"]}`)), root, "is not played"},
		"a folder to begin in":        {writeArchive(t, archived(`{"WorkingDir": "/srv"}`)), root, "is not played"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ReadImage(c.archive, c.root)
			assert.ErrorContains(t, err, c.expected)
		})
	}
}
