package tracked

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

// ReplacementGuard remembers, for this process, the object of each resource's newest state. Its zero value is ready
// for use, also by several goroutines.
//
// A create-before-delete replacement asks for a new object while the old one exists, and then deletes the old one.
// With the same name, these are one object: Create would find it and take it for an earlier attempt of its own, and
// Delete would then delete it under the new state. Neither request says that it is part of a replacement, so the
// guard relies on what it saw before.
type ReplacementGuard struct {
	mu    sync.Mutex
	byURN map[resource.URN]observed
}

// observed is an object and the state that knows it. Hash keys distinguish the states of one object, because every
// creation makes a new key. They do not change when the resource gets another URN by an alias.
type observed struct{ uid, hashKey string }

func (s State) observed() observed { return observed{s.Ref.UID, s.HashKey} }

// observedIn reads it from outputs.
func observedIn(outputs property.Map) observed {
	return observed{reference.Decode(outputs.Get(KeyResourceRef)).UID, values.Text(outputs.Get(keyHashKey))}
}

// Observe records that the newest state of a resource is about the object with this uid.
func (g *ReplacementGuard) Observe(urn resource.URN, uid, hashKey string) {
	if uid == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byURN == nil {
		g.byURN = map[resource.URN]observed{}
	}
	g.byURN[urn] = observed{uid, hashKey}
}

// IsCurrent reports whether the newest state of a resource is known to be about this object.
func (g *ReplacementGuard) IsCurrent(urn resource.URN, uid string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return uid != "" && g.byURN[urn].uid == uid
}

// Superseded reports whether the object of an old state with this uid and hash key now belongs to a newer state of
// the same resource. Deleting it would delete the newer state's object.
func (g *ReplacementGuard) Superseded(urn resource.URN, uid, hashKey string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.byURN[urn]
	return now.uid != "" && now.uid == uid &&
		now.hashKey != "" && hashKey != "" && now.hashKey != hashKey
}

// Yield forgets the object of a resource if another resource of this process has the same one, and returns that
// resource. If several yield at once, the last one keeps it. Hash keys distinguish two states of one object; a state
// that a rename has brought under another URN keeps its own.
func (g *ReplacementGuard) Yield(urn resource.URN, uid, hashKey string) (other resource.URN, yields bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if uid == "" || hashKey == "" {
		return "", false
	}
	for other, seen := range g.byURN {
		if other != urn && seen.uid == uid && seen.hashKey != "" && seen.hashKey != hashKey {
			g.forget(urn, observed{uid, hashKey})
			return other, true
		}
	}
	return "", false
}

// Forget records that the object of a state was deleted. What is known of another state of the resource stays: after a move that
// failed and was taken back, the engine deletes two old ones side by side.
func (g *ReplacementGuard) Forget(urn resource.URN, uid, hashKey string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget(urn, observed{uid, hashKey})
}

func (g *ReplacementGuard) forget(urn resource.URN, state observed) {
	if g.byURN[urn] == state {
		delete(g.byURN, urn)
	}
}
