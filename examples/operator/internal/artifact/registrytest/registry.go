// Package registrytest serves an OCI registry on loopback, for tests. It can demand credentials, fail, and answer something else.
package registrytest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"
)

// FluxType is the media type of what "flux push artifact" makes.
const FluxType = "application/vnd.cncf.flux.content.v1.tar+gzip"

// Registry is a registry.
type Registry struct {
	server  *httptest.Server
	content http.Handler

	mutex              sync.Mutex
	requests           []*http.Request
	username, password string
	tokens             bool
	intercept          func(http.ResponseWriter, *http.Request) bool
}

// New serves plain http.
func New(t testing.TB) *Registry { return start(t, httptest.NewServer) }

// NewTLS serves https, with a certificate that an authority of its own has issued.
func NewTLS(t testing.TB) *Registry { return start(t, httptest.NewTLSServer) }

func start(t testing.TB, serve func(http.Handler) *httptest.Server) *Registry {
	t.Helper()
	made := &Registry{content: registry.New(registry.Logger(log.New(io.Discard, "", 0)))}
	made.server = serve(made)
	made.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(made.server.Close)
	return made
}

// Host is host and port.
func (r *Registry) Host() string { return r.server.Listener.Addr().String() }

// URL is the address of the server.
func (r *Registry) URL() string { return r.server.URL }

// Authority is the certificate of the authority in PEM.
func (r *Registry) Authority() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw})
}

// Close ends the server, as if it were down.
func (r *Registry) Close() { r.server.Close() }

// Demand makes the registry want a user name and a password.
func (r *Registry) Demand(username, password string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.username, r.password = username, password
}

// DemandToken makes it want a token, which its token service gives for them.
func (r *Registry) DemandToken(username, password string) {
	r.Demand(username, password)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.tokens = true
}

// Intercept asks a function first, which answers the requests for which it returns true; nil ends it.
func (r *Registry) Intercept(answer func(http.ResponseWriter, *http.Request) bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.intercept = answer
}

// Fail makes the registry answer all requests with a status.
func (r *Registry) Fail(status int) {
	r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(status); return true })
}

// Garble changes what it sends from paths that contain a text, and leaves the heads as they are.
func (r *Registry) Garble(part string) {
	r.Intercept(func(w http.ResponseWriter, request *http.Request) bool {
		if request.Method != http.MethodGet || !strings.Contains(request.URL.Path, part) {
			return false
		}
		recorded := httptest.NewRecorder()
		r.content.ServeHTTP(recorded, request)
		maps.Copy(w.Header(), recorded.Header())
		w.WriteHeader(recorded.Code)
		_, _ = w.Write(bytes.ToUpper(recorded.Body.Bytes()))
		return true
	})
}

// Requests are those that came so far whose method and path contain a text; "" is all.
func (r *Registry) Requests(part string) []*http.Request {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.DeleteFunc(slices.Clone(r.requests), func(request *http.Request) bool {
		return !strings.Contains(request.Method+" "+request.URL.Path, part)
	})
}

// ServeHTTP answers a request.
func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mutex.Lock()
	r.requests = append(r.requests, request.Clone(request.Context()))
	username, password, tokens, intercept := r.username, r.password, r.tokens, r.intercept
	r.mutex.Unlock()
	name, word, basic := request.BasicAuth()
	isUser := basic && name == username && word == password
	const token = "a-token-of-the-registry"
	switch {
	case intercept != nil && intercept(w, request):
	case request.URL.Path == "/token" && isUser:
		_ = json.NewEncoder(w).Encode(map[string]string{"token": token})
	case username == "" || isUser && !tokens || request.Header.Get("Authorization") == "Bearer "+token:
		r.content.ServeHTTP(w, request)
	default:
		challenge := `Basic realm="registry"`
		if tokens {
			challenge = fmt.Sprintf(`Bearer realm="%s/token",service="registry"`, r.server.URL)
		}
		w.Header().Set("WWW-Authenticate", challenge)
		w.WriteHeader(http.StatusUnauthorized)
	}
}

// Layer is one that is pushed.
type Layer struct {
	MediaType   string
	Content     []byte
	Annotations map[string]string
}

// File is a layer as "oras push" makes it of a file.
func File(name, content string) Layer {
	return Layer{MediaType: "application/vnd.oci.image.layer.v1.tar", Content: []byte(content), Annotations: map[string]string{ocispec.AnnotationTitle: name}}
}

// Folder is a layer as "flux push artifact" makes it of a folder.
func Folder(t testing.TB, files map[string]string) Layer {
	t.Helper()
	headers := []*tar.Header{{Typeflag: tar.TypeDir, Name: "./", Mode: 0o755}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		headers = append(headers, &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(files[name]))})
	}
	return Layer{MediaType: FluxType, Content: Pack(t, headers, files)}
}

// Pack writes a tar archive, packed by gzip.
func Pack(t testing.TB, headers []*tar.Header, files map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for _, header := range headers {
		require.NoError(t, archive.WriteHeader(header))
		_, err := archive.Write([]byte(files[header.Name]))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, zipped.Close())
	return packed.Bytes()
}

// Push pushes an artifact under a tag, whatever the registry would answer to others. It returns the digest.
func (r *Registry) Push(t testing.TB, repository, tag string, layers ...Layer) string {
	t.Helper()
	manifest := ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, Config: r.blob(t, repository, ocispec.MediaTypeEmptyJSON, []byte("{}")),
	}
	for _, layer := range layers {
		described := r.blob(t, repository, layer.MediaType, layer.Content)
		described.Annotations = layer.Annotations
		manifest.Layers = append(manifest.Layers, described)
	}
	encoded, err := json.Marshal(manifest)
	require.NoError(t, err)
	return r.PushManifest(t, repository, tag, manifest.MediaType, encoded)
}

// PushManifest pushes any manifest.
func (r *Registry) PushManifest(t testing.TB, repository, tag, mediaType string, encoded []byte) string {
	t.Helper()
	r.put(t, http.MethodPut, "/v2/"+repository+"/manifests/"+tag, mediaType, encoded)
	return digest.FromBytes(encoded).String()
}

func (r *Registry) blob(t testing.TB, repository, mediaType string, data []byte) ocispec.Descriptor {
	t.Helper()
	described := ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}
	r.put(t, http.MethodPost, "/v2/"+repository+"/blobs/uploads/?digest="+described.Digest.String(), "application/octet-stream", data)
	return described
}

func (r *Registry) put(t testing.TB, method, path, mediaType string, data []byte) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, bytes.NewReader(data))
	request.Header.Set("Content-Type", mediaType)
	answer := httptest.NewRecorder()
	r.content.ServeHTTP(answer, request)
	require.Equal(t, http.StatusCreated, answer.Code, answer.Body.String())
}
