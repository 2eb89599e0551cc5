package readiness

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/registry"
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
	query, err := parser().Parse(standard)
	if err != nil {
		return Path{}, fmt.Errorf("path %q, read as %s: %w", text, standard, err)
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

// readsStatus reports whether the path may look below status: it begins with it or could,
// or a filter in it refers to the whole object.
func (p Path) readsStatus() bool {
	query := p.query.Query()
	first := query.Segments()[0]
	elsewhere := !first.IsDescendant() && !slices.ContainsFunc(first.Selectors(), func(selector spec.Selector) bool {
		name, named := selector.(spec.Name)
		return !named || name == "status"
	})
	return !elsewhere || strings.Count(query.String(), "$") > 1
}

// parser is that of the library, with match and search made safe: theirs panic where a value
// that they compare is absent, as a field is of which only some list items have one.
var parser = sync.OnceValue(func() *jsonpath.Parser {
	functions := registry.New()
	for _, name := range []string{"match", "search"} {
		function := functions.Get(name)
		original := *function
		*function = *spec.Extension(name, original.ReturnType(), original.Validate, func(args []spec.PathValue) spec.PathValue {
			if slices.Contains(args, nil) {
				return spec.LogicalFalse
			}
			return original.Evaluate(args)
		})
	}
	return jsonpath.NewParser(jsonpath.WithRegistry(functions))
})

// toStandard turns kubectl's spellings into those of RFC 9535.
func toStandard(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", errors.New("it is not UTF-8")
	}
	rest := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(rest, "{"); ok {
		if rest, ok = strings.CutSuffix(inner, "}"); !ok {
			return "", errors.New("the brace is not closed")
		}
		rest = strings.TrimSpace(rest)
	}
	if rest == "" {
		return "", errors.New("it is empty")
	}
	if rest = strings.TrimPrefix(rest, "$"); rest == "" {
		return "", errors.New("it selects the whole object and not a field")
	}
	standard := strings.Builder{}
	standard.WriteString("$")
	for first := true; rest != ""; first = false {
		switch {
		case strings.HasPrefix(rest, "["):
			bracket, after, err := takeBracket(rest)
			if err != nil {
				return "", err
			}
			standard.WriteString(bracket)
			rest = after
			continue
		case strings.HasPrefix(rest, ".."):
			standard.WriteString("..")
			rest = rest[2:]
			if strings.HasPrefix(rest, "[") {
				continue
			}
		case strings.HasPrefix(rest, "."):
			rest = rest[1:]
		case !first && unexpected[rest[0]] == "":
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
		} else if reason := unexpected[text[i]]; reason != "" {
			return "", "", errors.New(reason)
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

// unexpected are the characters that an unquoted name can hold only behind a backslash, for
// they tell that something else was meant, and why they cannot be there.
var unexpected = map[byte]string{
	'{':  "a brace is in the middle of it; it must be one path in one pair of braces, and no template",
	'}':  "a brace is in the middle of it; it must be one path in one pair of braces, and no template",
	']':  "a bracket is closed that was not opened",
	'\n': "a line ends in the middle of a name",
}

// takeBracket reads the bracket that text begins with, quoted brackets and nested ones
// aside. Within quotes, kubectl wants a backslash before dots, and the standard none.
func takeBracket(text string) (bracket, rest string, err error) {
	var taken strings.Builder
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
			if quote == 0 || text[i] != '.' {
				taken.WriteByte(c)
			}
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			depth--
		}
		taken.WriteByte(text[i])
		if depth == 0 {
			return taken.String(), text[i+1:], nil
		}
	}
	return "", "", errors.New("a bracket is not closed")
}
