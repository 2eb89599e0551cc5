package cluster

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// WebhookTimeout is how long a write waits for an admission webhook that cannot be asked. Its server may be on its way in
// the same run, with an image to pull and a certificate to be injected.
const WebhookTimeout = 2 * time.Minute

// patienceBackoff is how often something is tried that may be on its way. After it has reached its cap, it stays there.
var patienceBackoff = wait.Backoff{Duration: 250 * time.Millisecond, Factor: 1.2, Jitter: 0.1, Steps: 100, Cap: 5 * time.Second}

// lastTry is how long before the end of its time nothing is tried any more. A try that is cut off has an effect that is
// not known, and an error that hides the cause of those before it.
const lastTry = time.Second

// Patiently calls try again and again, first after a quarter of a second, until it says that it has not to be called any
// more. It ends when patience is over or the context is about to end.
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

// AwaitWebhooks lets writes under the context, dry-runs too, wait up to [WebhookTimeout] each for admission webhooks that
// cannot be asked. Without it such a write fails at once. waiting is called before each wait, and with nil when none is
// waited for any more.
func AwaitWebhooks(ctx context.Context, waiting func(unasked *failure.UnaskedWebhook)) context.Context {
	return context.WithValue(ctx, webhooksKey{}, waiting)
}

// awaitWebhook sends a write, and again while an admission webhook cannot be asked. What it returns is what came of the
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
