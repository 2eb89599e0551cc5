package cluster

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// StillThereError says that an object was not gone when the context ended. It unwraps to why the waiting ended, so
// that errors.Is tells a deadline from a cancellation.
type StillThereError struct {
	Ref Ref
	// Last is the object as it was seen last: its finalizers and its status say what it waits for. It is nil only if it
	// was never seen.
	Last *unstructured.Unstructured
	// Trouble is the last error on the way, if the API server could not be asked at the end.
	Trouble error
	// Err is why the waiting ended.
	Err error
}

func (e *StillThereError) Error() string {
	if e.Trouble != nil {
		return fmt.Sprintf("%s is not gone yet: %v (last problem: %v)", e.Ref, e.Err, e.Trouble)
	}
	return fmt.Sprintf("%s is not gone yet: %v", e.Ref, e.Err)
}

// Unwrap gives why the waiting ended.
func (e *StillThereError) Unwrap() error { return e.Err }

// AwaitDeleted waits until an object is gone, or another one with another UID has its name. from is the terminating
// object of [Cluster.Delete]; if it is nil the object is read first. onProgress, which may be nil, is called with every
// state. When the context ends first, the error is a *[StillThereError].
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
