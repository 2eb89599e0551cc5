package runner_test

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// wire is a connection to the API server that can be cut.
type wire struct {
	listener net.Listener
	target   string
	mutex    sync.Mutex
	cut      bool
	open     []net.Conn
}

func newWire(t *testing.T) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address, err := url.Parse(server.Host)
	require.NoError(t, err)
	target := address.Host
	if target == "" {
		target = server.Host
	}
	w := &wire{listener: listener, target: target}
	t.Cleanup(func() { _ = listener.Close(); w.setCut(true) })
	go w.serve()
	return w
}

func (w *wire) serve() {
	for {
		from, err := w.listener.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", w.target)
		w.mutex.Lock()
		if err != nil || w.cut {
			_ = from.Close()
			if to != nil {
				_ = to.Close()
			}
		} else {
			w.open = append(w.open, from, to)
			go func() { _, _ = io.Copy(from, to) }()
			go func() { _, _ = io.Copy(to, from) }()
		}
		w.mutex.Unlock()
	}
}

func (w *wire) setCut(cut bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.cut = cut
	for _, connection := range w.open {
		_ = connection.Close()
	}
	w.open = nil
}

func TestStateIsSavedAfterAnOutage(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	w := newWire(t)
	config, err := clientcmd.LoadFromFile(kubeconfig)
	require.NoError(t, err)
	for _, cluster := range config.Clusters {
		cluster.Server = "https://" + w.listener.Addr().String()
	}
	e.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, e.kubeconfig))

	given := e.slow()
	given.Credentials = map[string]string{"KUBECONFIG": kubeconfig} // the program's own way is not cut
	p := e.start(v1alpha1.OperationUpdate, given)
	p.waiting()
	w.setCut(true)
	e.fill()
	p.eventually("it cannot save", func() bool { return strings.Contains(p.log.String(), "the state could not be saved") })
	p.eventually("the program is through", func() bool { return len(e.configMaps()) == 2 })
	w.setCut(false)
	require.Zero(t, p.wait(), p.log.String())
	head := e.head()
	assert.Equal(t, state.Succeeded, head.Record.Outcome, "[X18]")
	assert.Contains(t, unpacked(t, head), "::second", "[X18] what happened meanwhile is in the state")
	assert.Empty(t, e.holder())
}
