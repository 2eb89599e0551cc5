package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// The annotations by which an archive says the names of its images: OCI's is the tag, containerd's the whole name.
const (
	tagAnnotation  = "org.opencontainers.image.ref.name"
	nameAnnotation = "io.containerd.image.name"
)

// created is the time of everything.
var created = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// config is what a runtime has to know. The Dockerfile says the same.
func config() v1.Config {
	return v1.Config{
		Entrypoint: []string{"/operator"},
		Env:        []string{"PATH=/"},
		User:       "65532:65532",
		WorkingDir: "/",
	}
}

// build is the image as registries have it.
func (i *image) build() (v1.Image, error) {
	var additions []mutate.Addendum
	for _, files := range i.layers() {
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return stream(files), nil },
			tarball.WithCompressionLevel(gzip.BestSpeed), tarball.WithCompressedCaching, tarball.WithMediaType(types.OCILayer))
		if err != nil {
			return nil, err
		}
		additions = append(additions, mutate.Addendum{Layer: layer, History: v1.History{
			Created: v1.Time{Time: created}, CreatedBy: "hack/image", Comment: files[len(files)-1].path,
		}})
	}
	made := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	made, err := mutate.Append(made, additions...)
	if err != nil {
		return nil, err
	}
	file, err := made.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", i.architecture
	file.Created, file.Config = v1.Time{Time: created}, config()
	return mutate.ConfigFile(made, file)
}

// layers are the files of each layer. What changes most often comes last.
func (i *image) layers() [][]file {
	layers := [][]file{i.base}
	for _, program := range slices.Backward(i.programs) {
		layers = append(layers, []file{program})
	}
	if len(i.added) > 0 {
		layers = append(layers, i.added)
	}
	return layers
}

// stream is the archive of a layer.
func stream(files []file) io.ReadCloser {
	reader, writer := io.Pipe()
	go func() {
		archive := tar.NewWriter(writer)
		for _, file := range files {
			if err := file.add(archive); err != nil {
				_ = writer.CloseWithError(err) // the reader gets it
				return
			}
		}
		_ = writer.CloseWithError(archive.Close())
	}()
	return reader
}

func (f file) add(archive *tar.Writer) error {
	header := &tar.Header{Name: strings.TrimPrefix(f.path, "/"), Mode: int64(f.mode.Perm()), ModTime: created}
	if f.mode.IsDir() {
		if f.mode&os.ModeSticky != 0 {
			header.Mode |= 0o1000
		}
		header.Typeflag, header.Name = tar.TypeDir, header.Name+"/"
		return archive.WriteHeader(header)
	}
	if f.link != "" {
		header.Typeflag, header.Linkname = tar.TypeSymlink, f.link
		return archive.WriteHeader(header)
	}
	content, size, err := f.open()
	if err != nil {
		return err
	}
	defer content.Close()
	header.Typeflag, header.Size = tar.TypeReg, size
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(archive, content)
	return err
}

// archive writes the image as an archive in OCI's layout, and returns its digest.
func (i *image) archive(imageName, to string) (v1.Hash, error) {
	tag, err := name.NewTag(imageName, name.StrictValidation)
	if err != nil {
		return v1.Hash{}, err
	}
	made, err := i.build()
	if err != nil {
		return v1.Hash{}, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(to), ".image-")
	if err != nil {
		return v1.Hash{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	written, err := layout.Write(dir, mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	if err != nil {
		return v1.Hash{}, err
	}
	digest, err := made.Digest()
	if err != nil {
		return v1.Hash{}, err
	}
	size, err := made.Size()
	if err != nil {
		return v1.Hash{}, err
	}
	return digest, errors.Join(
		written.WriteImage(made),
		written.AppendDescriptor(v1.Descriptor{
			MediaType: types.OCIManifestSchema1, Digest: digest, Size: size,
			Platform:    &v1.Platform{OS: "linux", Architecture: i.architecture},
			Annotations: map[string]string{tagAnnotation: tag.TagStr(), nameAnnotation: tag.Name()},
		}),
		pack(dir, to),
	)
}

// pack writes the files of a folder into an archive, in the order of their names.
func pack(dir, to string) error {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(out)
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return file{path: filepath.ToSlash(inside), mode: 0o644, source: path}.add(archive)
	})
	return errors.Join(err, archive.Close(), out.Close())
}
