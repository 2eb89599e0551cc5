package sets

import (
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
)

// Needed are the keys of an object and of all objects that it names, directly or not. Objects that work on it, such as its
// operator, are not included. Neither is a named object that has to wait for such an object, or for one that is itself not included,
// unless that one is registered already.
func (r *Registration) Needed(key string) map[string]bool {
	needed := map[string]bool{}
	var ready func(key string) bool
	ready = func(key string) bool {
		return r.registered[key] != nil || !slices.ContainsFunc(r.Graph.After(key), func(edge order.Edge) bool {
			return r.registered[edge.After] == nil && !(edge.Named && ready(edge.After))
		})
	}
	var add func(key string)
	add = func(key string) {
		if needed[key] {
			return
		}
		needed[key] = true
		for _, edge := range r.Graph.After(key) {
			if edge.Named && ready(edge.After) {
				add(edge.After)
			}
		}
	}
	add(key)
	return needed
}
