package operator

import (
	"bytes"
	"context"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// bare is a cluster in which no controller runs but those that tests start as processes.
var bare = struct {
	cluster.Shared
	once sync.Once
	node node
	err  error
}{Shared: cluster.Shared{Options: cluster.Options{ControllerManager: true, Scheduler: true, Audit: true}}}

// withoutController is a namespace of a cluster in which no controller runs.
func withoutController(t *testing.T) *surroundings {
	t.Helper()
	needsOwnCluster(t)
	c := bare.Get(t)
	bare.once.Do(func() {
		if bare.node, bare.err = startNode(c); bare.err != nil {
			return
		}
		if bare.err = applyManifests(context.Background(), c); bare.err != nil {
			return
		}
		_, bare.err = kubectl(context.Background(), c, "scale", "-n", system, "deployment/environment-operator", "--replicas=0")
	})
	require.NoError(t, bare.err)
	return in(t, c, bare.node, "")
}

// process is a controller of one namespace, which runs as a process. It is started again whenever it ends.
type process struct {
	mutex   sync.Mutex
	command *exec.Cmd
	starts  int
	over    chan struct{}
	done    chan struct{}
}

// controller starts a controller that reaches the API server by a proxy, if there is one. It has the rights of the
// operator's service account.
func (s *surroundings) controller(proxy *proxy) *process {
	s.Helper()
	user, err := s.cluster.ServiceAccount(s.Context(), system, "environment-operator", time.Hour)
	require.NoError(s, err)
	if proxy != nil {
		user.Host = proxy.server.URL
		user.CACertificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: proxy.server.Certificate().Raw})
	}
	kubeconfig, err := user.Kubeconfig()
	require.NoError(s, err)
	file := filepath.Join(s.TempDir(), "kubeconfig")
	require.NoError(s, os.WriteFile(file, kubeconfig, 0o600))
	operator, err := filepath.Abs(filepath.Join(binaries(), "operator"))
	require.NoError(s, err)
	var printed bounded
	p := &process{over: make(chan struct{}), done: make(chan struct{})}
	if proxy != nil {
		proxy.victim = p
	}
	start := func() (*exec.Cmd, error) {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		command := exec.Command(operator, "controller", "--namespace="+s.namespace, "--leader-elect=false")
		command.Env = []string{"KUBECONFIG=" + file, "HOME=" + s.TempDir()}
		command.Stdout, command.Stderr = &printed, &printed
		p.command, p.starts = command, p.starts+1
		return command, command.Start()
	}
	command, err := start()
	require.NoError(s, err)
	go func() {
		defer close(p.done)
		for err == nil {
			_ = command.Wait()
			select {
			case <-p.over:
				return
			default:
			}
			command, err = start()
		}
	}()
	s.Cleanup(func() {
		close(p.over)
		p.kill()
		<-p.done
		if s.Failed() {
			s.Log(printed.String())
		}
	})
	return p
}

// started is how often it was started.
func (p *process) started() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.starts
}

// kill sends SIGKILL.
func (p *process) kill() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	_ = p.command.Process.Kill()
}

// bounded keeps the end of what is printed.
type bounded struct {
	mutex sync.Mutex
	text  []byte
}

func (b *bounded) Write(printed []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.text = append(b.text, printed...)
	b.text = b.text[max(0, len(b.text)-20_000):]
	return len(printed), nil
}

func (b *bounded) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return string(b.text)
}

// proxy stands before the API server. It kills a controller at each of its writes, or tells it a wrong time.
type proxy struct {
	server *httptest.Server
	victim *process
	when   moment
	target *httputil.ReverseProxy

	mutex sync.Mutex
	tried map[string]bool
}

// moment is when a controller is killed.
type moment string

const (
	// beforeWrite is when a write has left the controller, and does not arrive.
	beforeWrite moment = "before"
	// afterWrite is when a write has taken effect, and nobody is told so.
	afterWrite moment = "after"
	// never lets it live.
	never moment = "never"
)

// newProxy starts a proxy, whose clock may be wrong.
func newProxy(t *testing.T, c *cluster.Cluster, when moment, ahead time.Duration) *proxy {
	t.Helper()
	target, err := url.Parse(c.Host())
	require.NoError(t, err)
	transport, err := rest.TransportFor(&rest.Config{Host: c.Host(), TLSClientConfig: rest.TLSClientConfig{CAData: c.Admin().CACertificate}})
	require.NoError(t, err)
	silent := log.New(io.Discard, "", 0)
	p := &proxy{when: when, tried: map[string]bool{}, target: &httputil.ReverseProxy{
		Rewrite:   func(request *httputil.ProxyRequest) { request.SetURL(target) },
		Transport: transport, FlushInterval: -1, ErrorLog: silent,
		ModifyResponse: func(response *http.Response) error {
			response.Header.Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
			return nil
		},
	}}
	p.server = httptest.NewUnstartedServer(p)
	p.server.Config.ErrorLog = silent
	p.server.StartTLS()
	t.Cleanup(func() {
		p.server.CloseClientConnections()
		p.server.Close()
	})
	return p
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet || strings.Contains(r.URL.Path, "/events") {
		p.target.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err != nil || r.Context().Err() != nil {
		return // It is of a controller that was killed while this waited.
	}
	write := r.Method + " " + r.URL.Path
	if p.when == beforeWrite && !p.tried[write] {
		p.tried[write] = true // or it would never be written
		p.victim.kill()
		return
	}
	forwarded := r.Clone(context.WithoutCancel(r.Context()))
	forwarded.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	p.target.ServeHTTP(answer, forwarded)
	if answer.Code < http.StatusMultipleChoices {
		delete(p.tried, write)
		if p.when == afterWrite {
			p.victim.kill()
			return
		}
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}
