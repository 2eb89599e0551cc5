package controller

import (
	"net/http"
	"sync/atomic"
	"time"
)

// ServerClock tells the API server's time, as its answers say it. Two controllers whose machines disagree about the
// time agree about this one, and so about what is due.
type ServerClock struct{ ahead atomic.Int64 }

// Now is the API server's time, to the second. Before the first answer it is the machine's.
func (c *ServerClock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Wrap listens to the answers.
func (c *ServerClock) Wrap(next http.RoundTripper) http.RoundTripper {
	return listener{clock: c, next: next}
}

type listener struct {
	clock *ServerClock
	next  http.RoundTripper
}

func (l listener) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err != nil {
		return response, err
	}
	if date, parseErr := http.ParseTime(response.Header.Get("Date")); parseErr == nil {
		// A header says the second that has begun. Half of one more is the best guess.
		l.clock.ahead.Store(int64(time.Until(date.Add(500 * time.Millisecond))))
	}
	return response, err
}
