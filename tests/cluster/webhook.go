package cluster

import (
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Webhook is the server of an admission webhook on this machine, which API servers reach under its URL. It hangs up until
// Answers is set, and then allows everything.
type Webhook struct {
	URL string
	// CABundle is the certificate authority of its server, in PEM.
	CABundle []byte
	// Answers says that it answers.
	Answers atomic.Bool

	asked atomic.Int64
}

// NewWebhook runs a webhook for the time of the test.
func NewWebhook(t testing.TB) *Webhook {
	t.Helper()
	hook := &Webhook{}
	server := httptest.NewUnstartedServer(hook)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{
		MinVersion: tls.VersionTLS12,
		// Who does not trust the certificate comes no further.
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			hook.asked.Add(1)
			return nil, nil //nolint:nilnil // the usual configuration
		},
	}
	server.StartTLS()
	// Each question is a connection of its own, so that it is counted once.
	server.Config.SetKeepAlivesEnabled(false)
	t.Cleanup(server.Close)
	hook.URL = server.URL
	hook.CABundle = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return hook
}

// Asked is how often an API server has called.
func (h *Webhook) Asked() int64 { return h.asked.Load() }

// ServeHTTP answers a review.
func (h *Webhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !h.Answers.Load() {
		panic(http.ErrAbortHandler)
	}
	var review struct {
		Request struct {
			UID string `json:"uid"`
		} `json:"request"`
	}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(rw, "not a review", http.StatusBadRequest)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(map[string]any{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
		"response": map[string]any{"uid": review.Request.UID, "allowed": true},
	})
}
