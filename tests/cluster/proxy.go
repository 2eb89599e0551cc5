package cluster

import (
	"fmt"
	"net/http/httputil"
	"net/url"

	"k8s.io/client-go/rest"
)

// ReverseProxy leads to the API server as the user, whatever credentials its callers have.
func (u User) ReverseProxy() (*httputil.ReverseProxy, error) {
	target, err := url.Parse(u.Host)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	transport, err := rest.TransportFor(u.RESTConfig())
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	return &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1, // watches
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Authorization") // the transport sets its own where there is none
		},
	}, nil
}
