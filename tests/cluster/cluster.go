package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// Cluster is a running cluster. Its parts can be broken one by one; those that the options
// did not ask for are nil.
type Cluster struct {
	Etcd, APIServer              *Part
	ControllerManager, Scheduler *Part
	Kwok                         *Part
	// Of a real node.
	Containerd, Kubelet, KubeProxy *Part

	options    Options
	dir        string
	etcd       *envtest.Etcd
	apiServer  *envtest.APIServer
	users      sync.Mutex // envtest makes one at a time
	host       string
	adminToken string
	admin      User
	kubeconfig []byte
	client     kubernetes.Interface
	space      *namespaces.Space // of a real node
	pods       *podNetwork       // nil without one
}

// Start starts a cluster and returns when all that the options ask for works: the API server
// is ready, with the controller manager the namespace default has its service account, and
// the nodes are ready.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	// Nothing reserves the port between its choice and its use, so another process may
	// have taken it.
	const attempts = 3
	for attempt := 1; ; attempt++ {
		c, err := start(ctx, options)
		if err == nil {
			return c, nil
		}
		if attempt == attempts || !errors.Is(err, errAddressInUse) {
			return nil, fmt.Errorf("cluster: %w", err)
		}
	}
}

func start(ctx context.Context, options Options) (*Cluster, error) {
	c, err := prepare(options)
	if err != nil {
		return nil, err
	}
	if err := c.run(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// prepare makes the folder and the parts, of which none runs yet.
func prepare(options Options) (*Cluster, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	dir, err := makeDir(options.Dir)
	if err != nil {
		return nil, err
	}
	c := &Cluster{options: options, dir: dir, adminToken: rand.Text()}
	if err := c.makeParts(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return c, nil
}

func makeDir(dir string) (string, error) {
	if dir == "" {
		dir, err := os.MkdirTemp("", "k8sconnect-cluster-")
		if err != nil {
			return "", fmt.Errorf("folder: %w", err)
		}
		return dir, nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("folder: %w", err)
	}
	// Not what was there before: Stop removes all of it.
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("folder: %w", err)
	}
	return dir, nil
}

func (c *Cluster) run(ctx context.Context) error {
	if err := c.Etcd.start(ctx); err != nil {
		return err
	}
	if err := c.APIServer.start(ctx); err != nil {
		return err
	}
	if err := c.createNodes(ctx); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, part := range []*Part{c.ControllerManager, c.Scheduler, c.Kwok} {
		if part != nil {
			group.Go(func() error { return part.start(ctx) })
		}
	}
	if c.options.RealNode {
		group.Go(func() error { return c.startNode(ctx) })
	}
	return group.Wait()
}

// Stop kills all parts and removes the cluster's folder. It may be called again.
func (c *Cluster) Stop() error {
	var errs []error
	for _, part := range c.Parts() {
		errs = append(errs, part.Kill())
	}
	if err := errors.Join(append(errs, c.pods.stop(), os.RemoveAll(c.dir))...); err != nil {
		return fmt.Errorf("cluster: stopping: %w", err)
	}
	return nil
}

// Parts are the parts that the cluster has, those that others depend on last.
func (c *Cluster) Parts() []*Part {
	var parts []*Part
	for _, part := range []*Part{c.KubeProxy, c.Kubelet, c.Containerd, c.Kwok, c.Scheduler, c.ControllerManager, c.APIServer, c.Etcd} {
		if part != nil {
			parts = append(parts, part)
		}
	}
	return parts
}

// Host is the address of the API server, such as https://127.0.0.1:24680.
func (c *Cluster) Host() string { return c.host }

// Admin is the user that may do everything.
func (c *Cluster) Admin() User { return c.admin }

// RESTConfig connects as the administrator. The caller may change it.
func (c *Cluster) RESTConfig() *rest.Config { return c.admin.RESTConfig() }

// Kubeconfig is the content of the administrator's kubeconfig.
func (c *Cluster) Kubeconfig() []byte { return c.kubeconfig }

// KubeconfigFile is the path of the same, for as long as the cluster runs.
func (c *Cluster) KubeconfigFile() string { return filepath.Join(c.dir, "kubeconfig") }

// Client is a client of the administrator.
func (c *Cluster) Client() kubernetes.Interface { return c.client }
