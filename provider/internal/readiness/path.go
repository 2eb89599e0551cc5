package readiness

import (
	"errors"
	"fmt"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
)

// Path selects values in an object. See the package for its dialect.
type Path struct {
	text  string
	query *jsonpath.Path
}

// ParsePath reads a path.
func ParsePath(text string) (Path, error) {
	standard, err := toStandard(text)
	if err != nil {
		return Path{}, fmt.Errorf("path %q: %w", text, err)
	}
	query, err := jsonpath.Parse(standard)
	if err != nil {
		return Path{}, fmt.Errorf("path %q: %w", text, err)
	}
	if len(query.Query().Segments()) == 0 {
		return Path{}, fmt.Errorf("path %q: it selects the whole object and not a field", text)
	}
	return Path{text: text, query: query}, nil
}

// String is the path as it was written.
func (p Path) String() string { return p.text }

// selected are the values that the path selects, and where they are.
func (p Path) selected(object map[string]any) jsonpath.LocatedNodeList {
	return p.query.SelectLocated(object)
}

// indexed reports which steps of the path name list items by their index. Behind a
// descendant segment, steps of the path and of a location do not correspond.
func (p Path) indexed() []bool {
	var steps []bool
	for _, segment := range p.query.Query().Segments() {
		if segment.IsDescendant() {
			break
		}
		indexed := false
		for _, selector := range segment.Selectors() {
			if _, ok := selector.(spec.Index); ok {
				indexed = true
			}
		}
		steps = append(steps, indexed)
	}
	return steps
}

// toStandard turns kubectl's spellings into those of RFC 9535.
func toStandard(text string) (string, error) {
	rest := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(rest, "{"); ok {
		if rest, ok = strings.CutSuffix(inner, "}"); !ok {
			return "", errors.New("the brace is not closed")
		}
		rest = strings.TrimSpace(rest)
	}
	rest = strings.TrimPrefix(rest, "$")
	if rest == "" {
		return "", errors.New("it is empty")
	}
	standard := strings.Builder{}
	standard.WriteString("$")
	for first := true; rest != ""; first = false {
		switch {
		case strings.HasPrefix(rest, "["):
			end, err := closing(rest)
			if err != nil {
				return "", err
			}
			standard.WriteString(rest[:end])
			rest = rest[end:]
			continue
		case strings.HasPrefix(rest, ".."):
			standard.WriteString("..")
			rest = rest[2:]
			if strings.HasPrefix(rest, "[") {
				continue
			}
		case strings.HasPrefix(rest, "."):
			rest = rest[1:]
		case !first:
			return "", fmt.Errorf("a dot or a bracket is missing before %q", rest)
		}
		name, after, err := takeName(rest)
		if err != nil {
			return "", err
		}
		standard.WriteString(name)
		rest = after
	}
	return standard.String(), nil
}

// takeName reads a name up to the next dot or bracket and writes it in brackets. A
// backslash takes the next character as it is.
func takeName(text string) (name, rest string, err error) {
	var taken strings.Builder
	end := len(text)
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		} else if text[i] == '.' || text[i] == '[' {
			end = i
			break
		}
		taken.WriteByte(text[i])
	}
	switch taken.String() {
	case "":
		return "", "", errors.New("a name is empty")
	case "*":
		return "[*]", text[end:], nil
	}
	return "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(taken.String()) + "']", text[end:], nil
}

// closing returns the length of the bracket that text begins with, quoted brackets
// and nested ones aside.
func closing(text string) (int, error) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i + 1, nil
			}
		}
	}
	return 0, errors.New("a bracket is not closed")
}
