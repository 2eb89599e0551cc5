package order

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// certainty is how much is known of an edge. Of a circle, the least certain edge is dropped.
type certainty int

const (
	// guessed is an operator by its permissions.
	guessed certainty = iota
	// watched is what a webhook sees.
	watched
	// likely is a field of a custom resource that seems to name an object.
	likely
	// made is what makes an object that pods name.
	made
	// served are the definitions that an operator serves.
	served
	// answering is what the API server calls about an object. It is as certain as what Kubernetes defines.
	answering
	// certain is what Kubernetes itself defines: names, namespaces, kinds.
	certain
	// demanded is what an annotation asks for.
	demanded
)

// rank is how certain an edge is, in comparison with others.
func (c certainty) rank() certainty {
	if c == answering {
		return certain
	}
	return c
}

// names reports whether an edge follows from what the object itself says: a name, its kind or its namespace.
func (c certainty) names() bool { return c == likely || c >= certain }

// withoutCircles keeps edges, the most certain ones first, unless they would close a circle.
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

// reaches says whether one object comes after another one, directly or not.
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
