package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A node is a value in a manifest: a scalar, or a map or list without what is in it. Nodes are in the order of a walk
// that visits a container before its contents, maps by their sorted keys. The identity of the object is no node.

// place is a node and how to come to it, by keys of maps (string) and positions in lists (int).
type place struct {
	steps []any
	value any
}

// String is the place for people: spec.containers[0].image, metadata.annotations["example.com/a"].
func (p place) String() string {
	return p.format(func(key string) string {
		if strings.ContainsAny(key, `.[]"/`) {
			return "[" + strconv.Quote(key) + "]"
		}
		return "." + key
	})
}

// plain is the place as the API server writes it, which quotes no keys.
func (p place) plain() string { return p.format(func(key string) string { return "." + key }) }

func (p place) format(keyed func(key string) string) string {
	var b strings.Builder
	for _, step := range p.steps {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			b.WriteString(keyed(step))
		}
	}
	return strings.TrimPrefix(b.String(), ".")
}

// remove takes the node out of the object. In a list it leaves null, so that the others keep their places.
func (p place) remove(object map[string]any) {
	var tree any = object
	for i, step := range p.steps {
		last := i == len(p.steps)-1
		switch container := tree.(type) {
		case map[string]any:
			if last {
				delete(container, step.(string))
				return
			}
			tree = container[step.(string)]
		case []any:
			if last {
				container[step.(int)] = nil
				return
			}
			tree = container[step.(int)]
		}
	}
}

// isIdentity reports whether a place says which object it is.
func isIdentity(steps []any, key string) bool {
	switch key {
	case "apiVersion", "kind":
		return len(steps) == 0
	case "metadata":
		return len(steps) == 0 // the container of the name
	case "name", "namespace":
		return len(steps) == 1 && steps[0] == "metadata"
	}
	return false
}

// walk calls visit with every node, in order, until it returns false.
func walk(tree any, steps []any, visit func(place) bool) bool {
	at := func(step any) []any { return append(slices.Clip(steps), step) }
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range sortedKeys(tree) {
			if !isIdentity(steps, key) && !visit(place{at(key), tree[key]}) {
				return false
			}
			if !walk(tree[key], at(key), visit) {
				return false
			}
		}
	case []any:
		for i, item := range tree {
			if !visit(place{at(i), item}) || !walk(item, at(i), visit) {
				return false
			}
		}
	}
	return true
}

func sortedKeys(tree map[string]any) []string {
	keys := make([]string, 0, len(tree))
	for key := range tree {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func countNodes(object map[string]any) int {
	n := 0
	walk(object, nil, func(place) bool { n++; return true })
	return n
}

// nodeAt is the nth node, counted from 1.
func nodeAt(object map[string]any, n int) place {
	var found place
	walk(object, nil, func(p place) bool {
		n--
		found = p
		return n > 0
	})
	return found
}

// beginning is the object with its identity and its first n nodes.
func beginning(object map[string]any, n int) map[string]any {
	left := n
	return begin(object, nil, &left).(map[string]any)
}

func begin(tree any, steps []any, left *int) any {
	at := func(step any) []any { return append(slices.Clip(steps), step) }
	switch tree := tree.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range sortedKeys(tree) {
			if isIdentity(steps, key) {
				out[key] = begin(tree[key], at(key), left)
			} else if *left > 0 {
				*left--
				out[key] = begin(tree[key], at(key), left)
			}
		}
		return out
	case []any:
		out := []any{}
		for i, item := range tree {
			if *left == 0 {
				break
			}
			*left--
			out = append(out, begin(item, at(i), left))
		}
		return out
	default:
		return tree
	}
}
