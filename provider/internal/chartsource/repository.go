package chartsource

import (
	"context"
	"net/url"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/spelling"
)

// fromAddress gets the archive at an address.
func (f *Fetcher) fromAddress(ctx context.Context, wanted *wanted) (Fetched, error) {
	data, err := f.getArchive(ctx, wanted.access, wanted.address, "the server")
	if err != nil {
		return Fetched{}, err
	}
	return f.use(wanted, data, Shown(wanted.address))
}

// use unpacks an archive, and caches it if it is the wanted chart.
func (f *Fetcher) use(wanted *wanted, data []byte, location string) (Fetched, error) {
	fetched, err := f.limits.orDefault().unpackVerified(wanted, data, location)
	if err == nil {
		err = fetched.complete(wanted)
	}
	if err != nil {
		return Fetched{}, err
	}
	f.keep(data)
	return fetched, nil
}

// cached returns a pinned chart from the cache, if it is there and is the wanted one. If a program changes the version but not the digest,
// it is not the wanted one: then the server is asked, and the digests differ.
func (f *Fetcher) cached(wanted *wanted, digest string) (Fetched, bool) {
	data, ok := f.contents(digest)
	if !ok {
		return Fetched{}, false
	}
	if wanted.registry != nil { // the digest may belong to the manifest
		if layer, err := f.limits.orDefault().chartLayer(data); err == nil {
			if data, ok = f.contents(layer.Digest.String()); !ok {
				return Fetched{}, false
			}
		}
	}
	files, err := f.limits.orDefault().unpack(data)
	if err != nil {
		return Fetched{}, false
	}
	read, err := metadataOf(files)
	if err != nil || !satisfies(read.Version, wanted.version) || wanted.repository != nil && read.Name != wanted.chart {
		return Fetched{}, false
	}
	return Fetched{Files: files, Version: read.Version, Digest: digestOf(data), Location: wanted.location(read.Version)}, true
}

// location is the address of a version of the chart, as far as the source states it.
func (w *wanted) location(version string) string {
	switch {
	case w.repository != nil:
		return Shown(w.repository)
	case w.registry != nil:
		return w.registryLocation(tagOf(version))
	default:
		return Shown(w.address)
	}
}

// fromRepository gets the chart that the index of a repository names.
func (f *Fetcher) fromRepository(ctx context.Context, wanted *wanted) (Fetched, error) {
	asked := release{Source: Shown(wanted.repository), Chart: wanted.chart, Version: wanted.version}
	found, err := f.index(ctx, wanted)
	if err != nil {
		return f.offline(ctx, wanted, asked, err)
	}
	chosen, err := choose(found, wanted)
	if err != nil {
		return Fetched{}, err
	}
	stated, err := parseDigest(chosen.Digest)
	if err != nil {
		stated = "" // helm ignores it
	}
	if stated != "" && (wanted.digest == "" || wanted.digest == stated) {
		if kept, ok := f.cached(wanted.exactly(chosen.Version), stated); ok {
			f.remember(release{asked.Source, asked.Chart, chosen.Version, stated})
			return kept, nil
		}
	}
	fetched, err := f.fromEntry(ctx, wanted, chosen, stated)
	if err != nil {
		return f.offline(ctx, wanted, asked, err)
	}
	if stated != "" {
		f.remember(release{asked.Source, asked.Chart, chosen.Version, fetched.Digest})
	}
	return fetched, nil
}

// exactly returns the same source with an exact version.
func (w *wanted) exactly(version string) *wanted {
	same := *w
	same.version = version
	return &same
}

// offline returns an exact version from the cache if the server has an outage, and otherwise the error.
func (f *Fetcher) offline(ctx context.Context, wanted *wanted, asked release, why error) (Fetched, error) {
	if isOutage(why) {
		if digest, ok := f.remembered(asked); ok && (wanted.digest == "" || wanted.digest == digest) {
			if kept, ok := f.cached(wanted, digest); ok {
				kept.Offline = wanted.explain(ctx, why)
				return kept, nil
			}
		}
	}
	return Fetched{}, why
}

// index fetches the index of a repository, once.
func (f *Fetcher) index(ctx context.Context, wanted *wanted) (*index, error) {
	key := struct{ Repository, Username, Password, Authority string }{
		wanted.repository.String(), wanted.access.username, wanted.access.password, wanted.access.authority,
	}
	return f.indexes.once(ctx, key, func(ctx context.Context) (*index, error) {
		limits := f.limits.orDefault()
		ctx, cancel := context.WithTimeoutCause(ctx, limits.total, errTotal)
		defer cancel()
		address := relative(wanted.repository, &url.URL{Path: "index.yaml"})
		data, err := f.get(ctx, wanted.access, download{address: address, what: byIndex, limit: limits.index})
		if err != nil {
			return nil, err
		}
		parsed, err := parseIndex(data, limits.section)
		if err != nil {
			return nil, errorf(Malformed, "%s cannot be used: %w", byIndex, err).
				advising("check that repo is the address of a chart repository.")
		}
		return parsed, nil
	})
}

// relative resolves an address of an index, which may be relative to the repository, as helm does.
func relative(repository, reference *url.URL) *url.URL {
	if reference.IsAbs() {
		return reference
	}
	base := *repository
	base.Path = strings.TrimSuffix(base.Path, "/") + "/"
	if base.RawPath != "" {
		base.RawPath = strings.TrimSuffix(base.RawPath, "/") + "/"
	}
	resolved := base.ResolveReference(reference)
	resolved.RawQuery = base.RawQuery
	return resolved
}

// choose returns the entry for the wanted version.
func choose(found *index, wanted *wanted) (entry, error) {
	entries, err := found.entries(wanted.chart)
	if err != nil {
		return entry{}, errorf(Malformed, "%s cannot be used: %w", byIndex, err)
	}
	if len(entries) == 0 {
		missing := errorf(NotFound, "the repository has no such chart").advising("check the name.")
		if near := spelling.Nearest(wanted.chart, found.names()); near != "" && near != wanted.chart {
			missing.Next = "check the name; the repository has " + near + "."
		}
		return entry{}, missing
	}
	versions := make([]string, len(entries))
	for i, entry := range entries {
		versions[i] = entry.Version
	}
	at := newest(versions, wanted.version)
	if at < 0 {
		return entry{}, noVersion(versions, wanted.version)
	}
	return entries[at], nil
}

// fromEntry gets the chart of an entry, which must have the stated digest.
func (f *Fetcher) fromEntry(ctx context.Context, wanted *wanted, chosen entry, stated string) (Fetched, error) {
	address, err := url.Parse(chosen.URLs[0])
	if err != nil {
		return Fetched{}, errorf(Malformed, "%s has a malformed address for version %s", byIndex, chosen.Version)
	}
	address = relative(wanted.repository, address)
	if stated != "" && wanted.digest == "" {
		pinned := *wanted
		pinned.digest, pinned.by = stated, byIndex
		wanted = &pinned
	}
	switch address.Scheme {
	case "http", "https":
		data, err := f.getArchive(ctx, wanted.access, address, "the server of the archive")
		if err != nil {
			return Fetched{}, err
		}
		return f.use(wanted, data, Shown(address))
	case registryScheme:
		return f.fromIndexedRegistry(ctx, wanted, address, chosen.Version)
	default:
		return Fetched{}, errorf(Malformed, "%s has no address for version %s but %s", byIndex, chosen.Version, Shown(address))
	}
}
