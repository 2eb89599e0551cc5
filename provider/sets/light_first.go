package sets

import (
	"cmp"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// The engine writes the whole state before and after each operation. An operation after a big object therefore costs much more
// than one before it, so the lightest objects are applied first.

// patience bounds how long big objects wait for all others. Cost is the only reason for that order, and one of the waiting
// objects may be needed by another object that does not say so.
const patience = 30 * time.Second

// lightFirst sorts keys by the weights of their objects, as far as the order allows it, and returns the keys of big objects
// apart. An object counts as at least as heavy as the objects that it comes after; an object that waits until another one is
// ready counts as big.
func (r *Registration) lightFirst(keys []string) (light, big []string) {
	weights := map[string]int{}
	for _, key := range keys {
		weights[key] = manifest.Weight(r.byKey[key].Manifest)
		for _, edge := range r.Graph.After(key) {
			weights[key] = max(weights[key], weights[edge.After])
			if _, awaited := r.waitedFor[edge.After]; awaited && edge.Ready {
				weights[key] = max(weights[key], manifest.MaxWeight+1)
			}
		}
	}
	// The sort is stable, so that no object comes before one that it comes after.
	sorted := slices.Clone(keys)
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(weights[a], weights[b]) })
	split := slices.IndexFunc(sorted, func(key string) bool { return weights[key] > manifest.MaxWeight })
	if split < 0 {
		split = len(sorted)
	}
	return sorted[:split], sorted[split:]
}

// awaitRegistered waits until the engine is done with objects, for at most [patience]. If one of them fails, the run ends, and so
// the next registration fails, too.
func (r *Registration) awaitRegistered(keys []string) {
	var children []pulumi.Resource
	for _, key := range keys {
		children = append(children, r.registered[key])
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, child := range children {
			if _, err := internals.UnsafeAwaitOutput(r.ctx.Context(), child.URN()); err != nil {
				return
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(patience):
	case <-r.ctx.Context().Done():
	}
}
