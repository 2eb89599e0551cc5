package chartsource

import (
	"net/url"
	"strings"

	"github.com/Masterminds/semver/v3"
	"oras.land/oras-go/v2/registry"
)

const registryScheme = "oci"

// wanted is a parsed source: a local path, the address of an archive, a chart in a repository, or a chart in a registry.
type wanted struct {
	local      string              // a folder or an archive on disk
	address    *url.URL            // of an archive
	repository *url.URL            // with chart
	registry   *registry.Reference // with a tag, a digest or neither

	chart   string // as in the source
	version string
	digest  string // sha256:… or empty
	by      string // the source of the digest
	access  access
}

// subject names the chart in messages.
func (w *wanted) subject() string {
	switch {
	case w.repository != nil:
		return w.chart + versionSuffix(w.version) + " of " + Shown(w.repository)
	case w.registry != nil, w.local != "":
		return w.chart + versionSuffix(w.version)
	default:
		return Shown(w.address)
	}
}

func versionSuffix(version string) string {
	if version == "" {
		return ""
	}
	return " " + version
}

// Shown returns an address without parts that may be credentials.
func Shown(address *url.URL) string {
	plain := url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path, RawPath: address.RawPath}
	return plain.String()
}

// locate parses a source. It reads nothing.
func locate(source Source) (*wanted, error) {
	chart, repository := strings.TrimSpace(source.Chart), strings.TrimSpace(source.Repository)
	w := &wanted{
		chart: chart, version: strings.TrimSpace(source.Version), by: byProgram,
		access: access{
			username: source.Username, password: source.Password, authority: source.CACertificate,
		},
	}
	if chart == "" {
		return nil, errorf(Invalid, "no chart is named").
			advising("set chart to a folder, an archive, an address, or to a name with its repository.")
	}
	var err error
	if w.digest, err = parseDigest(source.Digest); err != nil {
		return nil, err
	}
	if err := checkVersion(w.version); err != nil {
		return nil, err
	}
	if repository != "" {
		err = w.inRepository(repository)
	} else {
		err = w.alone()
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// inRepository locates a chart by its name and its repository.
func (w *wanted) inRepository(repository string) error {
	if strings.Contains(w.chart, "://") || strings.ContainsAny(w.chart, `/\`) || strings.HasPrefix(w.chart, ".") {
		return errorf(Invalid, "a chart of a repository is named without a path, unlike %s", hidden(w.chart)).
			advising("set chart to its name, or leave out repo.")
	}
	at, err := w.parse(repository)
	if err != nil {
		return err
	}
	switch at.Scheme {
	case "http", "https":
		w.repository = at
		return nil
	case registryScheme:
		w.chart = strings.TrimSuffix(Shown(at), "/") + "/" + w.chart
		return w.inRegistry(w.chart)
	default:
		return errorf(Invalid, "repository %s is no address of a repository", hidden(repository)).
			advising("write https://… or oci://…; names that `helm repo add` has stored on a machine are not read.")
	}
}

// alone locates a chart without a repository.
func (w *wanted) alone() error {
	if !strings.Contains(w.chart, "://") {
		w.local = w.chart
		return nil
	}
	at, err := w.parse(w.chart)
	if err != nil {
		return err
	}
	w.chart = Shown(at)
	switch at.Scheme {
	case "http", "https":
		w.address = at
		return nil
	case registryScheme:
		return w.inRegistry(w.chart)
	default:
		return errorf(Invalid, "%s has an unknown scheme", w.chart).
			advising("write https://…, http://…, oci://…, or the path of a folder or an archive.")
	}
}

// parse parses an address and removes its credentials, which it keeps for the access.
func (w *wanted) parse(address string) (*url.URL, error) {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" {
		// The text of the error contains the address.
		return nil, errorf(Invalid, "the address %s is malformed", hidden(address)).advising("write scheme://host/path.")
	}
	if at.User != nil {
		if w.access.username == "" && w.access.password == "" {
			w.access.username = at.User.Username()
			w.access.password, _ = at.User.Password()
		}
		at.User = nil
	}
	w.access.origin = at
	return at, nil
}

// hidden returns the part of an address that may be shown. The address may have credentials and may not parse.
func hidden(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		return address
	}
	rest, query, _ := strings.Cut(rest, "?")
	if strings.Contains(query, "@") { // A password may contain a question mark, and a query an at sign: which it is, is not known.
		return scheme + "://…"
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 && !strings.HasPrefix(rest[at:], "@sha256:") {
		rest = rest[at+1:]
	}
	return scheme + "://" + rest
}

// inRegistry locates a chart in a registry: oci://host/path, with :tag, @digest or neither.
func (w *wanted) inRegistry(address string) error {
	text, digest, pinned := strings.Cut(strings.TrimPrefix(address, registryScheme+"://"), "@")
	tag := ""
	if colon := strings.LastIndex(text, ":"); colon > strings.LastIndex(text, "/") {
		text, tag = text[:colon], text[colon+1:]
	}
	reference, err := registry.ParseReference(text)
	if err != nil || reference.Repository == "" {
		return errorf(Invalid, "%s is malformed", address).advising("write oci://host/path, in lower case, with the version in version.")
	}
	w.registry = &reference
	w.access.origin = &url.URL{Scheme: "https", Host: reference.Host()}
	if tag != "" {
		if w.version != "" && w.version != tag && tagOf(w.version) != tagOf(tag) {
			return errorf(Invalid, "%s names another version than version, which is %s", address, w.version).
				advising("leave one of them out.")
		}
		reference.Reference = tagOf(tag)
		if w.version == "" && isExact(versionOf(tag)) {
			w.version = versionOf(tag)
		}
	}
	if pinned {
		if digest, err = parseDigest(digest); err != nil {
			return err
		}
		if w.digest != "" && w.digest != digest {
			return errorf(Invalid, "%s names another digest than digest, which is %s", address, w.digest).
				advising("leave one of them out.")
		}
		w.digest, reference.Reference = digest, digest
	}
	return nil
}

// tagOf returns the tag for a version: tags must not contain a plus.
func tagOf(version string) string { return strings.ReplaceAll(version, "+", "_") }

// versionOf returns the version that a tag stands for.
func versionOf(tag string) string { return strings.ReplaceAll(tag, "_", "+") }

// checkVersion returns an error if a text is neither a version nor a range.
func checkVersion(version string) error {
	if version == "" {
		return nil
	}
	if _, err := semver.NewConstraint(version); err != nil {
		return errorf(Invalid, "%s is neither a version nor a range of versions", version).
			advising("write a version such as 1.2.3, or a range such as ^1.2 or >=1.2 <2.")
	}
	return nil
}

// isExact reports whether a version is a single version and not a range.
func isExact(version string) bool {
	_, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v"))
	return err == nil
}
