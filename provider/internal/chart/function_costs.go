package chart

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"
)

// passing are the functions that return their arguments or parts of them, or look only at the outer form. All other functions may read
// everything in their arguments, if only to say in an error that they cannot use them.
var passing = set("list", "tuple", "get", "set", "unset", "hasKey", "pluck", "pick", "omit", "keys", "values", "dig", "append",
	"push", "mustAppend", "mustPush", "prepend", "mustPrepend", "first", "mustFirst", "rest", "mustRest", "last", "mustLast",
	"initial", "mustInitial", "reverse", "mustReverse", "slice", "mustSlice", "chunk", "mustChunk", "concat", "compact",
	"mustCompact", "default", "coalesce", "ternary", "empty", "all", "any", "required", "typeOf", "typeIs", "typeIsLike", "kindOf",
	"kindIs")

func set(names ...string) map[string]bool {
	found := map[string]bool{}
	for _, name := range names {
		found[name] = true
	}
	return found
}

// patterns are the functions that take a regular expression. A long expression takes much more memory than its length. Replacing makes a
// text of each match, and splitting makes an item of each.
var patterns = set("regexMatch", "mustRegexMatch", "regexFind", "mustRegexFind", "regexFindAll", "mustRegexFindAll", "regexSplit",
	"mustRegexSplit", "regexReplaceAll", "mustRegexReplaceAll", "regexReplaceAllLiteral", "mustRegexReplaceAllLiteral")

// matched estimates how many bytes a function makes from a regular expression, a text and, if it replaces, a replacement. If the third
// argument is a number, the function makes a list.
func matched(arguments []reflect.Value) int {
	pattern, text := arguments[0].Len(), arguments[1].Len()
	size := max(product(pattern, 256), product(pattern, text)/64) // the second product estimates time
	switch {
	case len(arguments) < 3:
	case arguments[2].Kind() == reflect.String:
		size = max(size, product(text, arguments[2].Len())/16)
	default:
		size = max(size, product(text, itemBytes))
	}
	return size
}

// growing are the functions that make much from little, with estimates of the bytes or items that they make from their arguments.
var growing = map[string]func(arguments []reflect.Value) int{
	"repeat":    func(a []reflect.Value) int { return product(whole(a[0]), a[1].Len()) },
	"until":     func(a []reflect.Value) int { return items(0, whole(a[0]), 1) },
	"untilStep": func(a []reflect.Value) int { return items(whole(a[0]), whole(a[1]), whole(a[2])) },
	"seq":       func(a []reflect.Value) int { return sequence(a[0]) },
	"indent":    func(a []reflect.Value) int { return indented(a) },
	"nindent":   func(a []reflect.Value) int { return indented(a) },
	"replace":   func(a []reflect.Value) int { return replaced(a[0].String(), a[1].String(), a[2].String()) },
	"join":      func(a []reflect.Value) int { return joined(a[0].Len(), a[1]) },
	"concat":    func(a []reflect.Value) int { return concatenated(a[0]) },
	"keys":      func(a []reflect.Value) int { return concatenated(a[0]) },
	"pluck":     func(a []reflect.Value) int { return product(a[1].Len(), itemBytes) },
	"split":     func(a []reflect.Value) int { return separated(a[0].String(), a[1].String()) },
	"splitn":    func(a []reflect.Value) int { return separated(a[0].String(), a[2].String()) },
	"splitList": func(a []reflect.Value) int { return separated(a[0].String(), a[1].String()) },
	"wrapWith":  func(a []reflect.Value) int { return product(a[2].Len()/max(whole(a[0]), 1)+1, a[1].Len()) },
	"fromYaml":  parsed, "fromYamlArray": parsed, "fromToml": parsedTOML,
	"toToml": tables, "mustToToml": tables,
	"printf": formatted,
	"uniq":   pairs, "mustUniq": pairs,
	"randAlphaNum": func(a []reflect.Value) int { return whole(a[0]) },
	"randAlpha":    func(a []reflect.Value) int { return whole(a[0]) },
	"randNumeric":  func(a []reflect.Value) int { return whole(a[0]) },
	"randAscii":    func(a []reflect.Value) int { return whole(a[0]) },
	"randBytes":    func(a []reflect.Value) int { return whole(a[0]) },
}

func whole(value reflect.Value) int { return int(value.Int()) }

// product multiplies without overflow.
func product(a, b int) int {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > boundless/b {
		return boundless
	}
	return a * b
}

// items estimates the size of the numbers from start to stop. Each number takes as much as some letters.
func items(start, stop, step int) int {
	if step == 0 || (stop > start) != (step > 0) {
		return 0
	}
	distance := uint(stop) - uint(start)
	if stop < start {
		distance = uint(start) - uint(stop)
		step = -step
	}
	return product(int(min(distance/uint(max(step, 1)), boundless)), itemBytes)
}

// sequence estimates the size of the numbers of `seq LAST`, `seq FIRST LAST` and `seq FIRST STEP LAST`.
func sequence(numbers reflect.Value) int {
	at := func(i int) int { return whole(numbers.Index(i)) }
	switch numbers.Len() {
	case 1:
		return max(items(1, at(0), 1), items(1, at(0), -1))
	case 2:
		return max(items(at(0), at(1), 1), items(at(0), at(1), -1))
	case 3:
		return items(at(0), at(2), at(1))
	}
	return 0
}

func indented(arguments []reflect.Value) int {
	return product(whole(arguments[0]), strings.Count(arguments[1].String(), "\n")+1)
}

func replaced(old, by, text string) int { return product(strings.Count(text, old), len(by)) }

// separated estimates the size of the parts of a text.
func separated(separator, text string) int {
	return product(strings.Count(text, separator)+1, itemBytes)
}

// concatenated estimates the size of the items of all lists, or the keys of all maps.
func concatenated(all reflect.Value) (size int) {
	for i := range all.Len() {
		switch one := inside(all.Index(i)); one.Kind() {
		case reflect.Slice, reflect.Array, reflect.Map:
			size += product(one.Len(), itemBytes)
		}
	}
	return size
}

// parsed estimates the size of the values that a text contains.
func parsed(arguments []reflect.Value) int {
	return product(nodes(arguments[0].String()), maxText/maxNodes)
}

// parsedTOML also counts the dots of a line: the library goes through the whole key for each of its parts.
func parsedTOML(arguments []reflect.Value) int {
	dots := 0
	for line := range strings.Lines(arguments[0].String()) {
		dots = max(dots, strings.Count(line, "."))
	}
	return max(parsed(arguments), product(dots, dots))
}

// tables estimates what TOML writes before each map: all keys that lead to it.
func tables(arguments []reflect.Value) int {
	left := maxText
	var write func(value reflect.Value, keys, depth int)
	write = func(value reflect.Value, keys, depth int) {
		value = inside(value)
		if left -= keys; left < 0 || depth == 0 || value.Kind() != reflect.Map {
			return
		}
		for entries := value.MapRange(); entries.Next(); {
			write(entries.Value(), keys+inside(entries.Key()).Len(), depth-1)
		}
	}
	write(arguments[0], 0, maxDepth)
	return maxText - left
}

// width matches the width and the precision of a printf verb, which may be arguments.
var width = regexp.MustCompile(`%[-+# 0]*(?:\[\d+\])?(\d+|\*)?(?:\.(?:\[\d+\])?(\d+|\*))?`)

// formatted estimates what printf adds to its arguments, including arguments that several verbs use.
func formatted(arguments []reflect.Value) (size int) {
	const most = 1_000_000 // the largest width that package fmt accepts
	format := arguments[0].String()
	verbs := width.FindAllStringSubmatch(format, -1)
	for _, verb := range verbs {
		for _, of := range verb[1:] {
			number, err := strconv.Atoi(of)
			switch {
			case of == "*" || err != nil && of != "":
				size += most
			case of != "":
				size += min(number, most)
			}
		}
	}
	if strings.Contains(format, "[") {
		left := maxText
		weigh(arguments[1], &left, maxDepth)
		size += product(len(verbs), maxText-left)
	}
	return size
}

// pairs estimates how long comparing the items of a list with each other takes.
func pairs(arguments []reflect.Value) int {
	list := inside(arguments[0])
	if list.Kind() != reflect.Slice {
		return 0
	}
	return product(list.Len(), list.Len()) / 16
}

func joined(separator int, list reflect.Value) int {
	if list = inside(list); list.Kind() != reflect.Slice {
		return 0
	}
	return product(list.Len(), separator)
}

// guard bounds all of Helm's functions, and the functions of text/template that write.
func (b *bounds) guard(functions template.FuncMap) template.FuncMap {
	guarded := template.FuncMap{
		"print": fmt.Sprint, "println": fmt.Sprintln, "printf": fmt.Sprintf,
		"html": template.HTMLEscaper, "js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
	}
	maps.Copy(guarded, functions)
	for name, function := range guarded {
		grows := growing[name]
		if patterns[name] {
			grows = matched
		}
		guarded[name] = b.guarded(name, reflect.ValueOf(function), b.observer(name), func(arguments []reflect.Value) error {
			if grows != nil && grows(arguments) > maxText {
				return &LimitError{fmt.Sprintf("the function %s would make more than %d MiB", name, maxText>>20)}
			}
			switch {
			case passing[name]:
				return nil
			case name == "dict": // which converts its keys to texts
				return fits(keysOf(arguments[0])...)
			default:
				return fits(arguments...)
			}
		})
	}
	return guarded
}

// keysOf returns the keys in the arguments of dict.
func keysOf(arguments reflect.Value) []reflect.Value {
	var keys []reflect.Value
	for i := 0; i < arguments.Len(); i += 2 {
		keys = append(keys, arguments.Index(i))
	}
	return keys
}

// observer returns what sees the calls of a function; nil if nothing does.
func (b *bounds) observer(name string) observer {
	if b.changes == nil || !changing[name] {
		return b.observe
	}
	return func(name string, arguments, results []reflect.Value) []reflect.Value {
		b.changes(arguments)
		if b.observe != nil {
			return b.observe(name, arguments, results)
		}
		return results
	}
}

// guardDraws bounds the functions from Draws, which may parse texts. observe sees their calls.
func (b *bounds) guardDraws(functions template.FuncMap, observe observer) template.FuncMap {
	guarded := template.FuncMap{}
	for name, function := range functions {
		guarded[name] = b.guarded(name, reflect.ValueOf(function), observe, func(arguments []reflect.Value) error {
			for _, argument := range arguments {
				if argument.Kind() == reflect.String {
					if err := nestsLittle(argument.String()); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return guarded
}

// observer sees a call of a function, and may change its result.
type observer = func(name string, arguments, results []reflect.Value) []reflect.Value

// guarded checks the arguments of a function, and counts its result. text/template turns a panic in a function into an error.
func (b *bounds) guarded(name string, function reflect.Value, observe observer, check func(arguments []reflect.Value) error) any {
	call := function.Call
	if function.Type().IsVariadic() {
		call = function.CallSlice
	}
	return reflect.MakeFunc(function.Type(), func(arguments []reflect.Value) []reflect.Value {
		if err := b.alive(); err != nil {
			panic(err)
		}
		if err := check(arguments); err != nil {
			panic(err)
		}
		results := call(arguments)
		if err := b.result(name, results[0]); err != nil {
			panic(err)
		}
		if observe != nil {
			results = observe(name, arguments, results)
		}
		return results
	}).Interface()
}
