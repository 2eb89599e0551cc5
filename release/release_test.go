package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArchiveDependsOnContentAlone(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode, modified time.Time) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), mode))
		require.NoError(t, os.Chtimes(path, modified, modified))
		return path
	}
	sum := func(files ...file) string {
		path := filepath.Join(t.TempDir(), "a.tar.gz")
		require.NoError(t, writeArchive(path, files))
		of, err := checksum(path)
		require.NoError(t, err)
		return of
	}
	a, b := write("a", "A", 0o600, time.Now()), write("b", "B", 0o644, time.Now())
	first := sum(file{"a", a, 0o644}, file{"b", b, 0o755})

	other := write("elsewhere", "A", 0o400, time.Now().Add(-time.Hour))
	assert.Equal(t, first, sum(file{"b", b, 0o755}, file{"a", other, 0o644}), "order, place and time of the sources count")
	assert.NotEqual(t, first, sum(file{"a", b, 0o644}, file{"b", b, 0o755}), "the content does not count")
	assert.NotEqual(t, first, sum(file{"a", a, 0o644}, file{"b", b, 0o644}), "the mode does not count")
}

func TestSBOMNamesWhatWasLinked(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8",
		Main:      debug.Module{Path: "example.com/main", Version: "(devel)"},
		Deps: []*debug.Module{
			{Path: "example.com/z", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.0.1"}},
			{Path: "github.com/Upper/Case", Version: "v2.0.0+incompatible"},
		},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}},
	}
	b := bomOf(info, "1.2.3", "abc")
	assert.Equal(t, "v1.2.3", b.Metadata.Component.Version)
	assert.Equal(t, []property{{"go:build:GOOS", "linux"}}, b.Metadata.Component.Properties)
	var urls []string
	for _, c := range b.Components {
		urls = append(urls, c.PURL)
	}
	assert.Equal(t, []string{
		"pkg:golang/example.com/fork@v1.0.1",
		"pkg:golang/github.com/upper/case@v2.0.0%2Bincompatible",
		"pkg:golang/stdlib@1.26.8",
	}, urls)
}

func TestChecksumsLeaveOutThemselvesAndFolders(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "c"), 0o700))
	for range 2 {
		require.NoError(t, writeChecksums(dir))
	}
	text, err := os.ReadFile(filepath.Join(dir, checksumsName))
	require.NoError(t, err)
	assert.Equal(t, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a\n"+
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b\n", string(text))
}

func TestTheNamesAreThoseThatTheCLILooksFor(t *testing.T) {
	for _, c := range []struct{ version, system, architecture, binary, archive string }{
		{"1.2.3", "linux", "amd64", "pulumi-resource-k8sconnect", "pulumi-resource-k8sconnect-v1.2.3-linux-amd64.tar.gz"},
		{"1.2.3-rc.1", "darwin", "arm64", "pulumi-resource-k8sconnect", "pulumi-resource-k8sconnect-v1.2.3-rc.1-darwin-arm64.tar.gz"},
		{"1.2.3", "windows", "arm64", "pulumi-resource-k8sconnect.exe", "pulumi-resource-k8sconnect-v1.2.3-windows-arm64.tar.gz"},
	} {
		binary, archive := names(c.version, c.system, c.architecture)
		assert.Equal(t, []string{c.binary, c.archive}, []string{binary, archive})
	}
}

func TestUnknownCommandsAndPlatformsAreErrors(t *testing.T) {
	assert.EqualError(t, run([]string{"plugin", "1.2.3", t.TempDir()}), usage)
	assert.EqualError(t, run([]string{"plugin", "1.2.3", t.TempDir(), "linux"}), "linux: a platform is written OS/ARCH")
}
