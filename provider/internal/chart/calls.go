package chart

import (
	"cmp"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"text/template"
)

// call is a call of a function. Calls with equal arguments are the same call.
type call struct {
	function  string
	arguments string // a digest of what the function looks at
}

// seen describes the result of a call.
type seen struct {
	result  string   // a digest
	decides bool     // it is true or false
	failed  bool     // a comparison of values that cannot be compared
	hides   bool     // its arguments contain an exchanged text, and its result does not
	files   []string // the templates in which it was made
}

// calls are the calls of one rendering.
type calls struct {
	seen  map[call]*seen
	order []call
	// exchanged are the texts that differ in other renderings, as far as they matter.
	exchanged []string
	// forgiving means that a comparison of values that cannot be compared is false instead of an error: one of them may be a placeholder.
	forgiving bool
}

func callSet(made ...call) map[call]bool {
	found := map[call]bool{}
	for _, one := range made {
		found[one] = true
	}
	return found
}

// unobserved are functions whose results depend only on the outer form of their arguments, or show everything that is in them. The outer
// form includes kinds and types: an unknown value has the type of the chart's default. Renderings with empty values show what depends on
// whether a value is there.
var unobserved = func() map[string]bool {
	found := maps.Clone(passing)
	maps.Copy(found, set("dict", "toYaml", "mustToYaml", "toYamlPretty", "toJson", "mustToJson", "toPrettyJson", "mustToPrettyJson",
		"toRawJson", "mustToRawJson", "toToml", "mustToToml", "quote", "squote", "b64enc", "b32enc", "indent", "nindent", "sha1sum",
		"sha256sum", "sha512sum", "print", "println", "toString", "toStrings", "deepCopy", "mustDeepCopy", "merge", "mustMerge",
		"mergeOverwrite", "mustMergeOverwrite", "fail"))
	for name := range looking {
		delete(found, name)
	}
	return found
}()

// looking are functions that look only at a part of their arguments.
var looking = map[string]func(arguments []reflect.Value) []reflect.Value{
	"get":    func(a []reflect.Value) []reflect.Value { return a[1:2] },
	"hasKey": func(a []reflect.Value) []reflect.Value { return append(sortedMapKeys(a[0]), a[1]) },
	"pluck":  func(a []reflect.Value) []reflect.Value { return a[:1] },
	"pick":   func(a []reflect.Value) []reflect.Value { return a[1:] },
	"omit":   func(a []reflect.Value) []reflect.Value { return a[1:] },
	"dig": func(a []reflect.Value) []reflect.Value { // the keys, a default, and the map
		return []reflect.Value{a[0].Slice(0, max(a[0].Len()-2, 0))}
	},
	"index": func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{a[0].Slice(min(1, a[0].Len()), a[0].Len())}
	},
}

// sortedMapKeys returns the keys of a map of texts.
func sortedMapKeys(of reflect.Value) []reflect.Value {
	keys := of.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	return keys
}

// observer notes the calls of a rendering, and inverts the decisions in otherwise.
func (c *calls) observer(e *execution, otherwise map[call]bool) observer {
	return func(name string, arguments, results []reflect.Value) []reflect.Value {
		if unobserved[name] || len(results) == 0 {
			return results
		}
		if look := looking[name]; look != nil {
			arguments = look(arguments)
		}
		made := call{name, digestOfAll(arguments)}
		noted := c.seen[made]
		if noted == nil {
			noted = &seen{
				result: digestOfAll(results[:1]), decides: results[0].Kind() == reflect.Bool,
				hides: c.hides(arguments, results[0]),
			}
			c.seen[made] = noted
			c.order = append(c.order, made)
		}
		if !slices.Contains(noted.files, e.file) {
			noted.files = append(noted.files, e.file)
		}
		if c.forgiving && noted.decides && len(results) == 2 && !results[1].IsNil() {
			noted.failed = true
			results = []reflect.Value{results[0], reflect.Zero(results[1].Type())}
		}
		if otherwise[made] {
			results = slices.Clone(results)
			results[0] = reflect.ValueOf(!results[0].Bool())
		}
		return results
	}
}

// hides reports whether arguments contain one of the exchanged texts, and the result does not.
func (c *calls) hides(arguments []reflect.Value, result reflect.Value) bool {
	return slices.ContainsFunc(c.exchanged, func(text string) bool {
		return !holds(result, text) && slices.ContainsFunc(arguments, func(argument reflect.Value) bool { return holds(argument, text) })
	})
}

// holds reports whether a value contains a text. It looks only at the beginning of an endless value.
func holds(value reflect.Value, text string) bool {
	left := maxText
	var search func(value reflect.Value, depth int) bool
	search = func(value reflect.Value, depth int) bool {
		if left -= 8; left < 0 || depth == 0 {
			return false
		}
		switch value.Kind() {
		case reflect.Interface:
			return search(value.Elem(), depth-1)
		case reflect.String:
			left -= value.Len()
			return strings.Contains(value.String(), text)
		case reflect.Map:
			for entries := value.MapRange(); entries.Next(); {
				if search(entries.Key(), depth-1) || search(entries.Value(), depth-1) {
					return true
				}
			}
		case reflect.Slice, reflect.Array:
			for i := range value.Len() {
				if search(value.Index(i), depth-1) {
					return true
				}
			}
		case reflect.Int, reflect.Int64, reflect.Float64:
			return strings.Contains(fmt.Sprint(value), text)
		}
		return false
	}
	return search(value, maxDepth)
}

// digestOfAll identifies values. It looks only at the beginning of endless values: a map may contain itself.
func digestOfAll(all []reflect.Value) string {
	sum := &digest{Hash: fnv.New128a(), left: maxText}
	for _, one := range all {
		sum.add(one, maxDepth)
	}
	return string(sum.Sum(nil))
}

type digest struct {
	hash.Hash

	left int // bytes
}

// part adds a text, with its length so that parts do not run into each other. Writing to a hash never fails.
func (d *digest) part(format string, arguments ...any) {
	text := fmt.Sprintf(format, arguments...)
	d.left -= len(text) + 8
	_, _ = fmt.Fprintf(d, "%d:%s", len(text), text)
}

func (d *digest) add(value reflect.Value, depth int) {
	for value.IsValid() && value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	switch {
	case d.left < 0 || depth == 0:
		return
	case !value.IsValid():
		d.part("nil")
		return
	}
	switch value.Kind() {
	case reflect.Map:
		d.part("map of %d", value.Len())
		keys := value.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
			d.add(key, depth-1)
			d.add(value.MapIndex(key), depth-1)
		}
	case reflect.Slice, reflect.Array:
		d.part("list of %d", value.Len())
		for i := range value.Len() {
			d.add(value.Index(i), depth-1)
		}
	case reflect.Pointer:
		text, isText := reflect.TypeAssert[fmt.Stringer](value)
		switch {
		case value.IsNil():
			d.part("nil")
		case isText:
			d.part("%s", text)
		default:
			d.add(value.Elem(), depth-1)
		}
	default:
		d.part("%v %v", value.Type(), value)
	}
}

// builtins are the functions of text/template that look at values. They are in no function map, so each is called by a template that calls
// nothing else.
var builtins = func() template.FuncMap {
	functions := template.FuncMap{
		"index": func(operands ...any) (any, error) { return builtin("index", operands) },
	}
	for _, name := range []string{"eq", "ne", "lt", "le", "gt", "ge"} {
		functions[name] = func(operands ...any) (bool, error) {
			result, err := builtin(name, operands)
			decision, _ := result.(bool)
			return decision, err
		}
	}
	return functions
}()

// operands are the arguments of a function of text/template, and its result.
type operands struct {
	Of     []any
	result any
}

// Take stores the result.
func (o *operands) Take(result any) string { o.result = result; return "" }

var builtinTemplates sync.Map // by the text

func builtin(name string, of []any) (any, error) {
	var written strings.Builder
	written.WriteString("{{.Take (" + name)
	for i := range of {
		fmt.Fprintf(&written, " (index .Of %d)", i)
	}
	written.WriteString(")}}")
	text := written.String()
	parsed, known := builtinTemplates.Load(text)
	if !known {
		made, err := template.New(name).Parse(text)
		if err != nil {
			return nil, err
		}
		parsed, _ = builtinTemplates.LoadOrStore(text, made)
	}
	called, _ := parsed.(*template.Template)
	with := &operands{Of: of}
	err := called.Execute(io.Discard, with)
	return with.result, err
}
