package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// Question is a GET request to a Service or a Pod, which the API server passes on.
type Question struct {
	// Ref is a Service or a Pod.
	Ref Ref
	// Port is its name or number.
	Port string
	// TLS means https. The API server does not verify the certificate.
	TLS bool
	// Path begins with a slash, and may have a query.
	Path string
}

// maxStatusBytes bounds how much of an answer is read to find out whether it is a Status of the API server.
const maxStatusBytes = 64 << 10

// Ask returns the status of the answer that a Service or a Pod gives. It does not follow redirects, which would show the
// user's credentials to others, and reads nothing of the answer but what may be a Status: an error of the API server itself
// is an error here. It sends one request.
func (c *Cluster) Ask(ctx context.Context, question Question) (status int, err error) {
	address, err := c.addressOf(question)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", question.Ref, err)
	}
	ctx, trace := traceRequest(withoutClock(ctx))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", question.Ref, innermost(err)) // without the URL, whose path may be secret
	}
	request.Header.Set("Accept", "*/*")
	response, err := c.client.Client.Transport.RoundTrip(request) // the client would follow redirects
	if err != nil {
		return 0, fmt.Errorf("%s: %w", question.Ref, c.transportError(ctx, err, trace))
	}
	defer response.Body.Close()
	if own := ownError(response); own != nil {
		return 0, fmt.Errorf("%s: %w", question.Ref, own)
	}
	return response.StatusCode, nil
}

// addressOf is the URL of the proxy in the API server. The path is kept as it is written.
func (c *Cluster) addressOf(q Question) (*url.URL, error) {
	resource := "services"
	if q.Ref.Kind == kinds.Pod.Kind {
		resource = "pods"
	}
	for what, segment := range map[string]string{"namespace": q.Ref.Namespace, "name": q.Ref.Name, "port": q.Port} {
		if err := pathSegment(what, segment); err != nil {
			return nil, err
		}
	}
	target := q.Ref.Name + ":" + q.Port
	if q.TLS {
		target = "https:" + target
	}
	escaped, query, _ := strings.Cut(q.Path, "?")
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, err
	}
	address := c.client.Get().AbsPath("/api/v1/namespaces", q.Ref.Namespace, resource, target, "proxy").URL()
	before := address.EscapedPath()
	address.Path += path
	address.RawPath, address.RawQuery = before+escaped, query
	return address, nil
}

// ownError returns the error of an API server that could not pass a request on, or does not for this user: a Status. A
// Service that answers with a Status, such as an API server of its own, cannot be told from that.
func ownError(response *http.Response) error {
	if response.StatusCode < http.StatusBadRequest {
		return nil
	}
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil || kind != runtime.ContentTypeJSON {
		return nil
	}
	var status metav1.Status
	body, err := io.ReadAll(io.LimitReader(response.Body, maxStatusBytes))
	if err != nil || json.Unmarshal(body, &status) != nil ||
		status.Kind != "Status" || status.APIVersion != "v1" || int(status.Code) != response.StatusCode {
		return nil
	}
	return failure.AsForbidden(&apierrors.StatusError{ErrStatus: status})
}
