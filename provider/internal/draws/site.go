package draws

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"text/template"
)

// deepest limits how deeply files, definitions and texts may be nested during execution. Helm limits files and definitions, but endless
// texts of tpl would end the process.
const deepest = 500

// longestPlace limits the length of a place. A longer place, as in a recursion, is shortened.
const longestPlace = 1024

// scope is where a template is being executed: in which file, through which definitions, in which iterations. Templates hold it in a
// variable.
type scope struct {
	place string
	// counts counts repeated calls in one execution of a file, a definition or a text of tpl.
	counts map[string]int
	// depth is the number of files, definitions and texts that are being executed.
	depth int
	// element is a digest of what distinguishes the list elements that are identified only by their positions, as far as they have such
	// data.
	element string
}

// passed is a scope that is passed on to the next template, with the site of the call.
type passed struct {
	from *scope
	site string
}

// loop is a range that is being executed.
type loop struct {
	scope *scope
	keys  []string // of a map, in the order of the iterations
	next  int
}

// siteFuncs are the functions with which templates say where they are.
func (s *Session) siteFuncs() template.FuncMap {
	return template.FuncMap{
		"kc_file":   s.enterFile,
		"kc_define": s.enterDefinition,
		"kc_pass":   s.pass,
		"kc_text":   s.passText,
		"kc_loop":   func(in *scope) *loop { return &loop{scope: in} },
		"kc_each":   (*loop).each,
		"kc_next":   (*loop).iteration,
	}
}

// enterFile begins a file. It is the same place whether the engine executes it or another template includes it.
func (s *Session) enterFile(name string, root reflect.Value) (*scope, error) {
	if executed := entry(entry(root, "Template"), "Name"); executed.Kind() == reflect.String {
		s.file = executed.String()
	}
	return s.enter(func(*scope, string) string { return escape(name) })
}

// enterDefinition begins a definition or a text of tpl.
func (s *Session) enterDefinition(name string) (*scope, error) {
	return s.enter(func(from *scope, site string) string {
		if site != "" {
			site = ":" + site
		}
		return from.child(from.numbered(">" + escape(name) + site))
	})
}

// enter begins a scope from the one that was passed.
func (s *Session) enter(place func(from *scope, site string) string) (*scope, error) {
	from, site := s.passed.from, s.passed.site
	s.passed = passed{}
	if from == nil {
		from = &scope{counts: map[string]int{}}
	}
	if from.depth == deepest {
		return nil, fmt.Errorf("more than %d templates include each other", deepest)
	}
	return &scope{place(from, site), map[string]int{}, from.depth + 1, from.element}, nil
}

// pass stores the scope for the next template, and returns the value unchanged.
func (s *Session) pass(from *scope, site string, value reflect.Value) reflect.Value {
	s.passed = passed{from, site}
	return value
}

// passText does the same for a text of tpl, and rewrites it.
func (s *Session) passText(from *scope, site, text string) string {
	s.passed = passed{from, site}
	return rewriteText(text)
}

// child returns the place of an element in this one.
func (c *scope) child(element string) string {
	place := c.place + element
	if len(place) > longestPlace {
		return ">" + shortDigest(place)
	}
	return place
}

// numbered returns a call, with a number if it is not the first at its site: "x", "x #2", "x #3".
func (c *scope) numbered(called string) string {
	at := c.place + called
	c.counts[at]++
	if n := c.counts[at]; n > 1 {
		called += numberMark + strconv.Itoa(n)
	}
	return called
}

// each stores the keys of the map that a range iterates over, and returns its argument unchanged.
func (l *loop) each(over reflect.Value) reflect.Value {
	if all := indirect(over); all.Kind() == reflect.Map && all.Type().Key().Kind() == reflect.String {
		for _, key := range all.MapKeys() {
			l.keys = append(l.keys, key.String())
		}
		slices.Sort(l.keys)
	}
	return over
}

// iteration returns the scope of the next iteration. It is named by the key of the map, or by the element.
func (l *loop) iteration(element reflect.Value) *scope {
	name, told := indexMark+strconv.Itoa(l.next), l.scope.element
	if l.next < len(l.keys) {
		name = escape(l.keys[l.next])
	} else if own := nameOf(element); own != "" {
		name = own
	} else if own := toldBy(element); own != "" {
		told = shortDigest(told + " " + own)
	}
	l.next++
	return &scope{l.scope.child("[" + name + "]"), l.scope.counts, l.scope.depth, told}
}

// naming are the keys under which list elements have their names.
var naming = []string{"name", "username", "user", "id", "key"}

// telling are keys that distinguish list elements that have no name. Their values are not names: a value may change, and the element is
// still the same as long as its object is known.
var telling = []string{
	"login", "account", "email", "mail", "host", "hostname", "domain", "fqdn", "server", "registry", "url", "namespace", "database", "db", "client",
	"clientId", "tenant", "title", "slug",
}

// toldBy distinguishes a list element that has only its index from others; empty if it has no such key.
func toldBy(element reflect.Value) string {
	for _, key := range telling {
		if told := entry(element, key); told.Kind() == reflect.String && told.String() != "" {
			return shortDigest(key + "=" + told.String())
		}
	}
	return ""
}

// nameOf distinguishes an element of a list from the others, wherever in the list it is. A text may be secret, so only its digest is used.
// The name is "" if the element has only its index.
func nameOf(element reflect.Value) string {
	element = indirect(element)
	switch element.Kind() {
	case reflect.Map:
		for _, key := range naming {
			if name := entry(element, key); name.Kind() == reflect.String {
				return escape(name.String())
			}
		}
	case reflect.Int:
		return strconv.FormatInt(element.Int(), 10)
	case reflect.String, reflect.Bool, reflect.Int64, reflect.Float64:
		return digestMark + shortDigest(fmt.Sprint(element.Interface()))
	}
	return ""
}

// entry returns the value under a key of a map, an invalid value if there is none.
func entry(of reflect.Value, key string) reflect.Value {
	of = indirect(of)
	if of.Kind() != reflect.Map || of.Type().Key().Kind() != reflect.String {
		return reflect.Value{}
	}
	return indirect(of.MapIndex(reflect.ValueOf(key).Convert(of.Type().Key())))
}

// indirect returns the value that an interface or a pointer holds.
func indirect(value reflect.Value) reflect.Value {
	for value.Kind() == reflect.Interface || value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	return value
}
