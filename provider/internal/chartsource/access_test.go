package chartsource

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/chartserver"
)

const password = "hunter22"

func TestCredentials(t *testing.T) {
	t.Parallel()
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	repository, basic, token := chartserver.NewRepository(t, archive), chartserver.NewRegistry(t), chartserver.NewRegistry(t)
	basic.Push(t, "charts", archive)
	token.Push(t, "charts", archive)
	repository.Demand("me", password)
	basic.Demand("me", password)
	token.DemandToken("me", password)
	withUser := func(address string) string { return strings.Replace(address, "://", "://me:"+password+"@", 1) }
	for name, source := range map[string]Source{
		"of a repository [H1]":         {Chart: "app", Repository: repository.URL},
		"of an address":                {Chart: repository.URL + "/app-1.2.3.tgz"},
		"of a registry":                {Chart: basic.Address("charts/app")},
		"of a registry by its tokens":  {Chart: token.Address("charts/app")},
		"of an exact tag":              {Chart: token.Address("charts/app"), Version: "1.2.3"},
		"of a registry with its paths": {Chart: "app", Repository: token.Address("charts")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := source
			given.Username, given.Password = "me", password
			fetched, err := newFetcher(t).Fetch(t.Context(), given)
			require.NoError(t, err)
			assert.NotContains(t, fetched.Location, password)

			inside := source
			if inside.Repository != "" {
				inside.Repository = withUser(inside.Repository)
			} else {
				inside.Chart = withUser(inside.Chart)
			}
			fetched, err = newFetcher(t).Fetch(t.Context(), inside)
			require.NoError(t, err)
			assert.NotContains(t, fetched.Location, "me:")

			given.Password = "hunter33"
			_, err = newFetcher(t).Fetch(t.Context(), given)
			refused(t, err, Denied, "repoPassword")
			assert.NotContains(t, err.Error(), "hunter33")
			assert.NotContains(t, fmt.Sprintf("%+v", err), "hunter33")

			_, err = newFetcher(t).Fetch(t.Context(), source)
			refused(t, err, Denied, "repoUsername")
		})
	}
}

func TestCredentialsAreNotPrinted(t *testing.T) {
	t.Parallel()
	t.Run("if an error has them", func(t *testing.T) {
		t.Parallel()
		fetcher := newFetcher(t)
		fetcher.dial = func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("proxy refuses " + password)
		}
		_, err := fetcher.Fetch(t.Context(), Source{Chart: "app", Repository: "http://charts.example.com", Username: "me", Password: password})
		refused(t, err, Unreachable, "proxy refuses [secret]")
	})
	t.Run("if they are in an address", func(t *testing.T) {
		t.Parallel()
		located, err := locate(Source{Chart: "app", Repository: "https://me:" + password + "@example.com/charts?token=" + password})
		require.NoError(t, err)
		assert.Nil(t, located.repository.User)
		assert.Equal(t, "app of https://example.com/charts", located.subject())
	})
	t.Run("if they are the signature of a redirect", func(t *testing.T) {
		t.Parallel()
		registry := chartserver.NewRegistry(t)
		registry.Push(t, "charts", chartserver.Package(t, "app", "1.2.3", templates))
		registry.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			switch {
			case r.URL.RawQuery != "":
				w.Header().Set("Docker-Content-Digest", digestOf(nil))
				return true
			case strings.Contains(r.URL.Path, "/blobs/"):
				http.Redirect(w, r, r.URL.Path+"?signature="+password, http.StatusFound)
				return true
			}
			return false
		})
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: registry.Address("charts/app")})
		refused(t, err, Malformed, "not valid")
		assert.NotContains(t, err.Error(), password)
	})
}

func TestLoginsOfARegistry(t *testing.T) {
	t.Parallel()
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	registry := chartserver.NewRegistry(t)
	registry.Push(t, "charts", archive)
	registry.DemandToken("me", password)
	source := Source{Chart: registry.Address("charts/app")}
	login := func(user, word string) string {
		path := filepath.Join(t.TempDir(), "config.json")
		text := fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, registry.Host(), base64.StdEncoding.EncodeToString([]byte(user+":"+word)))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	broken := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(broken, []byte("{"), 0o600))
	missing := filepath.Join(t.TempDir(), "none.json")
	for name, c := range map[string]struct {
		logins []string
		ok     bool
	}{
		"are those of helm, then those of docker [H1]": {[]string{missing, login("me", password)}, true},
		"count in their order":                         {[]string{login("me", "wrong"), login("me", password)}, false},
		"of a broken file are named":                   {[]string{broken}, false},
		"may be missing":                               {[]string{missing}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fetcher := newFetcher(t)
			fetcher.Logins = c.logins
			_, err := fetcher.Fetch(t.Context(), source)
			if c.ok {
				require.NoError(t, err)
				return
			}
			refused(t, err, Denied)
			if c.logins[0] == broken {
				assert.Contains(t, err.Error(), broken)
			}
		})
	}
	t.Run("are not read while a registry wants none", func(t *testing.T) {
		t.Parallel()
		open := chartserver.NewRegistry(t)
		open.Push(t, "charts", archive)
		fetcher := newFetcher(t)
		fetcher.Logins = []string{broken}
		_, err := fetcher.Fetch(t.Context(), Source{Chart: open.Address("charts/app")})
		require.NoError(t, err)
	})
}

func TestTheLoginsOfTheEnvironment(t *testing.T) {
	t.Setenv("HELM_REGISTRY_CONFIG", "/helm/logins.json")
	t.Setenv("DOCKER_CONFIG", "/docker")
	assert.Equal(t, []string{"/helm/logins.json", filepath.Join("/docker", "config.json")}, NewFetcher().Logins)
	t.Setenv("HELM_REGISTRY_CONFIG", "")
	t.Setenv("HELM_CONFIG_HOME", "/helm")
	t.Setenv("DOCKER_CONFIG", "")
	t.Setenv("HOME", "/home/me")
	assert.Equal(t, []string{"/helm/registry/config.json", "/home/me/.docker/config.json"}, NewFetcher().Logins)
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	// to makes a repository redirect its archives.
	to := func(t *testing.T, target string) *chartserver.Repository {
		t.Helper()
		repository := chartserver.NewRepository(t, archive)
		repository.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, ".tgz") && !strings.HasPrefix(r.URL.Path, "/moved/") {
				http.Redirect(w, r, target+"/moved/app-1.2.3.tgz?signature="+password, http.StatusFound)
				return true
			}
			return false
		})
		repository.Demand("me", password)
		return repository
	}
	source := func(repository *chartserver.Repository) Source {
		return Source{Chart: "app", Repository: repository.URL, Username: "me", Password: password}
	}
	t.Run("to the same origin take the credentials along [H1]", func(t *testing.T) {
		t.Parallel()
		repository := to(t, "")
		_, err := newFetcher(t).Fetch(t.Context(), source(repository))
		require.NoError(t, err)
	})
	t.Run("to another port take none along [H1]", func(t *testing.T) {
		t.Parallel()
		elsewhere := chartserver.NewRepository(t, archive)
		seen := make(chan http.Header, 1)
		elsewhere.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			seen <- r.Header
			return false
		})
		_, err := newFetcher(t).Fetch(t.Context(), source(to(t, elsewhere.URL)))
		require.NoError(t, err)
		header := <-seen
		assert.Empty(t, header.Get("Authorization"))
		assert.Empty(t, header.Get("Referer"))
	})
	t.Run("that fail do not show their queries", func(t *testing.T) {
		t.Parallel()
		_, err := newFetcher(t).Fetch(t.Context(), source(to(t, "http://127.0.0.1:1")))
		refused(t, err, Unreachable, "refused")
		assert.NotContains(t, err.Error(), password)
	})
	t.Run("end", func(t *testing.T) {
		t.Parallel()
		repository := chartserver.NewRepository(t)
		repository.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return true
		})
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL})
		refused(t, err, Unreachable, "too many redirects")
		assert.LessOrEqual(t, len(repository.Requests()), maxRedirects+1)
	})
	t.Run("from https to http are not followed", func(t *testing.T) {
		t.Parallel()
		plain := chartserver.NewRepository(t, archive)
		secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, plain.URL+r.URL.Path, http.StatusFound)
		}))
		t.Cleanup(secure.Close)
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: "app", Repository: secure.URL, CACertificate: certificateOf(secure)})
		refused(t, err, NotTrusted, "from https to http")
		assert.Empty(t, plain.Requests())
	})
	t.Run("of a registry's archive take no token along", func(t *testing.T) {
		t.Parallel()
		registry, elsewhere := chartserver.NewRegistry(t), chartserver.NewRegistry(t)
		registry.Push(t, "charts", archive)
		elsewhere.Push(t, "charts", archive)
		elsewhere.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			assert.Empty(t, r.Header.Get("Authorization"))
			return false
		})
		registry.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "/blobs/") && r.Header.Get("Authorization") != "" {
				http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
				return true
			}
			return false
		})
		registry.DemandToken("me", password)
		before := len(elsewhere.Requests())
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: registry.Address("charts/app"), Username: "me", Password: password})
		require.NoError(t, err)
		assert.Len(t, elsewhere.Requests(), before+1)
	})
}

func certificateOf(server *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

func TestTLS(t *testing.T) {
	t.Parallel()
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	repository := chartserver.NewRepository(t, archive)
	registry := chartserver.NewRegistry(t)
	registry.Push(t, "charts", archive)
	secureRepository, secureRegistry := httptest.NewTLSServer(repository), httptest.NewTLSServer(registry)
	t.Cleanup(secureRepository.Close)
	t.Cleanup(secureRegistry.Close)
	host := func(address string) string {
		parsed, err := url.Parse(address)
		require.NoError(t, err)
		return parsed.Host
	}
	for name, source := range map[string]Source{
		"of a repository [H1]": {Chart: "app", Repository: secureRepository.URL},
		"of a registry":        {Chart: "oci://" + host(secureRegistry.URL) + "/charts/app"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newFetcher(t).Fetch(t.Context(), source)
			refused(t, err, NotTrusted, "repoCaCertificate")
			source.CACertificate = certificateOf(secureRepository) // both have the same
			_, err = newFetcher(t).Fetch(t.Context(), source)
			require.NoError(t, err)
		})
	}
	t.Run("is not spoken by every server", func(t *testing.T) {
		t.Parallel()
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: "app", Repository: "https://" + repository.Host()})
		refused(t, err, NotTrusted, "does not speak TLS", "http://")
	})
	t.Run("is not needed by a registry on loopback alone", func(t *testing.T) {
		t.Parallel()
		assert.True(t, isLoopback("localhost:5000") && isLoopback("[::1]:5000") && isLoopback("127.0.0.2"))
		assert.False(t, isLoopback("localhost.example.com:5000") || isLoopback("10.0.0.1") || isLoopback("registry"))
		requests := len(registry.Requests())
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: registry.Address("charts/app"), Version: "1.2.3"})
		require.NoError(t, err)
		assert.GreaterOrEqual(t, len(registry.Requests())-requests, 2)
	})
}
