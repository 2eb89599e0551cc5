package kubelet

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Image is what a container is made of.
type Image struct {
	// Root is the folder of its files.
	Root string
	// Entrypoint runs in containers that have no command.
	Entrypoint []string
	// Env are its variables, as NAME=value.
	Env []string
	// UID and GID are the user for containers that name none.
	UID, GID int
	// Digest is that of its manifest, if it is known. Containers may name the image by it.
	Digest string
}

// image finds an image by its name, or by its repository and digest, as in example.com/shop@sha256:….
func (o *Options) image(reference string) (Image, bool) {
	if image, known := o.Images[reference]; known {
		return image, true
	}
	repository, digest, _ := strings.Cut(reference, "@")
	for name, image := range o.Images {
		if image.Digest != "" && image.Digest == digest && repositoryOf(name) == repositoryOf(repository) {
			return image, true
		}
	}
	return Image{}, false
}

// repositoryOf is a name without its tag.
func repositoryOf(name string) string {
	if colon := strings.LastIndex(name, ":"); colon > strings.LastIndex(name, "/") {
		return name[:colon]
	}
	return name
}

// nameAnnotation is where archives have the whole name of an image.
const nameAnnotation = "io.containerd.image.name"

// maxDocument is the size up to which a file of an archive is read: layers are larger, and of no interest.
const maxDocument = 1 << 20

// ReadImage returns an image and its name. What is to be known of it is in an archive in OCI's layout, as "make
// operator-image" writes one, and its files are in a folder.
func ReadImage(archive, root string) (name string, image Image, err error) {
	if image.Root, err = filepath.Abs(root); err != nil {
		return "", Image{}, fmt.Errorf("image: %w", err)
	}
	if info, err := os.Stat(image.Root); err != nil {
		return "", Image{}, fmt.Errorf("image: the folder with its files: %w", err)
	} else if !info.IsDir() {
		return "", Image{}, fmt.Errorf("image: %s is not a folder with its files", root)
	}
	documents, err := documentsOf(archive)
	if err != nil {
		return "", Image{}, fmt.Errorf("image: %w", err)
	}
	if name, err = image.describe(documents); err != nil {
		return "", Image{}, fmt.Errorf("image: archive %s: %w", archive, err)
	}
	return name, image, nil
}

// documents are the small files of an archive by their paths.
type documents map[string][]byte

func documentsOf(archive string) (documents, error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	found := documents{}
	for reader := tar.NewReader(file); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err == nil && header.Size <= maxDocument {
			found[header.Name], err = io.ReadAll(reader)
		}
		if err != nil {
			return nil, fmt.Errorf("archive %s: %w", archive, err)
		}
	}
}

// descriptor refers to a file of the archive.
type descriptor struct {
	Digest      string
	Annotations map[string]string
}

// describe takes what is to be known of the image, and returns its name.
func (i *Image) describe(from documents) (name string, err error) {
	var index struct{ Manifests []descriptor }
	if err := from.decode("index.json", &index); err != nil {
		return "", err
	}
	if len(index.Manifests) != 1 || index.Manifests[0].Annotations[nameAnnotation] == "" {
		return "", errors.New("want one image, with a name")
	}
	var manifest struct{ Config descriptor }
	if err := from.blob(index.Manifests[0], &manifest); err != nil {
		return "", err
	}
	var file struct {
		Config struct {
			Entrypoint, Cmd, Env []string
			User, WorkingDir     string
		}
	}
	if err := from.blob(manifest.Config, &file); err != nil {
		return "", err
	}
	config := file.Config
	if len(config.Cmd) > 0 || filepath.Clean("/"+config.WorkingDir) != "/" {
		return "", errors.New("an image with a Cmd or a WorkingDir is not played")
	}
	i.Entrypoint, i.Env, i.Digest = config.Entrypoint, config.Env, index.Manifests[0].Digest
	i.UID, i.GID, err = ids(config.User)
	return index.Manifests[0].Annotations[nameAnnotation], err
}

// ids are those of a user, who is root if the image names none.
func ids(user string) (uid, gid int, err error) {
	if user == "" {
		return 0, 0, nil
	}
	name, group, found := strings.Cut(user, ":")
	if !found {
		group = "0"
	}
	uid, err = strconv.Atoi(name)
	if err == nil {
		gid, err = strconv.Atoi(group)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("user %s: want numbers", user)
	}
	return uid, gid, nil
}

func (d documents) blob(of descriptor, into any) error {
	return d.decode("blobs/"+strings.Replace(of.Digest, ":", "/", 1), into)
}

func (d documents) decode(path string, into any) error {
	content, found := d[path]
	if !found {
		return fmt.Errorf("there is no %s", path)
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
