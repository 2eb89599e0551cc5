package object

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// Usually an update leaves out the ignored fields. It sends them only if the live object requires them:
//
//	what is ignored                      what is sent
//	part of an atomic list or map        the live value, by ignore_inside.go
//	part of a list item that is created  the manifest's value, as when an object is created

// ignoresInside reports whether something is ignored inside a list or map that is owned only as a whole, as far as
// the state knows, or may be inside one that is new in the program.
func (in inputs) ignoresInside(old state) bool {
	if len(in.ignore) == 0 {
		return false
	}
	return old.fields == nil || len(in.ignore.Inside(old.fields)) > 0 || in.ignore.ReachesBeyond(in.sent(), old.fields)
}

// makesItems reports whether the apply may create list items that contain ignored fields: items that the program has
// added, or that others have removed. If not, there is no need to read the live object.
func (w *write) makesItems() bool {
	return len(w.in.ignore.NewItems(w.in.applied, w.seen.object, w.seen.fields)) > 0
}

// sendOnto applies body with the ignored fields that the live object needs. The API server refuses the apply if the object
// has changed since it was read; then sendOnto reads it and applies again.
func (w *write) sendOnto(ctx context.Context, body map[string]any) (answer *unstructured.Unstructured, err error) {
	err = cluster.RetryOnConflict(ctx, func() error {
		live, err := w.Cluster.Get(ctx, w.Ref)
		if err != nil || live.GetUID() != w.uid {
			if answer, err = w.attempt(ctx, body); err != nil { // the refusal says what is wrong
				return &notStale{err}
			}
			return nil
		}
		now, err := w.onto(w.in, body, live)
		if err != nil {
			return err
		}
		answer, err = w.attempt(ctx, now)
		return unlessStale(err)
	})
	if other, ok := errors.AsType[*notStale](err); ok {
		err = other.error
	}
	return answer, err
}

// notStale is an error that does not require another read of the object.
type notStale struct{ error }

// unlessStale passes only the conflict that says the object has changed, and wraps any other error.
func unlessStale(err error) error {
	if err == nil || isStale(err) {
		return err
	}
	return &notStale{err}
}

// onto returns body with the ignored fields that an apply onto the live object has to send, and guarded if there are any.
func (t target) onto(in inputs, body map[string]any, live *unstructured.Unstructured) (map[string]any, error) {
	owned, err := ownership.AllOwned(live)
	if err != nil {
		return nil, err
	}
	items := in.ignore.NewItems(in.applied, live.Object, owned)
	leaves := in.ignore.Within(live.Object).Inside(owned)
	if len(items) == 0 && len(leaves) == 0 {
		return body, nil
	}
	if body, err = t.withInside(in, ownership.WithNewItems(body, items), live, leaves); err != nil {
		return nil, err
	}
	return ownership.SetAt(body, versionPath, live.GetResourceVersion()), nil
}

// sentOnto returns what an update sends onto the object in the version that was read, without the guard.
func (t target) sentOnto(in inputs, live *unstructured.Unstructured) (map[string]any, error) {
	body, err := t.onto(in, t.object(in.sent()).Object, live)
	return unguarded(body), err
}
