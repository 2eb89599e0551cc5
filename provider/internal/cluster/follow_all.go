package cluster

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// FollowAll calls see with all objects that options select, by namespace and name, until see returns true or an error,
// or the context ends. An object that has not changed is the same pointer as in the call before. see must not keep the
// map.
//
// FollowAll uses one list and one watch, and survives what [Cluster.Follow] survives.
func (c *Cluster) FollowAll(
	ctx context.Context, options ListOptions, follow FollowOptions,
	see func(all map[string]*unstructured.Unstructured) (bool, error),
) error {
	all := &allObjects{cluster: c, options: options, see: see}
	f := &follower{cluster: c, followed: all, options: follow, patience: NewPatience()}
	return f.follow(ctx)
}

// allObjects are followed by what selects them.
type allObjects struct {
	cluster *Cluster
	options ListOptions
	see     func(map[string]*unstructured.Unstructured) (bool, error)
	known   map[string]*unstructured.Unstructured
}

func (a *allObjects) String() string { return "list of " + a.options.Kind }

func (a *allObjects) query() ListOptions { return a.options }

func (a *allObjects) read(ctx context.Context, polling bool) (current, error) {
	list, err := a.cluster.List(ctx, a.options)
	if failure.Gone(err) { // no kind, no objects
		list, err = &unstructured.UnstructuredList{}, nil
	}
	if err != nil {
		return current{}, err
	}
	before := a.known
	a.known = make(map[string]*unstructured.Unstructured, len(list.Items))
	for i := range list.Items {
		object := &list.Items[i]
		was := before[keyOf(object)]
		if was != nil && was.GetUID() == object.GetUID() && was.GetResourceVersion() == object.GetResourceVersion() {
			a.known[keyOf(was)] = was // others may be reading it
		} else {
			a.take(object)
		}
	}
	found := current{version: list.GetResourceVersion(), show: func() (bool, error) { return a.see(a.known) }}
	if polling && found.version == "" {
		found.version = unknownVersion
	}
	return found, nil
}

func (a *allObjects) change(event watch.EventType, object *unstructured.Unstructured) (bool, error) {
	if event == watch.Deleted {
		delete(a.known, keyOf(object))
	} else {
		a.take(object)
	}
	return a.see(a.known)
}

// take remembers the state of an object. Lists of some kinds leave out what they are lists of.
func (a *allObjects) take(object *unstructured.Unstructured) {
	object.SetAPIVersion(a.options.APIVersion)
	object.SetKind(a.options.Kind)
	a.known[keyOf(object)] = object
}

func keyOf(object *unstructured.Unstructured) string {
	return fmt.Sprintf("%s/%s", object.GetNamespace(), object.GetName())
}
