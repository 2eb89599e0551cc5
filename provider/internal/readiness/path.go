package readiness

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/registry"
	"github.com/theory/jsonpath/spec"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldselect"
)

// Path selects values in an object. See the package comment for its dialect.
type Path struct {
	text  string
	query *jsonpath.Path
}

// ParsePath reads a path.
func ParsePath(text string) (Path, error) {
	if !utf8.ValidString(text) {
		return Path{}, fmt.Errorf("path %q: it is not UTF-8", text)
	}
	path, err := fieldselect.Parse(text)
	if err != nil {
		return Path{}, fmt.Errorf("path %q: %w", text, err)
	}
	standard := path.Standard()
	query, err := parser().Parse(standard)
	if err != nil {
		return Path{}, fmt.Errorf("path %q, read as %s: %w", text, standard, err)
	}
	return Path{text: text, query: query}, nil
}

// String returns the path as written.
func (p Path) String() string { return p.text }

// selected returns the values that the path selects, and their locations.
func (p Path) selected(object map[string]any) jsonpath.LocatedNodeList {
	return p.query.SelectLocated(object)
}

// indexed reports which steps of the path select list items by index. After a descendant segment, steps of the path
// and of a location no longer correspond.
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

// readsStatus reports whether the path may look below status: it starts with status or could, or a filter in it
// refers to the whole object.
func (p Path) readsStatus() bool {
	query := p.query.Query()
	first := query.Segments()[0]
	elsewhere := !first.IsDescendant() && !slices.ContainsFunc(first.Selectors(), func(selector spec.Selector) bool {
		name, named := selector.(spec.Name)
		return !named || name == "status"
	})
	return !elsewhere || strings.Count(query.String(), "$") > 1
}

// parser is the library's parser, with match and search made safe: the library's versions panic if a value that they
// compare is absent, for example a field that only some list items have.
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
