package cluster

import (
	"context"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// sharedTimeout bounds a request that belongs to no single caller and so has no caller's deadline.
const sharedTimeout = 30 * time.Second

// join joins a request for the same key that is in flight, or starts it. The request has a context of its own: a caller
// that gives up must not fail the others. join does not wait, so the caller may hold a lock; [await] gets the result.
func join[T any](flights *singleflight.Group, key string, ask func(context.Context) (T, error)) <-chan singleflight.Result {
	return flights.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), sharedTimeout)
		defer cancel()
		return ask(ctx)
	})
}

// await waits for the result of [join].
func await[T any](ctx context.Context, joined <-chan singleflight.Result) (T, error) {
	var none T
	select {
	case result := <-joined:
		if answer, ok := result.Val.(T); ok {
			return answer, result.Err
		}
		return none, result.Err
	case <-ctx.Done():
		return none, &failure.NotSentError{Err: ctx.Err()}
	}
}
