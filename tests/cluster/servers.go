package cluster

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// configureEtcd has etcd listen on a socket in the folder, so nobody else on this machine gets
// at the data. The port is for envtest, which asks there whether etcd is healthy.
func (c *Cluster) configureEtcd() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	c.etcd = &envtest.Etcd{
		URL:          &url.URL{Scheme: "http", Host: net.JoinHostPort(loopback, port)},
		DataDir:      filepath.Join(c.dir, "etcd"),
		StartTimeout: startTimeout,
	}
	c.etcd.Configure().
		Set(membershipFlag, c.membership()).
		Set("listen-client-urls", "unix://"+etcdSocket).
		Set("listen-metrics-urls", c.etcd.URL.String()). // the health is there too
		SetRaw("listen-peer-urls", noPeers{}).
		Set("log-level", "warn")
	return nil
}

func (c *Cluster) launchEtcd(path string, log *os.File) error {
	c.etcd.Path, c.etcd.Out, c.etcd.Err = path, log, log
	return c.etcd.Start()
}

// etcdReady makes sure that it was ours that envtest found healthy: another process may have
// the port, and then ours ends before it serves anything.
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

// noPeers has etcd listen for peers, of which there are none, where the system likes. The port
// that envtest has reserved for them, by a file in the user's cache folder, is given back.
type noPeers struct{}

// reservations is the folder as envtest determines it, which is once: tests may change $HOME.
var reservations = func() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "kubebuilder-envtest")
}()

func (noPeers) Append(...string) envtest.Arg { return noPeers{} }

func (noPeers) Get(reserved []string) []string {
	for _, value := range reserved {
		if peer, err := url.Parse(value); err == nil {
			_ = os.Remove(filepath.Join(reservations, "port-"+peer.Port()))
		}
	}
	return []string{"http://" + net.JoinHostPort(loopback, "0")}
}

// configureAPIServer is for what envtest does not choose as it is wanted here. Its own choices
// include the keys, which it makes at the first start and keeps.
func (c *Cluster) configureAPIServer() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	c.apiServer = &envtest.APIServer{
		SecureServing: envtest.SecureServing{ListenAddr: envtest.ListenAddr{Address: loopback, Port: port}},
		EtcdURL:       &url.URL{Scheme: "unix", Host: etcdSocket},
		CertDir:       c.dir,
		StartTimeout:  startTimeout,
	}
	c.host = c.apiServer.SecureServing.URL("https", "").String()
	flags := c.apiServer.Configure().
		Set(membershipFlag, c.membership()).
		// The loopback address may not be an endpoint of the service "kubernetes", and a
		// machine without a network has no other. No pod is there to miss it.
		Set("advertise-address", loopback).
		Set("endpoint-reconciler-type", "none").
		Set("service-cluster-ip-range", serviceRange).
		Set("shutdown-delay-duration", "0s")
	if err := c.writeFile(tokensFile, fmt.Appendf(nil, "%s,%s,%s,%s\n", c.adminToken, adminName, adminName, adminGroup)); err != nil {
		return err
	}
	flags.Set("token-auth-file", tokensFile)
	if c.options.RealNode {
		c.apiServer.SecureServing.Address = namespaces.APIServerAddress // the certificate is for it, and for localhost
		flags.
			Set("bind-address", "0.0.0.0").
			Set("advertise-address", namespaces.NodeAddress).
			Set("endpoint-reconciler-type", "lease").
			Set("kubelet-preferred-address-types", "InternalIP")
	}
	if c.options.ControllerManager {
		flags.Disable("disable-admission-plugins") // envtest disables that of service accounts
	}
	if c.options.Audit {
		if err := c.writeFile(auditPolicyFile, []byte(auditPolicy)); err != nil {
			return err
		}
		flags.
			Set("audit-policy-file", auditPolicyFile).
			Set("audit-log-path", auditLogFile).
			Set("audit-log-mode", "blocking-strict"). // recorded before it is done, or not done
			Set("audit-log-maxsize", "1000")          // never rotated within a test
	}
	if c.options.PodNetwork {
		if err := c.startPodNetwork(flags); err != nil {
			return err
		}
	}
	for _, flag := range c.options.APIServerArgs {
		name, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		flags.Append(name, value)
	}
	return nil
}

func (c *Cluster) launchAPIServer(path string, log *os.File) error {
	c.apiServer.Path, c.apiServer.Out, c.apiServer.Err = path, log, log
	if err := c.apiServer.Start(); err != nil || c.client != nil {
		return err
	}
	return c.createAdmin() // the first start has made the keys
}
