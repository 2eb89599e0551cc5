package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Files in the cluster's folder. The parts run in that folder, so these names are all that
// their flags need; the socket's path could be longer than a system allows.
const (
	etcdSocket        = "etcd.sock"
	caFile            = "ca.crt"
	servingCertFile   = "apiserver.crt"
	servingKeyFile    = "apiserver.key"
	accountsKeyFile   = "service-accounts.key"
	kubeconfigFile    = "kubeconfig"
	auditPolicyFile   = "audit-policy.yaml"
	auditLogFile      = "audit.log"
	stagesFile        = "stages.yaml"
	serviceRange      = "10.96.0.0/16"
	podRange          = "10.244.0.0/16"
	serviceAccountURL = "https://kubernetes.default.svc"
)

// choosePort finds a free port for the API server. Not one of those that the system hands
// out to clients (32768 and up on Linux): while the server is restarted, a connection of
// somebody else would take it.
func (c *Cluster) choosePort() error {
	const first, count, attempts = 20000, 12000, 100
	var err error
	for range attempts {
		c.port = first + rand.IntN(count)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port))
		var listener net.Listener
		if listener, err = net.Listen("tcp", address); err == nil {
			c.host = "https://" + address
			return listener.Close()
		}
	}
	return fmt.Errorf("no free port: %w", err)
}

// writeFiles makes the keys, the administrator, and what the flags of the parts refer to.
func (c *Cluster) writeFiles() error {
	authority, err := newAuthority()
	if err != nil {
		return err
	}
	c.authority = authority
	serving, err := authority.serving()
	if err != nil {
		return err
	}
	_, accountsKey, err := newKey()
	if err != nil {
		return err
	}
	if c.admin, err = c.AddUser("admin", adminGroup); err != nil {
		return err
	}
	if c.kubeconfig, err = c.admin.Kubeconfig(); err != nil {
		return err
	}
	if c.client, err = kubernetes.NewForConfig(c.RESTConfig()); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	for name, content := range map[string][]byte{
		caFile:          authority.pem(),
		servingCertFile: serving.certificate,
		servingKeyFile:  serving.key,
		accountsKeyFile: accountsKey,
		kubeconfigFile:  c.kubeconfig,
		auditPolicyFile: []byte(auditPolicy),
	} {
		if err := c.writeFile(name, content); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) writeFile(name string, content []byte) error {
	if err := os.WriteFile(filepath.Join(c.dir, name), content, 0o600); err != nil {
		return fmt.Errorf("file %s: %w", name, err)
	}
	return nil
}

func (c *Cluster) auditLog() string { return filepath.Join(c.dir, auditLogFile) }

func (c *Cluster) makeParts() error {
	for _, part := range []struct {
		place  **Part
		wanted bool
		name   string
		args   func() []string
		ready  func(context.Context) error
	}{
		{&c.Etcd, true, "etcd", c.etcdArgs, c.etcdReady},
		{&c.APIServer, true, "kube-apiserver", c.apiServerArgs, c.apiServerReady},
		{&c.ControllerManager, c.options.ControllerManager, "kube-controller-manager", c.controllerManagerArgs, c.controllerManagerReady},
		{&c.Scheduler, c.options.Scheduler, "kube-scheduler", c.schedulerArgs, c.schedulerReady},
		{&c.Kwok, c.options.Nodes > 0, "kwok", c.kwokArgs, c.nodesReady},
	} {
		if !part.wanted {
			continue
		}
		path, err := Tool(part.name)
		if err != nil {
			return err
		}
		*part.place = &Part{name: part.name, path: path, dir: c.dir, args: part.args, ready: part.ready}
	}
	if c.Kwok != nil {
		return c.writeStages(context.Background(), c.options.Stages)
	}
	return nil
}

// etcdArgs has etcd listen on a socket in the folder: no port to choose, and nobody else on
// this machine gets at the data. The advertised address is required, and used by nobody.
func (c *Cluster) etcdArgs() []string {
	return []string{
		"--data-dir=etcd",
		"--unsafe-no-fsync", // the data does not have to survive the machine, only the process
		"--listen-client-urls=unix://" + etcdSocket,
		"--advertise-client-urls=http://127.0.0.1:2379",
		"--listen-peer-urls=http://127.0.0.1:0",
		"--logger=zap", "--log-level=warn",
	}
}

func (c *Cluster) etcdReady(ctx context.Context) error {
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "unix", filepath.Join(c.dir, etcdSocket))
		},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://etcd/health", nil)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("health: %s", response.Status)
	}
	return nil
}

func (c *Cluster) apiServerArgs() []string {
	args := []string{
		"--etcd-servers=unix://" + etcdSocket,
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(c.port),
		// The loopback address may not be an endpoint of the service "kubernetes", and a
		// machine without a network has no other. No pod is there to miss it.
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none",
		"--tls-cert-file=" + servingCertFile,
		"--tls-private-key-file=" + servingKeyFile,
		"--client-ca-file=" + caFile,
		"--authorization-mode=RBAC",
		"--service-account-issuer=" + serviceAccountURL,
		"--service-account-key-file=" + accountsKeyFile,
		"--service-account-signing-key-file=" + accountsKeyFile,
		"--service-cluster-ip-range=" + serviceRange,
		"--allow-privileged=true",
		"--shutdown-delay-duration=0s",
	}
	if !c.options.ControllerManager {
		args = append(args, "--disable-admission-plugins=ServiceAccount")
	}
	if c.options.Audit {
		args = append(args,
			"--audit-policy-file="+auditPolicyFile,
			"--audit-log-path="+auditLogFile,
			"--audit-log-mode=blocking-strict", // recorded before it is done, or not done
			"--audit-log-maxsize=1000",         // never rotated within a test
		)
	}
	return append(args, c.options.APIServerArgs...)
}

func (c *Cluster) apiServerReady(ctx context.Context) error {
	return c.client.CoreV1().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

func (c *Cluster) controllerManagerArgs() []string {
	return append(clientArgs(),
		"--service-account-private-key-file="+accountsKeyFile,
		"--root-ca-file="+caFile,
		"--kube-api-qps=1000",
		"--kube-api-burst=2000",
		// kwok's nodes send no heartbeats. A node that is taken for lost makes its pods
		// unready, and nothing makes them ready again.
		"--node-monitor-grace-period=24h",
	)
}

// controllerManagerReady takes the service account as the sign that controllers work: pods
// are refused without it.
func (c *Cluster) controllerManagerReady(ctx context.Context) error {
	_, err := c.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	return err
}

func (c *Cluster) schedulerArgs() []string {
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
