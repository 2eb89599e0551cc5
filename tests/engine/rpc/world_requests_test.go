package rpc_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	applyPatch = "application/apply-patch+yaml"
	jsonPatch  = "application/json-patch+json"
	mergePatch = "application/merge-patch+json"
)

func isRealApply(r *http.Request) bool {
	return isApply(r) && r.Header.Get("Content-Type") == applyPatch
}

func isJSONPatch(r *http.Request) bool {
	return isApply(r) && r.Header.Get("Content-Type") == jsonPatch
}

// watchRequests follows the requests for objects and tells the kinds of patches apart.
func (g *gateway) watchRequests() (take func() []string) {
	var seen []string
	g.always(func(r *http.Request) bool {
		if isDiscovery(r) || isAskingID(r) {
			return false
		}
		what := r.Method
		switch r.Header.Get("Content-Type") {
		case applyPatch:
			what = "apply"
		case jsonPatch:
			what = "json patch"
		case mergePatch:
			what = "merge patch"
		}
		if r.URL.Query().Get("force") == "true" {
			what += " by force"
		}
		if r.URL.Query().Get("dryRun") != "" {
			what += ", dry-run"
		}
		seen = append(seen, what) // under the gateway's lock
		return false
	}, nil)
	return func() []string {
		g.mu.Lock()
		defer g.mu.Unlock()
		taken := seen
		seen = nil
		return taken
	}
}

// meanwhile has something happen on the cluster while a request is on its way.
func meanwhile(act func()) func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ *http.Request, forward func() *httptest.ResponseRecorder) {
		act()
		reply := forward()
		maps.Copy(w.Header(), reply.Header())
		w.WriteHeader(reply.Code)
		_, _ = w.Write(reply.Body.Bytes())
	}
}

// owned is what a manager owns on an object by applying, as the API server writes it; "" without an entry.
func (w world) owned(kind, name, manager string) string {
	w.t.Helper()
	for _, entry := range w.get(kind, name).GetManagedFields() {
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply {
			return entry.FieldsV1.GetRawString()
		}
	}
	return ""
}

// ours is what the resource owns on the object.
func (w world) ours(t testing.TB, s *session, kind, name string) string {
	t.Helper()
	manager, _ := at(t, s.outputs, "__fieldManager").(string)
	return w.owned(kind, name, manager)
}

// warned is all warnings so far, as one text.
func (s *session) warned() string { return strings.Join(s.process.log.warnings(), "\n") }

// watchDeletions follows the bodies of the deletions.
func (g *gateway) watchDeletions() (sent func() []string) {
	var bodies []string
	g.always(func(r *http.Request) bool {
		if isDelete(r) {
			body, _ := io.ReadAll(r.Body) // it is in memory
			r.Body = io.NopCloser(bytes.NewReader(body))
			bodies = append(bodies, string(body)) // under the gateway's lock
		}
		return false
	}, nil)
	return func() []string {
		g.mu.Lock()
		defer g.mu.Unlock()
		return slices.Clone(bodies)
	}
}
