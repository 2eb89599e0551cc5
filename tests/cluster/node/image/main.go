// Image makes an image of static programs: it reads what is to be in it from stdin, as JSON, and writes
// what "ctr images import" takes to stdout. No container runtime is needed, and no other image.
package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// image is what is asked for.
type image struct {
	// Name is the whole name with the tag, such as docker.io/library/busybox:1.
	Name string
	// Files are the paths on this machine by the paths in the image.
	Files map[string]string
	// Links are the targets of symbolic links by the paths in the image.
	Links      map[string]string
	Entrypoint []string
	Env        []string
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var wanted image
	if err := json.NewDecoder(in).Decode(&wanted); err != nil {
		return err
	}
	tag, err := name.NewTag(wanted.Name, name.StrictValidation)
	if err != nil {
		return err
	}
	content, err := wanted.layer()
	if err != nil {
		return fmt.Errorf("%s: %w", wanted.Name, err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
	if err != nil {
		return err
	}
	made, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return err
	}
	config, err := made.ConfigFile()
	if err != nil {
		return err
	}
	made, err = mutate.ConfigFile(made, wanted.config(config))
	if err != nil {
		return err
	}
	return tarball.Write(tag, made, out)
}

// config is the configuration of the image with its layer, and what a runtime wants to know.
func (i image) config(layered *v1.ConfigFile) *v1.ConfigFile {
	config := layered.DeepCopy()
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Config.Entrypoint = i.Entrypoint
	config.Config.Env = append([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, i.Env...)
	return config
}

// layer is the only layer of the image, as an archive.
func (i image) layer() ([]byte, error) {
	var content bytes.Buffer
	archive := tar.NewWriter(&content)
	for _, dir := range i.folders() {
		mode := int64(0o755)
		if dir == "tmp" {
			mode = 0o1777
		}
		if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: mode}); err != nil {
			return nil, err
		}
	}
	for _, to := range slices.Sorted(maps.Keys(i.Files)) {
		data, err := os.ReadFile(i.Files[to])
		if err != nil {
			return nil, err
		}
		if err := add(archive, to, 0o755, data); err != nil {
			return nil, err
		}
	}
	// Programs ask who they are.
	if err := add(archive, "etc/passwd", 0o644, []byte("root:x:0:0:root:/:/bin/sh\n")); err != nil {
		return nil, err
	}
	for _, at := range slices.Sorted(maps.Keys(i.Links)) {
		header := &tar.Header{Typeflag: tar.TypeSymlink, Name: strings.TrimPrefix(at, "/"), Linkname: i.Links[at], Mode: 0o777}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return content.Bytes(), nil
}

// folders are all that the files are in, and those that a runtime mounts something on, parents first.
func (i image) folders() []string {
	folders := map[string]bool{"etc": true, "tmp": true, "proc": true, "sys": true, "dev": true, "run": true, "var": true}
	for _, paths := range []map[string]string{i.Files, i.Links} {
		for to := range paths {
			for dir := path.Dir(strings.TrimPrefix(to, "/")); dir != "."; dir = path.Dir(dir) {
				folders[dir] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

func add(archive *tar.Writer, to string, mode int64, data []byte) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: strings.TrimPrefix(to, "/"), Mode: mode, Size: int64(len(data))}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := archive.Write(data)
	return err
}
