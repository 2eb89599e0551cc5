package cluster

import (
	"context"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

const (
	// pollInterval is how often an object is read that may not be watched.
	pollInterval = time.Second
	// pollsPerWatch is after how many reads a watch is tried again: a refusal may pass, as after a restart.
	pollsPerWatch = 30
	// retryInterval is how long we wait after an error before the next request.
	retryInterval = 500 * time.Millisecond
	// deniedTolerance is how long 401 and 403 are borne that come after reading worked. An API server that restarts
	// answers them until it has read its own rules, and a credential plugin renews after a 401.
	deniedTolerance = 10 * time.Second
	// firstContactTimeout is how long an API server may be out of reach that has never answered. One that has is
	// waited for as long as there is time.
	firstContactTimeout = 30 * time.Second
)

// FollowOptions are the options of [Cluster.Follow].
type FollowOptions struct {
	// Polling is called once if the object may be read and not watched, so that it is read every second instead.
	Polling func(reason error)
	// Trouble is called with every error that is survived.
	Trouble func(err error)
}

// Follow calls see with every state of one object until see returns true or an error, or the context ends. A nil
// object says that it is absent. It begins with the state after from, or with the present state if from is nil.
//
// It is one watch, narrowed to the object's name. It survives watches that end, history that was compacted (410), and
// an API server that is away for a while; it reads the object again where changes could have been missed, so it is
// every state that matters that is seen, not every state there was. It gives up where waiting cannot help: when the
// object may not be read, the request is refused, or the API server has never answered.
func (c *Cluster) Follow(
	ctx context.Context, ref Ref, from *unstructured.Unstructured, options FollowOptions,
	see func(live *unstructured.Unstructured) (bool, error),
) error {
	f := &follower{cluster: c, ref: ref, options: options, see: see, began: time.Now()}
	if from != nil {
		f.version, f.worked = from.GetResourceVersion(), true
	}
	for {
		pause := time.Duration(0)
		switch {
		case f.version == "" || f.polls > 0:
			done, err := f.read(ctx)
			if done || err != nil {
				return err
			}
			if f.version == "" {
				pause = retryInterval
			} else if f.polls > 0 {
				pause = pollInterval
				f.polls = (f.polls + 1) % pollsPerWatch
			}
		default:
			began := time.Now()
			if done, err := f.watch(ctx); done || err != nil {
				return err
			}
			if time.Since(began) < retryInterval {
				pause = retryInterval
			}
		}
		if pause > 0 && !sleep(ctx, pause) || ctx.Err() != nil {
			return fmt.Errorf("%s: %w", ref, ctx.Err())
		}
	}
}

// follower is the state of one Follow.
type follower struct {
	cluster *Cluster
	ref     Ref
	options FollowOptions
	see     func(*unstructured.Unstructured) (bool, error)

	version string // the resourceVersion from which to watch; empty if changes may have been missed
	polls   int    // reads since watching was refused; 0 while watching
	told    bool   // Polling was called
	worked  bool   // a request was answered well
	began   time.Time
	denied  time.Time
}

// read sees the present state.
func (f *follower) read(ctx context.Context) (bool, error) {
	f.version = ""
	live, err := f.cluster.Get(ctx, f.ref)
	if failure.Gone(err) && f.polls == 0 {
		live, f.version, err = f.list(ctx)
	}
	switch {
	case err == nil:
		f.succeeded()
		if live != nil {
			f.version = live.GetResourceVersion()
		}
		return f.see(live)
	case failure.Gone(err):
		f.succeeded()
		if f.polls > 0 {
			f.version = unknownVersion
		}
		return f.see(nil)
	case ctx.Err() != nil:
		return true, fmt.Errorf("%s: %w", f.ref, ctx.Err())
	default:
		return false, f.survive(err)
	}
}

// unknownVersion stands where an object is absent and nobody watches.
const unknownVersion = "0"

// list looks for an absent object among those of its kind, for the answer says from which version to watch for it.
func (f *follower) list(ctx context.Context) (live *unstructured.Unstructured, version string, err error) {
	list, err := f.cluster.List(ctx, ListOptions{
		APIVersion: f.ref.APIVersion, Kind: f.ref.Kind, Namespace: f.ref.Namespace, FieldSelector: f.ref.selector(),
	})
	switch {
	case apierrors.IsForbidden(err), apierrors.IsMethodNotSupported(err):
		f.poll(err)
		return nil, unknownVersion, nil
	case err != nil:
		return nil, "", err
	}
	for i := range list.Items {
		if list.Items[i].GetName() == f.ref.Name {
			return &list.Items[i], "", nil
		}
	}
	return nil, list.GetResourceVersion(), nil
}

func (f *follower) succeeded() { f.worked, f.denied = true, time.Time{} }

// survive returns the errors that waiting does not help against.
func (f *follower) survive(err error) error {
	if apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) {
		if f.denied.IsZero() {
			f.denied = time.Now()
		}
		if !f.worked || time.Since(f.denied) > deniedTolerance {
			return err
		}
	} else if !MayPass(err) || !f.worked && time.Since(f.began) > firstContactTimeout {
		return err
	}
	if f.options.Trouble != nil {
		f.options.Trouble(err)
	}
	return nil
}

// MayPass reports whether the cause of a failed read may pass by itself, so that it is worth another try: the API server
// is away, busy or in trouble. A refusal, or a connection that cannot be used, does not pass.
func MayPass(err error) bool {
	if code := statusCode(err); code >= 400 && code < 500 {
		return code == http.StatusTooManyRequests
	}
	return !isFieldError(err)
}

// poll changes from watching to reading.
func (f *follower) poll(reason error) {
	f.polls = 1
	if !f.told && f.options.Polling != nil {
		f.options.Polling(reason)
	}
	f.told = true
}
