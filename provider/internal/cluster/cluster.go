package cluster

import (
	"context"
	"errors"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// Cluster is one API server as one user. Make it with [Registry.Get]. It is safe for concurrent use.
type Cluster struct {
	client    *rest.RESTClient
	namespace string
	server    string
	target    connect.Target
	plugin    string // the command of the credential plugin; empty without one
	discovery discovery
	id        knownID
	clock     *clock
}

const (
	// maxOverloadRetries bounds how often a write is sent again after a 429.
	maxOverloadRetries = 10
	// maxOverloadDelay is the longest delay that a write waits before it is sent again. If the API server asks for a
	// longer one, the user gets the error.
	maxOverloadDelay = time.Minute
)

// overloadBackoff is the delay after a 429 that names none.
var overloadBackoff = wait.Backoff{Duration: 250 * time.Millisecond, Factor: 2, Jitter: 0.1, Steps: maxOverloadRetries, Cap: 5 * time.Second}

func newCluster(settings connect.Settings, wrap func(http.RoundTripper) http.RoundTripper) (*Cluster, error) {
	target, err := connect.TargetOf(settings.REST, settings.Server)
	if err != nil {
		return nil, &failure.FieldError{Field: "kubeconfig", Reason: "names a certificate authority that cannot be read", Err: err}
	}
	config := rest.CopyConfig(settings.REST)
	config.WarningHandlerWithContext = contextWarnings{}
	if wrap != nil {
		config.Wrap(wrap)
	}
	heard := &clock{}
	config.Wrap(heard.listen)
	config.Wrap(markDispatched)
	// client-go decodes only Status here: each verb decodes its own objects.
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	config.ContentType = runtime.ContentTypeJSON
	config.AcceptContentTypes = runtime.ContentTypeJSON
	config.GroupVersion = &schema.GroupVersion{}

	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, &failure.FieldError{Field: "connection", Reason: "cannot be used", Err: err}
	}
	client, err := rest.UnversionedRESTClientForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, &failure.FieldError{Field: "connection", Reason: "cannot be used", Err: err}
	}
	c := &Cluster{client: client, namespace: settings.Namespace, server: settings.Server, target: target, clock: heard}
	if config.ExecProvider != nil {
		c.plugin = config.ExecProvider.Command
	}
	c.discovery.fetch = c.fetchGroupVersion
	c.discovery.known, c.discovery.absent = map[schema.GroupVersion]kindsServed{}, map[schema.GroupVersionKind]time.Time{}
	c.discovery.undefined = map[schema.GroupKind]bool{}
	return c, nil
}

// Namespace returns the namespace for namespaced objects that name none.
func (c *Cluster) Namespace() string { return c.namespace }

// Server returns the API server's URL.
func (c *Cluster) Server() string { return c.server }

// Target identifies the cluster, for comparison with the Target of another connection.
func (c *Cluster) Target() connect.Target { return c.target }

// reply is the API server's answer to a request that it accepted.
type reply struct {
	code int
	body []byte
}

// read sends a request that changes nothing. client-go repeats it a few times if the connection breaks.
func (c *Cluster) read(ctx context.Context, request *rest.Request) (reply, error) {
	return c.once(ctx, request)
}

// write sends a request that changes something. It sends it again only if the first one had no effect: after a 429,
// when the API server asks for that, and while an admission webhook cannot be called ([AwaitWebhooks]). It repeats the
// same request, with the same preconditions.
func (c *Cluster) write(ctx context.Context, request *rest.Request) (reply, error) {
	request.MaxRetries(0)
	return awaitWebhook(ctx, func() (reply, error) { return c.writeOnce(ctx, request) })
}

func (c *Cluster) writeOnce(ctx context.Context, request *rest.Request) (reply, error) {
	backoff := overloadBackoff
	for attempt := 0; ; attempt++ {
		answer, err := c.once(ctx, request)
		if err == nil || !apierrors.IsTooManyRequests(err) || attempt == maxOverloadRetries {
			return answer, err
		}
		delay := backoff.Step()
		if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
			delay = time.Duration(seconds) * time.Second
		}
		if delay > maxOverloadDelay || !sleep(ctx, delay) {
			return answer, err
		}
	}
}

func (c *Cluster) once(ctx context.Context, request *rest.Request) (reply, error) {
	ctx, trace := traceRequest(quiet(ctx))
	result := request.Do(ctx)
	if err := result.Error(); err != nil {
		return reply{}, c.transportError(ctx, err, trace)
	}
	var code int
	result.StatusCode(&code)
	body, err := result.Raw()
	if err != nil {
		return reply{}, c.transportError(ctx, err, trace)
	}
	return reply{code: code, body: body}, nil
}

// transportError adds to a client-go error what only we know: whether the request left.
func (c *Cluster) transportError(ctx context.Context, err error, trace *requestTrace) error {
	if _, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return failure.AsForbidden(withoutBody(err))
	}
	switch {
	case trace.connected.Load():
		return err
	case c.plugin != "" && !trace.dispatched.Load() && ctx.Err() == nil:
		return &failure.CredentialsError{Command: c.plugin, Err: innermost(err)}
	default:
		return &failure.NotSentError{Err: err}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
