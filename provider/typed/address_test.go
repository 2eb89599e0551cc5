package typed

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDefinitionsAreDownloaded(t *testing.T) {
	t.Parallel()
	things := customOf(`{"spec":{"type":"object"}}`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/things.yaml":
			_, _ = w.Write(things)
		case "/latest":
			http.Redirect(w, r, "/things.yaml", http.StatusFound)
		case "/around":
			http.Redirect(w, r, "/around", http.StatusFound)
		case "/half":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(things)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	for _, path := range []string{"/things.yaml", "/latest"} {
		found := newCatalog()
		require.NoError(t, found.addDefinitions(t.Context(), server.URL+path))
		assert.Equal(t, []Kind{{"a.io", "v1", "Thing"}}, found.Kinds)
	}
	for path, want := range map[string]string{
		"/none": "the server answers 404 Not Found. Check the address", "/half": "the download broke off", "/around": "too many redirects",
	} {
		err := newCatalog().addDefinitions(t.Context(), server.URL+path)
		require.ErrorContains(t, err, "crds="+server.URL+path+": ")
		require.ErrorContains(t, err, want)
	}
	server.Close()
	require.ErrorContains(t, newCatalog().addSaved(t.Context(), server.URL, nil), "from="+server.URL+": the file cannot be downloaded: ")
}

func TestADownloadIsNotRedirectedToAnOpenWay(t *testing.T) {
	t.Parallel()
	open := httptest.NewRequest(http.MethodGet, "http://a.io/things.yaml", nil)
	secret := httptest.NewRequest(http.MethodGet, "https://a.io/things.yaml", nil)
	require.ErrorContains(t, checkRedirect(open, []*http.Request{secret}), "from https to http")
	require.NoError(t, checkRedirect(secret, []*http.Request{secret}))
}
