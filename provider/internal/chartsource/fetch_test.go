package chartsource

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/chartserver"
)

// newFetcher has a cache of its own and no logins.
func newFetcher(t *testing.T) *Fetcher {
	t.Helper()
	return &Fetcher{Cache: filepath.Join(t.TempDir(), "charts")}
}

// another is another process with the same cache.
func another(f *Fetcher) *Fetcher {
	return &Fetcher{Cache: f.Cache, Logins: f.Logins, limits: f.limits}
}

// offline fails the test if anything is dialled.
func offline(t *testing.T, f *Fetcher) *Fetcher {
	t.Helper()
	f.dial = func(_ context.Context, _, address string) (net.Conn, error) {
		t.Errorf("%s was dialled", address)
		return nil, net.ErrClosed
	}
	return f
}

var templates = map[string]string{"templates/settings.yaml": "kind: ConfigMap\n", "values.yaml": "size: 1\n"}

func fileNames(files []File) []string {
	var names []string
	for _, file := range files {
		names = append(names, file.Name)
	}
	return names
}

// refused wants an error of a class, with everything that an error has to say.
func refused(t *testing.T, err error, class Class, parts ...string) {
	t.Helper()
	var made *Error
	require.ErrorAs(t, err, &made)
	require.Equal(t, class, made.Class, err.Error())
	first, _, _ := strings.Cut(err.Error(), "\n")
	assert.Regexp(t, "^cannot fetch chart .+: .+", first)
	assert.NotEmpty(t, made.Next, err.Error())
	for _, part := range parts {
		assert.Contains(t, err.Error(), part)
	}
	reason, ok := failure.ReasonOf(err)
	assert.True(t, ok && reason == reasons[class], reason)
}

// mismatched wants an error about two digests, and returns them.
func mismatched(t *testing.T, err error, parts ...string) (given, actual string) {
	t.Helper()
	refused(t, err, OtherDigest, parts...)
	var made *Error
	require.ErrorAs(t, err, &made)
	assert.Contains(t, err.Error(), made.Given)
	assert.Contains(t, err.Error(), made.Actual)
	assert.Regexp(t, "^sha256:[0-9a-f]{64}$", made.Actual)
	return made.Given, made.Actual
}

func TestAChartIsTheSameFromEverySource(t *testing.T) {
	t.Parallel()
	folder := chartserver.WriteFolder(t, t.TempDir(), "app", "1.2.3", templates)
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	saved := archive.Save(t, t.TempDir())
	repository := chartserver.NewRepository(t, archive)
	registry := chartserver.NewRegistry(t)
	manifest := registry.Push(t, "charts", archive)
	for name, c := range map[string]struct {
		source   Source
		location string
		digest   string
	}{
		"a folder [H1]":  {Source{Chart: folder}, folder, ""},
		"an archive":     {Source{Chart: saved}, saved, archive.Digest()},
		"an address":     {Source{Chart: repository.URL + "/archives/app-1.2.3.tgz"}, repository.URL + "/archives/app-1.2.3.tgz", archive.Digest()},
		"a repository":   {Source{Chart: "app", Repository: repository.URL + "/"}, repository.URL + "/archives/app-1.2.3.tgz", archive.Digest()},
		"a registry":     {Source{Chart: registry.Address("charts/app")}, registry.Address("charts/app:1.2.3"), archive.Digest()},
		"a version":      {Source{Chart: registry.Address("charts/app"), Version: "1.2.3"}, registry.Address("charts/app:1.2.3"), archive.Digest()},
		"a tag":          {Source{Chart: registry.Address("charts/app:1.2.3")}, registry.Address("charts/app:1.2.3"), archive.Digest()},
		"a digest":       {Source{Chart: registry.Address("charts/app@" + manifest)}, registry.Address("charts/app@" + manifest), archive.Digest()},
		"a name in it":   {Source{Chart: "app", Repository: registry.Address("charts")}, registry.Address("charts/app:1.2.3"), archive.Digest()},
		"a pinned range": {Source{Chart: registry.Address("charts/app"), Version: "^1", Digest: manifest}, registry.Address("charts/app:1.2.3"), archive.Digest()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fetched, err := newFetcher(t).Fetch(t.Context(), c.source)
			require.NoError(t, err)
			assert.Equal(t, []string{"Chart.yaml", "templates/settings.yaml", "values.yaml"}, fileNames(fetched.Files))
			assert.Equal(t, "kind: ConfigMap\n", string(fetched.Files[1].Data))
			assert.Equal(t, "1.2.3", fetched.Version)
			assert.Equal(t, c.location, fetched.Location)
			require.NoError(t, fetched.Offline)
			if c.digest != "" {
				assert.Equal(t, c.digest, fetched.Digest)
			}
			assert.Regexp(t, "^sha256:[0-9a-f]{64}$", fetched.Digest)
		})
	}
}

func TestADigestThatIsGivenDecides(t *testing.T) {
	t.Parallel()
	folder := chartserver.WriteFolder(t, t.TempDir(), "app", "1.2.3", templates)
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	saved := archive.Save(t, t.TempDir())
	repository := chartserver.NewRepository(t, archive)
	registry := chartserver.NewRegistry(t)
	manifest := registry.Push(t, "charts", archive)
	wrong := digestOf([]byte("something else"))
	for name, c := range map[string]struct {
		source Source
		right  string
	}{
		"a folder":     {Source{Chart: folder}, digestOfFiles(mustRead(t, folder))},
		"an archive":   {Source{Chart: saved}, archive.Digest()},
		"an address":   {Source{Chart: repository.URL + "/archives/app-1.2.3.tgz"}, archive.Digest()},
		"a repository": {Source{Chart: "app", Repository: repository.URL}, archive.Digest()},
		"a registry":   {Source{Chart: registry.Address("charts/app")}, archive.Digest()},
		"a manifest":   {Source{Chart: registry.Address("charts/app"), Version: "1.2.3"}, manifest},
	} {
		t.Run(name+" [H1]", func(t *testing.T) {
			t.Parallel()
			for _, right := range []string{c.right, strings.ToUpper(strings.TrimPrefix(c.right, "sha256:"))} {
				c.source.Digest = right
				_, err := newFetcher(t).Fetch(t.Context(), c.source)
				require.NoError(t, err)
			}
			c.source.Digest = wrong
			_, err := newFetcher(t).Fetch(t.Context(), c.source)
			given, actual := mismatched(t, err, "digest in the program")
			assert.Equal(t, wrong, given)
			assert.NotEqual(t, wrong, actual)
		})
	}
}

func mustRead(t *testing.T, folder string) []File {
	t.Helper()
	files, err := defaults.readFolder(folder)
	require.NoError(t, err)
	return files
}

func TestTheDigestThatAServerStatesIsVerified(t *testing.T) {
	t.Parallel()
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	t.Run("of an archive in the index [H1]", func(t *testing.T) {
		t.Parallel()
		repository := chartserver.NewRepository(t, archive)
		repository.Garble(".tgz")
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL})
		given, _ := mismatched(t, err, "index.yaml")
		assert.Equal(t, archive.Digest(), given)
	})
	t.Run("of an archive in a manifest [H1]", func(t *testing.T) {
		t.Parallel()
		registry := chartserver.NewRegistry(t)
		registry.Push(t, "charts", archive)
		registry.Garble("/blobs/")
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: registry.Address("charts/app")})
		given, _ := mismatched(t, err, "manifest")
		assert.Equal(t, archive.Digest(), given)
	})
	t.Run("of a manifest [H1]", func(t *testing.T) {
		t.Parallel()
		registry := chartserver.NewRegistry(t)
		digest := registry.Push(t, "charts", archive)
		registry.Garble("/manifests/")
		for _, chart := range []string{"charts/app:1.2.3", "charts/app@" + digest} {
			_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: registry.Address(chart)})
			refused(t, err, OtherDigest, digest)
		}
	})
	t.Run("of an archive that an index has in a registry", func(t *testing.T) {
		t.Parallel()
		registry := chartserver.NewRegistry(t)
		manifest := registry.Push(t, "charts", archive)
		for _, stated := range []string{"", archive.Digest(), manifest, "no digest"} {
			repository := chartserver.NewRepository(t)
			repository.AddEntry(chartserver.Entry{Name: "app", Version: "1.2.3", URL: registry.Address("charts/app:1.2.3"), Digest: stated})
			fetched, err := newFetcher(t).Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL})
			require.NoError(t, err, stated)
			assert.Equal(t, archive.Digest(), fetched.Digest)
		}
		repository := chartserver.NewRepository(t)
		repository.AddEntry(chartserver.Entry{Name: "app", Version: "1.2.3", URL: registry.Address("charts/app:1.2.3"), Digest: digestOf(nil)})
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL})
		refused(t, err, OtherDigest, digestOf(nil), "index.yaml")
	})
}

func TestTheVersionThatIsTaken(t *testing.T) {
	t.Parallel()
	repository, registry := chartserver.NewRepository(t), chartserver.NewRegistry(t)
	for _, version := range []string{"1.2.3", "1.10.0", "2.0.0-rc.1", "1.9.9", "0.1.0+build.5"} {
		archive := chartserver.Package(t, "app", version, templates)
		repository.Add(archive)
		registry.Push(t, "charts", archive)
	}
	registry.Push(t, "charts", chartserver.Archive{Name: "app", Version: "3"}) // a tag that moves
	pre := chartserver.Package(t, "pre", "0.1.0-alpha", templates)
	repository.Add(pre)
	registry.Push(t, "charts", pre)
	for name, c := range map[string]struct{ chart, version, want string }{
		"is the newest that is no pre-release [H1]":   {"app", "", "1.10.0"},
		"is the newest of a range":                    {"app", "~1.2", "1.2.3"},
		"is below a bound":                            {"app", ">=1.0 <1.10", "1.9.9"},
		"is a pre-release if one is named":            {"app", "2.0.0-rc.1", "2.0.0-rc.1"},
		"is a pre-release if the range has one":       {"app", ">0.0.0-0", "2.0.0-rc.1"},
		"is that with build metadata":                 {"app", "0.1.0+build.5", "0.1.0+build.5"},
		"is the newest of pre-releases, if asked for": {"pre", ">0.0.0-0", "0.1.0-alpha"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, source := range []Source{
				{Chart: c.chart, Repository: repository.URL, Version: c.version},
				{Chart: registry.Address("charts/" + c.chart), Version: c.version},
			} {
				fetched, err := newFetcher(t).Fetch(t.Context(), source)
				require.NoError(t, err)
				assert.Equal(t, c.want, fetched.Version)
			}
		})
	}
	for name, c := range map[string]struct {
		chart, version string
		parts          []string
	}{
		"is none if the range has none":      {"app", "^3", []string{"2.0.0-rc.1, 1.10.0"}},
		"is none if there is no such chart":  {"abb", "", []string{"no such chart", "the repository has app"}},
		"is none if all are pre-releases":    {"pre", "", []string{"pre-releases only: 0.1.0-alpha"}},
		"is no shorter one of a chart alone": {"app", "^1.20", []string{"no such version"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: c.chart, Repository: repository.URL, Version: c.version})
			refused(t, err, NotFound, c.parts...)
			_, err = newFetcher(t).Fetch(t.Context(), Source{Chart: registry.Address("charts/" + c.chart), Version: c.version})
			refused(t, err, NotFound)
		})
	}
}

func TestAVersionThatIsWrittenAsWantedIsTakenFirst(t *testing.T) {
	t.Parallel()
	for wanted, want := range map[string]int{"1.0.0+b": 1, "1.0.0": 0, "v2.0.0": 2, "2.0.0": 2, "^1": 0, "3": -1} {
		assert.Equal(t, want, newest([]string{"1.0.0+a", "1.0.0+b", "v2.0.0", "latest"}, wanted), wanted)
	}
}

func TestWhatCannotBeASource(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source Source
		part   string
	}{
		"nothing":                            {Source{}, "no chart is named"},
		"a scheme that there is not":         {Source{Chart: "s3://bucket/app.tgz"}, "unknown scheme"},
		"a stored name of a repository":      {Source{Chart: "app", Repository: "bitnami"}, "malformed"},
		"a folder in a repository":           {Source{Chart: "./app", Repository: "https://example.com"}, "without a path"},
		"an address in a repository":         {Source{Chart: "oci://example.com/app", Repository: "https://example.com"}, "without a path"},
		"a file as a repository":             {Source{Chart: "app", Repository: "file://host/charts"}, "no address of a repository"},
		"a version that is none":             {Source{Chart: "app", Repository: "https://example.com", Version: "newest"}, "neither a version nor a range"},
		"a digest that is none":              {Source{Chart: "app", Digest: "sha256:12"}, "64 hexadecimal digits"},
		"two versions":                       {Source{Chart: "oci://example.com/app:1.0.0", Version: "2.0.0"}, "another version"},
		"two digests":                        {Source{Chart: "oci://example.com/app@" + digestOf(nil), Digest: digestOf([]byte("x"))}, "another digest"},
		"a registry without a path":          {Source{Chart: "oci://example.com"}, "malformed"},
		"upper case in a registry":           {Source{Chart: "oci://example.com/App"}, "lower case"},
		"a certificate that is none":         {Source{Chart: "app", Repository: "https://127.0.0.1:1", CACertificate: "x"}, "no certificate"},
		"credentials in a malformed one":     {Source{Chart: "app", Repository: "https://me:hunter22@[x"}, "malformed"},
		"credentials with a question mark":   {Source{Chart: "app", Repository: "https://me:hunter22?x@example.com"}, "malformed"},
		"a query with an at sign":            {Source{Chart: "app", Repository: "https://[x?token=a@hunter22"}, "malformed"},
		"credentials in an unknown scheme":   {Source{Chart: "ftp://me:hunter22@example.com/app?token=hunter22"}, "unknown scheme"},
		"credentials in a bad registry":      {Source{Chart: "oci://me:hunter22@example.com/App"}, "malformed"},
		"an address with no host":            {Source{Chart: "https:///app.tgz"}, "malformed"},
		"credentials in place of its scheme": {Source{Chart: "app", Repository: "file://me:hunter22@host/charts"}, "no address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := offline(t, newFetcher(t)).Fetch(t.Context(), c.source)
			var made *Error
			require.ErrorAs(t, err, &made)
			assert.Equal(t, Invalid, made.Class)
			assert.Contains(t, err.Error(), c.part)
			assert.NotContains(t, err.Error(), "hunter22")
			assert.NotEmpty(t, made.Next)
		})
	}
}

func TestAnAddressInAnIndex(t *testing.T) {
	t.Parallel()
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	t.Run("may be on another server, which gets no credentials [H1]", func(t *testing.T) {
		t.Parallel()
		elsewhere := chartserver.NewRepository(t, archive)
		elsewhere.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			assert.Empty(t, r.Header.Get("Authorization"))
			return false
		})
		repository := chartserver.NewRepository(t)
		repository.Demand("me", "hunter22")
		repository.AddEntry(chartserver.Entry{Name: "app", Version: "1.2.3", URL: elsewhere.URL + "/app-1.2.3.tgz"})
		fetched, err := newFetcher(t).Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL, Username: "me", Password: "hunter22"})
		require.NoError(t, err)
		assert.Equal(t, elsewhere.URL+"/app-1.2.3.tgz", fetched.Location)
	})
	t.Run("is relative to the repository, with its query", func(t *testing.T) {
		t.Parallel()
		repository := chartserver.NewRepository(t, archive)
		repository.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.RawQuery != "token=hunter22" || !strings.HasPrefix(r.URL.Path, "/a/b/") {
				w.WriteHeader(http.StatusNotFound)
				return true
			}
			return false
		})
		fetched, err := newFetcher(t).Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL + "/a/b?token=hunter22"})
		require.NoError(t, err)
		assert.Equal(t, repository.URL+"/a/b/archives/app-1.2.3.tgz", fetched.Location)
	})
	t.Run("that is none is refused", func(t *testing.T) {
		t.Parallel()
		for _, address := range []string{"file:///etc/passwd", "ftp://example.com/app.tgz"} {
			repository := chartserver.NewRepository(t)
			repository.AddEntry(chartserver.Entry{Name: "app", Version: "1.2.3", URL: address})
			_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL})
			refused(t, err, Malformed, "1.2.3")
		}
	})
}

func TestWhatIsNoChart(t *testing.T) {
	t.Parallel()
	registry := chartserver.NewRegistry(t)
	registry.PushManifest(t, "images/app", "1.0.0", chartserver.Blob{MediaType: "application/vnd.oci.image.config.v1+json", Data: []byte("{}")})
	registry.PushManifest(t, "charts/empty", "1.0.0", chartserver.Blob{MediaType: chartserver.ConfigType, Data: []byte("{}")})
	html := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>Log in</html>")) }))
	t.Cleanup(html.Close)
	empty := t.TempDir()
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, []byte("a: 1\n"), 0o600))
	nameless := chartserver.WriteFolder(t, t.TempDir(), "x", "1.0.0", map[string]string{"Chart.yaml": "version: 1.0.0\n"})
	for name, c := range map[string]struct {
		source Source
		class  Class
		part   string
	}{
		"a path that there is not":        {Source{Chart: filepath.Join(empty, "x")}, NotFound, "there is no such folder or archive"},
		"a folder without Chart.yaml":     {Source{Chart: empty}, Malformed, "no Chart.yaml"},
		"a Chart.yaml without a name":     {Source{Chart: nameless}, Malformed, "no name"},
		"a file of values":                {Source{Chart: file}, Malformed, "not compressed by gzip"},
		"a login page as an archive":      {Source{Chart: html.URL + "/app.tgz"}, Malformed, "not compressed by gzip"},
		"a login page as an index":        {Source{Chart: "app", Repository: html.URL}, Malformed, "index.yaml cannot be used"},
		"an image":                        {Source{Chart: registry.Address("images/app")}, Malformed, "no chart"},
		"a manifest without an archive":   {Source{Chart: registry.Address("charts/empty")}, Malformed, "no archive"},
		"a registry that is none":         {Source{Chart: "oci://" + strings.TrimPrefix(html.URL, "http://") + "/app", Version: "1.0.0"}, Malformed, "manifest in the registry is malformed"},
		"a repository path with no chart": {Source{Chart: registry.Address("charts/none"), Version: "1.0.0"}, NotFound, "no such chart"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newFetcher(t).Fetch(t.Context(), c.source)
			refused(t, err, c.class, c.part)
		})
	}
}

func TestAVersionThatALocalChartDoesNotHaveIsAnError(t *testing.T) {
	t.Parallel()
	folder := chartserver.WriteFolder(t, t.TempDir(), "app", "1.2.3", nil)
	_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: folder, Version: "^1"})
	require.NoError(t, err)
	_, err = newFetcher(t).Fetch(t.Context(), Source{Chart: folder, Version: "2.0.0"})
	refused(t, err, NotFound, "version 1.2.3")
}
