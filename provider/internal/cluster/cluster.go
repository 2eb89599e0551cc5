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
	plugin    string // the command of the credential plugin, if there is one
	discovery discovery
	id        knownID
	clock     *clock
}

const (
	// maxOverloadRetries bounds how often a write that was answered 429 is sent again.
	maxOverloadRetries = 10
	// maxOverloadDelay is the longest that is waited for one of them. Who asks for more is told to the user.
	maxOverloadDelay = time.Minute
)

// overloadBackoff is how long to wait after a 429 that does not say it.
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
	// Only Status is ever decoded by client-go here: objects are decoded where their verb is.
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

// Namespace is where namespaced objects go that name no namespace.
func (c *Cluster) Namespace() string { return c.namespace }

// Server is the API server's URL.
func (c *Cluster) Server() string { return c.server }

// Target says which cluster this is, to be compared with that of another connection.
func (c *Cluster) Target() connect.Target { return c.target }

// reply is what the API server answered to a request that it accepted.
type reply struct {
	code int
	body []byte
}

// read sends a request that changes nothing. client-go repeats it a few times if the connection breaks.
func (c *Cluster) read(ctx context.Context, request *rest.Request) (reply, error) {
	return c.once(ctx, request)
}

// write sends a request that changes something. It is sent again only where nothing was done: after 429, at the time that
// the API server asks for, and while an admission webhook cannot be asked ([AwaitWebhooks]). What is sent again is the
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
	ctx, trace := traceRequest(ctx)
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
