package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/kubelet"
)

// images are those of the played node by their names.
type images map[string]kubelet.Image

// String is what the flag package prints as the default.
func (i images) String() string { return "" }

// Set takes one image, as the flag has it.
func (i images) Set(value string) error {
	archive, folder, found := strings.Cut(value, "=")
	if !found {
		return errors.New("want ARCHIVE=FOLDER")
	}
	name, image, err := kubelet.ReadImage(archive, folder)
	if err != nil {
		return err
	}
	i[name] = image
	return nil
}

// nodeDir is the folder of the played node while it runs.
func nodeDir(dir string) string { return filepath.Join(dir, "node") }

// podsLog has what the pods print, since the played node answers no kubectl logs.
func podsLog(dir string) string { return filepath.Join(dir, "pods.log") }

// removeNode removes what the played node leaves, or has left when it was killed.
func removeNode(dir string) error {
	return errors.Join(os.RemoveAll(nodeDir(dir)), os.RemoveAll(podsLog(dir)))
}

// playNode has pods run as processes until stop is called, which leaves none of them and no file.
func playNode(ctx context.Context, c *cluster.Cluster, dir string, images images) (stop func() error, err error) {
	log, err := os.OpenFile(podsLog(dir), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	player, err := kubelet.Start(ctx, c.RESTConfig(), kubelet.Options{NodeName: "played", Images: images, Dir: nodeDir(dir), Log: log})
	if err != nil {
		return nil, errors.Join(err, log.Close(), removeNode(dir))
	}
	return func() error { return errors.Join(player.PowerOff(), log.Close(), removeNode(dir)) }, nil
}

// playedNode is what is to be known about the images of a played node.
func playedNode(dir string, images images) string {
	there := "There is no image: -image names one."
	if len(images) > 0 {
		there = "Nothing can be pulled: there is the image " + strings.Join(slices.Sorted(maps.Keys(images)), ", ") + "."
	}
	return fmt.Sprintf("Pods run as processes of this machine. %s\nWhat they print is in %s.", there, podsLog(dir))
}
