package connect

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// ParseHost parses the API server's address: a URL, or host:port, which means https.
func ParseHost(host string) (*url.URL, error) {
	host = strings.TrimSpace(host)
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	return parseAddress("host", host, "https", "http")
}

// ParseProxy parses the address of a proxy.
func ParseProxy(proxy string) (*url.URL, error) {
	proxy = strings.TrimSpace(proxy)
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	return parseAddress("proxyUrl", proxy, "http", "https", "socks5")
}

func parseAddress(field, address string, schemes ...string) (*url.URL, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		// A url.Error repeats the address, which may contain a password; its cause says enough.
		reason := "is not a URL"
		if cause := (*url.Error)(nil); errors.As(err, &cause) && !strings.Contains(address, "@") {
			reason += " (" + cause.Err.Error() + ")"
		}
		return nil, &failure.FieldError{Field: field, Reason: reason}
	}
	switch {
	case !slices.Contains(schemes, parsed.Scheme): // url.Parse has converted it to lower case
		return nil, &failure.FieldError{Field: field, Reason: "must begin with " + strings.Join(schemes, ":// or ") + "://"}
	case parsed.Hostname() == "" || strings.ContainsAny(parsed.Hostname(), " \t"):
		return nil, &failure.FieldError{Field: field, Reason: "has no host name"}
	case !validPort(parsed):
		return nil, &failure.FieldError{Field: field, Reason: "has an invalid port (1 to 65535)"}
	case field == "host" && parsed.User != nil:
		return nil, &failure.FieldError{Field: field, Reason: "must not contain a user name; use token, clientCertificate or exec"}
	case field == "host" && (parsed.RawQuery != "" || parsed.Fragment != ""):
		return nil, &failure.FieldError{Field: field, Reason: "must not have a query or a fragment"}
	}
	return parsed, nil
}

func validPort(address *url.URL) bool {
	port := address.Port()
	if port == "" {
		return !strings.HasSuffix(address.Host, ":")
	}
	number, err := strconv.Atoi(port)
	return err == nil && number > 0 && number < 1<<16
}
