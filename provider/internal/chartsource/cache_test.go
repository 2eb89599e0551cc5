package chartsource

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/chartserver"
)

func TestAChartIsAskedForOncePerProcess(t *testing.T) {
	t.Parallel()
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	repository := chartserver.NewRepository(t, archive, chartserver.Package(t, "other", "1.0.0", templates))
	registry := chartserver.NewRegistry(t)
	registry.Push(t, "charts", chartserver.Package(t, "app", "1.2.3", nil))
	pushed := len(registry.Requests())
	fetcher := newFetcher(t)
	fetch := func(f *Fetcher, source Source) {
		_, err := f.Fetch(t.Context(), source)
		assert.NoError(t, err)
	}
	var all sync.WaitGroup
	for range 20 {
		for _, source := range []Source{
			{Chart: "app", Repository: repository.URL}, {Chart: "app", Repository: repository.URL, Version: "^1"},
			{Chart: "other", Repository: repository.URL}, {Chart: registry.Address("charts/app")},
		} {
			all.Go(func() { fetch(fetcher, source) })
		}
	}
	all.Wait()
	assert.Equal(t, 1, repository.Count("index.yaml"), "however many charts and versions are asked for")
	assert.LessOrEqual(t, repository.Count("app-1.2.3.tgz"), 2, "once for each version that was asked for")
	assert.Equal(t, 1, registry.Count("/tags/"))
	assert.Len(t, registry.Requests(), pushed+3, "tags, manifest, archive: %v", registry.Requests()[pushed:])

	t.Run("and again in the next one, but what has a known digest is not fetched again", func(t *testing.T) {
		archives := repository.Count(".tgz")
		next := another(fetcher)
		fetch(next, Source{Chart: "app", Repository: repository.URL})
		fetch(next, Source{Chart: registry.Address("charts/app")})
		assert.Equal(t, 2, repository.Count("index.yaml"))
		assert.Equal(t, archives, repository.Count(".tgz"))
		assert.Equal(t, 2, registry.Count("/tags/"))
		assert.Equal(t, 1, registry.Count("GET /v2/charts/app/blobs/"))
	})
	t.Run("and a new version is found then", func(t *testing.T) {
		repository.Add(chartserver.Package(t, "app", "1.3.0", templates))
		fetched, err := fetcher.Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL})
		require.NoError(t, err)
		assert.Equal(t, "1.2.3", fetched.Version, "a process sees one version")
		fetched, err = another(fetcher).Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL})
		require.NoError(t, err)
		assert.Equal(t, "1.3.0", fetched.Version)
	})
}

func TestWhatFailedIsAskedForAgain(t *testing.T) {
	t.Parallel()
	repository := chartserver.NewRepository(t, chartserver.Package(t, "app", "1.2.3", templates))
	fetcher := newFetcher(t)
	repository.Fail(http.StatusServiceUnavailable)
	_, err := fetcher.Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL})
	refused(t, err, Failed, "503 (Service Unavailable)")
	repository.Fail(0)
	_, err = fetcher.Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL})
	require.NoError(t, err)
}

func TestWhatIsPinnedNeedsNoServer(t *testing.T) {
	t.Parallel()
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	repository := chartserver.NewRepository(t, archive)
	registry := chartserver.NewRegistry(t)
	manifest := registry.Push(t, "charts", archive)
	for name, source := range map[string]Source{
		"by the digest of an address [H1]": {Chart: repository.URL + "/app-1.2.3.tgz", Digest: archive.Digest()},
		"by the digest beside its name":    {Chart: "app", Repository: repository.URL, Version: "^1", Digest: archive.Digest()},
		"by a digest in a registry":        {Chart: registry.Address("charts/app"), Digest: archive.Digest()},
		"by the digest of a manifest":      {Chart: registry.Address("charts/app"), Version: "1.2.3", Digest: manifest},
		"by an address with a digest":      {Chart: registry.Address("charts/app:1.2.3@" + manifest)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fetcher := newFetcher(t)
			first, err := fetcher.Fetch(t.Context(), source)
			require.NoError(t, err)
			second, err := offline(t, another(fetcher)).Fetch(t.Context(), source)
			require.NoError(t, err)
			assert.Equal(t, first.Files, second.Files)
			assert.Equal(t, first.Digest, second.Digest)
			require.NoError(t, second.Offline, "the server was not wanted")
		})
	}
	t.Run("but a digest that was left behind is noticed", func(t *testing.T) {
		t.Parallel()
		fetcher := newFetcher(t)
		newer := chartserver.Package(t, "app", "1.3.0", templates)
		repository, registry := chartserver.NewRepository(t, archive, newer), chartserver.NewRegistry(t)
		registry.Push(t, "charts", archive)
		registry.Push(t, "charts", newer)
		for _, source := range []Source{{Chart: "app", Repository: repository.URL}, {Chart: registry.Address("charts/app")}} {
			source.Digest, source.Version = archive.Digest(), "1.2.3"
			_, err := fetcher.Fetch(t.Context(), source)
			require.NoError(t, err)
			source.Version = "1.3.0"
			_, err = fetcher.Fetch(t.Context(), source)
			refused(t, err, OtherDigest, archive.Digest(), newer.Digest())
		}
		other := chartserver.Package(t, "other", "1.2.3", templates)
		repository.Add(other)
		_, err := another(fetcher).Fetch(t.Context(), Source{Chart: "other", Repository: repository.URL, Digest: archive.Digest()})
		refused(t, err, OtherDigest, archive.Digest(), other.Digest())
	})
}

func TestAnOutage(t *testing.T) {
	t.Parallel()
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	repository := chartserver.NewRepository(t, archive)
	registry := chartserver.NewRegistry(t)
	registry.Push(t, "charts", archive)
	fetcher := newFetcher(t)
	byName, byAddress := Source{Chart: "app", Repository: repository.URL}, Source{Chart: registry.Address("charts/app")}
	for _, source := range []Source{byName, byAddress} {
		_, err := fetcher.Fetch(t.Context(), source)
		require.NoError(t, err)
	}
	fail := func(status int) {
		repository.Fail(status)
		registry.Fail(status)
	}
	with := func(source Source, version string) Source {
		source.Version = version
		return source
	}
	for _, source := range []Source{byName, byAddress} {
		fail(http.StatusBadGateway)
		fetched, err := another(fetcher).Fetch(t.Context(), with(source, "1.2.3"))
		require.NoError(t, err, "an exact version that was fetched before comes from the cache [H1]")
		assert.Equal(t, archive.Digest(), fetched.Digest)
		refused(t, fetched.Offline, Failed, "502")

		for _, version := range []string{"", "^1", "1.2", "1.2.4"} {
			_, err = another(fetcher).Fetch(t.Context(), with(source, version))
			refused(t, err, Failed)
		}
		for status, class := range map[int]Class{http.StatusUnauthorized: Denied, http.StatusForbidden: Denied, http.StatusNotFound: NotFound} {
			fail(status)
			_, err = another(fetcher).Fetch(t.Context(), with(source, "1.2.3"))
			refused(t, err, class)
		}
	}
	t.Run("of the server of the archive alone is one too", func(t *testing.T) {
		elsewhere := chartserver.NewRepository(t, archive)
		repository := chartserver.NewRepository(t)
		repository.AddEntry(chartserver.Entry{Name: "app", Version: "1.2.3", URL: elsewhere.URL + "/app-1.2.3.tgz"})
		elsewhere.Fail(http.StatusBadGateway)
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: "app", Repository: repository.URL, Version: "1.2.3"})
		refused(t, err, Failed, "502")
	})
	t.Run("is not bridged for what may be a range", func(t *testing.T) {
		repository := chartserver.NewRepository(t, chartserver.Package(t, "app", "1.2", templates))
		fetcher := newFetcher(t)
		source := Source{Chart: "app", Repository: repository.URL, Version: "1.2"}
		_, err := fetcher.Fetch(t.Context(), source)
		require.NoError(t, err)
		repository.Fail(http.StatusBadGateway)
		_, err = another(fetcher).Fetch(t.Context(), source)
		refused(t, err, Failed)
	})
	t.Run("ends where nothing vouched for the archive", func(t *testing.T) {
		repository := chartserver.NewRepository(t, archive)
		repository.AddEntry(chartserver.Entry{Name: "app", Version: "1.2.3", URL: "app-1.2.3.tgz"})
		fetcher := newFetcher(t)
		source := Source{Chart: "app", Repository: repository.URL, Version: "1.2.3"}
		_, err := fetcher.Fetch(t.Context(), source)
		require.NoError(t, err)
		repository.Fail(http.StatusBadGateway)
		_, err = another(fetcher).Fetch(t.Context(), source)
		refused(t, err, Failed)
	})
}

func TestACacheThatCannotBeUsedIsNoError(t *testing.T) {
	t.Parallel()
	archive := chartserver.Package(t, "app", "1.2.3", templates)
	repository := chartserver.NewRepository(t, archive)
	source := Source{Chart: "app", Repository: repository.URL, Digest: archive.Digest()}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, folder := range map[string]string{"none": "", "a file": file, "below a file": filepath.Join(file, "x")} {
		_, err := (&Fetcher{Cache: folder}).Fetch(t.Context(), source)
		require.NoError(t, err, name)
	}
	t.Run("and what was changed in it is not used", func(t *testing.T) {
		t.Parallel()
		fetcher := newFetcher(t)
		_, err := fetcher.Fetch(t.Context(), source)
		require.NoError(t, err)
		changed, other := 0, chartserver.Package(t, "app", "1.2.3", nil)
		require.NoError(t, filepath.WalkDir(fetcher.Cache, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				changed++
				err = os.WriteFile(path, other.Data, 0o600)
			}
			return err
		}))
		assert.Equal(t, 2, changed, "the archive, and what the index says of the version")
		fetched, err := another(fetcher).Fetch(t.Context(), source)
		require.NoError(t, err)
		assert.Equal(t, archive.Digest(), fetched.Digest)
	})
	t.Run("and what it says of another version is not used", func(t *testing.T) {
		t.Parallel()
		fetcher := newFetcher(t)
		said := release{Source: "s", Chart: "app", Version: "1.2.3", Digest: archive.Digest()}
		other := said
		other.Version = "1.2.4"
		fetcher.remember(said)
		require.NoError(t, os.Rename(fetcher.releaseFile(said), fetcher.releaseFile(other)))
		_, ok := fetcher.remembered(other)
		assert.False(t, ok)
	})
	t.Run("and it is the user's alone", func(t *testing.T) {
		t.Parallel()
		fetcher := newFetcher(t)
		_, err := fetcher.Fetch(t.Context(), source)
		require.NoError(t, err)
		require.NoError(t, filepath.WalkDir(fetcher.Cache, func(_ string, entry fs.DirEntry, err error) error {
			require.NoError(t, err)
			info, err := entry.Info()
			assert.Zero(t, info.Mode().Perm()&0o077)
			return err
		}))
	})
}

func TestTheCacheOfTheEnvironment(t *testing.T) {
	t.Setenv("PULUMI_HOME", "/pulumi")
	assert.Equal(t, filepath.Join("/pulumi", "k8sconnect", "charts"), NewFetcher().Cache)
	t.Setenv("PULUMI_HOME", "")
	t.Setenv("HOME", "/home/me")
	t.Setenv("XDG_CACHE_HOME", "")
	assert.Contains(t, NewFetcher().Cache, filepath.Join("pulumi-k8sconnect", "charts"))
}
