package chartsource

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net"
	"sync"

	"golang.org/x/sync/singleflight"
)

// Source says which chart to get.
type Source struct {
	// Chart is a folder, an archive, the http(s) address of an archive, oci://host/path, or, with a Repository, a name.
	Chart string
	// Repository is the address of a chart repository, or the oci:// address before the name.
	Repository string
	// Version is a version or a range of versions. If it is empty, it is the newest version that is not a pre-release.
	Version string
	// Digest is the sha256 digest that the chart must have, if it is not empty.
	Digest string
	// Username and Password are for the repository or the registry.
	Username, Password string
	// CACertificate has certificates in PEM that are trusted in addition to the system's.
	CACertificate string
}

// File is a file of a chart. Its name is relative to the chart, with slashes.
type File struct {
	Name string
	Data []byte
}

// Fetched is a fetched chart.
type Fetched struct {
	// Files are all files of the chart, in the order of their source. Callers share them, and must not change them.
	Files []File
	// Version is the version in Chart.yaml.
	Version string
	// Digest is sha256:… of the archive or, for a folder, of its files.
	Digest string
	// Location is where the chart came from, without credentials and query.
	Location string
	// Offline is the reason why the server was not reached, if the chart comes from the cache instead.
	Offline error
}

// Fetcher gets charts. It is safe for concurrent use, and remembers the charts that it has got.
type Fetcher struct {
	// Cache is the folder for fetched charts; empty for none.
	Cache string
	// Logins are the files in which helm and docker store logins of registries, in order of precedence.
	Logins []string

	limits limits
	// dial replaces the dialer in tests.
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	charts  shared[Fetched] // by their sources
	indexes shared[*index]  // by repository and credentials
	clients sync.Map        // transports by their CA certificates
}

// NewFetcher returns a Fetcher with the cache and the logins of the environment.
func NewFetcher() *Fetcher { return &Fetcher{Cache: CacheFolder(), Logins: LoginFiles()} }

// Fetch gets a chart.
func (f *Fetcher) Fetch(ctx context.Context, source Source) (Fetched, error) {
	wanted, err := locate(source)
	if err != nil {
		return Fetched{}, err
	}
	if wanted.local != "" {
		return f.limits.orDefault().readLocal(wanted)
	}
	fetched, err := f.charts.once(ctx, source, func(ctx context.Context) (Fetched, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, f.limits.orDefault().total, errTotal)
		defer cancel()
		return f.fetch(ctx, wanted)
	})
	return fetched, wanted.explain(ctx, err)
}

// fetch gets a chart from a server, or from the cache.
func (f *Fetcher) fetch(ctx context.Context, wanted *wanted) (Fetched, error) {
	if wanted.digest != "" {
		if pinned, ok := f.cached(wanted, wanted.digest); ok {
			return pinned, nil
		}
	}
	switch {
	case wanted.registry != nil:
		return f.fromRegistry(ctx, wanted)
	case wanted.repository != nil:
		return f.fromRepository(ctx, wanted)
	default:
		return f.fromAddress(ctx, wanted)
	}
}

// shared are results that all callers share.
type shared[T any] struct {
	running singleflight.Group
	known   sync.Map
}

// once runs a request once for all callers that make the same request at the same time, and remembers its success. A caller that stops
// waiting does not end it for the others.
func (s *shared[T]) once(ctx context.Context, key any, run func(context.Context) (T, error)) (T, error) {
	id := identify(key)
	if result, ok := s.known.Load(id); ok {
		return result.(T), nil
	}
	done := s.running.DoChan(id, func() (any, error) {
		result, err := run(context.WithoutCancel(ctx))
		if err == nil {
			s.known.Store(id, result)
		}
		return result, err
	})
	select {
	case <-ctx.Done():
		var none T
		return none, transportError(ctx, ctx.Err())
	case result := <-done:
		return result.Val.(T), result.Err
	}
}

// identify returns a key for a value, credentials included, that does not show them.
func identify(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // structs of texts
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}
