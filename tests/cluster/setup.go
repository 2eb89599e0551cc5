package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// Files in the cluster's folder. The parts run in that folder, so these names are all that
// their flags need; the socket's path could be longer than a system allows.
const (
	etcdSocket      = "etcd.sock"
	caFile          = "ca.crt"
	accountsKeyFile = "sa-signer.key" // envtest's name for it
	kubeconfigFile  = "kubeconfig"
	tokensFile      = "tokens.csv"
	auditPolicyFile = "audit-policy.yaml"
	auditLogFile    = "audit.log"
	stagesFile      = "stages.yaml"
)

const (
	loopback     = "127.0.0.1"
	serviceRange = namespaces.ServiceRange
	podRange     = "10.244.0.0/16"
)

// freePort finds a free port for a server. Not one of those that the system hands out to
// clients (32768 and up on Linux): while the server is restarted, a connection of someone
// else would take it.
func freePort() (string, error) {
	const first, count, attempts = 20000, 12000, 100
	var err error
	for range attempts {
		port := strconv.Itoa(first + rand.IntN(count))
		var listener net.Listener
		if listener, err = net.Listen("tcp", net.JoinHostPort(loopback, port)); err == nil {
			return port, listener.Close()
		}
	}
	return "", fmt.Errorf("no free port: %w", err)
}

// createAdmin makes the administrator, as whom the other parts and this package connect. It has
// a token, which the API server looks up: it verifies a client certificate with every request, a
// tenth of all that it does in tests.
func (c *Cluster) createAdmin() error {
	c.admin = c.anonymous(adminName)
	c.admin.Token = c.adminToken
	var err error
	if c.kubeconfig, err = c.admin.Kubeconfig(); err != nil {
		return err
	}
	if c.client, err = kubernetes.NewForConfig(c.RESTConfig()); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	return errors.Join(c.writeFile(kubeconfigFile, c.kubeconfig), c.writeFile(caFile, c.admin.CACertificate))
}

func (c *Cluster) writeFile(name string, content []byte) error {
	if err := os.WriteFile(filepath.Join(c.dir, name), content, 0o600); err != nil {
		return fmt.Errorf("file %s: %w", name, err)
	}
	return nil
}

func (c *Cluster) auditLog() string { return filepath.Join(c.dir, auditLogFile) }

func (c *Cluster) makeParts() error {
	if err := errors.Join(c.configureEtcd(), c.configureAPIServer()); err != nil {
		return err
	}
	for _, part := range []struct {
		place  **Part
		wanted bool
		name   string
		launch func(path string, log *os.File) error
		ready  func(context.Context) error
	}{
		{&c.Etcd, true, "etcd", c.launchEtcd, c.etcdReady},
		{&c.APIServer, true, "kube-apiserver", c.launchAPIServer, c.apiServerReady},
		{&c.ControllerManager, c.options.ControllerManager, "kube-controller-manager", c.program(controllerManagerArgs()), c.controllerManagerReady},
		{&c.Scheduler, c.options.Scheduler, "kube-scheduler", c.program(schedulerArgs()), c.schedulerReady},
		{&c.Kwok, c.options.Nodes > 0, "kwok", c.program(kwokArgs()), c.nodesReady},
	} {
		if !part.wanted {
			continue
		}
		path, err := Tool(part.name)
		if err != nil {
			return err
		}
		*part.place = &Part{name: part.name, path: path, dir: c.dir, launch: part.launch, ready: part.ready}
	}
	if c.options.RealNode {
		return c.makeNode()
	}
	if c.Kwok != nil {
		return c.writeStages(context.Background(), c.options.Stages)
	}
	return nil
}

// membershipFlag belongs to the program that all parts are, and makes it one of this cluster: it
// works in the cluster's folder, leaves its process id there, and ends when this process does.
const membershipFlag = "controlplane-part-of"

func (c *Cluster) membership() string { return fmt.Sprintf("%d:%s", os.Getpid(), c.dir) }

// program launches a part that is not envtest's business.
func (c *Cluster) program(args []string) func(path string, log *os.File) error {
	return func(path string, log *os.File) error {
		cmd := exec.Command(path, append(args, "--"+membershipFlag+"="+c.membership())...)
		cmd.Stdout, cmd.Stderr = log, log
		// HOME keeps the settings of the person at the keyboard out; kwok reads ~/.kwok.
		cmd.Env = append(os.Environ(), "HOME="+c.dir)
		// In a process group of its own, as envtest does it too, it does not get the ^C that is
		// meant for us. It also makes the kernel continue a paused program when we end, so
		// that it sees that and ends too.
		cmd.SysProcAttr = ownGroup()
		return cmd.Start()
	}
}

func (c *Cluster) apiServerReady(ctx context.Context) error {
	return c.client.CoreV1().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

func controllerManagerArgs() []string {
	return append(clientArgs(),
		"--service-account-private-key-file="+accountsKeyFile,
		"--root-ca-file="+caFile,
		"--kube-api-qps=1000",
		"--kube-api-burst=2000",
		// kwok's nodes send no heartbeats. A node that is taken for lost makes its pods
		// unready, and nothing makes them ready again.
		"--node-monitor-grace-period=24h",
		// Autoscalers, and claims that have no volume yet, are looked at in intervals, of 15 s
		// otherwise.
		"--horizontal-pod-autoscaler-sync-period=1s",
		"--pvclaimbinder-sync-period=1s",
	)
}

// controllerManagerReady takes the service account as the sign that controllers work: pods
// are refused without it.
func (c *Cluster) controllerManagerReady(ctx context.Context) error {
	_, err := c.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	return err
}

func schedulerArgs() []string {
	return append(clientArgs(), "--kube-api-qps=1000", "--kube-api-burst=2000")
}

// schedulerReady is always so: there is nothing that it does without a pod, and who makes
// one waits for its node anyway.
func (c *Cluster) schedulerReady(context.Context) error { return nil }

// clientArgs are the flags of a Kubernetes program that serves nothing and is the only one
// of its kind. They are administrators: RBAC for them is what others test.
func clientArgs() []string {
	return []string{"--kubeconfig=" + kubeconfigFile, "--leader-elect=false", "--secure-port=0"}
}
