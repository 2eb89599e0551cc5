package cluster

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	podNetworkSocket = "pods.sock"
	podNetworkFile   = "egress.yaml"
)

// podNetworkConfig sends what the API server asks of the cluster, such as a request that it passes on to a pod, through
// the socket.
const podNetworkConfig = `
apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection:
    proxyProtocol: HTTPConnect
    transport: {uds: {udsName: ` + podNetworkSocket + `}}
`

// podNetwork is how the API server reaches pods, of which none runs: servers of tests answer at their addresses, on
// loopback.
type podNetwork struct {
	server *http.Server

	mu      sync.Mutex
	servers map[string]string
}

// startPodNetwork begins to listen in the cluster's folder.
func (c *Cluster) startPodNetwork(flags *envtest.Arguments) error {
	listener, err := net.Listen("unix", filepath.Join(c.dir, podNetworkSocket))
	if err != nil {
		return fmt.Errorf("network of pods: %w", err)
	}
	c.pods = &podNetwork{servers: map[string]string{}}
	c.pods.server = &http.Server{Handler: c.pods, ReadHeaderTimeout: time.Minute}
	go func() { _ = c.pods.server.Serve(listener) }()
	flags.Set("egress-selector-config-file", podNetworkFile)
	return c.writeFile(podNetworkFile, []byte(podNetworkConfig))
}

func (n *podNetwork) stop() error {
	if n == nil {
		return nil
	}
	return n.server.Close()
}

// AnswerAt has a server answer at the address of a pod, such as 10.0.0.1:8080, until the test ends. It takes the server's
// place if there is one. The cluster needs [Options.PodNetwork].
func (c *Cluster) AnswerAt(t testing.TB, address string, server *httptest.Server) {
	t.Helper()
	c.pods.mu.Lock()
	defer c.pods.mu.Unlock()
	c.pods.servers[address] = server.Listener.Addr().String()
	t.Cleanup(func() {
		c.pods.mu.Lock()
		defer c.pods.mu.Unlock()
		delete(c.pods.servers, address)
	})
}

// ServeHTTP connects the API server with an address. Where no server of a test answers, that is the address itself, if it is
// of this machine.
func (n *podNetwork) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	there, err := n.dial(r.Host)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = there.Close() }()
	here, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = here.Close() }()
	if _, err := io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(there, here)
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
}

func (n *podNetwork) dial(address string) (net.Conn, error) {
	n.mu.Lock()
	server := n.servers[address]
	n.mu.Unlock()
	if server == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if host != "localhost" && !net.ParseIP(host).IsLoopback() {
			return nil, errors.New("nobody answers at " + address)
		}
		server = address
	}
	return net.DialTimeout("tcp", server, 10*time.Second)
}
