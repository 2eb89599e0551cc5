package ownership

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// ParsePath reads the path of one field: what [Format] printed of it is read back
// exactly. It reads the forms of a [Pattern] that select one field, and positions such
// as [3], which patterns do not have.
func ParsePath(text string) (fieldpath.Path, error) {
	p := &parser{text: text, positions: true}
	steps, err := p.parse()
	if err != nil {
		return nil, fmt.Errorf("%q is not a path: %w", text, err)
	}
	path := make(fieldpath.Path, 0, len(steps))
	for _, step := range steps {
		if step.all {
			return nil, fmt.Errorf("%q is not the path of one field: * selects several", text)
		}
		path = append(path, step.element())
	}
	return path, nil
}

// element is the path element that the selector stands for.
func (s selector) element() fieldpath.PathElement {
	switch {
	case s.name != nil:
		return fieldpath.FieldNameElement(*s.name)
	case s.index != nil:
		return fieldpath.IndexElement(*s.index)
	case s.item != nil:
		return fieldpath.ValueElement(value.NewValueInterface(*s.item))
	}
	key := make(value.FieldList, 0, len(s.keys))
	for name, v := range s.keys {
		key = append(key, value.Field{Name: name, Value: value.NewValueInterface(v)})
	}
	key.Sort()
	return fieldpath.KeyElement(key...)
}

// parser reads the text of a [Pattern] or of a path.
type parser struct {
	text string
	at   int
	// positions says that items may be selected by where they are in their list.
	positions bool
}

func (p *parser) parse() ([]selector, error) {
	if strings.TrimSpace(p.text) == "" {
		return nil, fmt.Errorf("it is empty")
	}
	// JSONPath begins at the root, and kubectl puts it in braces.
	if strings.HasPrefix(p.text, "{") && strings.HasSuffix(p.text, "}") {
		p.text = p.text[1 : len(p.text)-1]
	}
	p.text = strings.TrimPrefix(p.text, "$")
	var steps []selector
	for p.at < len(p.text) {
		var step selector
		var err error
		switch {
		case p.take("["):
			step, err = p.bracket()
		case p.take(".") || p.at == 0:
			step, err = p.member()
		default:
			err = p.unexpected("a dot or a bracket")
		}
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("it names no field")
	}
	return steps, nil
}

// member reads a name up to the next dot or bracket.
func (p *parser) member() (selector, error) {
	end := strings.IndexAny(p.text[p.at:], ".[]")
	if end < 0 {
		end = len(p.text) - p.at
	}
	name := p.text[p.at : p.at+end]
	if name == "" {
		return selector{}, p.unexpected("a name")
	}
	p.at += end
	if name == "*" {
		return selector{all: true}, nil
	}
	return selector{name: &name}, nil
}

// bracket reads what is between brackets; the opening one is taken.
func (p *parser) bracket() (selector, error) {
	var step selector
	var err error
	switch {
	case p.take("*"):
		step.all = true
	case p.take("?("):
		step.keys, err = p.filter()
	case p.take("="):
		var item any
		item, err = p.value("]")
		step.item = &item
	case p.peekQuote():
		var name string
		start := p.at
		if name, err = p.quoted(); err == nil && p.peek("=") {
			p.at = start
			step.keys, err = p.keys()
			break
		}
		step.name = &name
	case p.positions && p.isPosition():
		var index int
		index, err = strconv.Atoi(p.until("]"))
		step.index = &index
	default:
		step.keys, err = p.keys()
	}
	if err != nil {
		return selector{}, err
	}
	if !p.take("]") {
		return selector{}, p.unexpected("a closing bracket")
	}
	return step, nil
}

// keys reads name=web or port=80,protocol=TCP.
func (p *parser) keys() (map[string]any, error) {
	if p.isPosition() {
		return nil, fmt.Errorf("%q is a position, and items move; select them by a key such as [name=web], or all by [*]",
			p.until("]"))
	}
	keys := map[string]any{}
	for {
		name, err := p.key()
		if err != nil {
			return nil, err
		}
		if !p.take("=") {
			return nil, p.unexpected("a key such as name=web, a quoted name or *")
		}
		v, err := p.value(",]")
		if err != nil {
			return nil, err
		}
		keys[name] = v
		if !p.take(",") {
			return keys, nil
		}
	}
}

// key reads the name of a key, which may be quoted.
func (p *parser) key() (string, error) {
	if p.peekQuote() {
		return p.quoted()
	}
	name := strings.TrimSpace(p.until("=,]"))
	if name == "" {
		return "", p.unexpected("a key such as name=web, a quoted name or *")
	}
	return name, nil
}

// isPosition reports whether nothing but a number is left between the brackets.
func (p *parser) isPosition() bool {
	return strings.HasPrefix(strings.TrimLeft(p.text[p.at:], "0123456789"), "]")
}

// filter reads @.name=='web' && @.port==80, with its closing parenthesis.
func (p *parser) filter() (map[string]any, error) {
	keys := map[string]any{}
	for {
		p.spaces()
		if !p.take("@.") {
			return nil, p.unexpected("a comparison such as @.name=='web'")
		}
		name := strings.TrimSpace(p.until("=)"))
		if name == "" || !p.take("==") {
			return nil, p.unexpected("==; a filter selects list items by the values of their keys")
		}
		p.spaces()
		v, err := p.value(")& ")
		if err != nil {
			return nil, err
		}
		keys[name] = v
		p.spaces()
		if p.take(")") {
			return keys, nil
		}
		if !p.take("&&") {
			return nil, p.unexpected("&& or a closing parenthesis")
		}
	}
}

// value reads a quoted text, or a bare one up to a character of end. Bare texts
// that are JSON scalars are those.
func (p *parser) value(end string) (any, error) {
	if p.peekQuote() {
		return p.quoted()
	}
	bare := p.until(end)
	if bare == "" {
		return nil, p.unexpected("a value")
	}
	var scalar any
	decoder := json.NewDecoder(strings.NewReader(bare))
	decoder.UseNumber()
	if err := decoder.Decode(&scalar); err != nil || decoder.More() {
		return bare, nil
	}
	switch scalar := scalar.(type) {
	case bool, nil:
		return scalar, nil
	case json.Number:
		if n, err := scalar.Int64(); err == nil {
			return n, nil
		}
		if f, err := scalar.Float64(); err == nil {
			return f, nil
		}
	}
	return bare, nil
}

// quoted reads a text in single or double quotes; a backslash takes the next
// character as it is.
func (p *parser) quoted() (string, error) {
	quote := p.text[p.at]
	var b strings.Builder
	for i := p.at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\' && i+1 < len(p.text):
			i++
			b.WriteByte(p.text[i])
		case c == quote:
			p.at = i + 1
			return b.String(), nil
		default:
			b.WriteByte(c)
		}
	}
	return "", fmt.Errorf("a quote is not closed")
}

func (p *parser) peekQuote() bool {
	return p.at < len(p.text) && (p.text[p.at] == '"' || p.text[p.at] == '\'')
}

func (p *parser) peek(token string) bool { return strings.HasPrefix(p.text[p.at:], token) }

func (p *parser) take(token string) bool {
	if !p.peek(token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *parser) until(end string) string {
	n := strings.IndexAny(p.text[p.at:], end)
	if n < 0 {
		n = len(p.text) - p.at
	}
	found := p.text[p.at : p.at+n]
	p.at += n
	return found
}

func (p *parser) spaces() {
	for p.take(" ") {
		continue
	}
}

func (p *parser) unexpected(wanted string) error {
	if p.at >= len(p.text) {
		return fmt.Errorf("it ends where %s is expected", wanted)
	}
	return fmt.Errorf("at %q %s is expected", p.text[p.at:], wanted)
}
