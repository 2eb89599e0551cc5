package cluster_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
)

// fake is an API server that answers what the test says, and counts.
type fake struct {
	requests atomic.Int64
	answer   atomic.Pointer[http.HandlerFunc]
}

func (f *fake) says(handler http.HandlerFunc) { f.answer.Store(&handler) }

// says is an answer of an API server.
func says(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

func newFake(t testing.TB) (*fake, *cluster.Cluster) {
	t.Helper()
	f := &fake{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.requests.Add(1)
		(*f.answer.Load())(w, r)
	}))
	t.Cleanup(server.Close)
	return f, get(t, connect.Connection{Host: connect.NewSecret(server.URL)})
}

// status is a refusal of an API server.
func status(code int, reason string) http.HandlerFunc {
	return says(code, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":`+strconv.Itoa(code)+`,"reason":"`+reason+`"}`)
}
