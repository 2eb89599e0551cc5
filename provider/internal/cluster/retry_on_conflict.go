package cluster

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// conflictBackoff controls how often a guarded write is tried on an object that others write as well: 16 times in about
// 10 s. It has no cap, because wait.Backoff stops when it reaches one.
var conflictBackoff = wait.Backoff{Duration: 20 * time.Millisecond, Factor: 1.4, Jitter: 0.5, Steps: 16}

// RetryOnConflict repeats try, which writes an object guarded by its uid or its resourceVersion, until try does not fail
// with a conflict (409). If a rollout or a leader election writes the object many times a second, this takes
// several tries. After about 10 s, or when the context ends, it returns the last conflict.
func RetryOnConflict(ctx context.Context, try func() error) error {
	backoff := conflictBackoff
	for {
		err := try()
		if !apierrors.IsConflict(err) || backoff.Steps <= 1 || !sleep(ctx, backoff.Step()) {
			return err
		}
	}
}
