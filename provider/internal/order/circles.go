package order

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// certainty says how certain an edge is. Of a circle, the least certain edge is dropped.
type certainty int

const (
	// guessed means that an account's permissions make its workload look like an operator.
	guessed certainty = iota
	// watched means that a webhook is called about the object.
	watched
	// likely means that a field of a custom resource seems to name the object.
	likely
	// made means that the other object makes an object that pods name.
	made
	// served means that the other object is a definition of an operator.
	served
	// answering means that the API server calls the other object about this one. It is as certain as what Kubernetes defines.
	answering
	// certain means that Kubernetes itself defines the relation: by names, namespaces and kinds.
	certain
	// demanded means that an annotation asks for the edge.
	demanded
)

// rank is the certainty that counts in a comparison of edges.
func (c certainty) rank() certainty {
	if c == answering {
		return certain
	}
	return c
}

// names reports whether an edge follows from the object itself: from a name in it, its kind or its namespace.
func (c certainty) names() bool { return c == likely || c >= certain }

// withoutCircles keeps edges, the most certain ones first, except those that would close a circle.
func (s *set) withoutCircles() (kept, dropped []Edge) {
	byCertainty := slices.Collect(maps.Keys(s.edges))
	slices.SortFunc(byCertainty, func(a, b pair) int {
		return cmp.Or(-cmp.Compare(s.edges[a].certainty.rank(), s.edges[b].certainty.rank()), compare(s.edges[a], s.edges[b]))
	})
	before := map[*object][]*object{}
	for _, between := range byCertainty {
		if reaches(before, between.after, between.object) {
			dropped = append(dropped, s.edges[between])
			continue
		}
		before[between.object] = append(before[between.object], between.after)
		kept = append(kept, s.edges[between])
	}
	slices.SortFunc(kept, compare)
	slices.SortFunc(dropped, compare)
	return kept, dropped
}

func compare(a, b Edge) int {
	return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.After, b.After))
}

// reaches reports whether an object comes after another one, directly or not.
func reaches(before map[*object][]*object, from, to *object) bool {
	visited := map[*object]bool{from: true}
	for queue := []*object{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			return true
		}
		for _, next := range before[queue[0]] {
			if !visited[next] {
				visited[next] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}
