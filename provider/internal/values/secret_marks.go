package values

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Marks says which paths of a plain tree are secret. A marked path covers everything below it.
//
// The zero Marks has no mark. Marks can be copied and shared freely: Add on one never shows in another.
type Marks struct{ root *mark }

// mark is one node in the tree of paths that are marked or lead to a mark. Nodes that are reachable
// from a Marks outside this package are never changed.
type mark struct {
	secret   bool
	children map[property.PathSegment]*mark
}

// Add marks a path as secret. The empty path marks everything.
func (m *Marks) Add(path property.Path) {
	m.root = m.root.with(slices.Collect(path.Segments))
}

// with returns the tree with one more marked path. It copies the nodes along the path and shares the rest.
func (n *mark) with(path []property.PathSegment) *mark {
	changed := &mark{}
	if n != nil {
		changed.secret, changed.children = n.secret, maps.Clone(n.children)
	}
	if len(path) == 0 {
		changed.secret = true
		return changed
	}
	changed.attach(path[0], changed.children[path[0]].with(path[1:]))
	return changed
}

// attach adds a child at a segment, and does nothing if there is no child.
func (n *mark) attach(segment property.PathSegment, child *mark) {
	if child == nil {
		return
	}
	if n.children == nil {
		n.children = map[property.PathSegment]*mark{}
	}
	n.children[segment] = child
}

// child returns the node below a segment, nil if nothing is marked there.
func (n *mark) child(segment property.PathSegment) *mark {
	if n == nil {
		return nil
	}
	return n.children[segment]
}

// IsSecret reports whether the path or one of its ancestors is marked.
func (m Marks) IsSecret(path property.Path) bool {
	node := m.root
	for segment := range path.Segments {
		if node == nil || node.secret {
			break
		}
		node = node.child(segment)
	}
	return node != nil && node.secret
}

// Empty reports whether nothing is marked.
func (m Marks) Empty() bool { return m.root == nil }

// Secrets yields the marked paths in a stable order: a path before those below it, items by index, members by key.
func (m Marks) Secrets() iter.Seq[property.Path] {
	return func(yield func(property.Path) bool) {
		m.root.walk(nil, yield)
	}
}

func (n *mark) walk(at []property.PathSegment, yield func(property.Path) bool) bool {
	if n == nil {
		return true
	}
	if n.secret && !yield(property.PathFromSegments(at...)) {
		return false
	}
	for _, segment := range slices.SortedFunc(maps.Keys(n.children), compareSegments) {
		below := append(slices.Clip(at), segment)
		if !n.children[segment].walk(below, yield) {
			return false
		}
	}
	return true
}

// compareSegments orders indexes by number before keys by text.
func compareSegments(a, b property.PathSegment) int {
	indexA, isIndexA := a.(property.IndexSegment)
	indexB, isIndexB := b.(property.IndexSegment)
	switch {
	case isIndexA && isIndexB:
		return cmp.Compare(indexA.Index(), indexB.Index())
	case isIndexA:
		return -1
	case isIndexB:
		return 1
	}
	return cmp.Compare(a.(property.KeySegment).Key(), b.(property.KeySegment).Key())
}

// Sub returns the marks below a path, relative to it. If the path itself or an ancestor of it is marked, everything
// below is.
func (m Marks) Sub(segments ...property.PathSegment) Marks {
	node, covered := m.root, false
	for _, segment := range segments {
		covered = covered || node != nil && node.secret
		node = node.child(segment)
	}
	if covered {
		return Marks{node.with(nil)}
	}
	return Marks{node}
}

// Paths lists the marked paths, each as its map keys (string) and list positions (int). The path of the whole tree is
// empty.
func (m Marks) Paths() [][]any {
	var paths [][]any
	for path := range m.Secrets() {
		segments := []any{}
		for segment := range path.Segments {
			switch segment := segment.(type) {
			case property.IndexSegment:
				segments = append(segments, segment.Index())
			case property.KeySegment:
				segments = append(segments, segment.Key())
			}
		}
		paths = append(paths, segments)
	}
	return paths
}

// MarksAt is the inverse of [Marks.Paths], also after the paths were JSON.
func MarksAt(paths [][]any) (Marks, error) {
	var m Marks
	for _, path := range paths {
		segments := make([]property.PathSegment, len(path))
		for i, segment := range path {
			switch segment := segment.(type) {
			case int:
				segments[i] = property.NewSegment(segment)
			case float64:
				segments[i] = property.NewSegment(int(segment))
			case string:
				segments[i] = property.NewSegment(segment)
			default:
				return Marks{}, fmt.Errorf("a path has no %T", segment)
			}
		}
		m.Add(property.PathFromSegments(segments...))
	}
	return m, nil
}
