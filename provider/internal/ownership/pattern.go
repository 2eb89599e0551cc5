package ownership

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Pattern selects fields of an object, each with all that is below it. It is what
// users write where they name fields:
//
//	spec.replicas
//	metadata.annotations["a.b/c"]
//	spec.template.spec.containers[name=web].env[name=X].value
//	spec.template.spec.containers[*].image
//	metadata.finalizers[="example.com/protect"]
//	spec.containers[?(@.name=='web')].image      as in JSONPath
//
// What [Format] prints of the fields of an apply is among these forms, and selects
// exactly what was printed. Positions are not: items of lists move.
type Pattern struct {
	text  string
	steps []selector
}

// selector selects among the children of one value. Exactly one of its members
// is set.
type selector struct {
	name *string        // the member with this name
	keys map[string]any // list items whose keys have these values
	item *any           // the item of a set that is this value
	all  bool           // every member and item
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }

// Matches reports whether the pattern selects path or something above it.
func (p Pattern) Matches(path fieldpath.Path) bool {
	if len(path) < len(p.steps) {
		return false
	}
	for i, step := range p.steps {
		if !step.matches(path[i]) {
			return false
		}
	}
	return true
}

func (s selector) matches(element fieldpath.PathElement) bool {
	switch {
	case s.all:
		return true
	case s.name != nil:
		return element.FieldName != nil && *element.FieldName == *s.name
	case s.item != nil:
		return element.Value != nil && value.Equals(*element.Value, value.NewValueInterface(*s.item))
	default:
		return element.Key != nil && s.matchesKey(*element.Key)
	}
}

// matchesKey holds a key against the members that the pattern names. It may name
// fewer: containers have one key, ports have two.
func (s selector) matchesKey(key value.FieldList) bool {
	found := 0
	for _, field := range key {
		want, ok := s.keys[field.Name]
		if !ok {
			continue
		}
		if !value.Equals(field.Value, value.NewValueInterface(want)) {
			return false
		}
		found++
	}
	return found == len(s.keys)
}

// ParsePattern reads a pattern. The error says where it stops making sense.
func ParsePattern(text string) (Pattern, error) {
	p := &patternParser{text: text}
	steps, err := p.parse()
	if err != nil {
		return Pattern{}, fmt.Errorf("%q is not a path: %w", text, err)
	}
	return Pattern{text: text, steps: steps}, nil
}

type patternParser struct {
	text string
	at   int
}

func (p *patternParser) parse() ([]selector, error) {
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
func (p *patternParser) member() (selector, error) {
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
func (p *patternParser) bracket() (selector, error) {
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
		name, err = p.quoted()
		step.name = &name
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
func (p *patternParser) keys() (map[string]any, error) {
	if position := strings.TrimLeft(p.text[p.at:], "0123456789"); strings.HasPrefix(position, "]") {
		return nil, fmt.Errorf("%q is a position, and items move; select them by a key such as [name=web], or all by [*]",
			p.until("]"))
	}
	keys := map[string]any{}
	for {
		name := strings.TrimSpace(p.until("=,]"))
		if name == "" || !p.take("=") {
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

// filter reads @.name=='web' && @.port==80, with its closing parenthesis.
func (p *patternParser) filter() (map[string]any, error) {
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
func (p *patternParser) value(end string) (any, error) {
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
func (p *patternParser) quoted() (string, error) {
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

func (p *patternParser) peekQuote() bool {
	return p.at < len(p.text) && (p.text[p.at] == '"' || p.text[p.at] == '\'')
}

func (p *patternParser) take(token string) bool {
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *patternParser) until(end string) string {
	n := strings.IndexAny(p.text[p.at:], end)
	if n < 0 {
		n = len(p.text) - p.at
	}
	found := p.text[p.at : p.at+n]
	p.at += n
	return found
}

func (p *patternParser) spaces() {
	for p.take(" ") {
		continue
	}
}

func (p *patternParser) unexpected(wanted string) error {
	if p.at >= len(p.text) {
		return fmt.Errorf("it ends where %s is expected", wanted)
	}
	return fmt.Errorf("at %q %s is expected", p.text[p.at:], wanted)
}
