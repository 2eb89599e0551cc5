package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// journey observes how far a request got. As long as no connection was handed to it, not a byte of it has left,
// whatever the error looks like; from then on the API server may have seen it.
type journey struct {
	reached   atomic.Bool // credentials were had and the request was given to the transport
	connected atomic.Bool // a connection, new or reused, was given to the request
}

type journeyKey struct{}

func watchJourney(ctx context.Context) (context.Context, *journey) {
	observed := &journey{}
	ctx = context.WithValue(ctx, journeyKey{}, observed)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { observed.connected.Store(true) },
	}), observed
}

// markReached is the innermost layer of the transport. Credential plugins are a layer further out.
func markReached(next http.RoundTripper) http.RoundTripper { return marker{next} }

type marker struct{ next http.RoundTripper }

func (m marker) RoundTrip(request *http.Request) (*http.Response, error) {
	if observed, ok := request.Context().Value(journeyKey{}).(*journey); ok {
		observed.reached.Store(true)
	}
	return m.next.RoundTrip(request)
}

// WrappedRoundTripper lets client-go find the transport, for instance to close its idle connections.
func (m marker) WrappedRoundTripper() http.RoundTripper { return m.next }

// withoutBody replaces an error for which client-go quotes the body of the answer, because the body was no Status. Such
// a body comes from a proxy or an old component and may repeat the request.
func withoutBody(err error) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Details == nil {
		return err
	}
	details := status.ErrStatus.Details
	for _, cause := range details.Causes {
		if cause.Type != metav1.CauseTypeUnexpectedServerResponse {
			continue
		}
		clean := status.ErrStatus.DeepCopy()
		clean.Message = fmt.Sprintf("HTTP %d %s, without a reason from the API server",
			clean.Code, http.StatusText(int(clean.Code)))
		clean.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeUnexpectedServerResponse}}
		return &apierrors.StatusError{ErrStatus: *clean}
	}
	return err
}

// unrouted recognises a 404 that is about the URL and not about an object: the answer is no Status.
func unrouted(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

func innermost(err error) error {
	if request := (*url.Error)(nil); errors.As(err, &request) {
		return request.Err
	}
	return err
}
