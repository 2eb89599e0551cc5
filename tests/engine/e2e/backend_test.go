package e2e

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// backend is a server on this machine that API servers reach by a Service. There is no network of pods, so the Service is an
// ExternalName, whose selector only says which pods would be behind it.
type backend struct {
	port     string
	caBundle string
	// listens says that it answers. Until then it hangs up.
	listens atomic.Bool
	asked   atomic.Int64
}

// newBackend runs the server of the Service "guard" of a namespace for the time of the test.
func newBackend(t *testing.T, space string, handler http.Handler) *backend {
	t.Helper()
	b := &backend{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b.asked.Add(1)
		if !b.listens.Load() {
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(rw, r)
	}))
	certificate, caBundle := certificateOf(t, "guard."+space+".svc")
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	b.port, b.caBundle = port, base64.StdEncoding.EncodeToString(caBundle)
	return b
}

// certificateOf makes a certificate for a name, signed by itself.
func certificateOf(t *testing.T, name string) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key},
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
}

// allowing is a webhook that allows everything.
func allowing() http.Handler {
	hook := &cluster.Webhook{}
	hook.Answers.Store(true)
	return hook
}

// converting is a webhook that converts objects whose versions differ in nothing but their names.
func converting() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID               string           `json:"uid"`
				DesiredAPIVersion string           `json:"desiredAPIVersion"`
				Objects           []map[string]any `json:"objects"`
			} `json:"request"`
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(rw, "not a review", http.StatusBadRequest)
			return
		}
		for _, object := range review.Request.Objects {
			object["apiVersion"] = review.Request.DesiredAPIVersion
		}
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
			"response": map[string]any{
				"uid": review.Request.UID, "convertedObjects": review.Request.Objects, "result": map[string]any{"status": "Success"},
			},
		})
	})
}

// aggregated serves an API group as a server of its own does. What is in it is kept in the API server of the test, in another
// group.
func aggregated(t *testing.T, c *cluster.Cluster, group, kept string) http.Handler {
	t.Helper()
	transport, err := rest.TransportFor(c.RESTConfig())
	require.NoError(t, err)
	target, err := url.Parse(c.Host())
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1, // watches
		Transport:     transport,
		ErrorLog:      log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.URL.Path = strings.Replace(r.Out.URL.Path, group, kept, 1)
			r.Out.Header.Del("Accept-Encoding")
			r.Out.Header.Set("Accept", "application/json")
			body, err := io.ReadAll(r.In.Body)
			if err != nil {
				body = nil // The API server refuses the request.
			}
			body = bytes.ReplaceAll(body, []byte(group), []byte(kept))
			r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		},
		ModifyResponse: func(reply *http.Response) error {
			lines, out := bufio.NewReader(reply.Body), reply.Body
			if reply.Request.URL.Query().Get("watch") == "" {
				body, err := io.ReadAll(lines)
				if err != nil {
					return err
				}
				body = bytes.ReplaceAll(body, []byte(kept), []byte(group))
				reply.Body, reply.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
				reply.Header.Set("Content-Length", strconv.Itoa(len(body)))
				return nil
			}
			events, to := io.Pipe()
			reply.Body = events
			go func() {
				for {
					line, err := lines.ReadBytes('\n')
					if _, writeErr := to.Write(bytes.ReplaceAll(line, []byte(kept), []byte(group))); err != nil || writeErr != nil {
						_ = to.CloseWithError(err)
						_ = out.Close()
						return
					}
				}
			}()
			return nil
		},
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/apis/"+group+"/") {
			http.NotFound(rw, r)
			return
		}
		proxy.ServeHTTP(rw, r)
	})
}
