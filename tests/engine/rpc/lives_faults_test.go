package rpc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nextWrite is a fault that happens to the next write of the provider.
func nextWrite(what string, do func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)) step {
	return writeAfter(0, what, do)
}

// writeAfter is a fault that happens to a write of the provider after some others: one command may make several.
func writeAfter(others int, what string, do func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)) step {
	which := []string{"the next write", "the second next write", "the third next write"}[others]
	return step{which + ": " + what, func(l *life) error {
		l.faultAfter(others, do)
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
	{"a webhook refuses it", refuse(http.StatusBadRequest, "", `admission webhook "never.example.com" denied the request: never`)},
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

// cancelled is an up that the user interrupts while one of its writes is under way.
func cancelled(others int) func(*life) error {
	return func(l *life) error {
		if l.isReconfigured() {
			return nil
		}
		l.faultAfter(others, func(_ http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
			forward()
			l.running.interrupt()
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		})
		_, _, broken := l.run(l.apply)
		l.gateway.heal()
		return broken
	}
}

// unanswered is an up of another value that does not hear what became of one of its writes.
func unanswered(others int) func(*life) error {
	return func(l *life) error {
		if l.isReconfigured() {
			return nil
		}
		l.wants.value = (l.wants.value + 1) % 3
		l.faultAfter(others, loseReply)
		_, _, broken := l.run(l.apply)
		l.gateway.heal()
		return broken
	}
}

// killed is an up whose provider is killed while one of its writes is under way. The API server has carried that out, and
// sees nothing of the process any more; the engine keeps what it knew.
func killed(others int) func(*life) error {
	return func(l *life) error {
		if l.isReconfigured() {
			return nil
		}
		var dies atomic.Bool
		l.faultAfter(others, func(_ http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
			forward()
			dies.Store(true)
			l.gateway.always(anything, loseRequest)
			l.object.process.kill()
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		})
		_, _, broken := l.run(func() results {
			did := l.apply()
			if dies.Load() {
				l.object.process.ended()
			}
			return did
		})
		l.gateway.heal()
		return broken
	}
}

// restarts has the API server end the next write or request with all others that are under way, and be away for some more.
//
// The API server itself goes on: all tests share it, and run at the same time. To the provider the gateway is the API
// server, and what a restart is to a client (connections that end in the middle, watches too, and then requests that
// nobody takes) is all there is to see of one.
func restarts(ends func(*http.Request) bool, carriedOut bool) func(*life) error {
	return func(l *life) error {
		l.gateway.next(ends, func(_ http.ResponseWriter, _ *http.Request, forward func() *httptest.ResponseRecorder) {
			if carriedOut {
				forward()
			}
			l.gateway.server.CloseClientConnections()
			panic(http.ErrAbortHandler)
		})
		for range 3 {
			l.gateway.next(anything, loseRequest)
		}
		return nil
	}
}

// mishaps are what networks, API servers and signals do.
var mishaps = []chapter{
	{8, cast{}, "", func(random drawing) step {
		f := writeFaults[random.IntN(len(writeFaults))]
		return writeAfter(someWrite(random), f.what, f.do)
	}},
	{2, cast{}, "", func(random drawing) step { return forbids([]string{"get", "patch", "delete"}[random.IntN(3)]) }},
	{2, cast{}, "", func(random drawing) step {
		others := someWrite(random)
		return step{fmt.Sprintf("up, and ^C after %d other writes", others), cancelled(others)}
	}},
	{3, cast{}, "", func(random drawing) step {
		others := someWrite(random)
		return step{fmt.Sprintf("up, and its provider is killed after %d other writes", others), killed(others)}
	}},
	{1, cast{}, "", one("the API server restarts at the next request", restarts(anything, false))},
	{1, cast{}, "", one("the API server restarts at the next write, which it has carried out", restarts(isWrite, true))},
}

// someWrite is how many writes go before the one that goes wrong.
func someWrite(random drawing) int { return max(0, random.IntN(5)-2) }
