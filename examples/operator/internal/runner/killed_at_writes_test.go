package runner_test

import (
	"bytes"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// killer stands before the API server, and kills a run at one of its writes: its own, and those of the provider.
type killer struct {
	server *httptest.Server
	target *httputil.ReverseProxy
	// arrives says whether the write takes effect at which the run is killed.
	arrives bool

	mutex  sync.Mutex
	victim *pod
	left   int // writes until it is killed
	killed bool
}

func newKiller(t *testing.T, arrives bool) *killer {
	t.Helper()
	target, err := url.Parse(server.Host)
	require.NoError(t, err)
	transport, err := rest.TransportFor(server)
	require.NoError(t, err)
	silent := log.New(io.Discard, "", 0)
	k := &killer{arrives: arrives, target: &httputil.ReverseProxy{
		Rewrite:   func(request *httputil.ProxyRequest) { request.SetURL(target) },
		Transport: transport, FlushInterval: -1, ErrorLog: silent,
	}}
	k.server = httptest.NewUnstartedServer(k)
	k.server.Config.ErrorLog = silent
	k.server.StartTLS()
	t.Cleanup(func() {
		k.server.CloseClientConnections()
		k.server.Close()
	})
	return k
}

// kubeconfig leads to it.
func (k *killer) kubeconfig(t *testing.T) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["killer"] = &clientcmdapi.Cluster{
		Server:                   k.server.URL,
		CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: k.server.Certificate().Raw}),
	}
	config.Contexts["killer"] = &clientcmdapi.Context{Cluster: "killer"}
	config.CurrentContext = "killer"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, file))
	return file
}

// aim has the run killed that begins next, at one of its writes.
func (k *killer) aim(write int) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.victim, k.left, k.killed = nil, write, false
}

func (k *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet || r.URL.Query().Has("dryRun") {
		k.target.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if err != nil || k.killed {
		return // It was on its way when the run was killed.
	}
	k.left--
	if k.killed = k.left < 0; k.killed && !k.arrives {
		k.victim.kill()
		return
	}
	forwarded := r.Clone(k.victim.e.t.Context())
	forwarded.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	k.target.ServeHTTP(answer, forwarded)
	if k.killed {
		k.victim.kill()
		return
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// killedAtEachWrite repeats an operation, and kills each run one write later than the one before, until one comes to its end.
func (e *environment) killedAtEachWrite(k *killer, kind v1alpha1.OperationKind, given inputs.Inputs) {
	e.t.Helper()
	for write := 0; ; write++ {
		require.Less(e.t, write, 40, "it never comes to its end")
		k.aim(write)
		p := e.startAimed(k, kind, given)
		<-p.ended
		if k.wasKilled() {
			e.emptyLease() // The controller has seen that the pod is dead.
			continue
		}
		require.Zero(e.t, p.wait(), p.log.String())
		e.t.Logf("%s: killed at %d writes", kind, write)
		require.Greater(e.t, write, 4)
		return
	}
}

func (e *environment) startAimed(k *killer, kind v1alpha1.OperationKind, given inputs.Inputs) *pod {
	e.t.Helper()
	k.mutex.Lock()
	defer k.mutex.Unlock() // No write before it is known whose it is.
	p := e.start(kind, given)
	k.victim = p
	return p
}

func (k *killer) wasKilled() bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.killed
}

func TestRunIsKilledAtEachOfItsWrites(t *testing.T) {
	t.Parallel()
	for name, arrives := range map[string]bool{"before it arrives": false, "after it has taken effect": true} {
		t.Run("[X21] [X33] "+name, func(t *testing.T) {
			t.Parallel()
			e := newEnvironment(t)
			k := newKiller(t, arrives)
			e.kubeconfig = k.kubeconfig(t)
			created := e.created()

			e.killedAtEachWrite(k, v1alpha1.OperationUpdate, e.twoConfigMaps("red"))
			head := e.head()
			assert.Equal(t, state.Succeeded, head.Record.Outcome)
			assert.EqualValues(t, 2, head.Record.ResourceCount)
			assert.Zero(t, head.Record.PendingOperations)
			assert.ElementsMatch(t, []string{"first", "second"}, e.configMaps())
			assert.ElementsMatch(t, []string{"first", "second"}, created(), "nothing was made twice")
			assert.Equal(t, string(e.configMap("first").UID), head.Outputs["uid"].Value)

			e.killedAtEachWrite(k, v1alpha1.OperationDestroy, inputs.Inputs{})
			assert.Equal(t, state.Succeeded, e.head().Record.Outcome)
			assert.Empty(t, e.configMaps())
			assert.Empty(t, created())
		})
	}
}

// created watches the ConfigMaps, and names those that were created since it was asked last.
func (e *environment) created() (since func() []string) {
	e.t.Helper()
	watcher, err := direct.Watch(e.t.Context(), &corev1.ConfigMapList{}, client.InNamespace(e.namespace))
	require.NoError(e.t, err)
	e.t.Cleanup(watcher.Stop)
	marks := 0
	return func() []string {
		marks++
		mark := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "mark-" + strconv.Itoa(marks)}}
		require.NoError(e.t, direct.Create(e.t.Context(), mark))
		var names []string
		for event := range watcher.ResultChan() {
			created, is := event.Object.(*corev1.ConfigMap)
			if !is || event.Type != watch.Added {
				continue
			}
			if created.UID == mark.UID {
				break // All that came before it was seen.
			}
			names = append(names, created.Name)
		}
		require.NoError(e.t, direct.Delete(e.t.Context(), mark))
		return names
	}
}
