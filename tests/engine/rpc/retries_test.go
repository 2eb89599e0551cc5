package rpc_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// overloaded answers 429 and how many seconds to wait, as the API server's priority and fairness does.
func overloaded(seconds int) func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
	}
}

// asksForARetry refuses with a Retry-After, which says nothing about whether the request had its effect.
func asksForARetry(code int32) func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
		body, _ := json.Marshal(metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: code, Message: "no",
			Details: &metav1.StatusDetails{RetryAfterSeconds: 1},
		})
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(int(code))
		_, _ = w.Write(body)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	through := func(t *testing.T, name string) (*gateway, *session) {
		t.Helper()
		g := newGateway(t)
		s := start(t, g.connection()).resource(t, name)
		_, _, err := s.preview(program(w.configMap(name, nil))) // discovery
		require.NoError(t, err)
		g.takeSeen()
		return g, s
	}
	t.Run("an overloaded server gets its time, and the apply is sent again", func(t *testing.T) {
		t.Parallel()
		g, s := through(t, "patient")
		g.next(isApply, overloaded(1))
		g.next(isApply, refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "without a time"))
		began := time.Now()
		require.NoError(t, s.create(program(w.configMap("patient", nil))))
		assert.GreaterOrEqual(t, time.Since(began), 1200*time.Millisecond, "at the time that was asked for")
		assert.Equal(t, []string{"PATCH", "PATCH", "PATCH", clusterID}, g.takeSeen())
		assert.True(t, w.exists("ConfigMap", "patient"))
	})
	t.Run("a server that stays overloaded is asked eleven times, and nothing is saved", func(t *testing.T) {
		t.Parallel()
		g, s := through(t, "given-up")
		g.always(isApply, overloaded(1))
		err := s.create(program(w.configMap("given-up", nil)))
		require.ErrorContains(t, err, "the API server is overloaded (429)")
		assert.Empty(t, s.id)
		assert.Equal(t, map[string]int{"PATCH": 11}, tally(g.takeSeen()))
	})
	t.Run("nobody waits for an hour", func(t *testing.T) {
		t.Parallel()
		g, s := through(t, "hour")
		g.always(isApply, overloaded(3600))
		require.ErrorContains(t, s.create(program(w.configMap("hour", nil))), "429")
		assert.Equal(t, []string{"PATCH"}, g.takeSeen())
	})
	for _, code := range []int32{400, 401, 403, 404, 405, 413, 415, 422} {
		t.Run(strconv.Itoa(int(code))+" is asked once, also where a retry is offered", func(t *testing.T) {
			t.Parallel()
			name := "refused-" + strconv.Itoa(int(code))
			g, s := through(t, name)
			g.always(isApply, asksForARetry(code))
			require.Error(t, s.create(program(w.configMap(name, nil))))
			assert.Empty(t, s.id)
			assert.Equal(t, []string{"PATCH"}, g.takeSeen())
		})
	}
	for _, code := range []int32{500, 502, 503, 504} {
		t.Run(strconv.Itoa(int(code))+" to a write is not sent again, since it may have had its effect", func(t *testing.T) {
			t.Parallel()
			name := "failed-" + strconv.Itoa(int(code))
			g, s := through(t, name)
			g.always(isApply, asksForARetry(code))
			require.Error(t, s.create(program(w.configMap(name, nil))))
			assert.NotEmpty(t, s.id, "the state knows that the object may exist")
			assert.Equal(t, []string{"PATCH", clusterID}, g.takeSeen())
		})
	}
	t.Run("409 is looked into once, and not sent again", func(t *testing.T) {
		t.Parallel()
		w.create(w.configMap("taken", nil))
		g := newGateway(t)
		s := start(t, g.connection()).resource(t, "taken")
		require.ErrorContains(t, s.create(program(w.configMap("taken", nil))), "already exists")
		assert.Equal(t, []string{"discovery v1", "PATCH", "GET"}, g.takeSeen())
	})
}
