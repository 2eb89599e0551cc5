package typed

import (
	"net/http"
	"net/http/httptest"
	"strings"
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
		"/none": "the server answers 404 (Not Found). Check the address, or download the file", "/half": "the connection broke", "/around": "too many redirects",
	} {
		err := newCatalog().addDefinitions(t.Context(), server.URL+path)
		require.ErrorContains(t, err, "crds="+server.URL+path+": ")
		require.ErrorContains(t, err, want)
	}
	server.Close()
	require.ErrorContains(t, newCatalog().addSaved(t.Context(), server.URL, nil), "from="+server.URL+": the server cannot be reached")

	err := newCatalog().addDefinitions(t.Context(), strings.Replace(server.URL, "://", "://me:correct-horse@", 1)+"/none?token=battery")
	require.ErrorContains(t, err, "crds="+server.URL+"/none: ")
	assert.NotContains(t, err.Error(), "correct-horse")
	assert.NotContains(t, err.Error(), "battery")
}
