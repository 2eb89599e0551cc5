// Cluster runs a Kubernetes cluster on this machine until it is told to stop, for trying
// things by hand and for the demos. It writes a kubeconfig when everything works, so a script
// only has to wait for that file, and removes it and all data at the end.
//
// Its node is played by kwok, and no image runs. With -node=played, package kubelet runs pods as processes, from
// the images that -image names. With -node=real, containerd and a kubelet do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/kubelet"
)

// settings are what the flags say.
type settings struct {
	dir     string
	options cluster.Options
	played  bool
	images  images
	archive string // of images for the real node
}

func main() {
	wanted, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\n", err)
		os.Exit(2)
	}
	if wanted.options.RealNode {
		code, inside, err := namespaces.Run()
		if err != nil {
			fmt.Fprintf(os.Stderr, "%v\n", err)
		}
		if !inside {
			os.Exit(code)
		}
	}
	if err := run(wanted); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n", err)
		os.Exit(1)
	}
}

func parse(args []string) (settings, error) {
	wanted := settings{images: images{}}
	flags := flag.NewFlagSet("cluster", flag.ExitOnError) // not the global one, in which envtest has a flag
	flags.StringVar(&wanted.dir, "dir", ".cluster", "folder for the kubeconfig and, while it runs, the data")
	audit := flags.Bool("audit", false, "record all requests in DIR/data/audit.log")
	node := flags.String("node", "", `"played" runs pods as processes, "real" runs containers, both on Linux and as root; without it no image runs`)
	flags.Var(wanted.images, "image", "an image of the played node, as `ARCHIVE=FOLDER`: one in OCI's layout, and its files; may be repeated")
	flags.StringVar(&wanted.archive, "images", "", "archive of images for the real node, as \"docker save\" and \"make operator-image\" write it")
	_ = flags.Parse(args) // exits if it fails
	switch *node {
	case "":
		wanted.options = cluster.Everything()
	case "played":
		wanted.options, wanted.played = cluster.Options{ControllerManager: true, Scheduler: true}, true
		if err := kubelet.Supported(); err != nil {
			return wanted, fmt.Errorf("-node=played: %w", err)
		}
	case "real":
		wanted.options = cluster.Real()
	default:
		return wanted, fmt.Errorf(`-node=%s: the nodes that have a name here are "played" and "real"`, *node)
	}
	if len(wanted.images) > 0 && !wanted.played {
		return wanted, errors.New("-image is for -node=played")
	}
	if wanted.archive != "" && !wanted.options.RealNode {
		return wanted, errors.New("-images is for -node=real")
	}
	wanted.options.Audit = *audit
	return wanted, nil
}

func run(wanted settings) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	unlock, err := lock(wanted.dir)
	if err != nil {
		return err
	}
	defer unlock()

	// What a killed run has left behind.
	kubeconfig := filepath.Join(wanted.dir, "kubeconfig")
	data := filepath.Join(wanted.dir, "data")
	if err := errors.Join(os.RemoveAll(kubeconfig), os.RemoveAll(data), removeNode(wanted.dir)); err != nil {
		return err
	}

	wanted.options.Dir = data
	c, err := cluster.Start(ctx, wanted.options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(kubeconfig), c.Stop()) }()
	if wanted.played {
		stop, err := playNode(ctx, c, wanted.dir, wanted.images)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}

	if wanted.archive != "" {
		if err := c.ImportImages(ctx, wanted.archive); err != nil {
			return err
		}
	}
	admin, err := reachable(c)
	if err != nil {
		return err
	}
	content, err := admin.Kubeconfig()
	if err != nil {
		return err
	}
	if err := publish(kubeconfig, content); err != nil {
		return err
	}
	if err := explain(kubeconfig, admin.Host, wanted); err != nil {
		return err
	}
	return wait(ctx, c)
}

// lock makes sure that no other process runs a cluster in the folder. The system gives the
// lock back when this process ends, however it ends.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("cluster in %s: another one runs there: %w", dir, err), file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// reachable is the administrator with an address of the API server that leads to it from outside too.
func reachable(c *cluster.Cluster) (cluster.User, error) {
	admin := c.Admin()
	space, err := namespaces.Inside()
	if err != nil || space == nil {
		return admin, err
	}
	host, err := url.Parse(admin.Host)
	if err != nil {
		return admin, err
	}
	host.Host = space.Relay(host.Host)
	admin.Host = host.String()
	return admin, nil
}

// publish makes the file appear with its whole content at once.
func publish(path string, content []byte) error {
	unfinished := path + ".new"
	if err := os.WriteFile(unfinished, content, 0o600); err != nil {
		return err
	}
	return os.Rename(unfinished, path)
}

func explain(kubeconfig, host string, wanted settings) error {
	path, err := filepath.Abs(kubeconfig)
	if err != nil {
		return err
	}
	kubectl, err := cluster.Tool("kubectl")
	if err != nil {
		return err
	}
	images := "Images do not run here: pods are ready at once, Jobs complete."
	switch {
	case wanted.played:
		images = playedNode(wanted.dir, wanted.images)
	case wanted.options.RealNode:
		images = "Containers run here, but nothing can be pulled: there is the image " + cluster.BusyboxImage
		if wanted.archive != "" {
			images += ",\nand what is in " + wanted.archive
		}
		images += "."
	}
	_, err = fmt.Printf(`The cluster is ready at %s. In another terminal:

    export KUBECONFIG=%s
    %s get nodes

%s ^C stops it and removes its data.
`, host, path, kubectl, images)
	return err
}

// wait returns when the person has enough, or a part of the cluster has ended by itself.
func wait(ctx context.Context, c *cluster.Cluster) error {
	ended := make(chan *cluster.Part)
	for _, part := range c.Parts() {
		go func() {
			<-part.Exited()
			select {
			case ended <- part:
			case <-ctx.Done():
			}
		}()
	}
	select {
	case part := <-ended:
		return fmt.Errorf("%s: ended unexpectedly", part.Name())
	case <-ctx.Done():
		return nil
	}
}
