package chartserver

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Entry is a version of a chart in an index.
type Entry struct {
	Name, Version string
	// URL is the address of the archive, relative or not.
	URL string
	// Digest is what the index states, without sha256:. It may be empty.
	Digest string
}

// Repository is a chart repository.
type Repository struct {
	Server

	archives []Archive
	entries  []Entry
	index    []byte
}

// NewRepository serves archives, and an index of them, until the test ends.
func NewRepository(t testing.TB, archives ...Archive) *Repository {
	t.Helper()
	made := &Repository{}
	made.Add(archives...)
	made.start(t, made)
	return made
}

// Add adds archives, and entries for them.
func (r *Repository) Add(archives ...Archive) {
	for _, archive := range archives {
		r.AddEntry(Entry{
			Name: archive.Name, Version: archive.Version,
			URL: "archives/" + archive.File(), Digest: strings.TrimPrefix(archive.Digest(), "sha256:"),
		})
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.archives = append(r.archives, archives...)
}

// AddEntry adds an entry to the index, in front of the older ones. It replaces an entry of the same version.
func (r *Repository) AddEntry(entry Entry) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.entries = slices.DeleteFunc(r.entries, func(e Entry) bool { return e.Name == entry.Name && e.Version == entry.Version })
	r.entries = slices.Insert(r.entries, 0, entry)
}

// SetIndex replaces the index.
func (r *Repository) SetIndex(index []byte) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.index = index
}

// ServeHTTP answers a request, so that a test can serve the repository in another way too.
func (r *Repository) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.serve(w, request, `Basic realm="charts"`, func(w http.ResponseWriter, request *http.Request) {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		if strings.HasSuffix(request.URL.Path, "/index.yaml") {
			_, _ = w.Write(r.indexFile())
			return
		}
		for _, archive := range r.archives {
			if strings.HasSuffix(request.URL.Path, "/"+archive.File()) {
				_, _ = w.Write(archive.Data)
				return
			}
		}
		http.NotFound(w, request)
	})
}

// indexFile writes the index in the layout of `helm repo index`.
func (r *Repository) indexFile() []byte {
	if r.index != nil {
		return r.index
	}
	var text strings.Builder
	text.WriteString("apiVersion: v1\nentries:\n")
	names := map[string]bool{}
	for _, entry := range r.entries {
		if names[entry.Name] {
			continue
		}
		names[entry.Name] = true
		fmt.Fprintf(&text, "  %s:\n", entry.Name)
		for _, e := range r.entries {
			if e.Name == entry.Name {
				fmt.Fprintf(&text, "  - apiVersion: v2\n    created: \"2026-01-02T03:04:05Z\"\n    digest: %q\n    name: %s\n    urls:\n    - %s\n    version: %s\n",
					e.Digest, e.Name, e.URL, e.Version)
			}
		}
	}
	text.WriteString("generated: \"2026-01-02T03:04:05Z\"\n")
	return []byte(text.String())
}
