package cluster

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// requestTrace observes how far a request got. Until it gets a connection, not a byte of it has left, regardless of the
// error; from then on the API server may have seen it.
type requestTrace struct {
	dispatched atomic.Bool // the credentials are complete and the transport has the request
	connected  atomic.Bool // the request got a connection, new or reused
}

type requestTraceKey struct{}

// quiet keeps client-go from logging what it also returns: Pulumi shows what a plugin logs as errors.
func quiet(ctx context.Context) context.Context { return klog.NewContext(ctx, logr.Discard()) }

func traceRequest(ctx context.Context) (context.Context, *requestTrace) {
	observed := &requestTrace{}
	ctx = context.WithValue(ctx, requestTraceKey{}, observed)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { observed.connected.Store(true) },
	}), observed
}

// markDispatched adds the innermost layer of the transport. The layer of a credential plugin is further out.
func markDispatched(next http.RoundTripper) http.RoundTripper { return marker{next} }

type marker struct{ next http.RoundTripper }

func (m marker) RoundTrip(request *http.Request) (*http.Response, error) {
	if observed, ok := request.Context().Value(requestTraceKey{}).(*requestTrace); ok {
		observed.dispatched.Store(true)
	}
	return m.next.RoundTrip(request)
}

// WrappedRoundTripper lets client-go find the transport, for example to close its idle connections.
func (m marker) WrappedRoundTripper() http.RoundTripper { return m.next }

func innermost(err error) error {
	if request := (*url.Error)(nil); errors.As(err, &request) {
		return request.Err
	}
	return err
}
