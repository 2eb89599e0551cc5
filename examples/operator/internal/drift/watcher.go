package drift

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// Object is one that an Environment has made.
type Object struct {
	schema.GroupVersionKind
	types.NamespacedName
}

// Seen is what the watches say of the objects of an Environment.
type Seen struct {
	// Digest is of what the provider owns in them.
	Digest string
	// Objects is how many of them are watched, also those that are gone.
	Objects int
	// NotWatched are the kinds of the others, with the reason.
	NotWatched []string
	// Missing says that an object is gone.
	Missing bool
	// Touched is when others last changed one of them, the status left out.
	Touched time.Time
	// Quiet is how long ago the last change was seen.
	Quiet time.Duration
}

// Watcher watches the kinds of which Environments have objects. It is run by a manager.
type Watcher struct {
	client    metadata.Interface
	mapper    meta.RESTMapper
	namespace string
	notify    func(ctx context.Context, environment types.NamespacedName)

	mutex        sync.Mutex
	life         context.Context //nolint:containedctx // of all watches, which begin and end with the Environments
	kinds        map[schema.GroupVersionKind]*kind
	environments map[types.NamespacedName]*watched
	running      sync.WaitGroup
}

// watched is an Environment.
type watched struct {
	objects []Object
	// changed is when the last change was seen.
	changed time.Time
}

// New returns a watcher of one namespace; "" is all. It calls notify when something has changed for an Environment.
func New(config *rest.Config, mapper meta.RESTMapper, namespace string, notify func(ctx context.Context, environment types.NamespacedName)) (*Watcher, error) {
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Watcher{
		client: client, mapper: mapper, namespace: namespace, notify: notify,
		kinds: map[schema.GroupVersionKind]*kind{}, environments: map[types.NamespacedName]*watched{},
	}, nil
}

// Start watches until the context ends.
func (w *Watcher) Start(ctx context.Context) error {
	w.mutex.Lock()
	w.life = ctx
	for _, k := range w.kinds {
		w.begin(k)
	}
	w.mutex.Unlock()
	<-ctx.Done()
	w.running.Wait()
	return nil
}

// begin starts the watch of a kind, once the watcher itself runs.
func (w *Watcher) begin(k *kind) {
	if w.life == nil || k.stop != nil || k.refused != "" {
		return
	}
	var ctx context.Context
	ctx, k.stop = context.WithCancel(w.life)
	w.running.Go(func() { k.run(ctx) })
}

// Want says which objects an Environment has. Without any, it is forgotten.
func (w *Watcher) Want(environment types.NamespacedName, objects []Object) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	known := w.environments[environment]
	switch {
	case known == nil && len(objects) == 0 || known != nil && slices.Equal(known.objects, objects):
		return
	case known == nil:
		known = &watched{}
		w.environments[environment] = known
	}
	before := known.objects
	known.objects, known.changed = objects, time.Now()
	for _, object := range objects {
		k := w.kinds[object.GroupVersionKind]
		if k == nil {
			k = newKind(w, object.GroupVersionKind)
			w.kinds[object.GroupVersionKind] = k
			w.begin(k)
		}
		if k.users[environment] == nil {
			k.users[environment] = map[types.NamespacedName]bool{}
		}
		k.users[environment][object.NamespacedName] = true
	}
	w.drop(environment, before)
	if len(objects) == 0 {
		delete(w.environments, environment)
	}
}

// drop forgets the objects that an Environment does not have any more, and ends the watches that nobody needs.
func (w *Watcher) drop(environment types.NamespacedName, before []Object) {
	now := w.environments[environment].objects
	for _, object := range before {
		k := w.kinds[object.GroupVersionKind]
		if k == nil || slices.Contains(now, object) {
			continue
		}
		delete(k.users[environment], object.NamespacedName)
		if len(k.users[environment]) == 0 {
			delete(k.users, environment)
		}
		if len(k.users) == 0 {
			if k.stop != nil {
				k.stop()
			}
			delete(w.kinds, k.gvk)
		}
	}
}

// See says what is known of the objects of an Environment. It is false as long as not all that can be watched was listed.
func (w *Watcher) See(environment types.NamespacedName) (Seen, bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	known := w.environments[environment]
	if known == nil {
		return Seen{}, false
	}
	seen := Seen{Quiet: time.Since(known.changed)}
	refused := map[string]bool{}
	sum := sha256.New()
	for _, object := range known.objects {
		k := w.kinds[object.GroupVersionKind]
		switch {
		case k.refused != "":
			refused[k.describe(k.refused)] = true
			continue
		case w.namespace != "" && object.Namespace != w.namespace:
			refused[k.describe(errNotOfNamespace.Error())] = true
			continue
		case !k.filled:
			return Seen{}, false
		}
		seen.Objects++
		entry, found := k.objects[object.NamespacedName]
		if !found {
			seen.Missing = true
			continue
		}
		if entry.touched.After(seen.Touched) {
			seen.Touched = entry.touched
		}
		_, _ = sum.Write([]byte(object.GroupVersionKind.String() + "\x00" + object.NamespacedName.String() + "\x00" + string(entry.uid) + "\x00"))
		_, _ = sum.Write(entry.fields[:])
	}
	seen.NotWatched = slices.Sorted(maps.Keys(refused))
	seen.Digest = hex.EncodeToString(sum.Sum(nil)[:16])
	return seen, true
}

func newKind(w *Watcher, gvk schema.GroupVersionKind) *kind {
	k := &kind{
		watcher: w, gvk: gvk, users: map[types.NamespacedName]map[types.NamespacedName]bool{}, objects: map[types.NamespacedName]entry{},
	}
	if gvk.GroupKind() == (schema.GroupKind{Kind: "Secret"}) {
		k.refused = "who may watch it may read its values"
	}
	return k
}
