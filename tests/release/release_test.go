// Package release_test builds what a release has for the platform at hand, looks at every part of it, and installs and
// uses it as someone does who has downloaded it: by the real Pulumi CLI, against a real API server.
package release_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	// What is tested is another program. This tells go test that its results are out of date when the provider has
	// changed.
	_ "github.com/k8sconnect/pulumi-k8sconnect/provider"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var shared cluster.Shared

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

// A version that nothing else has: what says it was built here.
const version = "7.8.9-snapshot.1"

const root = "../.."

// snapshot is a release for this platform, in a folder.
type snapshot struct {
	dir     string
	archive string // its name
}

func build(t *testing.T, environment ...string) snapshot {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the provider, and this is a short run")
	}
	s := snapshot{
		dir:     t.TempDir(),
		archive: fmt.Sprintf("pulumi-resource-k8sconnect-v%s-%s-%s.tar.gz", version, runtime.GOOS, runtime.GOARCH),
	}
	runRelease(t, environment, "plugin", version, s.dir, runtime.GOOS+"/"+runtime.GOARCH)
	runRelease(t, nil, "checksums", s.dir)
	return s
}

func runRelease(t *testing.T, environment []string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "go", append([]string{"run", "-trimpath", "./release"}, args...)...)
	command.Dir = root
	// The release of these tests is built without cgo, the race detector notwithstanding, and so is its builder.
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0"), environment...)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "release %s\n%s", strings.Join(args, " "), out)
}

func (s snapshot) path(name string) string { return filepath.Join(s.dir, name) }

// unpack unpacks an archive and returns the path of the binary.
func unpack(t *testing.T, files []archived) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.header.Name), f.content, f.header.FileInfo().Mode()))
	}
	return filepath.Join(dir, binaryName())
}

func binaryName() string {
	if runtime.GOOS == "windows" {
		return "pulumi-resource-k8sconnect.exe"
	}
	return "pulumi-resource-k8sconnect"
}

type archived struct {
	header  *tar.Header
	content []byte
}

func (s snapshot) files(t *testing.T) []archived {
	t.Helper()
	in, err := os.Open(s.path(s.archive))
	require.NoError(t, err)
	defer func() { assert.NoError(t, in.Close()) }()
	compressed, err := gzip.NewReader(in)
	require.NoError(t, err)
	assert.Zero(t, compressed.ModTime, "the time of the build is in the archive")
	reader := tar.NewReader(compressed)
	var files []archived
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		content, err := io.ReadAll(reader)
		require.NoError(t, err)
		files = append(files, archived{header, content})
	}
}

func TestSnapshot(t *testing.T) {
	s := build(t)
	files := s.files(t)
	binary := unpack(t, files)

	t.Run("the archive has the plugin, its licence and its README, and nothing of this machine", func(t *testing.T) {
		var names []string
		for _, f := range files {
			names = append(names, f.header.Name)
			mode := int64(0o644)
			if f.header.Name == binaryName() {
				mode = 0o755
			} else {
				want, err := os.ReadFile(filepath.Join(root, f.header.Name))
				require.NoError(t, err)
				assert.Equal(t, string(want), string(f.content))
			}
			assert.Equal(t, mode, f.header.Mode, f.header.Name)
			assert.Equal(t, 1980, f.header.ModTime.UTC().Year(), f.header.Name)
			assert.Equal(t, []any{0, 0, "root", "root"}, []any{f.header.Uid, f.header.Gid, f.header.Uname, f.header.Gname})
		}
		assert.Equal(t, []string{"LICENSE", "README.md", binaryName()}, names)
	})

	t.Run("the checksums are those of the files", func(t *testing.T) {
		text, err := os.ReadFile(s.path("checksums.txt"))
		require.NoError(t, err)
		sums := map[string]string{}
		for line := range strings.Lines(string(text)) {
			sum, name, found := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
			require.True(t, found, line)
			sums[name] = sum
		}
		assert.Equal(t, map[string]string{
			s.archive:               sha256Of(t, s.path(s.archive)),
			s.archive + ".cdx.json": sha256Of(t, s.path(s.archive+".cdx.json")),
		}, sums)
	})

	t.Run("the binary is static, stripped, and knows no path of this machine", func(t *testing.T) {
		info, err := buildinfo.ReadFile(binary)
		require.NoError(t, err)
		settings := map[string]string{}
		for _, setting := range info.Settings {
			settings[setting.Key] = setting.Value
		}
		assert.Equal(t, "0", settings["CGO_ENABLED"])
		assert.Equal(t, "true", settings["-trimpath"])
		content, err := os.ReadFile(binary)
		require.NoError(t, err)
		here, err := filepath.Abs(root)
		require.NoError(t, err)
		assert.False(t, bytes.Contains(content, []byte(here+string(filepath.Separator))), "%s is in the binary", here)
		if runtime.GOOS == "linux" {
			assertStaticAndStripped(t, binary)
		}
	})

	t.Run("the SBOM names every module in the binary", func(t *testing.T) {
		text, err := os.ReadFile(s.path(s.archive + ".cdx.json"))
		require.NoError(t, err)
		var bom struct {
			BOMFormat, SpecVersion string
			Metadata               struct {
				Component struct {
					Version string
					Hashes  []struct{ Alg, Content string }
				}
			}
			Components []struct{ Name, Version, PURL string }
		}
		require.NoError(t, json.Unmarshal(text, &bom))
		assert.Equal(t, []string{"CycloneDX", "1.6"}, []string{bom.BOMFormat, bom.SpecVersion})
		assert.Equal(t, "v"+version, bom.Metadata.Component.Version)
		require.Len(t, bom.Metadata.Component.Hashes, 1)
		assert.Equal(t, "SHA-256", bom.Metadata.Component.Hashes[0].Alg)
		assert.Equal(t, sha256Of(t, binary), bom.Metadata.Component.Hashes[0].Content)

		// As the go command, which is not what wrote it, sees them.
		out, err := exec.CommandContext(t.Context(), "go", "version", "-m", binary).Output()
		require.NoError(t, err)
		want := []string{"stdlib " + strings.TrimPrefix(runtime.Version(), "go")}
		for line := range strings.Lines(string(out)) {
			if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "dep" {
				want = append(want, fields[1]+" "+fields[2])
			}
		}
		var got []string
		for _, c := range bom.Components {
			got = append(got, c.Name+" "+c.Version)
			assert.Equal(t, "pkg:golang/"+strings.ToLower(c.Name)+"@"+strings.ReplaceAll(c.Version, "+", "%2B"), c.PURL)
		}
		assert.ElementsMatch(t, want, got)
		assert.Contains(t, strings.Join(got, "\n"), "k8s.io/client-go v")
	})

	t.Run("built again it is the same, byte by byte, also where the environment asks for another build", func(t *testing.T) {
		again := build(t, "GOFLAGS=-tags=another")
		assert.Equal(t, sha256Of(t, s.path(s.archive)), sha256Of(t, again.path(s.archive)))
	})

	t.Run("installed by the CLI it runs a program", func(t *testing.T) { runInstalled(t, s) })
	t.Run("its schema is schema.json", func(t *testing.T) { compareSchema(t, binary) })
	t.Run("it can be added to a project", func(t *testing.T) { addPackage(t, binary) })
}

// assertStaticAndStripped looks for what a dynamic or unstripped program has and this one must not.
func assertStaticAndStripped(t *testing.T, binary string) {
	t.Helper()
	program, err := elf.Open(binary)
	require.NoError(t, err)
	defer func() { assert.NoError(t, program.Close()) }()
	for _, part := range program.Progs {
		assert.NotContains(t, []elf.ProgType{elf.PT_INTERP, elf.PT_DYNAMIC}, part.Type, "it needs a dynamic linker")
	}
	for _, section := range program.Sections {
		assert.NotEqual(t, elf.SHT_SYMTAB, section.Type, "it has symbols")
		assert.False(t, strings.HasPrefix(section.Name, ".debug_") || strings.HasPrefix(section.Name, ".zdebug_"),
			"it has %s for debuggers", section.Name)
	}
}

func sha256Of(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
