package chartserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"
	"oras.land/oras-go/v2/registry/remote"
)

// The media types of a chart in a registry.
const (
	ConfigType     = "application/vnd.cncf.helm.config.v1+json"
	ChartType      = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	ProvenanceType = "application/vnd.cncf.helm.chart.provenance.v1.prov"
)

// Registry is an OCI registry: what the distribution specification says about pushing and pulling.
type Registry struct {
	Server

	tokens    bool
	blobs     map[string][]byte // by digest
	manifests map[string]pushed // by repository and reference
	tags      map[string][]string
}

type pushed struct {
	mediaType string
	data      []byte
}

// NewRegistry serves an empty registry until the test ends.
func NewRegistry(t testing.TB) *Registry {
	t.Helper()
	made := &Registry{blobs: map[string][]byte{}, manifests: map[string]pushed{}, tags: map[string][]string{}}
	made.start(t, made)
	return made
}

// DemandToken makes the registry want a token, which its token service gives for a user name and a password.
func (r *Registry) DemandToken(username, password string) {
	r.Demand(username, password)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.tokens = true
}

// Address is that of a repository of the registry: oci://127.0.0.1:port/path.
func (r *Registry) Address(path string) string { return "oci://" + r.Host() + "/" + path }

// Push pushes a chart, with a provenance file, as `helm push` does: into the repository path/name, under its version as the
// tag. It returns the digest of the manifest.
func (r *Registry) Push(t testing.TB, path string, archive Archive) string {
	t.Helper()
	config := fmt.Appendf(nil, `{"name":%q,"version":%q,"apiVersion":"v2"}`, archive.Name, archive.Version)
	return r.PushManifest(t, path+"/"+archive.Name, strings.ReplaceAll(archive.Version, "+", "_"),
		Blob{ConfigType, config}, Blob{ChartType, archive.Data}, Blob{ProvenanceType, []byte("-----BEGIN PGP SIGNED MESSAGE-----")})
}

// Blob is a part of what is pushed.
type Blob struct {
	MediaType string
	Data      []byte
}

// PushManifest pushes a manifest with a configuration and layers under a tag. It returns the digest of the manifest.
func (r *Registry) PushManifest(t testing.TB, repository, tag string, config Blob, layers ...Blob) string {
	t.Helper()
	client, err := remote.NewRepository(r.Host() + "/" + repository)
	require.NoError(t, err)
	client.PlainHTTP = true
	push := func(blob Blob) ocispec.Descriptor {
		described := ocispec.Descriptor{MediaType: blob.MediaType, Digest: digest.FromBytes(blob.Data), Size: int64(len(blob.Data))}
		require.NoError(t, client.Blobs().Push(context.Background(), described, bytes.NewReader(blob.Data)))
		return described
	}
	manifest := ocispec.Manifest{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, Config: push(config)}
	for _, layer := range layers {
		manifest.Layers = append(manifest.Layers, push(layer))
	}
	data, err := json.Marshal(manifest)
	require.NoError(t, err)
	described := ocispec.Descriptor{MediaType: ocispec.MediaTypeImageManifest, Digest: digest.FromBytes(data), Size: int64(len(data))}
	require.NoError(t, client.Manifests().PushReference(context.Background(), described, bytes.NewReader(data), tag))
	return described.Digest.String()
}

var route = regexp.MustCompile(`^/v2/(.+)/(blobs/uploads|blobs|manifests|tags)/([^/]*)$`)

// ServeHTTP answers a request, so that a test can serve the registry in another way too.
func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mutex.Lock()
	tokens, username, password := r.tokens, r.username, r.password
	r.mutex.Unlock()
	if request.URL.Path == "/token" && tokens {
		if name, word, ok := request.BasicAuth(); !ok || name != username || word != password {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"token": tokenFor(username, password)})
		return
	}
	challenge := `Basic realm="charts"`
	if tokens {
		challenge = fmt.Sprintf(`Bearer realm="http://%s/token",service="charts"`, request.Host)
	}
	r.serve(w, request, challenge, func(w http.ResponseWriter, request *http.Request) {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		found := route.FindStringSubmatch(request.URL.Path)
		if found == nil {
			w.WriteHeader(map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[request.URL.Path == "/v2/"])
			return
		}
		repository, what, reference := found[1], found[2], found[3]
		switch what {
		case "blobs/uploads":
			r.upload(w, request, repository)
		case "blobs":
			data, ok := r.blobs[reference]
			answer(w, request, "application/octet-stream", reference, data, ok)
		case "manifests":
			r.manifest(w, request, repository, reference)
		case "tags":
			_ = json.NewEncoder(w).Encode(map[string]any{"name": repository, "tags": r.tags[repository]})
		}
	})
}

// upload takes a blob: POST opens an upload, PUT has the contents.
func (r *Registry) upload(w http.ResponseWriter, request *http.Request, repository string) {
	if request.Method == http.MethodPost {
		w.Header().Set("Location", "/v2/"+repository+"/blobs/uploads/1")
		w.WriteHeader(http.StatusAccepted)
		return
	}
	data, err := io.ReadAll(request.Body)
	if stated := request.URL.Query().Get("digest"); err != nil || digestOf(data) != stated {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.blobs[digestOf(data)] = data
	w.WriteHeader(http.StatusCreated)
}

// manifest takes or gives a manifest.
func (r *Registry) manifest(w http.ResponseWriter, request *http.Request, repository, reference string) {
	key := repository + "@"
	if request.Method != http.MethodPut {
		found, ok := r.manifests[key+reference]
		answer(w, request, found.mediaType, digestOf(found.data), found.data, ok)
		return
	}
	data, err := io.ReadAll(request.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	made := pushed{request.Header.Get("Content-Type"), data}
	r.manifests[key+reference], r.manifests[key+digestOf(data)] = made, made
	if !strings.HasPrefix(reference, "sha256:") && !slices.Contains(r.tags[repository], reference) {
		r.tags[repository] = append(r.tags[repository], reference)
	}
	w.Header().Set("Docker-Content-Digest", digestOf(data))
	w.WriteHeader(http.StatusCreated)
}

// answer answers a request for contents.
func answer(w http.ResponseWriter, request *http.Request, mediaType, digest string, data []byte, found bool) {
	if !found {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Docker-Content-Digest", digest)
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	if request.Method != http.MethodHead {
		_, _ = w.Write(data)
	}
}
