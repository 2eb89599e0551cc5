package tracked

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

// ReplacementGuard remembers, for this operation, the object of each resource's newest state.
//
// A create-before-delete replacement asks for a new object while the old one exists, and then deletes the old one.
// With the same name, these are one object: Create would find it and take it for an earlier attempt of its own, and
// Delete would then delete it under the new state. Neither request says that it is part of a replacement, so the
// guard relies on what it saw before.
type ReplacementGuard struct{ Notes Notes }

const guarded = "object of the newest state" // resource.URN -> observed

// observed is an object and the state that knows it. Hash keys distinguish the states of one object, because every
// creation makes a new key. They do not change when the resource gets another URN by an alias. The key itself stays in
// the process; only its digest is recorded.
type observed struct{ uid, key string }

func observedAs(uid, hashKey string) observed { return observed{uid, digestOf(hashKey)} }

// digestOf returns a digest that distinguishes a hash key from others; empty if there is no key.
func digestOf(hashKey string) string {
	if hashKey == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(hashKey))
	return hex.EncodeToString(sum[:8])
}

func (o observed) String() string { return o.uid + " " + o.key }

func parseObserved(s string) observed {
	uid, key, _ := strings.Cut(s, " ")
	return observed{uid, key}
}

func (s State) observed() observed { return observedAs(s.Ref.UID, s.HashKey) }

// observedIn reads it from outputs.
func observedIn(outputs property.Map) observed {
	return observedAs(reference.Decode(outputs.Get(KeyResourceRef)).UID, values.Text(outputs.Get(keyHashKey)))
}

// Observe records that the newest state of a resource is about the object with this uid.
func (g *ReplacementGuard) Observe(urn resource.URN, uid, hashKey string) {
	if uid != "" {
		g.Notes.set(guarded, string(urn), observedAs(uid, hashKey).String())
	}
}

func (g *ReplacementGuard) newest(urn resource.URN) observed {
	now, _ := g.Notes.get(guarded, string(urn))
	return parseObserved(now)
}

// IsCurrent reports whether the newest state of a resource is known to be about this object.
func (g *ReplacementGuard) IsCurrent(urn resource.URN, uid string) bool {
	return uid != "" && g.newest(urn).uid == uid
}

// Superseded reports whether the object of an old state with this uid and hash key now belongs to a newer state of
// the same resource. Deleting it would delete the newer state's object.
func (g *ReplacementGuard) Superseded(urn resource.URN, uid, hashKey string) bool {
	now, old := g.newest(urn), observedAs(uid, hashKey)
	return now.uid != "" && now.uid == uid && now.key != "" && old.key != "" && now.key != old.key
}

// Yield forgets the object of a resource if another resource of this operation has the same one, and returns that
// resource. If several yield one after the other, the last one keeps it. Hash keys distinguish two states of one
// object; a state that a rename has moved to another URN keeps its own.
func (g *ReplacementGuard) Yield(urn resource.URN, uid, hashKey string) (other resource.URN, yields bool) {
	old := observedAs(uid, hashKey)
	if uid == "" || old.key == "" {
		return "", false
	}
	g.Notes.all(guarded, func(facts map[string]string) {
		for of, fact := range facts {
			if of == string(urn) || !strings.HasPrefix(fact, uid+" ") {
				continue
			}
			if seen := parseObserved(fact); seen.key != "" && seen.key != old.key {
				other, yields = resource.URN(of), true
			}
		}
	})
	if yields {
		g.Forget(urn, uid, hashKey)
	}
	return other, yields
}

// Forget records that the object of a state was deleted. It keeps what is known of another state of the resource: after
// a move that failed and was reverted, the engine deletes two old states side by side.
func (g *ReplacementGuard) Forget(urn resource.URN, uid, hashKey string) {
	if g.newest(urn) == observedAs(uid, hashKey) {
		g.Notes.forget(guarded, string(urn))
	}
}
