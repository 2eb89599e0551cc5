package cluster_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
)

func question(kind string) cluster.Question {
	return cluster.Question{Ref: cluster.Ref{APIVersion: "v1", Kind: kind, Namespace: "shop", Name: "web"}, Port: "http", Path: "/"}
}

func TestAQuestionGoesToTheProxyOfTheAPIServer(t *testing.T) {
	service, pod, tls := question("Service"), question("Pod"), question("Service")
	tls.TLS, tls.Path = true, "/a%2Fb//c?d=%20&e"
	for want, q := range map[string]cluster.Question{
		"/api/v1/namespaces/shop/services/web:http/proxy/":                       service,
		"/api/v1/namespaces/shop/pods/web:http/proxy/":                           pod,
		"/api/v1/namespaces/shop/services/https:web:http/proxy/a%2Fb//c?d=%20&e": tls,
	} {
		f, clu := newFake(t)
		f.says(func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, want, r.URL.String())
			w.WriteHeader(http.StatusTeapot)
		})
		status, err := clu.Ask(t.Context(), q)
		require.NoError(t, err)
		assert.Equal(t, http.StatusTeapot, status)
	}
}

func TestOnlyAStatusOfTheAPIServerIsNoAnswer(t *testing.T) {
	page := func(code int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
		}
	}
	const own = `{"kind":"Status","apiVersion":"v1","code":503}`
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		status int
	}{
		"a Status [R32]":                        {status(503, "ServiceUnavailable"), 0},
		"a Status with a charset [R32]":         {page(503, "application/json; charset=utf-8", own), 0},
		"a Status of success, which none sends": {says(200, `{"kind":"Status","apiVersion":"v1","code":200}`), 200},
		"a Status about another code":           {says(500, own), 500},
		"a text that looks like one":            {page(503, "text/plain", own), 503},
		"JSON of the Service":                   {says(503, `{"status":"DOWN"}`), 503},
		"JSON that is cut off":                  {says(503, `{"kind":"Status"`), 503},
		"a page":                                {page(502, "text/html", "<html>"), 502},
		"nothing":                               {says(404, ""), 404},
		"busy, without a second request":        {page(429, "text/plain", "later"), 429},
	} {
		t.Run(name, func(t *testing.T) {
			f, clu := newFake(t)
			f.says(c.answer)
			got, err := clu.Ask(t.Context(), question("Service"))
			assert.Equal(t, c.status, got)
			assert.EqualValues(t, 1, f.requests.Load())
			if c.status != 0 {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "Service shop/web: ")
			assert.True(t, apierrors.IsServiceUnavailable(err))
		})
	}
}

func TestARedirectIsAnAnswerAndIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it is followed") }))
	t.Cleanup(elsewhere.Close)
	for _, location := range []string{elsewhere.URL, "%zz", ""} { // [R33]
		f, clu := newFake(t)
		f.says(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		})
		status, err := clu.Ask(t.Context(), question("Service"))
		require.NoError(t, err)
		assert.Equal(t, http.StatusFound, status)
	}
}

func TestTheClockOfAServiceIsNotThatOfTheAPIServer(t *testing.T) {
	f, clu := newFake(t)
	f.says(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Unix(0, 0).UTC().Format(http.TimeFormat))
	})
	_, err := clu.Ask(t.Context(), question("Service"))
	require.NoError(t, err)
	_, known := clu.Now()
	assert.False(t, known)
}

func TestAQuestionThatDoesNotArriveShowsNoPath(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	clu := get(t, connect.Connection{Host: connect.NewSecret(server.URL)})
	server.Close()
	q := question("Service")
	q.Path = "/hush"
	_, err := clu.Ask(t.Context(), q)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hush") // [R36]
}
