package cluster

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// StillThereError means that an object was not gone when the context ended. It unwraps to the reason why the wait
// ended, so that errors.Is distinguishes a deadline from a cancellation.
type StillThereError struct {
	Ref Ref
	// Last is the object when it was last seen: its finalizers and its status say what it waits for. It is nil only if
	// the object was never seen.
	Last *unstructured.Unstructured
	// Trouble is the last error of a request, if the API server could not be reached at the end.
	Trouble error
	// Err is the reason why the wait ended.
	Err error
}

func (e *StillThereError) Error() string {
	if e.Trouble != nil {
		return fmt.Sprintf("%s is not gone yet: %v (last problem: %v)", e.Ref, e.Err, e.Trouble)
	}
	return fmt.Sprintf("%s is not gone yet: %v", e.Ref, e.Err)
}

// Unwrap returns the reason why the wait ended.
func (e *StillThereError) Unwrap() error { return e.Err }

// AwaitDeleted waits until an object is gone, or until an object with another UID has its name. from is the terminating
// object that [Cluster.Delete] returned; if it is nil, AwaitDeleted reads the object first. It calls onProgress, which
// may be nil, with every state. If the context ends first, the error is a *[StillThereError].
func (c *Cluster) AwaitDeleted(
	ctx context.Context, ref Ref, from *unstructured.Unstructured, onProgress func(live *unstructured.Unstructured),
) error {
	waiting := &StillThereError{Ref: ref, Last: from}
	var uid types.UID
	if from != nil {
		uid = from.GetUID()
		if onProgress != nil {
			onProgress(from)
		}
	}
	options := FollowOptions{Trouble: func(err error) { waiting.Trouble = err }}
	err := c.Follow(ctx, ref, from, options, func(live *unstructured.Unstructured) (bool, error) {
		waiting.Trouble = nil
		if live == nil {
			return true, nil
		}
		if uid == "" {
			uid = live.GetUID()
		}
		if live.GetUID() != uid {
			return true, nil
		}
		waiting.Last = live
		if onProgress != nil {
			onProgress(live)
		}
		return false, nil
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		waiting.Err = ctx.Err()
		return waiting
	default:
		return err
	}
}
