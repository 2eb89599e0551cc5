package artifact_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"oras.land/oras-go/v2"
	orasfile "oras.land/oras-go/v2/content/file"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/artifact"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/artifact/registrytest"
)

const (
	username, password = "the-robot", "hunter22"
	repository         = "programs/webapp"
)

// login is what a pull Secret with these entries gives.
func login(t *testing.T, entries map[string]string, authority []byte) *artifact.Login {
	t.Helper()
	auths := map[string]any{}
	for registry, pair := range entries {
		auths[registry] = map[string]string{"auth": base64.StdEncoding.EncodeToString([]byte(pair))}
	}
	config, err := json.Marshal(map[string]any{"auths": auths})
	require.NoError(t, err)
	made, err := artifact.LoginOf(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "platform", Name: "registry"}, Type: corev1.SecretTypeDockerConfigJson,
		Data: map[string][]byte{corev1.DockerConfigJsonKey: config, artifact.AuthoritiesKey: authority},
	})
	require.NoError(t, err)
	return made
}

// refused wants a problem, whose message has nothing that is secret.
func refused(t *testing.T, err error, reason string, says ...string) {
	t.Helper()
	var problem *artifact.Problem
	require.ErrorAs(t, err, &problem)
	assert.Equal(t, reason, problem.Reason, problem.Message)
	for _, part := range says {
		assert.Contains(t, problem.Message, part)
	}
	pair := base64.StdEncoding.EncodeToString([]byte(username + ":" + password))
	for _, secret := range []string{username, password, pair} {
		assert.NotContains(t, problem.Message, secret)
	}
}

func TestAProgramInARegistry(t *testing.T) { // [X63]
	registry := registrytest.New(t)
	ref := registry.Host() + "/" + repository + ":1.4"
	first := registry.Push(t, repository, "1.4", registrytest.File("Pulumi.yaml", project))
	found, err := artifact.Look(t.Context(), artifact.Source{Ref: ref}, "")
	require.NoError(t, err)
	assert.Equal(t, artifact.Found{Digest: first, Files: map[string][]byte{"Pulumi.yaml": []byte(project)}}, found)

	t.Run("is not downloaded again while the tag stays", func(t *testing.T) {
		before := len(registry.Requests("GET /v2/" + repository))
		found, err := artifact.Look(t.Context(), artifact.Source{Ref: ref}, first)
		require.NoError(t, err)
		assert.Equal(t, artifact.Found{Digest: first}, found)
		assert.Len(t, registry.Requests("GET /v2/"+repository), before)
	})
	second := registry.Push(t, repository, "1.4", registrytest.Folder(t, map[string]string{"Pulumi.yaml": "name: other\nruntime: yaml\n"}))
	t.Run("is another one when the tag moves", func(t *testing.T) {
		found, err := artifact.Look(t.Context(), artifact.Source{Ref: ref}, first)
		require.NoError(t, err)
		assert.Equal(t, second, found.Digest)
		assert.Contains(t, string(found.Files["Pulumi.yaml"]), "other")
	})
	t.Run("is the one of the digest, whatever the tag is", func(t *testing.T) {
		for _, ref := range []string{ref, registry.Host() + "/" + repository, registry.Host() + "/" + repository + ":none"} {
			found, err := artifact.Look(t.Context(), artifact.Source{Ref: ref, Digest: first}, "")
			require.NoError(t, err)
			assert.Equal(t, first, found.Digest)
			assert.Equal(t, project, string(found.Files["Pulumi.yaml"]))
		}
	})
}

func TestARegistryThatDoesNotDeliver(t *testing.T) { // [X63]
	digest := ""
	garble := func(part string) func(*testing.T, *registrytest.Registry) {
		return func(_ *testing.T, registry *registrytest.Registry) { registry.Garble(part) }
	}
	fail := func(status int) func(*testing.T, *registrytest.Registry) {
		return func(_ *testing.T, registry *registrytest.Registry) { registry.Fail(status) }
	}
	index, err := json.Marshal(ocispec.Index{MediaType: ocispec.MediaTypeImageIndex})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		happens func(*testing.T, *registrytest.Registry)
		source  func(*artifact.Source)
		reason  string
		says    string
	}{
		"it is down":                {func(_ *testing.T, registry *registrytest.Registry) { registry.Close() }, nil, artifact.ReasonUnavailable, "cannot be reached: dial: connect: connection refused"},
		"it answers 500":            {fail(http.StatusInternalServerError), nil, artifact.ReasonUnavailable, "answers 500 Internal Server Error"},
		"it answers 503":            {fail(http.StatusServiceUnavailable), nil, artifact.ReasonUnavailable, "answers 503"},
		"it wants less":             {fail(http.StatusTooManyRequests), nil, artifact.ReasonUnavailable, "answers 429"},
		"it answers 401":            {fail(http.StatusUnauthorized), nil, artifact.ReasonDenied, "answers 401 Unauthorized, and the class names no pull Secret"},
		"it answers 403":            {fail(http.StatusForbidden), nil, artifact.ReasonDenied, "answers 403"},
		"it has no such tag":        {nil, func(s *artifact.Source) { s.Ref += "5" }, artifact.ReasonMissing, ":1.45: the registry has no such artifact"},
		"it has no such digest":     {nil, func(s *artifact.Source) { s.Digest = "sha256:" + strings.Repeat("0", 64) }, artifact.ReasonMissing, "no such artifact"},
		"it sends another manifest": {garble("/manifests/"), func(s *artifact.Source) { s.Digest = digest }, artifact.ReasonDigestMismatch, "not what the digest stands for"},
		"it sends another layer":    {garble("/blobs/"), nil, artifact.ReasonDigestMismatch, "not what the digest stands for"},
		"it has an index there": {func(t *testing.T, registry *registrytest.Registry) {
			t.Helper()
			registry.PushManifest(t, repository, "1.4", ocispec.MediaTypeImageIndex, index)
		}, nil, artifact.ReasonRefused, "was refused: it is a application/vnd.oci.image.index.v1+json"},
		"it has something else there": {func(t *testing.T, registry *registrytest.Registry) {
			t.Helper()
			registry.Push(t, repository, "1.4", registrytest.File("../Pulumi.yaml", project))
		}, nil, artifact.ReasonRefused, `was refused: the path "../Pulumi.yaml" leads out`},
		"it has too much there": {func(t *testing.T, registry *registrytest.Registry) {
			t.Helper()
			registry.Push(t, repository, "1.4", registrytest.File("Pulumi.yaml", strings.Repeat("x", 3<<20)))
		}, nil, artifact.ReasonRefused, "its layers are larger than 2 MiB"},
		"its name is none": {nil, func(s *artifact.Source) { s.Ref = "registry.example.com/UPPER:1" }, artifact.ReasonReferenceInvalid, "is no reference"},
	} {
		t.Run(name, func(t *testing.T) {
			registry := registrytest.New(t)
			digest = registry.Push(t, repository, "1.4", registrytest.File("Pulumi.yaml", project))
			source := artifact.Source{Ref: registry.Host() + "/" + repository + ":1.4"}
			if c.source != nil {
				c.source(&source)
			}
			if c.happens != nil {
				c.happens(t, registry)
			}
			_, err := artifact.Look(t.Context(), source, "")
			refused(t, err, c.reason, c.says)
			_, again := artifact.Look(t.Context(), source, "")
			assert.Equal(t, err, again, "who reads the status sees no change")
		})
	}
	t.Run("it does not answer", func(t *testing.T) {
		registry := registrytest.New(t)
		hangs := make(chan struct{})
		t.Cleanup(func() { close(hangs) })
		registry.Intercept(func(http.ResponseWriter, *http.Request) bool { <-hangs; return true })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := artifact.Look(ctx, artifact.Source{Ref: registry.Host() + "/" + repository + ":1.4"}, "")
		refused(t, err, artifact.ReasonUnavailable, "has not answered in time")
	})
}

func TestCredentials(t *testing.T) { // [X63]
	demands := map[string]func(*registrytest.Registry){
		"a password": func(registry *registrytest.Registry) { registry.Demand(username, password) },
		"a token":    func(registry *registrytest.Registry) { registry.DemandToken(username, password) },
	}
	for name, demand := range demands {
		registry := registrytest.New(t)
		registry.Push(t, repository, "1.4", registrytest.File("Pulumi.yaml", project))
		demand(registry)
		source := artifact.Source{Ref: registry.Host() + "/" + repository + ":1.4"}
		right, wrong := username+":"+password, username+":hunter23"
		for entry, entries := range map[string]map[string]string{
			"its host":            {registry.Host(): right, "other.example.com": wrong},
			"its address":         {"https://" + registry.Host() + "/v2/": right},
			"its path":            {registry.Host() + "/programs": right, registry.Host(): wrong},
			"its path, as a part": {registry.Host() + "/programs/web": wrong, registry.Host(): right},
		} {
			t.Run(name+" by "+entry, func(t *testing.T) {
				with := source
				with.Login = login(t, entries, nil)
				found, err := artifact.Look(t.Context(), with, "")
				require.NoError(t, err)
				assert.Len(t, found.Files, 1)
			})
		}
		for lack, c := range map[string]struct {
			login *artifact.Login
			says  string
		}{
			"none":  {nil, "the class names no pull Secret"},
			"other": {login(t, map[string]string{"other.example.com": right}, nil), "the pull Secret platform/registry has no entry for it"},
			"wrong": {login(t, map[string]string{registry.Host(): wrong}, nil), "not take the credentials of the pull Secret platform/registry"},
		} {
			t.Run(name+" but "+lack, func(t *testing.T) {
				with := source
				with.Login = c.login
				_, err := artifact.Look(t.Context(), with, "")
				refused(t, err, artifact.ReasonDenied, c.says)
			})
		}
	}
	t.Run("of a damaged Secret are not shown", func(t *testing.T) {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "platform", Name: "registry"}, Type: corev1.SecretTypeOpaque}
		_, err := artifact.LoginOf(secret)
		refused(t, err, artifact.ReasonPullSecretInvalid, "platform/registry has the type Opaque")
		secret.Type = corev1.SecretTypeDockerConfigJson
		secret.Data = map[string][]byte{corev1.DockerConfigJsonKey: []byte(`{"auths":` + password)}
		_, err = artifact.LoginOf(secret)
		refused(t, err, artifact.ReasonPullSecretInvalid, "is not the configuration of Docker")
		for _, damaged := range []string{password, base64.StdEncoding.EncodeToString([]byte(password))} {
			secret.Data[corev1.DockerConfigJsonKey] = fmt.Appendf(nil, `{"auths":{"127.0.0.1:1":{"auth":%q}}}`, damaged)
			damagedLogin, err := artifact.LoginOf(secret)
			require.NoError(t, err)
			_, err = artifact.Look(t.Context(), artifact.Source{Ref: "127.0.0.1:1/a:1", Login: damagedLogin}, "")
			refused(t, err, artifact.ReasonPullSecretInvalid, "is damaged")
		}
	})
}

func TestARegistryThatRepeatsCredentials(t *testing.T) { // [X63]
	registry := registrytest.New(t)
	registry.Push(t, repository, "1.4", registrytest.File("Pulumi.yaml", project))
	registry.Demand(username, password)
	source := artifact.Source{
		Ref: registry.Host() + "/" + repository + ":1.4", Login: login(t, map[string]string{registry.Host(): username + ":" + password}, nil),
	}
	registry.Intercept(func(w http.ResponseWriter, request *http.Request) bool {
		name, word, is := request.BasicAuth()
		if is {
			w.Header().Set("Content-Type", ocispec.MediaTypeImageManifest)
			w.Header().Set("Content-Length", "10")
			w.Header().Set("Docker-Content-Digest", name+" "+word+" "+request.Header.Get("Authorization"))
		}
		return is
	})
	_, err := artifact.Look(t.Context(), source, "")
	refused(t, err, artifact.ReasonRefused, "the answer of the registry is not valid", "[secret] [secret] Basic [secret]")

	t.Run("or asks for them in the clear", func(t *testing.T) {
		registry.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("WWW-Authenticate", `Bearer realm="http://auth.example.com/token",service="registry"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		})
		_, err := artifact.Look(t.Context(), source, "")
		refused(t, err, artifact.ReasonUnavailable, "plain http is for registries on localhost")
	})
}

// What the command oras does, by the library that it is made of.
func TestWhatOrasPushes(t *testing.T) { // [X63]
	registry := registrytest.New(t)
	folder := t.TempDir()
	files, err := orasfile.New(folder)
	require.NoError(t, err)
	t.Cleanup(func() { _ = files.Close() })
	var layers []ocispec.Descriptor
	for name, content := range map[string]string{"Pulumi.yaml": project, "Main.yaml": "a: 1\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
		layer, err := files.Add(t.Context(), name, "", "")
		require.NoError(t, err)
		layers = append(layers, layer)
	}
	manifest, err := oras.PackManifest(t.Context(), files, oras.PackManifestVersion1_1, "application/vnd.unknown.artifact.v1", oras.PackManifestOptions{Layers: layers})
	require.NoError(t, err)
	require.NoError(t, files.Tag(t.Context(), manifest, "1.4"))
	to, err := remote.NewRepository(registry.Host() + "/" + repository)
	require.NoError(t, err)
	to.PlainHTTP = true
	_, err = oras.Copy(t.Context(), files, "1.4", to, "1.4", oras.DefaultCopyOptions)
	require.NoError(t, err)

	found, err := artifact.Look(t.Context(), artifact.Source{Ref: registry.Host() + "/" + repository + ":1.4"}, "")
	require.NoError(t, err)
	assert.Equal(t, manifest.Digest.String(), found.Digest)
	assert.Equal(t, map[string][]byte{"Pulumi.yaml": []byte(project), "Main.yaml": []byte("a: 1\n")}, found.Files)
}

func TestRedirectsGetNoCredentials(t *testing.T) { // [X63]
	for name, c := range map[string]struct {
		demand func(*registrytest.Registry)
		to     func(*httptest.Server) string
	}{
		"to another port": {func(r *registrytest.Registry) { r.Demand(username, password) }, func(s *httptest.Server) string { return s.URL }},
		"to another host": {func(r *registrytest.Registry) { r.Demand(username, password) }, func(s *httptest.Server) string {
			return strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
		}},
		"of a token": {func(r *registrytest.Registry) { r.DemandToken(username, password) }, func(s *httptest.Server) string { return s.URL }},
	} {
		t.Run(name, func(t *testing.T) {
			registry := registrytest.New(t)
			registry.Push(t, repository, "1.4", registrytest.File("Pulumi.yaml", project))
			c.demand(registry)
			var seen []http.Header
			elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				seen = append(seen, request.Header.Clone())
				if request.URL.Query().Get("signature") != "" {
					_, _ = w.Write([]byte(project))
				}
			}))
			t.Cleanup(elsewhere.Close)
			to := c.to(elsewhere)
			registry.Intercept(func(w http.ResponseWriter, request *http.Request) bool {
				if !strings.Contains(request.URL.Path, "/blobs/") || request.Header.Get("Authorization") == "" {
					return false
				}
				http.Redirect(w, request, to+"/blob?signature=signed", http.StatusTemporaryRedirect)
				return true
			})
			source := artifact.Source{
				Ref: registry.Host() + "/" + repository + ":1.4", Login: login(t, map[string]string{registry.Host(): username + ":" + password}, nil),
			}
			found, err := artifact.Look(t.Context(), source, "")
			require.NoError(t, err)
			assert.Equal(t, project, string(found.Files["Pulumi.yaml"]))
			require.NotEmpty(t, seen)
			for _, header := range seen {
				assert.Empty(t, header.Get("Authorization"))
			}
		})
	}
	t.Run("also if they ask for some", func(t *testing.T) {
		other, registry := registrytest.New(t), registrytest.New(t)
		other.Demand(username, password)
		registry.Demand(username, password)
		registry.Push(t, repository, "1.4", registrytest.File("Pulumi.yaml", project))
		registry.Intercept(func(w http.ResponseWriter, request *http.Request) bool {
			if strings.Contains(request.URL.Path, "/blobs/") {
				http.Redirect(w, request, other.URL()+request.URL.Path, http.StatusFound)
				return true
			}
			return false
		})
		source := artifact.Source{
			Ref: registry.Host() + "/" + repository + ":1.4", Login: login(t, map[string]string{registry.Host(): username + ":" + password}, nil),
		}
		_, err := artifact.Look(t.Context(), source, "")
		refused(t, err, artifact.ReasonDenied)
		for _, request := range other.Requests("") {
			assert.Empty(t, request.Header.Get("Authorization"))
		}
	})
	t.Run("and plain http elsewhere gets nothing", func(t *testing.T) {
		registry := registrytest.New(t)
		registry.Push(t, repository, "1.4", registrytest.File("Pulumi.yaml", project))
		registry.Intercept(func(w http.ResponseWriter, request *http.Request) bool {
			http.Redirect(w, request, "http://registry.example.com/signed?signature=hunter22", http.StatusFound)
			return true
		})
		_, err := artifact.Look(t.Context(), artifact.Source{Ref: registry.Host() + "/" + repository + ":1.4"}, "")
		refused(t, err, artifact.ReasonUnavailable, "plain http is for registries on localhost")
	})
}

func TestARegistryWithAnAuthorityOfItsOwn(t *testing.T) { // [X63]
	registry := registrytest.NewTLS(t)
	registry.Push(t, repository, "1.4", registrytest.File("Pulumi.yaml", project))
	source := artifact.Source{Ref: registry.Host() + "/" + repository + ":1.4"}
	_, err := artifact.Look(t.Context(), source, "")
	refused(t, err, artifact.ReasonUnavailable, "not trusted", "signed by unknown authority", "key ca.crt of the pull Secret")

	source.Login = login(t, nil, registry.Authority())
	found, err := artifact.Look(t.Context(), source, "")
	require.NoError(t, err)
	assert.Len(t, found.Files, 1)

	source.Login = login(t, nil, []byte("none"))
	_, err = artifact.Look(t.Context(), source, "")
	refused(t, err, artifact.ReasonPullSecretInvalid, "key ca.crt of the pull Secret platform/registry has no certificate")
}
