package connection

import (
	"context"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
)

// clearTimeout is how long the engine may take to remove the status.
const clearTimeout = time.Second

// ClearStatus removes the live status beside a resource, which would otherwise stay there. It also works after the
// operation was cancelled, and does not hang if the engine is gone.
func ClearStatus(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearTimeout)
	defer cancel()
	p.GetLogger(ctx).InfoStatus("")
}
