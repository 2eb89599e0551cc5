package draws

import (
	"strconv"
	"strings"
)

// Source are the calls in the templates of a chart, whether they are executed or not. It distinguishes a call site that is switched off
// from one that is gone.
type Source struct{ calls map[written]bool }

// written is a call in the text of a template: the file or definition that contains it, what it calls, and its site there. The callee is
// empty if it is known only during execution.
type written struct{ in, callee, site string }

// SourceOf reads all templates of a chart, including disabled subcharts, by the names that the engine gives them.
func SourceOf(templates map[string]string) *Source {
	s := &Source{calls: map[written]bool{}}
	for file, text := range templates {
		trees, err := parsed(file, text)
		if err != nil {
			continue // the engine reports it
		}
		for name, tree := range trees {
			in := definition(name)
			if name == file {
				in = escape(file)
			}
			e := editor{scope: variable("$kc"), found: func(callee, site string) { s.calls[written{in, literal(callee), site}] = true }}
			e.tree(tree.Root)
		}
	}
	return s
}

// definition is how a definition is written in a key.
func definition(name string) string { return ">" + escape(name) }

// has reports whether the calls through which a value was reached are still in the templates. If that is not known, as in a text of tpl, it
// assumes that they are.
func (s *Source) has(k key) bool {
	if s == nil || k.file == "" {
		return true
	}
	in := k.file
	for _, element := range k.within {
		called, is := strings.CutPrefix(element, ">")
		if !is {
			continue
		}
		called, _, _ = strings.Cut(called, numberMark)
		name, site, _ := strings.Cut(called, ":")
		if strings.HasPrefix(name, "tpl ") {
			return s.calls[written{in, "tpl", site}]
		}
		if !s.calls[written{in, name, site}] && !s.calls[written{in, "", site}] {
			return false
		}
		in = ">" + name
	}
	return s.calls[written{in, k.function(), k.site}]
}

// hasElsewhere reports whether another file has a call for the same object: then the object has moved, and may be switched off there.
func (s *Source) hasElsewhere(k key) bool {
	callee, site := k.inFile()
	if s == nil || labelOf(site) == "" {
		return false
	}
	for call := range s.calls {
		if call.in != k.file && call.callee == callee && call.site == site {
			return true
		}
	}
	return false
}

// hasAnother reports whether the same file has a similar call for an object that is not known: the object is switched off, and may be the
// one that had the value, under another name.
func (s *Source) hasAnother(k key, known map[string]bool) bool {
	if s == nil {
		return false
	}
	callee, site := k.inFile()
	hint, _, _ := strings.Cut(site, siteMark)
	for call := range s.calls {
		its, _, _ := strings.Cut(call.site, siteMark)
		if call.in == k.file && call.callee == callee && its == hint && labelOf(call.site) != "" && !known[labelOf(call.site)] {
			return true
		}
	}
	return false
}

// inFile is the call in the key's file through which a value is reached, and its site.
func (k key) inFile() (callee, site string) {
	for _, element := range k.within {
		if called, is := strings.CutPrefix(element, ">"); is {
			called, _, _ = strings.Cut(called, numberMark)
			callee, site, _ = strings.Cut(called, ":")
			return callee, site
		}
	}
	return k.function(), k.site
}

// labelOf is the object in which a site is a key; empty if the site is in no object with a name.
func labelOf(site string) string {
	_, object, _ := strings.Cut(site, siteMark)
	object, _, _ = strings.Cut(object, siteMark)
	if !strings.Contains(object, "/") {
		return ""
	}
	return object
}

// literal returns a callee as keys write it: the name of a function or of a definition, empty for everything else.
func literal(callee string) string {
	switch {
	case strings.HasPrefix(callee, `"`), strings.HasPrefix(callee, "`"):
		name, err := strconv.Unquote(callee)
		if err != nil {
			return ""
		}
		return escape(name)
	case strings.HasPrefix(callee, "("), strings.HasPrefix(callee, "."), strings.HasPrefix(callee, "$"):
		return ""
	default:
		return escape(callee)
	}
}
