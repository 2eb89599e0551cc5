package fieldselect

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Standard returns the path in the spelling of RFC 9535, for evaluators of that. Keys become a filter.
func (p Path) Standard() string {
	var text strings.Builder
	text.WriteString("$")
	for _, step := range p {
		if step.Descendant {
			text.WriteString("..")
		}
		text.WriteString(step.standard())
	}
	return text.String()
}

func (s Selector) standard() string {
	switch {
	case s.Name != nil:
		return "[" + quote(*s.Name) + "]"
	case s.All:
		return "[*]"
	case s.Index != nil:
		return "[" + strconv.Itoa(*s.Index) + "]"
	case s.Item != nil:
		return "[?@==" + literal(*s.Item) + "]"
	case s.Other != nil:
		return s.Other.Text
	}
	var comparisons []string
	for _, name := range slices.Sorted(maps.Keys(s.Keys)) {
		comparisons = append(comparisons, "@["+quote(name)+"]=="+literal(s.Keys[name]))
	}
	return "[?" + strings.Join(comparisons, " && ") + "]"
}

// literal returns a scalar as a filter spells it.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case nil:
		return "null"
	default:
		return fmt.Sprint(v)
	}
}

// quote puts a text in single quotes. RFC 9535 allows no control characters there, so quote escapes them.
func quote(text string) string {
	var quoted strings.Builder
	quoted.WriteByte('\'')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\'' || c == '\\':
			quoted.WriteByte('\\')
			quoted.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&quoted, `\u%04x`, c)
		default:
			quoted.WriteByte(c)
		}
	}
	quoted.WriteByte('\'')
	return quoted.String()
}
