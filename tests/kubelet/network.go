package kubelet

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

var errDisconnected = errors.New("the player is disconnected from the API server")

// network is the player's way to the API server, which can be cut.
type network struct {
	mu  sync.Mutex
	ctx context.Context // of the requests of now
	cut context.CancelCauseFunc
}

func newNetwork() *network {
	n := &network{}
	n.connect()
	return n
}

func (n *network) connect() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ctx == nil || n.ctx.Err() != nil {
		n.ctx, n.cut = context.WithCancelCause(context.Background())
	}
}

func (n *network) disconnect() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut(errDisconnected)
}

// wrap has a transport fail while the network is cut, watches that are under way included.
func (n *network) wrap(transport http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		n.mu.Lock()
		network := n.ctx
		n.mu.Unlock()
		if network.Err() != nil {
			return nil, context.Cause(network)
		}
		ctx, cancel := context.WithCancelCause(request.Context())
		stop := context.AfterFunc(network, func() { cancel(errDisconnected) })
		response, err := transport.RoundTrip(request.WithContext(ctx))
		if err != nil {
			stop()
			return nil, err
		}
		response.Body = body{response.Body, stop}
		return response, nil
	})
}

// body is a response's body until which the request can be cut.
type body struct {
	io.ReadCloser
	stop func() bool
}

func (b body) Close() error {
	b.stop()
	return b.ReadCloser.Close()
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
