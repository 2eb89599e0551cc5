package e2e

import (
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// faulty stands between a client and the API server. It terminates TLS, so unlike a proxy of
// connections it knows a request from another, and can lose exactly one reply after the API
// server has done what it was asked to do.
type faulty struct {
	User cluster.User // who connects through it, as an administrator

	server *httptest.Server

	mu    sync.Mutex
	lose  func(*http.Request) bool
	lost  int
	conns map[net.Conn]bool
}

// newFaulty makes one in front of c. Nothing goes wrong until lose says so.
func newFaulty(t testing.TB, c *cluster.Cluster) *faulty {
	t.Helper()
	transport, err := rest.TransportFor(c.RESTConfig())
	require.NoError(t, err)
	target, err := url.Parse(c.Host())
	require.NoError(t, err)

	f := &faulty{conns: map[net.Conn]bool{}}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1 // watches
	proxy.Transport = transport
	proxy.ModifyResponse = func(response *http.Response) error {
		if f.loses(response.Request) {
			f.cut()
			panic(http.ErrAbortHandler)
		}
		return nil
	}
	f.server = httptest.NewUnstartedServer(proxy)
	f.server.EnableHTTP2 = true
	f.server.Config.ConnState = f.track
	f.server.StartTLS()
	t.Cleanup(f.server.Close)
	f.User = cluster.User{
		Name: "through-faulty", Host: f.server.URL, Token: "the-proxy-has-the-credentials",
		CACertificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.server.Certificate().Raw}),
	}
	return f
}

// loseReplies loses the reply to every request for which this is true, and with it all
// connections; nil heals.
func (f *faulty) loseReplies(to func(*http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lose = to
}

// losses says how many replies were lost.
func (f *faulty) losses() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

func (f *faulty) loses(r *http.Request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lose == nil || !f.lose(r) {
		return false
	}
	f.lost++
	return true
}

// cut closes all connections of clients, as a network that breaks does.
func (f *faulty) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for conn := range f.conns {
		// Without a goodbye: neither TLS nor TCP says that this was the end.
		_ = conn.SetDeadline(time.Now())
		_ = conn.Close()
	}
}

func (f *faulty) track(conn net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch state {
	case http.StateNew:
		f.conns[conn] = true
	case http.StateClosed, http.StateHijacked:
		delete(f.conns, conn)
	default:
	}
}

// writes are the requests that change an object whose name this is.
func writes(name string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == http.MethodPatch && r.URL.Query().Get("dryRun") == "" && strings.HasSuffix(r.URL.Path, "/"+name)
	}
}
