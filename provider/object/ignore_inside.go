package object

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// ignoresInside reports whether something is ignored inside a list or map that is owned only as a whole, as far as
// the state knows, or may be inside one that is new in the program.
func (in inputs) ignoresInside(old state) bool {
	if len(in.ignore) == 0 {
		return false
	}
	return old.fields == nil || len(in.ignore.Inside(old.fields)) > 0 || in.ignore.ReachesBeyond(in.sent(), old.fields)
}

// keepInside applies body with the ignored parts of atomic lists and maps as they are in the live object, because
// nobody can leave out part of such a list. The API server refuses the apply if the object has changed since it was
// read; then keepInside reads it and applies again.
func (w *write) keepInside(ctx context.Context, body map[string]any) (answer *unstructured.Unstructured, err error) {
	err = cluster.RetryOnConflict(ctx, func() error {
		live, err := w.Cluster.Get(ctx, w.Ref)
		if err != nil || live.GetUID() != w.uid {
			if answer, err = w.attempt(ctx, body); err != nil { // the refusal says what is wrong
				return &notStale{err}
			}
			return nil
		}
		now, err := w.withInside(w.in, body, live)
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

// isStale reports whether the object has changed since it was read.
func isStale(err error) bool {
	return apierrors.IsConflict(err) && len(failure.FieldConflicts(err)) == 0
}

// withInside copies the ignored parts of the live object into body.
func (t target) withInside(in inputs, body map[string]any, live *unstructured.Unstructured) (map[string]any, error) {
	owned, err := ownership.AllOwned(live)
	if err != nil {
		return nil, err
	}
	leaves := in.ignore.Within(live.Object).Inside(owned)
	if len(leaves) == 0 {
		return body, nil
	}
	for _, leaf := range leaves {
		if _, _, ok := ownership.Locate(in.applied, leaf); !ok {
			continue // it is removed as a whole
		}
		v, err := in.ignore.Overlay(in.applied, live.Object, leaf)
		if errors.Is(err, ownership.ErrNoMatch) {
			return nil, tracked.Refused(failure.ReasonConflict, "%s: ignoreFields names a part of %s, which the API server replaces only as a whole, and "+
				"it cannot be told which live item is which of the manifest's: both have items that the other has not. Nothing was changed.\n"+
				"Ignore the whole: %s; or change the items in two steps: first remove some, then add others.", t.Ref, in.nameOf(leaf), in.ignoreLine([]fieldpath.Path{leaf}))
		}
		if err != nil {
			return nil, err
		}
		body = ownership.SetAt(body, leaf, v)
	}
	metadata, _ := body["metadata"].(map[string]any)
	metadata["resourceVersion"] = live.GetResourceVersion()
	return body, nil
}

// sentOnto returns what an update sends onto the object as it was read, without the guard.
func (t target) sentOnto(in inputs, live *unstructured.Unstructured) (map[string]any, error) {
	body, err := t.withInside(in, t.object(in.sent()).Object, live)
	if isGuarded(body) {
		unstructured.RemoveNestedField(body, "metadata", "resourceVersion")
	}
	return body, err
}

// isGuarded reports whether a body may be applied only onto the object as it was read.
func isGuarded(body map[string]any) bool {
	_, guarded, _ := unstructured.NestedString(body, "metadata", "resourceVersion")
	return guarded
}
