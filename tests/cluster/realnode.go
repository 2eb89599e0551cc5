package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// RealNodeName is the name of the node that runs containers.
const RealNodeName = "real"

const (
	containerdSocket = namespaces.RunDir + "/containerd.sock"
	containerdFile   = "containerd.toml"
	kubeletFile      = "kubelet.yaml"
	networkDir       = "cni"
	networkFile      = networkDir + "/10-bridge.conflist"
	proxyHealth      = loopback + ":10256"
)

// makeNode makes the parts of the real node, of which none runs yet, and what they read.
func (c *Cluster) makeNode() error {
	space, err := namespaces.Inside()
	if err != nil {
		return err
	}
	if space == nil {
		return errors.New("options: RealNode is only to be had in namespaces of its own, see namespaces.Run")
	}
	c.space = space
	containerd, err := namespaces.Program("containerd")
	if err != nil {
		return err
	}
	if err := c.writeNodeFiles(containerd); err != nil {
		return err
	}
	kubelet, err := Tool("kubelet")
	if err != nil {
		return err
	}
	proxy, err := Tool("kube-proxy")
	if err != nil {
		return err
	}
	c.Containerd = &Part{name: "containerd", path: containerd, dir: c.dir, ready: c.containerdReady,
		launch: c.otherProgram("containerd", "--config="+containerdFile)}
	c.Kubelet = &Part{name: "kubelet", path: kubelet, dir: c.dir, ready: c.realNodeReady,
		launch: c.otherProgram("kubelet",
			"--config="+kubeletFile,
			"--kubeconfig="+kubeconfigFile, // an administrator's, as that of the other parts
			"--hostname-override="+RealNodeName,
			"--node-ip="+namespaces.NodeAddress,
			"--root-dir="+filepath.Join(space.Dir, "kubelet"),
			"--cert-dir="+filepath.Join(space.Dir, "kubelet-certs"))}
	c.KubeProxy = &Part{name: "kube-proxy", path: proxy, dir: c.dir, ready: c.kubeProxyReady,
		launch: c.otherProgram("kube-proxy",
			"--kubeconfig="+kubeconfigFile,
			"--hostname-override="+RealNodeName,
			"--proxy-mode=iptables",
			"--cluster-cidr="+podRange,
			"--bind-address="+namespaces.NodeAddress,
			"--healthz-bind-address="+proxyHealth,
			"--metrics-bind-address="+loopback+":10249",
			"--conntrack-max-per-core=0")} // of the machine, not of a namespace
	return nil
}

// otherProgram launches a program that cannot be told whose part it is: we write down its process id. It ends with
// the namespaces if not before.
func (c *Cluster) otherProgram(name string, args ...string) func(path string, log *os.File) error {
	return func(path string, log *os.File) error {
		cmd := exec.Command(path, args...)
		cmd.Dir = c.dir
		cmd.Stdout, cmd.Stderr = log, log
		cmd.Env = append(os.Environ(), "HOME="+c.dir, "PATH="+os.Getenv("PATH")+":/usr/local/sbin:/usr/sbin:/sbin")
		cmd.SysProcAttr = ownGroup()
		if err := cmd.Start(); err != nil {
			return err
		}
		return c.writeFile(name+".pid", []byte(strconv.Itoa(cmd.Process.Pid)))
	}
}

// startNode starts the parts one after the other: the kubelet wants a runtime that has the image of its pods.
func (c *Cluster) startNode(ctx context.Context) error {
	if err := c.Containerd.start(ctx); err != nil {
		return err
	}
	if err := c.addOwnImages(ctx); err != nil {
		return err
	}
	for _, part := range []*Part{c.KubeProxy, c.Kubelet} {
		if err := part.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) containerdReady(ctx context.Context) error {
	out, err := containerdCommand(ctx, "version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// containerdCommand is a command for containerd's own client.
func containerdCommand(ctx context.Context, args ...string) *exec.Cmd {
	path, err := namespaces.Program("ctr")
	if err != nil {
		path = "ctr" // the command fails and says so
	}
	return exec.CommandContext(ctx, path, append([]string{"--address=" + containerdSocket, "--namespace=k8s.io"}, args...)...)
}

func (c *Cluster) realNodeReady(ctx context.Context) error {
	if _, err := c.client.CoreV1().Nodes().Get(ctx, RealNodeName, metav1.GetOptions{}); err != nil {
		return err
	}
	return c.nodesReady(ctx)
}

func (c *Cluster) kubeProxyReady(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+proxyHealth+"/livez", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("health: %s", response.Status)
	}
	return nil
}
