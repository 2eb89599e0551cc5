package chart

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
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

// digestOfAll identifies values. It looks only at the beginning of endless values: a map may contain itself. Templates make tens of thousands
// of calls in each rendering, so it does without fmt where it can.
func digestOfAll(all []reflect.Value) string {
	d, _ := digests.Get().(*digest)
	d.text, d.left = d.text[:0], maxText
	for _, one := range all {
		d.add(one, maxDepth)
	}
	sum := sha256.Sum256(d.text)
	if cap(d.text) <= keptText {
		digests.Put(d)
	}
	return string(sum[:16])
}

// digests are those that can be used again, unless they became large.
var digests = sync.Pool{New: func() any { return &digest{} }}

const keptText = 1 << 20 // bytes

// digest is a text that only equal values have.
type digest struct {
	text []byte
	left int // bytes
}

// part adds a text and what it is, with their lengths so that parts do not run into each other.
func (d *digest) part(kind, text string) {
	d.left -= len(kind) + len(text) + 8
	for _, one := range []string{kind, text} {
		d.text = append(strconv.AppendInt(d.text, int64(len(one)), 10), ':')
		d.text = append(d.text, one...)
	}
}

func (d *digest) add(value reflect.Value, depth int) {
	for value.IsValid() && value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	switch {
	case d.left < 0 || depth == 0:
		return
	case !value.IsValid():
		d.part("nil", "")
		return
	}
	switch value.Kind() {
	case reflect.Map:
		d.part("map", strconv.Itoa(value.Len()))
		for _, key := range inOrder(value) {
			d.add(key, depth-1)
			d.add(value.MapIndex(key), depth-1)
		}
	case reflect.Slice, reflect.Array:
		d.addList(value, depth)
	case reflect.Pointer:
		d.addPointer(value, depth)
	default:
		d.part(value.Type().String(), plain(value))
	}
}

func (d *digest) addList(value reflect.Value, depth int) {
	if value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Uint8 {
		d.part("bytes", string(value.Bytes())) // a file of the chart
		return
	}
	d.part("list", strconv.Itoa(value.Len()))
	for i := range value.Len() {
		d.add(value.Index(i), depth-1)
	}
}

func (d *digest) addPointer(value reflect.Value, depth int) {
	text, isText := reflect.TypeAssert[fmt.Stringer](value)
	switch {
	case value.IsNil():
		d.part("nil", "")
	case isText:
		d.part("text", text.String())
	default:
		d.add(value.Elem(), depth-1)
	}
}

// plain writes a value that contains no others.
func plain(value reflect.Value) string {
	switch value.Kind() {
	case reflect.String:
		return value.String()
	case reflect.Bool:
		return strconv.FormatBool(value.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(value.Int(), 10)
	default:
		return fmt.Sprint(value)
	}
}

// inOrder returns the keys of any map, sorted.
func inOrder(of reflect.Value) []reflect.Value {
	if of.Type().Key().Kind() == reflect.String {
		return sortedMapKeys(of)
	}
	keys := of.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return keys
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
