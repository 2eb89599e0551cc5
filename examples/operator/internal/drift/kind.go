package drift

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
)

// again is when a watch that has failed is tried again: what was missing, such as a right, may have been given meanwhile.
const again = 30 * time.Second

// kind is the watch of one kind. Its fields are guarded by the watcher's mutex.
type kind struct {
	watcher *Watcher
	gvk     schema.GroupVersionKind
	stop    context.CancelFunc
	// users are the Environments that have objects of the kind, by the names of these.
	users map[types.NamespacedName]map[types.NamespacedName]bool
	// filled says that objects has what the API server has.
	filled bool
	// refused is why the kind cannot be watched, empty if it can, or if that is not known yet.
	refused string
	// objects are all that there are.
	objects map[types.NamespacedName]entry
}

func (k *kind) describe(reason string) string {
	return k.gvk.GroupVersion().String() + " " + k.gvk.Kind + ": " + reason
}

// run watches until the context ends.
func (k *kind) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := k.watch(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			k.fail(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

func (k *kind) watch(ctx context.Context) error {
	mapping, err := k.watcher.mapper.RESTMapping(k.gvk.GroupKind(), k.gvk.Version)
	if err != nil {
		return err
	}
	var objects metadata.ResourceInterface = k.watcher.client.Resource(mapping.Resource)
	if k.watcher.namespace != "" {
		if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
			return errNotOfNamespace
		}
		objects = k.watcher.client.Resource(mapping.Resource).Namespace(k.watcher.namespace)
	}
	listed := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return objects.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return objects.Watch(ctx, options)
		},
	}, k.watcher.client)
	return cache.NewReflectorWithOptions(listed, &metav1.PartialObjectMetadata{}, k, cache.ReflectorOptions{Name: k.gvk.String()}).
		ListAndWatchWithContext(ctx)
}

// fail notes why the kind cannot be watched. What is only out of reach now counts as it was seen last.
func (k *kind) fail(err error) {
	reason := ""
	switch {
	case meta.IsNoMatchError(err) || apierrors.IsNotFound(err):
		reason = "the API server does not have the kind"
	case apierrors.IsForbidden(err):
		reason = "the operator may not list and watch it"
	case apierrors.IsMethodNotSupported(err):
		reason = "the API server does not let it be watched"
	case errors.Is(err, errNotOfNamespace):
		reason = err.Error()
	default:
		return
	}
	k.change(func() []types.NamespacedName {
		if k.refused == reason {
			return nil
		}
		k.refused, k.filled, k.objects = reason, false, map[types.NamespacedName]entry{}
		return k.all()
	})
}

var errNotOfNamespace = errors.New("it is not in the namespace that the operator looks after")

// all are the Environments that have objects of the kind.
func (k *kind) all() []types.NamespacedName {
	var all []types.NamespacedName
	for environment := range k.users {
		all = append(all, environment)
	}
	return all
}

// change changes the kind, and tells the Environments about which that is.
func (k *kind) change(do func() []types.NamespacedName) {
	k.watcher.mutex.Lock()
	changed := do()
	for _, environment := range changed {
		k.watcher.environments[environment].changed = time.Now()
	}
	k.watcher.mutex.Unlock()
	for _, environment := range changed {
		k.watcher.notify(k.watcher.life, environment)
	}
}

// usersOf are the Environments that have an object.
func (k *kind) usersOf(name types.NamespacedName) (users []types.NamespacedName) {
	for environment, objects := range k.users {
		if objects[name] {
			users = append(users, environment)
		}
	}
	return users
}

// stripped is an object of which only what is kept is left. The reflector keeps many of them at once while it lists.
type stripped struct {
	metav1.ObjectMeta

	entry entry
}

func strip(object any) (any, error) {
	full, ok := object.(*metav1.PartialObjectMetadata)
	if !ok {
		return object, nil
	}
	kept := &stripped{ObjectMeta: metav1.ObjectMeta{Namespace: full.Namespace, Name: full.Name, ResourceVersion: full.ResourceVersion}}
	kept.entry = entryOf(full)
	return kept, nil
}

func nameOf(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}

// Transformer, Add, Update, Delete, Replace and Resync make the kind the store of its reflector.
func (k *kind) Transformer() cache.TransformFunc { return strip }

// Add keeps an object as it is now.
func (k *kind) Add(object any) error { return k.Update(object) }

// Update keeps an object as it is now.
func (k *kind) Update(object any) error {
	now, _ := strip(object)
	kept := now.(*stripped)
	k.change(func() []types.NamespacedName { return k.keep(nameOf(kept), kept) })
	return nil
}

// keep returns the Environments for which something has changed.
func (k *kind) keep(name types.NamespacedName, kept *stripped) []types.NamespacedName {
	before, had := k.objects[name]
	if kept == nil {
		delete(k.objects, name)
		return k.usersOf(name)
	}
	k.objects[name] = kept.entry
	if had && before.uid == kept.entry.uid && before.fields == kept.entry.fields {
		return nil
	}
	return k.usersOf(name)
}

// Delete forgets an object.
func (k *kind) Delete(object any) error {
	name, err := cache.DeletionHandlingObjectToName(object)
	if err != nil {
		return err
	}
	k.change(func() []types.NamespacedName { return k.keep(types.NamespacedName(name), nil) })
	return nil
}

// Replace takes all objects that there are.
func (k *kind) Replace(objects []any, _ string) error {
	now := make(map[types.NamespacedName]*stripped, len(objects))
	for _, object := range objects {
		kept, _ := strip(object)
		now[nameOf(kept.(*stripped))] = kept.(*stripped)
	}
	k.change(func() []types.NamespacedName {
		changed := map[types.NamespacedName]bool{}
		note := func(environments []types.NamespacedName) {
			for _, environment := range environments {
				changed[environment] = true
			}
		}
		for name := range k.objects {
			if now[name] == nil {
				note(k.keep(name, nil))
			}
		}
		for name, kept := range now {
			note(k.keep(name, kept))
		}
		if !k.filled {
			k.filled, k.refused = true, ""
			note(k.all())
		}
		var all []types.NamespacedName
		for environment := range changed {
			all = append(all, environment)
		}
		return all
	})
	return nil
}

// Resync has nothing to do: what is kept is what was told.
func (k *kind) Resync() error { return nil }
