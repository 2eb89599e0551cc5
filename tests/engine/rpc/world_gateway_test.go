package rpc_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// gateway stands between the provider and the API server and does to replies what networks and killed
// processes do. It ends TLS on both sides, so it sees every request whole.
type gateway struct {
	server *httptest.Server

	mu sync.Mutex
	// proxy leads to the API server.
	proxy  *httputil.ReverseProxy
	faults []*fault
	seen   []string
	// tokens are those that it was reached by. Only the last one is valid.
	tokens []string
}

// fault happens to the requests that match, as often as times says; 0 is always.
type fault struct {
	match func(*http.Request) bool
	times int
	do    func(w http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder)
}

func newGateway(t testing.TB) *gateway {
	t.Helper()
	return newGatewayOf(t, newUser(t))
}

// newGatewayOf leads to the cluster of a user, as that user.
func newGatewayOf(t testing.TB, user cluster.User) *gateway {
	t.Helper()
	g := &gateway{tokens: []string{"for-the-gateway"}}
	g.leadTo(t, user)
	g.server = httptest.NewTLSServer(g)
	t.Cleanup(func() {
		g.server.CloseClientConnections()
		g.server.Close()
	})
	return g
}

// leadTo has the gateway lead to the cluster of a user from now on, under the same address.
func (g *gateway) leadTo(t testing.TB, user cluster.User) {
	t.Helper()
	proxy, err := user.ReverseProxy()
	require.NoError(t, err)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	g.mu.Lock()
	defer g.mu.Unlock()
	g.proxy = proxy
}

// connection leads through the gateway.
func (g *gateway) connection() map[string]any {
	return map[string]any{
		"host":                 g.server.URL,
		"clusterCaCertificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: g.server.Certificate().Raw})),
		"token":                g.tokens[len(g.tokens)-1],
	}
}

// renew has the token of the connections so far expire, and gives those that are made from now on another one.
func (g *gateway) renew() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tokens = append(g.tokens, fmt.Sprint("for-the-gateway-", len(g.tokens)))
}

// isExpired reports whether a request has a token that was valid once.
func (g *gateway) isExpired(r *http.Request) bool {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	return slices.Contains(g.tokens[:len(g.tokens)-1], token)
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.seen = append(g.seen, describeRequest(r.Method, r.URL.RequestURI()))
	var hit *fault
	for i, f := range g.faults {
		if f.match(r) {
			hit = f
			if f.times--; f.times == 0 {
				g.faults = append(g.faults[:i:i], g.faults[i+1:]...)
			}
			break
		}
	}
	if g.isExpired(r) {
		hit = &fault{do: refuse(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "expired")}
	}
	proxy := g.proxy
	g.mu.Unlock()
	if hit == nil {
		proxy.ServeHTTP(w, r)
		return
	}
	hit.do(w, r, func() *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		// What was sent is acted on, also if the sender goes away meanwhile.
		proxy.ServeHTTP(recorder, r.WithContext(context.WithoutCancel(r.Context())))
		return recorder
	})
}

// takeSeen returns and forgets the requests that came.
func (g *gateway) takeSeen() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	seen := g.seen
	g.seen = nil
	return seen
}

// next lets a fault happen to the next request that matches.
func (g *gateway) next(match func(*http.Request) bool, do func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = append(g.faults, &fault{match, 1, do})
}

// always lets a fault happen until heal.
func (g *gateway) always(match func(*http.Request) bool, do func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = append(g.faults, &fault{match, 0, do})
}

func (g *gateway) heal() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = nil
}

func isApply(r *http.Request) bool {
	return r.Method == http.MethodPatch && r.URL.Query().Get("dryRun") == ""
}

// isAskingID is the question which cluster this is.
func isAskingID(r *http.Request) bool { return r.URL.Path == clusterIDPath }

func isGet(r *http.Request) bool {
	return r.Method == http.MethodGet && !isAskingID(r) && strings.Contains(r.URL.Path, "/namespaces/") && r.URL.Query().Get("watch") == ""
}

func isDelete(r *http.Request) bool { return r.Method == http.MethodDelete }

func isDiscovery(r *http.Request) bool { return !strings.Contains(r.URL.Path, "/namespaces") }

func anything(*http.Request) bool { return true }

// loseReply has the API server act and closes the connection instead of answering.
func loseReply(_ http.ResponseWriter, _ *http.Request, forward func() *httptest.ResponseRecorder) {
	forward()
	panic(http.ErrAbortHandler)
}

// loseRequest closes the connection before the API server sees anything.
func loseRequest(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder) {
	panic(http.ErrAbortHandler)
}

// pass answers as the API server does, so that what follows happens to a later request.
func pass(w http.ResponseWriter, _ *http.Request, forward func() *httptest.ResponseRecorder) {
	reply := forward()
	maps.Copy(w.Header(), reply.Header())
	w.WriteHeader(reply.Code)
	_, _ = w.Write(reply.Body.Bytes())
}

// replyWith answers in the API server's place.
func replyWith(code int, body string) func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// halveReply answers well, with half of the object.
func halveReply(w http.ResponseWriter, _ *http.Request, forward func() *httptest.ResponseRecorder) {
	reply := forward()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(reply.Code)
	_, _ = w.Write(reply.Body.Bytes()[:reply.Body.Len()/2])
}

// rewriteReply changes the object that is answered.
func rewriteReply(change func(object map[string]any)) func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ *http.Request, forward func() *httptest.ResponseRecorder) {
		reply := forward()
		var object map[string]any
		if err := json.Unmarshal(reply.Body.Bytes(), &object); err != nil {
			panic(err)
		}
		change(object)
		body, _ := json.Marshal(object)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(reply.Code)
		_, _ = w.Write(body)
	}
}

// withoutManagers answers with an object that does not say who owns its fields.
var withoutManagers = rewriteReply(func(object map[string]any) {
	if metadata, ok := object["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
})

// refuse answers with a status of the API server and forwards nothing.
func refuse(code int32, reason metav1.StatusReason, message string) func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
		body, _ := json.Marshal(metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status:   metav1.StatusFailure, Code: code, Reason: reason, Message: message,
		})
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(code))
		_, _ = w.Write(body)
	}
}

// hold has the API server act and keeps the reply until the client goes away. The channel says when.
func hold() (held <-chan struct{}, do func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)) {
	acted := make(chan struct{})
	return acted, func(_ http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
		forward()
		close(acted)
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
}

// notFoundPage is what a load balancer says that has lost its backend.
func notFoundPage(w http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
	http.Error(w, "<html>404 page not found</html>", http.StatusNotFound)
}
