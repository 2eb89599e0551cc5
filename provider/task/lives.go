package task

import (
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// lives knows the newest life of each resource that this process has seen. Where a user has asked for a replacement, the engine makes
// the new resource and then deletes the old one, perhaps in a later run: what that would run at its end must not run on what lives on.
// The engine reads both before that.
type lives struct {
	mu     sync.Mutex
	newest map[resource.URN]life
}

// life is one life of a resource.
type life struct {
	// hashKey tells it from all others.
	hashKey string
	// since is when it began, in a form that can be compared as text; empty where that was not saved.
	since string
}

// beginLife begins a life with a key.
func beginLife(hashKey string) life {
	return life{hashKey, time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z")}
}

// see notes a life, and reports whether it is the newest one.
func (l *lives) see(urn resource.URN, seen life) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.newest == nil {
		l.newest = map[resource.URN]life{}
	}
	known, is := l.newest[urn]
	if is && known.since > seen.since {
		return false
	}
	l.newest[urn] = seen
	return true
}

// isOver reports whether there is a newer life than this one.
func (l *lives) isOver(urn resource.URN, old life) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, is := l.newest[urn]
	return is && known.hashKey != old.hashKey && known.since >= old.since
}
