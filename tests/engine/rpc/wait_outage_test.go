package rpc_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" }

// faults are what an API server or the way to it does that passes.
var faults = map[string]func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder){
	"429":              refuse(429, metav1.StatusReasonTooManyRequests, "slow down"),
	"500":              refuse(500, metav1.StatusReasonInternalError, "etcd is away"),
	"503":              refuse(503, metav1.StatusReasonServiceUnavailable, "starting"),
	"a cut connection": loseRequest,
	"a page of a proxy": func(w http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
		http.Error(w, "<html>bad gateway</html>", http.StatusBadGateway)
	},
}

// stream answers a watch with these lines and ends it.
func stream(lines ...string) func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(strings.Join(lines, "\n")))
	}
}

// errorEvent is how a watch ends in error.
func errorEvent(code int32, reason metav1.StatusReason) string {
	event, _ := json.Marshal(map[string]any{"type": "ERROR", "object": metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: code, Reason: reason, Message: "no",
	}})
	return string(event)
}

func TestAWaitSurvivesOutages(t *testing.T) {
	t.Parallel()
	watchFaults := map[string]func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder){
		"a watch that ends at once":          stream(),
		"410 Gone in a watch":                stream(errorEvent(410, metav1.StatusReasonExpired)),
		"410 Gone in place of a watch":       refuse(410, metav1.StatusReasonExpired, "too old resource version"),
		"500 in a watch":                     stream(errorEvent(500, metav1.StatusReasonInternalError)),
		"504 in a watch":                     stream(errorEvent(504, metav1.StatusReasonTimeout)),
		"half an event":                      stream(`{"type":"MODIFIED","object":{"apiVersion":"v1","ki`),
		"an event without an object":         stream(`{"type":"MODIFIED"}`),
		"an event that is no JSON":           stream(`<html>`),
		"events of another object":           stream(`{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","resourceVersion":"1"},"data":{"ready":"no"}}}`),
		"401 while a credential is renewed":  refuse(401, metav1.StatusReasonUnauthorized, "no"),
		"403 of an API server that restarts": refuse(403, metav1.StatusReasonForbidden, "no"),
	}
	maps.Copy(watchFaults, faults)
	for what, fault := range watchFaults {
		t.Run("a watch: "+what+" [W25]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			w.create(w.configMap("it", nil))
			g.next(isWatch, fault)
			g.next(isWatch, fault)
			s := start(t, g.connection()).wait(t, "it")
			done := make(chan error, 1)
			go func() {
				done <- s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", longTime)))
			}()
			seen := 0
			eventually(t, func() bool { seen += tally(g.takeSeen())["WATCH"]; return seen >= 1 }, "a watch was tried")
			w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"ready": "yes"}})
			require.NoError(t, ended(t, done))
			assert.Equal(t, "yes", at(t, s.outputs, "status.data.ready"))
			assert.EqualValues(t, w.get("ConfigMap", "it").GetUID(), at(t, s.outputs, "__uid"))
		})
	}
	for what, fault := range faults {
		t.Run("a read after a watch: "+what+" [W25]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			w.create(w.configMap("it", nil))
			s := start(t, g.connection()).wait(t, "it")
			done := w.begin("it", func() error {
				return s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", longTime)))
			})
			g.next(isWatch, refuse(410, metav1.StatusReasonExpired, "too old"))
			g.next(isGet, fault)
			g.server.CloseClientConnections()
			w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"ready": "yes"}})
			require.NoError(t, ended(t, done))
		})
		t.Run("the first read: "+what+" [W25]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			w.create(w.configMap("it", nil))
			g.next(isGet, fault)
			g.next(isGet, fault)
			start(t, g.connection()).wait(t, "it").mustUp("create", waiting(refTo(w.configMap("it", nil)), until("field", "data.a", longTime)))
		})
	}
	t.Run("the connection is cut for ten seconds, and what happens meanwhile is not missed [W25]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("it", nil))
		s := start(t, g.connection()).wait(t, "it")
		done := w.begin("it", func() error {
			return s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", longTime)))
		})
		g.always(anything, loseRequest)
		g.server.CloseClientConnections()
		w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"ready": "yes"}})
		cut := time.NewTimer(10 * time.Second)
		select {
		case <-cut.C:
		case err := <-done:
			require.Fail(t, "it ended without a connection", "%v", err)
		}
		tries := len(g.takeSeen())
		assert.Greater(t, tries, 3, "it is tried again")
		assert.Less(t, tries, 120, "and not without a pause")
		assert.Contains(t, strings.Join(s.process.log.statuses(), "\n"), "the API server cannot be reached, trying again")
		g.heal()
		require.NoError(t, ended(t, done))
		assert.Equal(t, "", last(s.process.log.statuses()), "the status is cleared")
	})
	t.Run("a connection that cannot work fails at once", func(t *testing.T) {
		t.Parallel()
		ref := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "default", "name": "it"}
		user := newUser(t)
		for what, c := range map[string]struct {
			connection map[string]any
			says       string
		}{
			"an untrusted certificate": {map[string]any{"host": user.Host, "token": "t"}, "certificate"},
			"a refused token":          {map[string]any{"host": user.Host, "clusterCaCertificate": string(user.CACertificate), "token": "t"}, "401"},
			"a broken plugin": {map[string]any{
				"host": user.Host, "clusterCaCertificate": string(user.CACertificate), "exec": map[string]any{"command": "/bin/false"},
			}, "/bin/false"},
		} {
			s := start(t, c.connection).wait(t, "it")
			began := time.Now()
			err := s.create(waiting(ref, until("field", "data.a", longTime)))
			assert.Less(t, time.Since(began), 10*time.Second, what)
			assert.Contains(t, requireWaitPending(t, s, err), c.says, what)
			assert.Contains(t, err.Error(), "to wait for data.a")
		}
	})
	t.Run("a page that says 404 is no deletion", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("it", nil))
		p, ref := start(t, g.connection()), refTo(w.configMap("it", nil))
		s, in := p.wait(t, "deleted"), waiting(ref, until("deleted", true, longTime))
		kept, inKept := p.wait(t, "kept"), waiting(ref, until("field", "data.a", longTime))
		kept.mustUp("create", inKept)
		g.always(isGet, notFoundPage)
		before := kept.outputs.Copy()
		before["__staleRead"] = resource.NewProperty(true)
		kept.mustRead()
		assert.Equal(t, before, kept.outputs)
		require.Len(t, p.log.warnings(), 1)
		g.takeSeen()
		done := make(chan error, 1)
		go func() { done <- s.create(in) }()
		eventually(t, func() bool { return len(g.takeSeen()) > 0 }, "it was answered")
		g.heal()
		eventually(t, w.watched("it"), "it is watched")
		require.Empty(t, done)
		w.delete("ConfigMap", "it")
		require.NoError(t, ended(t, done))
	})
	t.Run("an API server that is away at the end is said [W28]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("it", nil))
		s := start(t, g.connection()).wait(t, "it")
		done := w.begin("it", func() error {
			return s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", "2s")))
		})
		g.always(anything, refuse(503, metav1.StatusReasonServiceUnavailable, "shutting down"))
		g.server.CloseClientConnections()
		text := requireWaitPending(t, s, ended(t, done))
		assert.Contains(t, text, "The API server could not be asked at the end: ")
		assert.Contains(t, text, "data.ready is not set")
	})
}

// TestAWaitSurvivesARestart has a cluster of its own, whose API server is killed.
func TestAWaitSurvivesARestart(t *testing.T) {
	t.Parallel()
	// Watches of ServiceAccounts come from etcd itself, which keeps its history for a second or two.
	c := cluster.ForTest(t, cluster.Options{
		Audit: true, APIServerArgs: []string{"--watch-cache-sizes=serviceaccounts#0", "--etcd-compaction-interval=1s"},
	})
	client, err := dynamic.NewForConfig(c.RESTConfig())
	require.NoError(t, err)
	w := world{t, client, "default"}
	p := start(t, inline(c.Admin()))
	const waits = 5
	s, names := make([]*session, waits), []string{"a", "b", "c", "d", "absent"}
	done := make([]chan error, waits)
	for i, name := range names {
		if name != "absent" {
			w.create(w.configMap(name, nil))
		}
		s[i], done[i] = p.wait(t, name), make(chan error, 1)
		in := waiting(refTo(w.configMap(name, nil)), until("field", "data.ready", longTime))
		go func() { done[i] <- s[i].create(in) }()
	}
	requests := func(keep func(cluster.Request) bool) int {
		all, err := c.Requests()
		require.NoError(t, err)
		return len(all.Where(keep))
	}
	isWatched := func(r cluster.Request) bool { return r.Verb == "watch" && r.User == c.Admin().Name }
	eventually(t, func() bool { return requests(isWatched) == waits }, "all are watched")
	// History that a new API server does not have: it cannot continue the old watches.
	for i := range 20 {
		w.patch("ConfigMap", "a", map[string]any{"data": map[string]any{"noise": strings.Repeat("x", i)}})
	}
	w.create(w.configMap("noise", nil))
	require.NoError(t, c.APIServer.Kill())
	for i := range done {
		require.Empty(t, done[i])
	}
	require.NoError(t, c.APIServer.Restart(t.Context()))
	t.Run("of its watch, when the history is compacted meanwhile [W25]", func(t *testing.T) {
		g := newGatewayOf(t, c.Admin())
		account := object(t, "{apiVersion: v1, kind: ServiceAccount, metadata: {name: it, namespace: default}}")
		version := w.create(account).GetResourceVersion()
		gone := func() bool {
			w.patch("ServiceAccount", "it", map[string]any{"metadata": map[string]any{"annotations": map[string]any{"at": time.Now().String()}}})
			history, err := w.objects("ServiceAccount").Watch(t.Context(), metav1.ListOptions{ResourceVersion: version})
			if apierrors.IsResourceExpired(err) {
				return true
			}
			require.NoError(t, err)
			defer history.Stop()
			first := <-history.ResultChan()
			return first.Type == watch.Error && apierrors.IsResourceExpired(apierrors.FromObject(first.Object))
		}
		var answer atomic.Value
		g.next(isWatch, func(reply http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
			meanwhile(func() {
				eventually(t, gone, "the history is gone")
				w.patch("ServiceAccount", "it", map[string]any{"metadata": map[string]any{"annotations": map[string]any{"ready": "yes"}}})
			})(reply, r, func() *httptest.ResponseRecorder {
				recorded := forward()
				answer.Store(recorded.Body.String())
				return recorded
			})
		})
		s := start(t, g.connection()).wait(t, "it")
		s.mustUp("create", waiting(refTo(account), until("field", "metadata.annotations.ready", longTime)))
		assert.Contains(t, answer.Load(), `"code":410`, "it is the API server that says so")
	})
	t.Run("of the API server, whose history begins again [W25]", func(t *testing.T) {
		for _, name := range names {
			if name == "absent" {
				w.create(w.configMap(name, map[string]any{"ready": "yes"}))
			} else {
				w.patch("ConfigMap", name, map[string]any{"data": map[string]any{"ready": "yes"}})
			}
		}
		for i := range done {
			require.NoError(t, ended(t, done[i]))
			assert.Equal(t, "yes", at(t, s[i].outputs, "status.data.ready"))
		}
	})
	t.Run("of the etcd as well, in the middle [W25]", func(t *testing.T) {
		again := p.wait(t, "again")
		ended1 := make(chan error, 1)
		before := requests(isWatched)
		go func() {
			ended1 <- again.create(waiting(refTo(w.configMap("b", nil)), until("field", "data.again", longTime)))
		}()
		eventually(t, func() bool { return requests(isWatched) > before }, "it is watched")
		require.NoError(t, c.APIServer.Kill())
		require.NoError(t, c.Etcd.Restart(t.Context()))
		require.NoError(t, c.APIServer.Restart(t.Context()))
		w.patch("ConfigMap", "b", map[string]any{"data": map[string]any{"again": "yes"}})
		require.NoError(t, ended(t, ended1))
	})
}

// TestHalfAMinute has the two waits that need so long, at the same time.
func TestHalfAMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.configMap("it", nil))
	user := w.mayOnly("get")
	counts := counted(t, user)
	polling, done := start(t, inline(user)).wait(t, "polling"), make(chan error, 1)
	go func() {
		done <- polling.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", longTime)))
	}()

	t.Run("of patience with a kind that nobody serves, then it is named [W16]", func(t *testing.T) {
		s := start(t, inline(newUser(t))).wait(t, "it")
		began := time.Now()
		err := s.create(waiting(refTo(custom(t, w.group(), "Gadget", w.namespace, "{}")), until("field", "spec.a", longTime)))
		passed := time.Since(began)
		text := requireWaitPending(t, s, err)
		assert.Greater(t, passed, 25*time.Second)
		assert.Less(t, passed, 40*time.Second)
		for _, want := range []string{"Gadget", w.group() + "/v1", "CustomResourceDefinition", "waits again, in place"} {
			assert.Contains(t, text, want)
		}
		assert.Contains(t, looks(t, s), "it does not exist yet")
	})
	t.Run("of polling, then a watch is tried again, which is not told again [W26]", func(t *testing.T) {
		eventually(t, func() bool { return counts()["WATCH"] >= 2 }, "a watch is tried again")
		w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"ready": "yes"}})
		require.NoError(t, ended(t, done))
		assert.Equal(t, 1, strings.Count(polling.process.log.all(), "may be read but not watched"))
	})
}

func TestACancelledWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.configMap("it", nil))
	s := start(t, inline(newUser(t))).wait(t, "it")
	in := waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", longTime))
	done := w.begin("it", func() error { return s.create(in) })
	eventually(t, func() bool { return len(s.process.log.statuses()) > 0 }, "the live status is shown")
	began := time.Now()
	require.NoError(t, s.process.SignalCancellation(context.WithoutCancel(t.Context())))
	err := ended(t, done)
	assert.Less(t, time.Since(began), time.Second)
	text := requireWaitPending(t, s, err)
	assert.Contains(t, text, "interrupted after ")
	assert.Contains(t, text, "waits again, in place")
	assert.Equal(t, "", last(s.process.log.statuses()), "the status is cleared")
	w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"ready": "yes"}})
	s.refresh = false
	s.in(start(t, inline(newUser(t)))).mustUp("update", in)
	requireWaited(t, s)
}
