package lives_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// path leads to a value in an object: field names, and items of lists by their keys. It is written as in ignoreFields, and read
// here without the provider's help: spec.ports[port=53,protocol=UDP].targetPort.
type path []step

// step goes into a field, or, where it has keys, to the item of a list that has them.
type step struct {
	field string
	keys  m
}

var stepPattern = regexp.MustCompile(`([^.\[\]]+)|\[([^\]]*)\]`)

// at reads a path. Keys that are numbers are numbers.
func at(text string) path {
	var result path
	for _, match := range stepPattern.FindAllStringSubmatch(text, -1) {
		if match[1] != "" {
			result = append(result, step{field: match[1]})
			continue
		}
		keys := m{}
		for pair := range strings.SplitSeq(match[2], ",") {
			name, value, _ := strings.Cut(pair, "=")
			keys[name] = value
			var number int64
			if _, err := fmt.Sscanf(value, "%d", &number); err == nil && fmt.Sprint(number) == value {
				keys[name] = number
			}
		}
		result = append(result, step{keys: keys})
	}
	return result
}

func (p path) String() string {
	var text strings.Builder
	for _, s := range p {
		if s.keys == nil {
			text.WriteString("." + s.field)
			continue
		}
		var pairs []string
		for name, value := range s.keys {
			pairs = append(pairs, fmt.Sprintf("%s=%v", name, value))
		}
		slices.Sort(pairs)
		text.WriteString("[" + strings.Join(pairs, ",") + "]")
	}
	return strings.TrimPrefix(text.String(), ".")
}

// defaults are the values of keys that an item may leave out.
var defaults = m{"protocol": "TCP"}

// index is where the item with the keys is in a list, -1 if nowhere.
func (s step) index(list []any) int {
	return slices.IndexFunc(list, func(item any) bool {
		object, ok := item.(m)
		if !ok {
			return false
		}
		for name, value := range s.keys {
			have, ok := object[name]
			if !ok {
				have = defaults[name]
			}
			if !equal(have, value) {
				return false
			}
		}
		return true
	})
}

// get is the value at a path of a tree.
func get(tree any, p path) (any, bool) {
	for _, s := range p {
		switch node := tree.(type) {
		case m:
			value, ok := node[s.field]
			if s.keys != nil || !ok {
				return nil, false
			}
			tree = value
		case []any:
			i := s.index(node)
			if s.keys == nil || i < 0 {
				return nil, false
			}
			tree = node[i]
		default:
			return nil, false
		}
	}
	return tree, true
}

// set returns a tree with another value at a path. Maps and items on the way are made; nil removes the value.
func set(tree any, p path, value any) any {
	if len(p) == 0 {
		return runtime.DeepCopyJSONValue(value)
	}
	if p[0].keys == nil {
		node, _ := tree.(m)
		copied := m{}
		maps.Copy(copied, node)
		_, there := node[p[0].field]
		switch {
		case value == nil && len(p) == 1:
			delete(copied, p[0].field)
		case value != nil || there:
			copied[p[0].field] = set(node[p[0].field], p[1:], value)
		}
		return copied
	}
	list, _ := tree.([]any)
	list = slices.Clone(list)
	i := p[0].index(list)
	switch {
	case i < 0 && value == nil:
	case i < 0:
		item := m{}
		maps.Copy(item, p[0].keys)
		filled := set(item, p[1:], value)
		if object, ok := filled.(m); ok && len(p) == 1 {
			for name, key := range item {
				if _, ok := object[name]; !ok {
					object[name] = key
				}
			}
		}
		list = append(list, filled)
	case value == nil && len(p) == 1:
		list = slices.Delete(list, i, i+1)
	default:
		list[i] = set(list[i], p[1:], value)
		if object, ok := list[i].(m); ok && len(p) == 1 {
			for name, key := range p[0].keys {
				if _, ok := object[name]; !ok {
					object[name] = key
				}
			}
		}
	}
	return list
}

// equal compares values as JSON has them.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) || asJSON(a) == asJSON(b) }

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// listKeys are the keys of keyed lists, by the name of the list. A port of a container and one of a Service have different ones.
var listKeys = map[string][]string{
	"containers": {"name"}, "initContainers": {"name"}, "env": {"name"}, "volumes": {"name"}, "units": {"name"},
	"volumeMounts": {"mountPath"}, "schedulingGates": {"name"}, "ports": {"port", "protocol"},
}

// leaves are the values of a tree with the paths that lead to them; lists without keys are one value.
func leaves(tree any) map[string]leaf {
	found := map[string]leaf{}
	collect(tree, nil, found)
	return found
}

type leaf struct {
	path  path
	value any
}

func collect(tree any, p path, found map[string]leaf) {
	switch node := tree.(type) {
	case m:
		if len(node) == 0 {
			break
		}
		for name, child := range node {
			collect(child, append(slices.Clone(p), step{field: name}), found)
		}
		return
	case []any:
		keys := listKeys[p[len(p)-1].field]
		if keys == nil || len(node) == 0 {
			break
		}
		for _, item := range node {
			collect(item, append(slices.Clone(p), itemStep(item, keys)), found)
		}
		return
	}
	found[p.String()] = leaf{p, tree}
}

// itemStep is the step to an item.
func itemStep(item any, keys []string) step {
	s := step{keys: m{}}
	object, _ := item.(m)
	for _, key := range keys {
		value, ok := object[key]
		if !ok {
			value = defaults[key]
		}
		s.keys[key] = value
	}
	return s
}

// covers reports whether a place is at or below a path; [*] is not known here.
func (p path) covers(place path) bool {
	if len(place) < len(p) {
		return false
	}
	for i, s := range p {
		if s.keys == nil && s.field != place[i].field {
			return false
		}
		for name, value := range s.keys {
			if !equal(place[i].keys[name], value) {
				return false
			}
		}
		if s.keys != nil && place[i].keys == nil {
			return false
		}
	}
	return true
}
