package chartserver

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Archive is a packed chart.
type Archive struct {
	Name, Version string
	Data          []byte
}

// Digest is that of the archive.
func (a Archive) Digest() string { return digestOf(a.Data) }

// File is what `helm package` calls the archive.
func (a Archive) File() string { return a.Name + "-" + a.Version + ".tgz" }

// Save writes the archive into a folder, and returns its path.
func (a Archive) Save(t testing.TB, folder string) string {
	t.Helper()
	path := filepath.Join(folder, a.File())
	require.NoError(t, os.WriteFile(path, a.Data, 0o600))
	return path
}

// Package packs a chart as `helm package` does: its files below a folder of its name. It writes a Chart.yaml unless the files
// have one.
func Package(t testing.TB, name, version string, files map[string]string) Archive {
	t.Helper()
	all := map[string]string{"Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n", name, version)}
	maps.Copy(all, files)
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for _, file := range slices.Sorted(maps.Keys(all)) {
		require.NoError(t, archive.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: name + "/" + file, Mode: 0o644, Size: int64(len(all[file])),
		}))
		_, err := archive.Write([]byte(all[file]))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, zipped.Close())
	return Archive{Name: name, Version: version, Data: packed.Bytes()}
}

// WriteFolder writes a chart into a new folder below another one, and returns its path.
func WriteFolder(t testing.TB, below, name, version string, files map[string]string) string {
	t.Helper()
	folder := filepath.Join(below, name)
	all := map[string]string{"Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n", name, version)}
	maps.Copy(all, files)
	for file, text := range all {
		path := filepath.Join(folder, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return folder
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
