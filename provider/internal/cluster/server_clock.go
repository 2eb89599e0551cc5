package cluster

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// clock is the API server's clock, read from the Date of its answers. The clock of this machine may be wrong.
type clock struct {
	mu   sync.Mutex
	date time.Time
	at   time.Time // when date was received; only the monotonic reading counts
}

// listen adds a layer to the transport.
func (c *clock) listen(next http.RoundTripper) http.RoundTripper { return listener{next, c} }

type listener struct {
	next  http.RoundTripper
	clock *clock
}

func (l listener) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err != nil || request.Context().Value(clocklessKey{}) != nil {
		return response, err
	}
	if date, unreadable := http.ParseTime(response.Header.Get("Date")); unreadable == nil {
		l.clock.mu.Lock()
		l.clock.date, l.clock.at = date, time.Now()
		l.clock.mu.Unlock()
	}
	return response, nil
}

type clocklessKey struct{}

// withoutClock is for requests that another server may answer, by its own clock.
func withoutClock(ctx context.Context) context.Context {
	return context.WithValue(ctx, clocklessKey{}, true)
}

// WrappedRoundTripper lets client-go find the transport, for example to close its idle connections.
func (l listener) WrappedRoundTripper() http.RoundTripper { return l.next }

// Now returns the time by the API server's clock, to the second. It is unknown before the first answer, and behind a
// proxy that removes the Date from answers.
func (c *Cluster) Now() (now time.Time, known bool) {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	if c.clock.date.IsZero() {
		return time.Time{}, false
	}
	return c.clock.date.Add(time.Since(c.clock.at)), true
}
