package cluster

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	// pollInterval is how often an object is read that cannot be watched.
	pollInterval = time.Second
	// pollsPerWatch is the number of reads after which a watch is tried again: the cause of a refusal may pass, for
	// example after a restart.
	pollsPerWatch = 30
	// retryInterval is the pause between an error and the next request.
	retryInterval = 500 * time.Millisecond
	// deniedTolerance is how long Follow tolerates 401 and 403 after reading has worked. A restarting API server
	// answers them until it has read its own rules, and a credential plugin logs in again after a 401.
	deniedTolerance = 10 * time.Second
	// firstContactTimeout is how long Follow waits for an API server that has never answered. If it has answered
	// before, Follow waits until the context ends.
	firstContactTimeout = 30 * time.Second
)

// FollowOptions are the options of [Cluster.Follow].
type FollowOptions struct {
	// Polling is called once if the object may be read but not watched, so that Follow reads it every second instead.
	Polling func(reason error)
	// Trouble is called with every error that does not end Follow.
	Trouble func(err error)
}

// Follow calls see with the states of one object until see returns true or an error, or the context ends. A nil object
// means that it is absent. Follow begins with the state after from, or with the current state if from is nil.
//
// Follow uses one watch, narrowed to the object's name. It survives watches that end, history that was compacted (410),
// and an API server that is unavailable for a while. If it may have missed changes, it reads the object again, so see
// may miss intermediate states but not the latest one. Follow gives up when waiting cannot help: the object may not be
// read, the request is refused, or the API server has never answered.
func (c *Cluster) Follow(
	ctx context.Context, ref Ref, from *unstructured.Unstructured, options FollowOptions,
	see func(live *unstructured.Unstructured) (bool, error),
) error {
	f := &follower{cluster: c, followed: &oneObject{c, ref, see}, options: options, patience: NewPatience()}
	if from != nil {
		f.version = from.GetResourceVersion()
		f.patience.Succeeded()
	}
	return f.follow(ctx)
}

// follow alternates between reads and watches.
func (f *follower) follow(ctx context.Context) error {
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
			return fmt.Errorf("%s: %w", f.followed, ctx.Err())
		}
	}
}

// followed is what a follower follows.
type followed interface {
	fmt.Stringer
	// query selects what a watch reports.
	query() ListOptions
	// read reads the current state, and the version at which a watch can begin. show shows the state. A refusal to list
	// says that the state can only be polled.
	read(ctx context.Context, polling bool) (current current, err error)
	// change shows a change that a watch has reported.
	change(event watch.EventType, object *unstructured.Unstructured) (bool, error)
}

// current is the state that a read has found.
type current struct {
	// version is that at which a watch can begin; empty if it is not known.
	version string
	// unlisted is the refusal that makes watching impossible; nil if there is none.
	unlisted error
	show     func() (bool, error)
}

// follower is the state of one Follow.
type follower struct {
	cluster  *Cluster
	followed followed
	options  FollowOptions

	version string // the resourceVersion to watch from; empty if changes may have been missed
	polls   int    // reads since watching was refused; 0 while watching
	told    bool   // Polling has been called

	patience *Patience
}

// read reads the current state.
func (f *follower) read(ctx context.Context) (bool, error) {
	f.version = ""
	found, err := f.followed.read(ctx, f.polls > 0)
	switch {
	case err == nil:
		if found.unlisted != nil {
			f.poll(found.unlisted)
		}
		f.patience.Succeeded()
		f.version = found.version
		return found.show()
	case ctx.Err() != nil:
		return true, fmt.Errorf("%s: %w", f.followed, ctx.Err())
	default:
		return false, f.survive(err)
	}
}

// unknownVersion is the version of an absent object while polling.
const unknownVersion = "0"

// survive returns the error if waiting does not help.
func (f *follower) survive(err error) error {
	if f.patience.HasEnded(err) {
		return err
	}
	if f.options.Trouble != nil {
		f.options.Trouble(err)
	}
	return nil
}

// MayPass reports whether the cause of a failed read may pass by itself, so that another try is worthwhile: the API
// server is unavailable, busy or in trouble. A refusal does not pass, nor does a connection that cannot be used.
func MayPass(err error) bool {
	if code := statusCode(err); code >= 400 && code < 500 {
		return code == http.StatusTooManyRequests
	}
	return !isFieldError(err)
}

// poll switches from watching to polling.
func (f *follower) poll(reason error) {
	f.polls = 1
	if !f.told && f.options.Polling != nil {
		f.options.Polling(reason)
	}
	f.told = true
}
