package cluster

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// auditPolicy has every request written down twice: when it arrives, before anything is
// done about it, and when it is answered.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
  omitStages: [ResponseStarted]
`

// Request is a request that reached the API server.
type Request struct {
	// Verb is Kubernetes' word for it: get, list, watch, create, update, patch, delete.
	Verb string
	// URI is the path with the query, as sent.
	URI string
	// User is who asked; UserAgent with what.
	User, UserAgent string
	// Code is the HTTP status of the answer, 0 as long as there is none.
	Code int
	// Received is when it arrived.
	Received time.Time
}

// Path is the URI without the query.
func (r Request) Path() string {
	path, _, _ := strings.Cut(r.URI, "?")
	return path
}

// String is the verb and the URI, such as "get /api/v1/namespaces/default".
func (r Request) String() string { return r.Verb + " " + r.URI }

// Object names the object that the request is about, such as "prod/configmaps/settings", or "clusterroles/view" where it
// is in no namespace; "" if it is about none, or about several.
func (r Request) Object() string {
	parts := strings.Split(r.Path(), "/") // "", api, VERSION, … or "", apis, GROUP, VERSION, …
	prefix := map[string]int{"api": 3, "apis": 4}[parts[min(1, len(parts)-1)]]
	if prefix == 0 || len(parts) <= prefix {
		return ""
	}
	parts = parts[prefix:] // RESOURCE/NAME/SUBRESOURCE, behind namespaces/NAMESPACE or not
	var inside []string
	if parts[0] == "namespaces" && len(parts) > 2 {
		inside, parts = parts[1:2], parts[2:]
	}
	if len(parts) == 1 {
		_, query, _ := strings.Cut(r.URI, "?")
		values, err := url.ParseQuery(query)
		if err != nil {
			return ""
		}
		name, ok := strings.CutPrefix(values.Get("fieldSelector"), "metadata.name=")
		if !ok {
			return ""
		}
		parts = append(parts, name)
	}
	return strings.Join(append(inside, parts[:2]...), "/")
}

// Requests are requests in the order of their arrival.
type Requests []Request

// Where returns those requests for which keep is true.
func (rs Requests) Where(keep func(Request) bool) Requests {
	return slices.DeleteFunc(slices.Clone(rs), func(r Request) bool { return !keep(r) })
}

// From returns the requests of the clients whose user agent contains the text.
func (rs Requests) From(userAgent string) Requests {
	return rs.Where(func(r Request) bool { return strings.Contains(r.UserAgent, userAgent) })
}

// CountBy counts the requests by a key, such as Request.String or Request.Path.
func (rs Requests) CountBy(key func(Request) string) map[string]int {
	counts := map[string]int{}
	for _, r := range rs {
		counts[key(r)]++
	}
	return counts
}

// AuditMark is a point in the record of requests.
type AuditMark int64

// AuditMark returns the end of the record, for a later [Cluster.RequestsSince].
func (c *Cluster) AuditMark() (AuditMark, error) {
	info, err := os.Stat(c.auditLog())
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil // the first request creates it
	}
	if err != nil {
		return 0, fmt.Errorf("audit log: %w", err)
	}
	return AuditMark(info.Size()), nil
}

// Requests returns all requests that arrived since the cluster was started. The record has
// a request before the server acts on it, so a client that got its answer finds it here.
// It needs [Options.Audit].
func (c *Cluster) Requests() (Requests, error) { return c.RequestsSince(0) }

// RequestsSince returns the requests that arrived since the mark was made.
func (c *Cluster) RequestsSince(mark AuditMark) (Requests, error) {
	if !c.options.Audit {
		return nil, errors.New("audit log: not recorded, set Options.Audit")
	}
	file, err := os.Open(c.auditLog())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	// Others may have been in the middle of a line when the mark was made. What began before
	// it is left out.
	if _, err := file.Seek(max(int64(mark)-1, 0), io.SeekStart); err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	lines := bufio.NewReader(file)
	if mark > 0 {
		if _, err := lines.ReadBytes('\n'); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("audit log: %w", err)
		}
	}
	return readAudit(lines)
}

// readAudit joins the two records of each request. One whose arrival was recorded before the
// mark is left out, and so is a line that is being written.
func readAudit(lines *bufio.Reader) (Requests, error) {
	var requests Requests
	index := map[string]int{}
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return requests, nil
		}
		if err != nil {
			return nil, fmt.Errorf("audit log: %w", err)
		}
		var event struct {
			AuditID, Stage, Verb, RequestURI, UserAgent string
			User                                        struct{ Username string }
			RequestReceivedTimestamp                    time.Time
			ResponseStatus                              struct{ Code int }
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("audit log: %w", err)
		}
		if event.Stage == "RequestReceived" {
			index[event.AuditID] = len(requests)
			requests = append(requests, Request{
				Verb:      event.Verb,
				URI:       event.RequestURI,
				User:      event.User.Username,
				UserAgent: event.UserAgent,
				Received:  event.RequestReceivedTimestamp,
			})
		} else if i, ok := index[event.AuditID]; ok {
			requests[i].Code = event.ResponseStatus.Code
		}
	}
}
