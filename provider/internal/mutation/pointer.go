package mutation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// endOfList is the part of a pointer that means the place after the last item.
const endOfList = "-"

// pointer is a JSON pointer (RFC 6901), in unescaped parts.
type pointer []string

// parsePointer reads a pointer to something in an object. If it fails, reason says why.
func parsePointer(text string) (p pointer, reason string) {
	if text == "" {
		return nil, "The empty pointer means the whole object, which a patch cannot replace. Name a field, as in /spec/replicas."
	}
	if text[0] != '/' {
		return nil, fmt.Sprintf("%q is not a JSON pointer: it has to begin with \"/\" and to separate names by \"/\", as in /spec/replicas.", text)
	}
	for part := range strings.SplitSeq(text[1:], "/") {
		if part == "" {
			return nil, fmt.Sprintf("A name in %q is empty. Remove the \"/\" that is too much; a \"/\" inside of a name is written ~1.", text)
		}
		for rest := part; ; {
			_, escaped, found := strings.Cut(rest, "~")
			if !found {
				break
			}
			if escaped == "" || escaped[0] != '0' && escaped[0] != '1' {
				return nil, fmt.Sprintf("%q has a \"~\" that stands alone. In a JSON pointer \"~\" is written ~0, and \"/\" inside of a name ~1.", text)
			}
			rest = escaped
		}
		p = append(p, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
	}
	return p, ""
}

// pointerTo returns the pointer to a place.
func pointerTo(at ownership.Location) pointer {
	p := make(pointer, len(at))
	for i, segment := range at {
		p[i] = fmt.Sprint(segment)
	}
	return p
}

// String writes the pointer with escapes.
func (p pointer) String() string {
	var text strings.Builder
	for _, part := range p {
		text.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return text.String()
}

// below reports whether the pointer leads to a place below the other.
func (p pointer) below(other pointer) bool {
	return len(p) > len(other) && slices.Equal(p[:len(other)], other)
}

// isPosition reports whether the pointer ends in what looks like a position in a list.
func (p pointer) isPosition() bool {
	if len(p) == 0 {
		return false
	}
	last := p[len(p)-1]
	index, err := strconv.Atoi(last)
	return err == nil && index >= 0 && strconv.Itoa(index) == last
}

// find follows the pointer. If the pointer leads nowhere, reason says how far it leads and which value ends it.
func (p pointer) find(tree any) (value any, at ownership.Location, reason string) {
	for i, part := range p {
		segment, reason := p[:i].segment(tree, part)
		if reason != "" {
			return nil, nil, reason
		}
		switch container := tree.(type) {
		case map[string]any:
			member, has := container[part]
			if !has {
				return nil, nil, p[:i].lacks(container, part)
			}
			tree = member
		case []any:
			if segment == len(container) {
				return nil, nil, p[:i].tooShort(container)
			}
			tree = container[segment.(int)]
		}
		at = append(at, segment)
	}
	return tree, at, ""
}

// findPlace follows the pointer to a place where a value can be added: everything above it exists.
func (p pointer) findPlace(tree any) (at ownership.Location, inList bool, reason string) {
	last := len(p) - 1
	parent, at, reason := p[:last].find(tree)
	if reason != "" {
		return nil, false, reason
	}
	segment, reason := p[:last].segment(parent, p[last])
	if reason != "" {
		return nil, false, reason
	}
	_, inList = parent.([]any)
	return append(at, segment), inList, ""
}

// segment interprets a part in the container that p leads to: as the key of a map, or as a position in a list, at most
// the one after the last item.
func (p pointer) segment(container any, part string) (segment any, reason string) {
	switch container := container.(type) {
	case map[string]any:
		return part, ""
	case []any:
		if part == endOfList {
			return len(container), ""
		}
		index, err := strconv.Atoi(part)
		if err != nil || strconv.Itoa(index) != part || index < 0 {
			return nil, fmt.Sprintf("there is a list at %s, and %q is not a position in it: positions are numbers from 0, "+
				"the place after the last item is \"-\"", p.place(), part)
		}
		if index > len(container) {
			return nil, p.tooShort(container)
		}
		return index, ""
	default:
		return nil, fmt.Sprintf("there is %s at %s, which has nothing below it", describe(container), p.place())
	}
}

func (p pointer) tooShort(list []any) string {
	return fmt.Sprintf("the list at %s has %d item(s)", p.place(), len(list))
}

// lacks says that a name is missing, and which names exist.
func (p pointer) lacks(object map[string]any, name string) string {
	if len(object) == 0 {
		return fmt.Sprintf("there is no %q at %s, which is empty", name, p.place())
	}
	const most = 10
	names := slices.Sorted(maps.Keys(object))
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return fmt.Sprintf("there is no %q at %s, which has %s%s", name, p.place(), strings.Join(names, ", "), more)
}

// place names the place in a sentence.
func (p pointer) place() string {
	if len(p) == 0 {
		return "the top"
	}
	return p.String()
}

// describe names the type of a value, because the value itself may be secret.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "text"
	case bool:
		return "a boolean"
	case map[string]any:
		return "an object"
	case []any:
		return fmt.Sprintf("a list of %d item(s)", len(v))
	default:
		return "a number"
	}
}
