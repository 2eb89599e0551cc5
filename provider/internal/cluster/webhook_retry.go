package cluster

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// WebhookTimeout is how long a write waits for an admission webhook that cannot be called. The same run may be starting
// its server, which may have to pull an image and get a certificate injected.
const WebhookTimeout = 2 * time.Minute

// patienceBackoff spaces the tries of [Patiently]. After it has reached its cap, it stays there.
var patienceBackoff = wait.Backoff{Duration: 250 * time.Millisecond, Factor: 1.2, Jitter: 0.1, Steps: 100, Cap: 5 * time.Second}

// lastTry is the time before the deadline in which no further try starts. A try that is cut off has an unknown effect,
// and its error hides the cause of the earlier ones.
const lastTry = time.Second

// Patiently calls try repeatedly, first after a quarter of a second, until try returns false, patience is over, or the
// context is about to end.
func Patiently(ctx context.Context, patience time.Duration, try func() (again bool)) {
	if end, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(end)-lastTry)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	backoff := patienceBackoff
	for sleep(ctx, backoff.Step()) && try() {
	}
}

type webhooksKey struct{}

// AwaitWebhooks lets writes under the context, including dry-runs, wait up to [WebhookTimeout] each for admission
// webhooks that cannot be called. Without it, such a write fails at once. waiting is called before each wait, and with
// nil when the wait is over.
func AwaitWebhooks(ctx context.Context, waiting func(unasked *failure.UnaskedWebhook)) context.Context {
	return context.WithValue(ctx, webhooksKey{}, waiting)
}

// awaitWebhook sends a write, and repeats it while an admission webhook cannot be called. It returns the result of the
// last try.
func awaitWebhook(ctx context.Context, send func() (reply, error)) (reply, error) {
	answer, err := send()
	waiting, patient := ctx.Value(webhooksKey{}).(func(*failure.UnaskedWebhook))
	unasked, ok := failure.WebhookUnasked(err)
	if !patient || !ok {
		return answer, err
	}
	defer waiting(nil)
	waiting(&unasked)
	Patiently(ctx, WebhookTimeout, func() bool {
		answer, err = send()
		if unasked, ok = failure.WebhookUnasked(err); ok {
			waiting(&unasked)
		}
		return ok
	})
	return answer, err
}
