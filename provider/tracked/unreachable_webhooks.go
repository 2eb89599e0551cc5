package tracked

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// Writing returns the context for the requests of one call that writes: it shows the API server's warnings on the
// resource, and waits for webhooks. A preview only shows the warnings.
func Writing(ctx context.Context, source *connection.Source, urn resource.URN, sensitive []string) context.Context {
	return AwaitWebhooks(source.ForwardWarnings(ctx, urn, sensitive), sensitive)
}

// AwaitWebhooks lets the requests of an operation wait for admission webhooks that cannot be called, and shows beside
// the resource which one and why. It is for real writes. Neither Diff nor a preview waits: the engine calls Diff
// serially, and the planned change may be the repair. sensitive are the texts that must not be quoted.
func AwaitWebhooks(ctx context.Context, sensitive []string) context.Context {
	return cluster.AwaitWebhooks(ctx, func(unasked *failure.UnaskedWebhook) {
		if unasked == nil {
			connection.ClearStatus(ctx)
			return
		}
		p.GetLogger(ctx).InfoStatusf("Waiting up to %s for admission webhook %q: %s",
			cluster.WebhookTimeout, unasked.Name, unasked.Reason(sensitive))
	})
}

// WarnUnasked reports whether a dry-run failed only because an admission webhook could not be called, and warns about
// it if so.
func WarnUnasked(ctx context.Context, err error, sensitive []string) bool {
	unasked, ok := failure.WebhookUnasked(err)
	if ok {
		p.GetLogger(ctx).Warningf("Admission webhook %q could not be called. The values of this object are known only after the apply, "+
			"which waits up to %s for the webhook.\n%s", unasked.Name, cluster.WebhookTimeout, unasked.Reason(sensitive))
	}
	return ok
}
