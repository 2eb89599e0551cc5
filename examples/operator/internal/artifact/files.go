package artifact

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

const (
	// MaxBytes is how large the files of a program are at most, together with their names. A ConfigMap holds 1 MiB, and the template
	// of the class is in it, too.
	MaxBytes = 960 << 10
	// MaxFiles is how many files a program has at most.
	MaxFiles = 256
	// maxUnpacked bounds what a packed layer is unpacked to: its files, and what tar has around each.
	maxUnpacked = MaxBytes + MaxFiles*8<<10
)

// Layer is a part of an artifact.
type Layer struct {
	MediaType string
	// Title is the name of the file that the layer is.
	Title string
	// Packed says that the layer is a packed folder, whatever its title.
	Packed  bool
	Content []byte
}

// isPacked says whether a layer is a tar archive: that of "flux push artifact", or a folder of "oras push". What has a title and is no folder
// is a file, also if it is an archive.
func (l Layer) isPacked() bool {
	return l.Packed || l.Title == "" && (strings.HasSuffix(l.MediaType, "tar+gzip") || strings.HasSuffix(l.MediaType, "tar.gzip"))
}

var (
	errTooLarge = refused("its files are larger than %d KiB, and a ConfigMap holds no more. Leave out what the program does not need", MaxBytes>>10)
	errTooMany  = refused("it has more than %d files. Leave out what the program does not need", MaxFiles)
	errSpace    = refused("it is packed and unpacks to far more than a program has. Push the files themselves")
)

// Files are the files in the layers of an artifact.
func Files(layers []Layer) (map[string][]byte, error) {
	into := &collection{files: map[string][]byte{}, left: MaxBytes}
	for _, layer := range layers {
		var err error
		switch {
		case layer.isPacked():
			err = into.unpack(layer.Content)
		case layer.Title != "":
			err = into.add(layer.Title, int64(len(layer.Content)), bytes.NewReader(layer.Content))
		default:
			err = refused("a layer of the type %q has no title, so it has no name. Push files by oras push, or a folder by flux push artifact", layer.MediaType)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, has := into.files[stack.ProjectFile]; !has {
		return nil, refused("it has no file %s. Push it from inside the folder of the program", stack.ProjectFile)
	}
	return into.files, nil
}

type collection struct {
	files map[string][]byte
	left  int64
}

func (c *collection) unpack(packed []byte) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return refused("a layer is not packed by gzip: %v. Push it again", err)
	}
	archive := tar.NewReader(&bounded{from: unzipped, left: maxUnpacked})
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, errSpace) {
			return errSpace
		}
		if err != nil {
			return refused("a layer is no tar archive: %v. Push it again", err)
		}
		switch header.Typeflag {
		case tar.TypeXGlobalHeader: // what git archive writes
		case tar.TypeDir:
			err = checkPath(header.Name)
		case tar.TypeReg:
			err = c.add(header.Name, header.Size, archive)
		default:
			err = refused("%q is no file, but a link or a device. Put the file itself there", header.Name)
		}
		if err != nil {
			return err
		}
	}
}

func (c *collection) add(name string, size int64, content io.Reader) error {
	key, err := keyOf(name)
	if err != nil {
		return err
	}
	if _, has := c.files[key]; has {
		return refused("it has the file %q twice", key)
	}
	if len(c.files) == MaxFiles {
		return errTooMany
	}
	if c.left -= size + int64(len(key)); c.left < 0 {
		return errTooLarge
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return refused("read %q: %v", key, err)
	}
	c.files[key] = data
	return nil
}

// checkPath refuses paths that lead out of the folder of the program.
func checkPath(name string) error {
	switch {
	case path.IsAbs(name):
		return refused("the path %q is absolute. Push the files from inside the folder of the program", name)
	case slices.Contains(strings.Split(name, "/"), ".."):
		return refused("the path %q leads out of its folder. Push the files from inside the folder of the program", name)
	}
	return nil
}

// keyOf is the key of a file in a ConfigMap.
func keyOf(name string) (string, error) {
	if err := checkPath(name); err != nil {
		return "", err
	}
	key := path.Clean(name)
	if strings.Contains(key, "/") {
		return "", refused("the file %q is in a folder, and a ConfigMap has none. Push the files from inside the folder of the program, "+
			"and put what is in folders beside %s", key, stack.ProjectFile)
	}
	if len(validation.IsConfigMapKey(key)) > 0 {
		return "", refused("no key of a ConfigMap can be %q: it has at most 253 letters, digits, '-', '_' and '.', and no '..' at its beginning. Rename the file", name)
	}
	return key, nil
}

// bounded ends with an error where io.LimitReader would end as if that were all.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(into []byte) (int, error) {
	if b.left <= 0 {
		return 0, errSpace
	}
	n, err := b.from.Read(into[:min(int64(len(into)), b.left)])
	b.left -= int64(n)
	return n, err
}
