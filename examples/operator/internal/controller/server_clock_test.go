package controller

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An API server whose clock is another one than this machine's is the same as a machine whose clock is wrong.
func TestServerClock(t *testing.T) { // [X40]
	for name, ahead := range map[string]time.Duration{
		"a machine that is an hour behind tells the API server's time": time.Hour,
		"a machine that is an hour ahead tells the API server's time":  -time.Hour,
		"a machine that is right tells its own":                        0,
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
			}))
			defer server.Close()
			clock := &ServerClock{}
			httpClient := &http.Client{Transport: clock.Wrap(http.DefaultTransport)}
			response, err := httpClient.Get(server.URL)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.WithinDuration(t, time.Now().Add(ahead), clock.Now(), time.Second)
		})
	}
	t.Run("before the first answer it is the machine's", func(t *testing.T) {
		assert.WithinDuration(t, time.Now(), new(ServerClock).Now(), time.Second)
	})
	t.Run("an answer without a date, or none, changes nothing", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header()["Date"] = nil }))
		clock := &ServerClock{}
		httpClient := &http.Client{Transport: clock.Wrap(http.DefaultTransport)}
		response, err := httpClient.Get(server.URL)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		server.Close()
		_, err = httpClient.Get(server.URL) //nolint:bodyclose // there is none
		require.Error(t, err)
		assert.WithinDuration(t, time.Now(), clock.Now(), time.Second)
	})
}
