package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// The images that every real node has.
const (
	pauseImage = "registry.k8s.io/pause:3.10"
	// BusyboxImage has a shell and the usual small programs.
	BusyboxImage = "docker.io/library/busybox:1"
)

// Image is what containers are made of: static programs.
type Image struct {
	// Name is the whole name with the tag, such as docker.io/library/shop:1.
	Name string
	// Files are the paths of programs on this machine by the paths that they get in the image.
	Files map[string]string
	// Links are the targets of symbolic links by their paths in the image.
	Links      map[string]string
	Entrypoint []string
	// Env are variables, as NAME=value.
	Env []string
}

var errNoRealNode = errors.New("images: the cluster has no real node, set Options.RealNode")

// AddImage makes an image and gives it to the real node. Pods that have failed to pull it find it at their next try.
func (c *Cluster) AddImage(ctx context.Context, image Image) error {
	if c.Containerd == nil {
		return errNoRealNode
	}
	tool, err := Tool("image")
	if err != nil {
		return err
	}
	wanted, err := json.Marshal(image)
	if err != nil {
		return err
	}
	var archive, said bytes.Buffer
	build := exec.CommandContext(ctx, tool)
	build.Stdin, build.Stdout, build.Stderr = bytes.NewReader(wanted), &archive, &said
	if err := build.Run(); err != nil {
		return fmt.Errorf("image %s: %w: %s", image.Name, err, said.Bytes())
	}
	if err := load(ctx, &archive); err != nil {
		return fmt.Errorf("image %s: %w", image.Name, err)
	}
	return nil
}

// ImportImages gives the images of an archive to the real node, by the names that they have there.
func (c *Cluster) ImportImages(ctx context.Context, file string) error {
	if c.Containerd == nil {
		return errNoRealNode
	}
	archive, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("images: %w", err)
	}
	defer func() { _ = archive.Close() }()
	if err := load(ctx, archive); err != nil {
		return fmt.Errorf("images of %s: %w", file, err)
	}
	return nil
}

// TagImage gives an image of the real node another name.
func (c *Cluster) TagImage(ctx context.Context, name, another string) error {
	if c.Containerd == nil {
		return errNoRealNode
	}
	if out, err := containerdCommand(ctx, "images", "tag", name, another).CombinedOutput(); err != nil {
		return fmt.Errorf("image %s as %s: %w: %s", name, another, err, out)
	}
	return nil
}

func load(ctx context.Context, archive io.Reader) error {
	command := containerdCommand(ctx, "images", "import", "-")
	command.Stdin = archive
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("containerd does not take it: %w: %s", err, out)
	}
	return nil
}

// addOwnImages adds the images that every real node has.
func (c *Cluster) addOwnImages(ctx context.Context) error {
	pause, err := Tool("pause")
	if err != nil {
		return err
	}
	busybox, err := busyboxImage(ctx)
	if err != nil {
		return err
	}
	return errors.Join(
		c.AddImage(ctx, Image{Name: pauseImage, Files: map[string]string{"/pause": pause}, Entrypoint: []string{"/pause"}}),
		c.AddImage(ctx, busybox),
	)
}

// busyboxImage has busybox under the names of all programs that it is.
func busyboxImage(ctx context.Context) (Image, error) {
	busybox, err := namespaces.Program("busybox")
	if err != nil {
		return Image{}, err
	}
	names, err := exec.CommandContext(ctx, busybox, "--list").Output()
	if err != nil {
		return Image{}, fmt.Errorf("the programs that busybox is: %w", err)
	}
	links := map[string]string{}
	for name := range strings.FieldsSeq(string(names)) {
		if name != "busybox" {
			links["/bin/"+name] = "busybox"
		}
	}
	return Image{Name: BusyboxImage, Files: map[string]string{"/bin/busybox": busybox}, Links: links}, nil
}
