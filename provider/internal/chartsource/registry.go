package chartsource

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/Masterminds/semver/v3"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// The media types of a chart in a registry.
const (
	configType      = "application/vnd.cncf.helm.config.v1+json"
	chartType       = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	legacyChartType = "application/tar+gzip"
)

// fromRegistry gets a chart from an OCI registry.
func (f *Fetcher) fromRegistry(ctx context.Context, wanted *wanted) (Fetched, error) {
	asked := release{Source: "oci://" + wanted.registry.Registry, Chart: wanted.registry.Repository, Version: wanted.version}
	fetched, err := f.pull(ctx, wanted, asked)
	if err != nil {
		return f.offline(ctx, wanted, asked, err)
	}
	return fetched, nil
}

// fromIndexedRegistry gets a chart from a registry to which the index of a repository points. The credentials are for the repository.
func (f *Fetcher) fromIndexedRegistry(ctx context.Context, from *wanted, address *url.URL, version string) (Fetched, error) {
	there := &wanted{
		chart: Shown(address), version: version, digest: from.digest, by: from.by,
		access: access{authority: from.access.authority},
	}
	if sameOrigin(from.access.origin, &url.URL{Scheme: "https", Host: address.Host}) {
		there.access = from.access
	}
	if err := there.inRegistry(there.chart); err != nil {
		return Fetched{}, errorf(Malformed, "%s has a malformed address for version %s: %s", byIndex, version, there.chart)
	}
	return f.pull(ctx, there, release{})
}

// pull gets a chart by its tag or digest: its manifest, and the layer with its archive.
func (f *Fetcher) pull(ctx context.Context, wanted *wanted, asked release) (Fetched, error) {
	repository, err := f.repository(ctx, wanted)
	if err != nil {
		return Fetched{}, err
	}
	reference := wanted.registry.Reference
	if reference == "" {
		if reference, err = f.findTag(ctx, repository, wanted); err != nil {
			return Fetched{}, err
		}
	}
	manifest, err := f.readManifest(ctx, repository, reference)
	if err != nil {
		return Fetched{}, err
	}
	limits := f.limits.orDefault()
	layer, err := limits.chartLayer(manifest)
	if err != nil {
		return Fetched{}, err
	}
	archive, ok := f.contents(layer.Digest.String())
	if !ok {
		if archive, err = f.readLayer(ctx, repository, layer); err != nil {
			return Fetched{}, err
		}
	}
	expected := *wanted
	if wanted.digest == digestOf(manifest) {
		expected.digest = layer.Digest.String()
	}
	fetched, err := f.use(&expected, archive, wanted.registryLocation(reference))
	if err != nil {
		return Fetched{}, err
	}
	f.keep(manifest)
	if asked.Version = versionOf(reference); asked.Source != "" {
		asked.Digest = digestOf(manifest)
		f.remember(asked)
	}
	return fetched, nil
}

// registryLocation is the address of a chart by its tag or digest.
func (w *wanted) registryLocation(reference string) string {
	at := registryScheme + "://" + w.registry.Registry + "/" + w.registry.Repository
	if w.registry.ValidateReferenceAsDigest() == nil {
		return at + "@" + w.registry.Reference
	}
	return at + ":" + reference
}

// repository returns a client for the repository of a chart.
func (f *Fetcher) repository(ctx context.Context, wanted *wanted) (*remote.Repository, error) {
	client, err := f.client(wanted.access)
	if err != nil {
		return nil, err
	}
	made := &remote.Repository{
		Reference: *wanted.registry,
		Client: &auth.Client{
			Client:     client,
			Header:     http.Header{"User-Agent": {userAgent}},
			Cache:      auth.NewCache(),
			Credential: f.credential(wanted),
		},
		MaxMetadataBytes: f.limits.orDefault().manifest,
	}
	if isLoopback(wanted.registry.Host()) {
		made.PlainHTTP = speaksPlainHTTP(ctx, client, wanted.registry.Host())
	}
	return made, nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// speaksPlainHTTP reports whether a server answers a TLS handshake with plain HTTP. It sends no credentials.
func speaksPlainHTTP(ctx context.Context, client *http.Client, host string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host+"/v2/", nil)
	if err != nil {
		return false
	}
	answer, err := client.Do(request)
	if err == nil {
		answer.Body.Close()
	}
	return errors.Is(err, http.ErrSchemeMismatch)
}

// findTag returns the tag for the wanted version. A version, even a short one such as 1.2, is used as a tag, as in helm. A range is looked
// for among all tags.
func (f *Fetcher) findTag(ctx context.Context, repository *remote.Repository, wanted *wanted) (string, error) {
	if _, err := semver.NewVersion(wanted.version); err == nil {
		return tagOf(wanted.version), nil
	}
	limit := f.limits.orDefault().tags
	var versions []string
	seen := 0
	err := repository.Tags(ctx, "", func(tags []string) error {
		for _, tag := range tags {
			if version := versionOf(tag); isExact(version) {
				versions = append(versions, version)
			}
		}
		if seen += len(tags) + 1; seen > limit { // an endless list may have empty pages
			return errorf(Refused, "the registry has more than %d tags for it", limit).advising("set version to an exact version.")
		}
		return nil
	})
	if err != nil {
		return "", registryError(ctx, err)
	}
	at := newest(versions, wanted.version)
	if at < 0 {
		return "", noVersion(versions, wanted.version)
	}
	return tagOf(versions[at]), nil
}

// readManifest fetches a manifest. If the reference is a digest, the manifest must match it.
func (f *Fetcher) readManifest(ctx context.Context, repository *remote.Repository, reference string) ([]byte, error) {
	limits := f.limits.orDefault()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	described, body, err := repository.Manifests().FetchReference(ctx, reference)
	if err != nil {
		return nil, registryError(ctx, err)
	}
	defer body.Close()
	data, err := limits.readBody(ctx, cancel, body, "the chart's manifest", limits.manifest)
	if err != nil {
		return nil, err
	}
	if actual := digestOf(data); described.Digest.Algorithm() == "sha256" && actual != described.Digest.String() {
		return nil, mismatch(byManifest, described.Digest.String(), actual)
	}
	return data, nil
}

// chartLayer finds the archive of a chart in a manifest.
func (l limits) chartLayer(manifest []byte) (ocispec.Descriptor, error) {
	var read ocispec.Manifest
	if err := json.Unmarshal(manifest, &read); err != nil {
		return ocispec.Descriptor{}, errorf(Malformed, "its manifest in the registry is malformed: %w", err)
	}
	if read.Config.MediaType != configType {
		return ocispec.Descriptor{}, errorf(Malformed, "what the registry has there is no chart").
			advising("check the address: a chart has a configuration of type " + configType + ", and an image does not.")
	}
	found := ocispec.Descriptor{}
	for _, layer := range read.Layers {
		if layer.MediaType == chartType || layer.MediaType == legacyChartType {
			found = layer
		}
	}
	digest, err := parseDigest(found.Digest.String())
	switch {
	case found.MediaType == "":
		return found, errorf(Malformed, "its manifest in the registry has no archive")
	case err != nil || digest != found.Digest.String():
		return found, errorf(Malformed, "its manifest in the registry names no sha256 digest of the archive")
	case found.Size > l.archive || found.Size < 0:
		return found, errorf(Refused, "the archive is larger than %d MiB", l.archive/mebibyte)
	}
	return found, nil
}

// readLayer fetches the archive of a chart. It must have the digest that the manifest states.
func (f *Fetcher) readLayer(ctx context.Context, repository *remote.Repository, layer ocispec.Descriptor) ([]byte, error) {
	limits := f.limits.orDefault()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body, err := repository.Blobs().Fetch(ctx, layer)
	if err != nil {
		return nil, registryError(ctx, err)
	}
	defer body.Close()
	data, err := limits.readBody(ctx, cancel, body, "the archive", layer.Size)
	if err != nil {
		return nil, err
	}
	if actual := digestOf(data); actual != layer.Digest.String() {
		return nil, mismatch(byManifest, layer.Digest.String(), actual)
	}
	return data, nil
}

// registryError classifies an error of the registry library.
func registryError(ctx context.Context, err error) error {
	var made *Error
	var answer *errcode.ErrorResponse
	switch {
	case errors.As(err, &made):
		return made
	case errors.As(err, &answer):
		made = statusError(answer.StatusCode, "the registry")
		for _, said := range answer.Errors {
			made.Why = said.Code
		}
	case errors.Is(err, errdef.ErrNotFound):
		made = errorf(NotFound, "the registry has no such chart or version")
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		made = errorf(Denied, "the registry wants credentials")
	case errors.Is(err, errdef.ErrSizeExceedsLimit):
		made = errorf(Refused, "the registry's answer is too large")
	case isTransport(err):
		made = transportError(ctx, err)
	default:
		made = &Error{Class: Malformed, What: "the registry's answer is not valid", Why: withoutAddress(err)}
	}
	if made.Class == NotFound {
		made.Next = "check the address and the version. Some registries answer so without credentials."
	}
	made.cause = err
	return made
}

// isTransport reports whether an error comes from the connection, and not from the transferred data.
func isTransport(err error) bool {
	var request *url.Error
	var connection net.Error
	return errors.As(err, &request) || errors.As(err, &connection) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
