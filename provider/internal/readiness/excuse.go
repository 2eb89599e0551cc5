package readiness

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Excuse decides about a doubt, and may take its time. Without an excuse, the object does not count as being at the goal.
// With one, it does, and the text is a warning if there is one. The context ends when the doubt does.
type Excuse func(ctx context.Context, live *unstructured.Unstructured, doubt Doubt) (warning string, excused bool)

// decision is the decision about the doubt about one object.
type decision struct {
	doubt Doubt
	stop  context.CancelFunc // nil if there is nothing to decide
}

// about starts the decision about a doubt, for as long as the doubt lasts, and reports whether it is another doubt than
// before. excused is called with an excuse; if its context has ended, the doubt has ended since.
func (d *decision) about(
	ctx context.Context, running *sync.WaitGroup, excuse Excuse, live *unstructured.Unstructured, doubt Doubt,
	excused func(ctx context.Context, warning string),
) bool {
	if excuse == nil || doubt == d.doubt {
		return false
	}
	d.end()
	d.doubt = doubt
	if doubt == NoDoubt {
		return true
	}
	ctx, d.stop = context.WithCancel(ctx)
	running.Go(func() {
		if warning, ok := excuse(ctx, live, doubt); ok {
			excused(ctx, warning)
		}
	})
	return true
}

// end stops the decision.
func (d *decision) end() {
	if d.stop != nil {
		d.stop()
		d.stop = nil
	}
}
