// Cluster runs a Kubernetes cluster on this machine until it is told to stop, for trying
// things by hand and for the demo. It writes a kubeconfig when everything works, so a script
// only has to wait for that file, and removes it and all data at the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func main() {
	flags := flag.NewFlagSet("cluster", flag.ExitOnError) // not the global one, in which envtest has a flag
	dir := flags.String("dir", ".cluster", "folder for the kubeconfig and, while it runs, the data")
	audit := flags.Bool("audit", false, "record all requests in DIR/data/audit.log")
	_ = flags.Parse(os.Args[1:]) // exits if it fails
	if err := run(*dir, *audit); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n", err)
		os.Exit(1)
	}
}

func run(dir string, audit bool) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer unlock()

	// What a killed run has left behind.
	kubeconfig := filepath.Join(dir, "kubeconfig")
	data := filepath.Join(dir, "data")
	if err := errors.Join(os.RemoveAll(kubeconfig), os.RemoveAll(data)); err != nil {
		return err
	}

	options := cluster.Everything()
	options.Dir = data
	options.Audit = audit
	c, err := cluster.Start(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(kubeconfig), c.Stop()) }()

	if err := publish(kubeconfig, c.Kubeconfig()); err != nil {
		return err
	}
	if err := explain(kubeconfig, c); err != nil {
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

// publish makes the file appear with its whole content at once.
func publish(path string, content []byte) error {
	unfinished := path + ".new"
	if err := os.WriteFile(unfinished, content, 0o600); err != nil {
		return err
	}
	return os.Rename(unfinished, path)
}

func explain(kubeconfig string, c *cluster.Cluster) error {
	path, err := filepath.Abs(kubeconfig)
	if err != nil {
		return err
	}
	kubectl, err := cluster.Tool("kubectl")
	if err != nil {
		return err
	}
	_, err = fmt.Printf(`The cluster is ready at %s. In another terminal:

    export KUBECONFIG=%s
    %s get nodes

Images do not run here: pods are ready at once, Jobs complete. ^C stops it and removes its data.
`, c.Host(), path, kubectl)
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
