package artifact

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"time"
)

const (
	userAgent    = "environment-operator"
	maxRedirects = 10
	maxHeader    = 1 << 20          // bytes of the head of an answer
	patience     = 10 * time.Second // for a connection
)

var (
	errPlainHTTP = errors.New("plain http is for registries on localhost and 127.0.0.1 only")
	errRedirects = errors.New("there are too many redirects")
)

// client connects to registries, and to where they redirect. The registry library gives credentials to the registry's origin alone.
func (l *Login) client() (*http.Client, func(), error) {
	configuration := &tls.Config{MinVersion: tls.VersionTLS12}
	if l != nil && len(l.authorities) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(l.authorities) {
			return nil, nil, problem(ReasonPullSecretInvalid, "The key %s of the pull Secret %s has no certificate. Put one in PEM there, or remove the key.", AuthoritiesKey, l.secret)
		}
		configuration.RootCAs = pool
	}
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: patience}).DialContext,
		TLSClientConfig:        configuration,
		TLSHandshakeTimeout:    patience,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      true,
	}
	redirected := func(_ *http.Request, via []*http.Request) error {
		if len(via) >= maxRedirects {
			return errRedirects
		}
		return nil
	}
	return &http.Client{Transport: guard{transport}, CheckRedirect: redirected}, transport.CloseIdleConnections, nil
}

// guard refuses to send anything in the clear to another machine: also a redirect or a token service may ask for that.
type guard struct{ next http.RoundTripper }

func (g guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme != "https" && !isLoopback(request.URL.Host) {
		return nil, errPlainHTTP
	}
	return g.next.RoundTrip(request)
}

func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// speaksPlainHTTP reports whether a server answers a TLS handshake with plain HTTP. It sends no credentials.
func speaksPlainHTTP(ctx context.Context, client *http.Client, host string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host+"/v2/", nil)
	if err != nil {
		return false
	}
	answer, err := client.Do(request)
	if err == nil {
		_ = answer.Body.Close()
	}
	return errors.Is(err, http.ErrSchemeMismatch)
}
