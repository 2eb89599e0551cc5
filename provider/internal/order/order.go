package order

import (
	"cmp"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// Object is an object of a set.
type Object struct {
	// Key names it in edges. No two objects have the same.
	Key string
	// Content is its manifest, with the namespace that it is applied in. What is unknown in it says nothing.
	Content map[string]any
}

// Edge says that an object is applied after another one, and deleted before it.
type Edge struct {
	// Object and After are the keys of the two.
	Object, After string
	// Because says why, as the end of a sentence: "its pods mount it".
	Because string
	// Ready says that the other object has to be ready, too.
	Ready bool
	// Named means that the object itself says so, by a name in it, its kind or its namespace. Other edges follow from what other objects
	// do with it, such as an operator.
	Named bool

	certainty certainty
}

// Graph is the order of a set.
type Graph struct {
	// Sorted has all keys, each after those that it comes after.
	Sorted []string
	// Edges are sorted by Object, then by After.
	Edges []Edge
	// Dropped are edges that would close a circle with the others.
	Dropped []Edge
	// Instances are, by the keys of definitions, the edges that an object of the defined kind would have that is not in the set and
	// says nothing else.
	Instances map[string][]Edge
	// Mistakes are annotations that cannot be read.
	Mistakes []Mistake
	// Absent are what annotations name and the set does not have.
	Absent []Absent
}

// Mistake is something in an object that cannot be read.
type Mistake struct {
	// Key names the object, Path the field in it.
	Key, Path string
	Reason    string
}

// After returns the edges of one object.
func (g *Graph) After(key string) []Edge {
	first, _ := slices.BinarySearchFunc(g.Edges, key, func(edge Edge, key string) int { return cmp.Compare(edge.Object, key) })
	last := first
	for last < len(g.Edges) && g.Edges[last].Object == key {
		last++
	}
	return g.Edges[first:last]
}

// Of finds the order of a set.
func Of(objects []Object) Graph {
	s := newSet(objects)
	for _, find := range []func(*set){contained, bound, references, podsNeed, operated, called, requested} {
		find(s)
	}
	seen(s) // It asks what the others have found.
	graph := Graph{Mistakes: s.mistakes, Absent: s.absent, Instances: s.separateInstances()}
	graph.Edges, graph.Dropped = s.withoutCircles()
	graph.Sorted = s.sort(graph.Edges)
	return graph
}

// sort returns all keys in an order that the edges allow. What they leave open is decided by kind and key.
func (s *set) sort(edges []Edge) []string {
	before := map[string][]string{}
	for _, edge := range edges {
		before[edge.Object] = append(before[edge.Object], edge.After)
	}
	objects := slices.Clone(s.objects)
	slices.SortFunc(objects, func(a, b *object) int {
		return cmp.Or(kinds.CompareApplyOrder(a.GroupKind(), b.GroupKind()), strings.Compare(a.key, b.key))
	})
	var sorted []string
	placed := map[string]bool{}
	var place func(key string)
	place = func(key string) {
		if placed[key] {
			return
		}
		placed[key] = true
		for _, other := range before[key] {
			place(other)
		}
		sorted = append(sorted, key)
	}
	for _, o := range objects {
		place(o.key)
	}
	return sorted
}
