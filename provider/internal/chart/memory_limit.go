package chart

import (
	"fmt"
	"reflect"
	"strings"
)

// What a rendering may have in memory. Templates can keep everything that functions make in variables and maps, and nothing shows what they
// have released; so everything counts.
const (
	maxMade  = 512 << 20 // bytes of everything that functions make
	maxNodes = 2 << 20   // lines and items of all documents, and of a text that a function reads
)

// The minimum size of things, in bytes.
const (
	callBytes   = 256                // a call of a function, with what is noted of it and a result in a map
	itemBytes   = maxText / maxItems // an item of a list
	entryBytes  = 64                 // an entry of a map
	actionBytes = 512                // an action, once it is parsed
	nodeBytes   = 64                 // a character of one, which may be an argument
	cloneBytes  = 320                // a template in a copy of all of them
)

// taken counts bytes, and returns an error if there are too many.
func (b *bounds) taken(bytes int) error {
	if b.made += bytes; b.made > maxMade {
		return &LimitError{fmt.Sprintf("the templates of the chart make more than %d MiB", maxMade>>20)}
	}
	return nil
}

// result counts the result of a function.
func (b *bounds) result(name string, value reflect.Value) error {
	value = inside(value)
	var long bool
	bytes := callBytes
	switch {
	case copying[name]:
		bytes += treeBytes(value, strings.HasPrefix(name, "from") || strings.HasPrefix(name, "mustFrom"))
	case passing[name] && !collecting[name]:
	default:
		bytes += outerBytes(value)
	}
	switch value.Kind() {
	case reflect.String:
		long = value.Len() > maxText
	case reflect.Slice:
		long = value.Len() > maxItems && collecting[name]
	}
	if long {
		return &LimitError{fmt.Sprintf("the function %s makes more than %d MiB", name, maxText>>20)}
	}
	return b.taken(bytes)
}

// collecting are the passing functions that make a list or a map of their arguments.
var collecting = set("list", "tuple", "pluck", "pick", "omit", "keys", "values", "append", "push", "mustAppend", "mustPush", "prepend",
	"mustPrepend", "rest", "mustRest", "initial", "mustInitial", "reverse", "mustReverse", "chunk", "mustChunk", "concat", "compact",
	"mustCompact")

// copying are the functions that make a tree of maps and lists.
var copying = set("fromYaml", "fromYamlArray", "fromJson", "mustFromJson", "fromJsonArray", "fromToml", "deepCopy", "mustDeepCopy", "lookup")

// inside returns the value in an interface.
func inside(value reflect.Value) reflect.Value {
	for value.IsValid() && value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	return value
}

// outerBytes estimates the size of a value without the content of its items.
func outerBytes(value reflect.Value) int {
	switch value.Kind() {
	case reflect.String:
		return value.Len()
	case reflect.Map:
		return value.Len() * entryBytes
	case reflect.Slice:
		return value.Len() * int(value.Type().Elem().Size())
	default:
		return 0
	}
}

// treeBytes estimates the size of a tree of maps and lists. texts says whether it was made from a text: a copied tree shares its texts.
func treeBytes(value reflect.Value, texts bool) int {
	left := maxMade
	var count func(value reflect.Value, depth int)
	count = func(value reflect.Value, depth int) {
		value = inside(value)
		if left -= entryBytes; left < 0 || depth == 0 {
			return
		}
		switch value.Kind() {
		case reflect.String:
			if texts {
				left -= value.Len()
			}
		case reflect.Map:
			for entries := value.MapRange(); entries.Next() && left >= 0; {
				count(entries.Key(), depth-1)
				count(entries.Value(), depth-1)
			}
		case reflect.Slice, reflect.Array:
			for i := 0; i < value.Len() && left >= 0; i++ {
				count(value.Index(i), depth-1)
			}
		}
	}
	count(value, maxDepth)
	return maxMade - left
}

// parsedBytes estimates the size of a text once it is parsed as a template: its actions take much more than their length.
func parsedBytes(text string) int {
	bytes := len(text)
	for {
		_, rest, found := strings.Cut(text, "{{")
		if !found {
			return bytes
		}
		action, after, _ := strings.Cut(rest, "}}")
		bytes += actionBytes + len(action)*nodeBytes
		text = after
	}
}

// nodes estimates how many nodes a text has when it is read as YAML or TOML; each takes several hundred bytes meanwhile.
func nodes(text string) int {
	count := 1
	for _, separator := range []string{"\n", ",", "[", "{"} {
		count += strings.Count(text, separator)
	}
	return count
}
