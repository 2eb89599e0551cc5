package chartsource

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	userAgent    = "pulumi-k8sconnect"
	maxRedirects = 10
	maxHeader    = 1 << 20 // bytes of the head of an answer
)

// access is how a server is accessed.
type access struct {
	username, password string
	authority          string   // certificates in PEM
	origin             *url.URL // the server that the credentials are for
}

// secrets returns the texts that must not be printed.
func (a access) secrets() []string {
	if a.password == "" {
		return []string{a.username} // a token in place of a name
	}
	return []string{a.password, base64.StdEncoding.EncodeToString([]byte(a.username + ":" + a.password))}
}

// client returns a client that follows redirects, but sends no credentials to another origin.
func (f *Fetcher) client(a access) (*http.Client, error) {
	transport, err := f.transport(a.authority)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: transport, CheckRedirect: func(request *http.Request, via []*http.Request) error {
		switch first := via[0].URL; {
		case len(via) >= maxRedirects:
			return errors.New("there are too many redirects")
		case first.Scheme == "https" && request.URL.Scheme != "https":
			return errDowngrade
		case !sameOrigin(first, request.URL):
			for _, name := range []string{"Authorization", "Cookie", "Referer"} {
				request.Header.Del(name)
			}
		}
		return nil
	}}, nil
}

// transport returns a transport that trusts the given certificates in addition to the system's.
func (f *Fetcher) transport(authority string) (*http.Transport, error) {
	if known, ok := f.clients.Load(authority); ok {
		return known.(*http.Transport), nil
	}
	configuration := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM([]byte(authority)) {
			return nil, errorf(Invalid, "repoCaCertificate has no certificate").advising("set it to certificates in PEM.")
		}
		configuration.RootCAs = pool
	}
	limits := f.limits.orDefault()
	dial := f.dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: limits.connect}).DialContext
	}
	made := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dial,
		TLSClientConfig:        configuration,
		TLSHandshakeTimeout:    limits.connect,
		ResponseHeaderTimeout:  limits.answer,
		MaxResponseHeaderBytes: maxHeader,
		IdleConnTimeout:        limits.idle,
		ForceAttemptHTTP2:      true,
	}
	known, _ := f.clients.LoadOrStore(authority, made)
	return known.(*http.Transport), nil
}

// download is what to fetch from a server.
type download struct {
	address *url.URL
	what    string // in messages
	limit   int64  // bytes
	// exact asks for the bytes as they are stored, so that their digest can be checked.
	exact bool
}

// Download fetches a file that a user names by its http(s) address, by the rules for archives of charts.
func (f *Fetcher) Download(ctx context.Context, address *url.URL) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.limits.orDefault().total, errTotal)
	defer cancel()
	return f.getArchive(ctx, access{}, address, "the server")
}

// getArchive fetches the archive of a chart. server names its server in messages.
func (f *Fetcher) getArchive(ctx context.Context, a access, address *url.URL, server string) ([]byte, error) {
	return f.get(ctx, a, download{address: address, what: server, limit: f.limits.orDefault().archive, exact: true})
}

// get fetches a file.
func (f *Fetcher) get(ctx context.Context, a access, file download) ([]byte, error) {
	client, err := f.client(a)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, file.address.String(), nil)
	if err != nil {
		return nil, errorf(Invalid, "the address is malformed")
	}
	request.Header.Set("User-Agent", userAgent)
	if file.exact {
		request.Header.Set("Accept-Encoding", "identity")
	}
	if (a.username != "" || a.password != "") && sameOrigin(a.origin, file.address) {
		request.SetBasicAuth(a.username, a.password)
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, transportError(ctx, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, statusError(answer.StatusCode, file.what)
	}
	return f.limits.orDefault().readBody(ctx, cancel, answer.Body, file.what, file.limit)
}

// readBody reads a body that neither exceeds its limit nor stalls.
func (l limits) readBody(
	ctx context.Context, cancel context.CancelCauseFunc, body io.Reader, what string, limit int64,
) ([]byte, error) {
	watch := time.AfterFunc(l.idle, func() { cancel(errIdle) })
	defer watch.Stop()
	data, err := io.ReadAll(&watchedReader{from: io.LimitReader(body, limit+1), watch: watch, idle: l.idle})
	switch {
	case err != nil:
		return nil, transportError(ctx, err)
	case int64(len(data)) > limit:
		return nil, errorf(Refused, "%s is larger than %d MiB", what, limit/mebibyte)
	}
	return data, nil
}

// watchedReader restarts a timer whenever it reads bytes.
type watchedReader struct {
	from  io.Reader
	watch *time.Timer
	idle  time.Duration
}

func (r *watchedReader) Read(into []byte) (int, error) {
	n, err := r.from.Read(into)
	if n > 0 {
		r.watch.Reset(r.idle)
	}
	return n, err
}

// sameOrigin reports whether two addresses have the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return a != nil && b != nil && strings.EqualFold(a.Scheme, b.Scheme) &&
		strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(of *url.URL) string {
	switch {
	case of.Port() != "":
		return of.Port()
	case strings.EqualFold(of.Scheme, "https"):
		return "443"
	default:
		return "80"
	}
}
