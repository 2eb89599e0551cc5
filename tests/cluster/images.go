package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// AddImage makes an image and gives it to the real node. Pods that have failed to pull it find it at their next try.
func (c *Cluster) AddImage(ctx context.Context, image Image) error {
	if c.Containerd == nil {
		return errors.New("images: the cluster has no real node, set Options.RealNode")
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
	load := containerdCommand(ctx, "images", "import", "-")
	load.Stdin = &archive
	if out, err := load.CombinedOutput(); err != nil {
		return fmt.Errorf("image %s: containerd does not take it: %w: %s", image.Name, err, out)
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
