package e2e

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// faulty stands between a client and the API server. It terminates TLS, so unlike a proxy of
// connections it knows a request from another, and can spoil exactly one reply after the API
// server has done what it was asked to do.
type faulty struct {
	User cluster.User // who connects through it, as an administrator

	server *httptest.Server

	mu    sync.Mutex
	match func(*http.Request) bool
	spoil mishap
	hits  int
	conns map[net.Conn]bool
}

// mishap is what happens to a reply.
type mishap func(f *faulty, reply *http.Response) error

// newFaulty makes one in front of c. Nothing goes wrong until strike says so.
func newFaulty(t testing.TB, c *cluster.Cluster) *faulty {
	t.Helper()
	proxy, err := c.Admin().ReverseProxy()
	require.NoError(t, err)

	f := &faulty{conns: map[net.Conn]bool{}}
	proxy.ModifyResponse = func(reply *http.Response) error {
		if spoil := f.mishapOf(reply.Request); spoil != nil {
			return spoil(f, reply)
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

// strike has the mishap happen to the reply to every request for which match is true, until heal.
func (f *faulty) strike(match func(*http.Request) bool, spoil mishap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.match, f.spoil = match, spoil
}

func (f *faulty) heal() { f.strike(nil, nil) }

// struck says how many replies were spoilt.
func (f *faulty) struck() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hits
}

func (f *faulty) mishapOf(r *http.Request) mishap {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.match == nil || !f.match(r) {
		return nil
	}
	f.hits++
	return f.spoil
}

// lose loses the reply, and with it all connections.
func lose(f *faulty, _ *http.Response) error {
	f.cut()
	panic(http.ErrAbortHandler)
}

// hold keeps the reply until the client is gone. The channel is closed when the first is kept.
func hold() (held <-chan struct{}, _ mishap) {
	acted := make(chan struct{})
	once := sync.Once{}
	return acted, func(_ *faulty, reply *http.Response) error {
		once.Do(func() { close(acted) })
		<-reply.Request.Context().Done()
		panic(http.ErrAbortHandler)
	}
}

// garble answers with an object that does not say who owns what, as old or overly thrifty proxies do.
func garble(_ *faulty, reply *http.Response) error {
	var object map[string]any
	if err := json.NewDecoder(reply.Body).Decode(&object); err != nil {
		return err
	}
	if metadata, ok := object["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
	return answer(reply, object)
}

// deny answers that it is forbidden, which says nothing about the object.
func deny(_ *faulty, reply *http.Response) error {
	_ = reply.Body.Close()
	reply.StatusCode, reply.Status = http.StatusForbidden, ""
	return answer(reply, metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "no",
	})
}

// answer replaces what is answered.
func answer(reply *http.Response, with any) error {
	body, err := json.Marshal(with)
	if err != nil {
		return err
	}
	reply.Body = io.NopCloser(bytes.NewReader(body))
	reply.ContentLength = int64(len(body))
	reply.Header = http.Header{"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(len(body))}}
	return nil
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

// reads are the requests that read an object whose name this is.
func reads(name string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/"+name)
	}
}

// deletes are the requests that delete an object whose name this is.
func deletes(name string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/"+name)
	}
}
