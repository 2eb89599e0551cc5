package order

import (
	"cmp"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// Object is an object of a set.
type Object struct {
	// Key names the object in edges. No two objects have the same key.
	Key string
	// Content is its manifest, with the namespace in which it is applied. Unknown values in it are ignored.
	Content map[string]any
}

// Edge says that an object is applied after another one, and deleted before it.
type Edge struct {
	// Object and After are the keys of the two objects.
	Object, After string
	// Because is the reason, as the end of a sentence: "its pods mount it".
	Because string
	// Ready means that the other object has to be ready, too.
	Ready bool
	// Named means that the object itself is the reason, by a name in it, its kind or its namespace. Other edges follow from what
	// other objects do with it, such as an operator.
	Named bool

	certainty certainty
}

// Graph is the order of a set.
type Graph struct {
	// Sorted has all keys. Each key follows the keys that its object comes after.
	Sorted []string
	// Edges are sorted by Object, then by After.
	Edges []Edge
	// Dropped are edges that would close a circle with the others.
	Dropped []Edge
	// Instances are, by the keys of definitions, the edges of an imagined object of the defined kind: it is not in the set, and
	// its kind is all that it says.
	Instances map[string][]Edge
	// Mistakes are annotations that cannot be read.
	Mistakes []Mistake
	// Absent are the objects that annotations name and that are not in the set.
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
	seen(s) // It needs the edges that the others have found.
	graph := Graph{Mistakes: s.mistakes, Absent: s.absent, Instances: s.separateInstances()}
	graph.Edges, graph.Dropped = s.withoutCircles()
	graph.Sorted = s.sort(graph.Edges)
	return graph
}

// sort returns all keys in an order that the edges allow. Where they allow several, kind and key decide.
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
