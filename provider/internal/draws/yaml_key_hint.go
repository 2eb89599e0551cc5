package draws

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// lineEnd is how many bytes are kept at each end of a line.
const lineEnd = 512

// something stands for what an action prints.
const something = "\x00"

var (
	// keyAtBegin finds the key of a line of YAML, and the text after it.
	keyAtBegin = regexp.MustCompile(`^( *(?:- +)*)["']?([\w./-]+)["']?[ \t]*:(?:[ \t]+(.*))?$`)
	// keyAtEnd finds the key whose value would come next: in YAML, in JSON, in a file of properties.
	keyAtEnd = regexp.MustCompile(`([\w./-]+)["']?[ \t]*[:=][ \t]*["']?$`)
	// nameInFlow finds the name in a map that is written in one line.
	nameInFlow = regexp.MustCompile(`^\{(?:.*,)?[ \t]*name:[ \t]*([^,{}]+?)[ \t]*[,}]`)
	// opening is the text after a key whose value is on the following lines.
	opening = regexp.MustCompile(`^(?:[|>][-+0-9]*)?[ \t]*(?:#.*)?$`)
)

// yamlText reads the text of a template between its actions, to find the key whose value an action prints.
type yamlText struct {
	line string
	// actions are the names of what the line's actions print, as far as the template has any; see named.
	actions []string
	parents []yamlKey
	// open is the key of the last line if its value is on the following lines.
	open string
	// above are the kind and the name of the object as found in the text so far. all are those found in the whole document.
	above object
	all   *object
}

// object is what the text says about an object.
type object struct{ kind, name string }

// String is empty, or such as "Secret/*-admin".
func (o object) String() string {
	if o == (object{}) {
		return ""
	}
	return o.kind + "/" + o.name
}

func newYAMLText() yamlText { return yamlText{all: &object{}} }

type yamlKey struct {
	indent int
	name   string
}

func (y *yamlText) clone() yamlText {
	clone := *y
	clone.parents, clone.actions = slices.Clone(y.parents), slices.Clone(y.actions)
	return clone
}

// read reads more text.
func (y *yamlText) read(text []byte) {
	for {
		line, rest, ends := bytes.Cut(text, []byte("\n"))
		y.add(string(line))
		if !ends {
			return
		}
		y.endLine()
		text = rest
	}
}

// printed notes an action that prints something. name distinguishes it from other actions.
func (y *yamlText) printed(name string) {
	y.add(something)
	y.actions = append(y.actions, name)
}

// add appends to the line. If the line is long, it keeps both ends, where keys are looked for.
func (y *yamlText) add(text string) {
	y.line += text
	if len(y.line) > 2*lineEnd {
		y.line = y.line[:lineEnd] + y.line[len(y.line)-lineEnd:]
	}
}

func (y *yamlText) endLine() {
	line, actions := strings.TrimRight(y.line, " \t\r"), y.actions
	y.line, y.actions = "", nil
	content := strings.TrimLeft(line, " ")
	if content == "" || strings.HasPrefix(content, something) {
		return // the indentation that an action prints is not known
	}
	if strings.HasPrefix(line, "---") {
		*y = newYAMLText()
		return
	}
	indent, key, value := len(line)-len(content), "", ""
	if found := keyAtBegin.FindStringSubmatch(line); found != nil {
		indent, key, value = len(found[1]), found[2], found[3]
	}
	for last, parent := range slices.Backward(y.parents) {
		if parent.indent < indent || parent.indent == indent && key == "" && isItem(content) {
			break
		}
		y.parents = y.parents[:last]
	}
	y.open = ""
	if key == "" {
		return
	}
	y.parents = append(y.parents, yamlKey{indent, key})
	if opening.MatchString(value) {
		y.open = key
	}
	y.identify(yamlKey{indent, key}, line, value, actions)
}

// identify notes the kind and the name of the object that the text is in, if the last key has one of them.
func (y *yamlText) identify(last yamlKey, line, value string, actions []string) {
	switch {
	case last == yamlKey{0, "kind"}:
		y.above.kind = shown(line, value, actions)
	case last == yamlKey{0, "metadata"}:
		if found := nameInFlow.FindStringSubmatch(value); found != nil {
			y.above.name = shown(line[:strings.LastIndex(line, found[1])+len(found[1])], found[1], actions)
		}
	case last.name == "name" && len(y.parents) == 2 && y.parents[0] == yamlKey{0, "metadata"}:
		y.above.name = shown(line, value, actions)
	}
	y.all.kind, y.all.name = cmp.Or(y.all.kind, y.above.kind), cmp.Or(y.all.name, y.above.name)
}

// shown returns the value at the end of a line with each action replaced by a star and its name.
func shown(line, value string, actions []string) string {
	before := strings.Count(strings.TrimSuffix(line, value), something)
	var text strings.Builder
	for i, part := range strings.Split(strings.Trim(value, ` "'`), something) {
		if at := before + i - 1; i > 0 {
			text.WriteString("*")
			if at < len(actions) {
				text.WriteString(actions[at])
			}
		}
		text.WriteString(part)
	}
	return text.String()
}

// object returns the object when it is called. Call it after the whole text is read, because the name may follow the draw.
func (y *yamlText) object() func() object {
	above, all := y.above, y.all
	return func() object {
		return object{cmp.Or(above.kind, all.kind), cmp.Or(above.name, all.name)}
	}
}

// hint returns the key whose value would come next, or "" if there is none.
func (y *yamlText) hint() string {
	line := strings.TrimRight(y.line, "\r")
	if found := keyAtEnd.FindStringSubmatch(line); found != nil {
		return found[1]
	}
	if found := keyAtBegin.FindStringSubmatch(line); found != nil {
		return found[2]
	}
	content := strings.TrimLeft(line, " ")
	indent := len(line) - len(content)
	for _, parent := range slices.Backward(y.parents) {
		if parent.indent < indent || parent.indent == indent && isItem(content) {
			return parent.name
		}
	}
	if content == "" {
		return y.open
	}
	return ""
}

// isItem reports whether a line begins an item of a list, which may have the same indentation as the key of the list.
func isItem(content string) bool { return strings.HasPrefix(content, "- ") }
