package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/oci"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/artifact/registrytest"
)

// program writes what looks like a static program, or like one that needs libraries.
func program(t *testing.T, dir, name string, machine elf.Machine, parts ...elf.ProgType) string {
	t.Helper()
	header := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(len(parts)), Shentsize: 64,
	}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	header.Ident[elf.EI_VERSION] = byte(elf.EV_CURRENT)
	var content bytes.Buffer
	require.NoError(t, binary.Write(&content, binary.LittleEndian, header))
	for _, part := range parts {
		require.NoError(t, binary.Write(&content, binary.LittleEndian, elf.Prog64{Type: uint32(part)}))
	}
	content.WriteString(name)
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, content.Bytes(), 0o755))
	return path
}

// programs are arguments for all programs of the image.
func programs(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var args []string
	for _, path := range programPaths {
		args = append(args, path+"="+program(t, dir, path[1:], elf.EM_X86_64))
	}
	return args
}

// write writes an image and returns its archive, its folder and what it is called.
func write(t *testing.T, args []string) (archive, root, said string) {
	t.Helper()
	dir := t.TempDir()
	archive, root = filepath.Join(dir, "image.tar"), filepath.Join(dir, "root")
	var out bytes.Buffer
	require.NoError(t, run(append([]string{"-archive", archive, "-root", root}, args...), &out))
	return archive, root, strings.TrimSpace(out.String())
}

func TestImage(t *testing.T) {
	args := programs(t)
	archive, root, said := write(t, args)

	t.Run("the same programs give the same bytes", func(t *testing.T) {
		again, _, saidAgain := write(t, args)
		assert.Equal(t, said, saidAgain)
		assert.True(t, bytes.Equal(read(t, archive), read(t, again)))
	})
	t.Run("other programs give another digest", func(t *testing.T) {
		other := append([]string{}, args...)
		other[0] = "/operator=" + program(t, t.TempDir(), "changed", elf.EM_X86_64)
		_, _, saidOfOther := write(t, other)
		assert.NotEqual(t, said, saidOfOther)
	})
	t.Run("the archive is an OCI layout with the image, its name and its configuration", func(t *testing.T) {
		index, err := layout.ImageIndexFromPath(extract(t, archive))
		require.NoError(t, err)
		require.NoError(t, validate.Index(index))
		manifest, err := index.IndexManifest()
		require.NoError(t, err)
		require.Len(t, manifest.Manifests, 1)
		descriptor := manifest.Manifests[0]
		assert.Equal(t, imageName, descriptor.Annotations["io.containerd.image.name"])
		assert.Equal(t, "dev", descriptor.Annotations["org.opencontainers.image.ref.name"])
		assert.Equal(t, imageName+"@"+descriptor.Digest.String(), said)
		image, err := index.Image(descriptor.Digest)
		require.NoError(t, err)
		file, err := image.ConfigFile()
		require.NoError(t, err)
		assert.Equal(t, config(), file.Config)
		assert.Equal(t, "linux/amd64", file.Platform().String())
		assert.Equal(t, created, file.Created.Time)
		assert.Len(t, file.RootFS.DiffIDs, 1+len(programPaths))

		files := map[string]*tar.Header{}
		content := mutate.Extract(image)
		defer content.Close()
		for reader := tar.NewReader(content); ; {
			header, err := reader.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			files["/"+strings.TrimSuffix(header.Name, "/")] = header
			assert.True(t, header.ModTime.Equal(created), header.Name)
			assert.Zero(t, header.Uid+header.Gid, header.Name)
		}
		assert.Len(t, files, len(programPaths)+5)
		for _, path := range programPaths {
			require.Contains(t, files, path)
			assert.Equal(t, int64(0o755), files[path].Mode, path)
		}
		assert.Equal(t, int64(0o1777), files["/tmp"].Mode)
	})
	t.Run("a registry takes it, and has it by the same digest [X71]", func(t *testing.T) {
		layout, err := oci.NewFromTar(t.Context(), archive)
		require.NoError(t, err)
		repository, err := remote.NewRepository(registrytest.New(t).Host() + "/platform/operator")
		require.NoError(t, err)
		repository.PlainHTTP = true
		_, err = oras.Copy(t.Context(), layout, "dev", repository, "1.0", oras.DefaultCopyOptions)
		require.NoError(t, err)
		pushed, err := repository.Resolve(t.Context(), "1.0")
		require.NoError(t, err)
		assert.Equal(t, said, imageName+"@"+pushed.Digest.String())
	})
	t.Run("the folder has the same files, and is written again", func(t *testing.T) {
		for range 2 {
			for i, path := range programPaths {
				_, source, _ := strings.Cut(args[i], "=")
				assert.Equal(t, read(t, source), read(t, filepath.Join(root, path)))
			}
			info, err := os.Stat(filepath.Join(root, "tmp"))
			require.NoError(t, err)
			assert.Equal(t, os.ModeDir|os.ModeSticky|0o777, info.Mode())
			require.NoError(t, run(append([]string{"-root", root}, args...), io.Discard))
		}
		require.NoError(t, os.WriteFile(filepath.Join(root, "mine"), nil, 0o600))
		assert.ErrorContains(t, run(append([]string{"-root", root}, args...), io.Discard), "mine is not of the image")
		assert.FileExists(t, filepath.Join(root, "mine"))
	})
	t.Run("the certificates are those of authorities", func(t *testing.T) {
		pool := x509.NewCertPool()
		assert.True(t, pool.AppendCertsFromPEM(read(t, filepath.Join(root, certificatesFile))))
	})
}

func TestWhatIsAddedToTheImage(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "node_modules", ".bin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "index.js"), []byte("main()"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "node_modules", "tool"), []byte("tool()"), 0o700))
	require.NoError(t, os.Symlink("../tool", filepath.Join(folder, "node_modules", ".bin", "tool")))
	args := append([]string{"-add", "/program=" + folder, "-add", "/lib/x86/libc.so=" + filepath.Join(folder, "index.js")}, programs(t)...)
	archive, root, _ := write(t, args)

	assert.Equal(t, "main()", string(read(t, filepath.Join(root, "program", "index.js"))))
	info, err := os.Stat(filepath.Join(root, "program", "index.js"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode(), "others read it, too")
	assert.Equal(t, "tool()", string(read(t, filepath.Join(root, "program", "node_modules", ".bin", "tool"))), "a link")
	assert.Equal(t, "main()", string(read(t, filepath.Join(root, "lib", "x86", "libc.so"))))
	assert.NoError(t, run(append([]string{"-root", root}, args...), io.Discard), "again, in its place")

	index, err := layout.ImageIndexFromPath(extract(t, archive))
	require.NoError(t, err)
	require.NoError(t, validate.Index(index))
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	image, err := index.Image(manifest.Manifests[0].Digest)
	require.NoError(t, err)
	layers, err := image.Layers()
	require.NoError(t, err)
	assert.Len(t, layers, 2+len(programPaths), "what was added is one more")
	last, err := layers[len(layers)-1].Uncompressed()
	require.NoError(t, err)
	defer last.Close()
	modes := map[string]int64{}
	for reader := tar.NewReader(last); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		modes[header.Name] = header.Mode
		assert.True(t, header.ModTime.Equal(created), header.Name)
		if header.Typeflag == tar.TypeSymlink {
			assert.Equal(t, "../tool", header.Linkname)
		}
	}
	assert.Equal(t, map[string]int64{
		"program/": 0o755, "program/index.js": 0o644, "program/node_modules/": 0o755, "program/node_modules/tool": 0o755,
		"program/node_modules/.bin/": 0o755, "program/node_modules/.bin/tool": 0o644, "lib/": 0o755, "lib/x86/": 0o755, "lib/x86/libc.so": 0o644,
	}, modes)

	for _, refused := range []string{"program=" + folder, "/program", "/etc=" + folder, "/program=" + filepath.Join(folder, "missing")} {
		assert.Error(t, run(append([]string{"-root", filepath.Join(folder, "root"), "-add", refused}, programs(t)...), io.Discard), refused)
	}
}

func TestWhatIsNoProgramOfTheImage(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755))
	for name, c := range map[string]struct {
		change   string
		at       int
		expected string
	}{
		"a script":                            {"/pulumi=" + script, 1, "no program for Linux"},
		"one that needs libraries":            {"/pulumi=" + program(t, dir, "dynamic", elf.EM_X86_64, elf.PT_INTERP), 1, "CGO_ENABLED=0"},
		"one for another machine":             {"/pulumi=" + program(t, dir, "arm", elf.EM_AARCH64), 1, "is for arm64, and the others for amd64"},
		"one for a machine that is not known": {"/pulumi=" + program(t, dir, "mips", elf.EM_MIPS), 1, "EM_MIPS"},
		"one that the image does not have":    {"/bash=" + script, 0, "the image has none of that name"},
		"one too few":                         {"-name=localhost/other:1", 0, "/operator is missing"},
		"a path that is not from the root":    {"pulumi=" + script, 1, "want /PROGRAM=FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			args := programs(t)
			args[c.at] = c.change
			assert.ErrorContains(t, run(append([]string{"-root", filepath.Join(dir, "root")}, args...), io.Discard), c.expected)
		})
	}
	assert.ErrorContains(t, run(programs(t), io.Discard), "nothing to write")
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return content
}

// extract unpacks an archive into a folder.
func extract(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	file, err := os.Open(archive)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	for reader := tar.NewReader(file); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		require.NoError(t, err)
		path := filepath.Join(dir, header.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		content, err := io.ReadAll(reader)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
}
