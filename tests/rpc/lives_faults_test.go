package rpc_test

import (
	"net/http"
	"net/http/httptest"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nextWrite is a fault that happens to the next write of the provider.
func nextWrite(what string, do func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)) step {
	return step{"the next write: " + what, func(l *life) error {
		l.fault(do)
		return nil
	}}
}

// writeFaults is what happens to a write.
var writeFaults = []struct {
	what string
	do   func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)
}{
	{"its reply is lost", loseReply},
	{"it is lost", loseRequest},
	{"half of its reply is lost", halveReply},
	{"a policy refuses it", refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "not on Fridays")},
	{"500", refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcd")},
	{"429", refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slowly")},
	{"409", refuse(http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified")},
	{"503", refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "shutting down")},
	{"401", refuse(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "expired")},
}

// isWrite matches what changes something.
func isWrite(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.Contains(r.URL.RawQuery, "dryRun=All")
}

// forbidden are the verbs that a user may lack, and what lacks them.
var forbidden = map[string]func(*http.Request) bool{
	"get":    isGet,
	"patch":  func(r *http.Request) bool { return r.Method == http.MethodPatch },
	"delete": isDelete,
}

// forbids is a preview, an up, a refresh and a destroy by a user who lacks a verb. Nothing is said of what they do but what
// holds of every command, and that nothing is "same" that could not be looked at.
func forbids(verb string) step {
	return step{"preview, up and refresh by a user who may not " + verb, func(l *life) error {
		if l.isReconfigured() {
			return nil
		}
		l.gateway.heal()
		l.gateway.always(forbidden[verb], refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "you may not "+verb))
		defer l.gateway.heal()
		if verb == "get" {
			return l.blind()
		}
		if err := l.up(); err != nil {
			return err
		}
		return l.refresh()
	}}
}

// cancelled is an up that the user interrupts while its next write is under way.
func (l *life) cancelled() error {
	if l.isReconfigured() {
		return nil
	}
	l.fault(func(_ http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
		forward()
		_ = l.object.process.SignalCancellation(l.t.Context())
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	})
	_, _, broken := l.run(l.apply)
	l.gateway.heal()
	return broken
}

// restarts has the API server go away for some requests.
func (l *life) restarts() error {
	for range 3 {
		l.gateway.next(anything, loseRequest)
	}
	return nil
}

// mishaps are what networks, API servers and signals do.
var mishaps = []chapter{
	{8, cast{}, "", func(random drawing) step {
		f := writeFaults[random.IntN(len(writeFaults))]
		return nextWrite(f.what, f.do)
	}},
	{2, cast{}, "", func(random drawing) step { return forbids([]string{"get", "patch", "delete"}[random.IntN(3)]) }},
	{2, cast{}, "", one("up, and ^C at its next write", (*life).cancelled)},
	{1, cast{}, "", one("the API server restarts", (*life).restarts)},
}
