package cluster

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// oneObject is followed by name.
type oneObject struct {
	cluster *Cluster
	ref     Ref
	see     func(*unstructured.Unstructured) (bool, error)
}

func (o *oneObject) String() string { return o.ref.String() }

func (o *oneObject) query() ListOptions {
	return ListOptions{APIVersion: o.ref.APIVersion, Kind: o.ref.Kind, Namespace: o.ref.Namespace, FieldSelector: o.ref.selector()}
}

func (o *oneObject) read(ctx context.Context, polling bool) (found current, err error) {
	live, err := o.cluster.Get(ctx, o.ref)
	if failure.Gone(err) {
		live, err = nil, nil
		found.version = unknownVersion
		if !polling {
			live, found.version, found.unlisted, err = o.list(ctx)
		}
	}
	if live != nil {
		found.version = live.GetResourceVersion()
	}
	found.show = func() (bool, error) { return o.see(live) }
	return found, err
}

// list looks for an absent object in a list, because the list has the version from which to watch for it.
func (o *oneObject) list(ctx context.Context) (live *unstructured.Unstructured, version string, unlisted, err error) {
	list, err := o.cluster.List(ctx, o.query())
	switch {
	case isUnlistable(err):
		return nil, unknownVersion, err, nil
	case failure.Gone(err):
		return nil, "", nil, nil
	case err != nil:
		return nil, "", nil, err
	}
	for i := range list.Items {
		if list.Items[i].GetName() == o.ref.Name {
			return &list.Items[i], "", nil, nil
		}
	}
	return nil, list.GetResourceVersion(), nil, nil
}

// isUnlistable reports whether the kind cannot be listed or watched, so that it can only be read.
func isUnlistable(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err)
}

func (o *oneObject) change(event watch.EventType, object *unstructured.Unstructured) (bool, error) {
	if object.GetName() != o.ref.Name {
		return false, nil // a server that ignores field selectors
	}
	if event == watch.Deleted {
		object = nil
	}
	return o.see(object)
}
