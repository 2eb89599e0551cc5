package fieldselect

import (
	"errors"
	"strconv"
	"strings"
)

// bracket reads a bracket.
func (p *parser) bracket() (Selector, error) {
	start := p.at
	p.at++
	selector, err := p.known()
	if err == nil && !p.take("]") {
		err = p.unexpected("a closing bracket")
	}
	if err == nil {
		return selector, nil
	}
	p.at = start
	text, closed := p.whole()
	if closed != nil {
		return Selector{}, closed
	}
	return Selector{Other: &Bracket{Text: text, Err: err}}, nil
}

// known reads the content of a bracket, up to the closing one.
func (p *parser) known() (selector Selector, err error) {
	p.blanks()
	switch {
	case p.take("*"):
		selector.All = true
	case p.take("?"):
		selector, err = p.filter()
	case p.take("="):
		var item any
		item, err = p.value("]")
		selector.Item = &item
	case p.peekQuote():
		start := p.at
		var name string
		if name, err = p.quoted(); err == nil && p.peek("=") {
			p.at = start
			selector.Keys, err = p.keys()
			break
		}
		selector.Name = &name
	default:
		if index, ok := p.position(); ok {
			selector.Index = &index
			break
		}
		selector.Keys, err = p.keys()
	}
	p.blanks()
	return selector, err
}

// position reads a number in the form of RFC 9535, if the bracket contains nothing else.
func (p *parser) position() (int, bool) {
	start := p.at
	text := strings.TrimSpace(p.until("]"))
	index, err := strconv.Atoi(text)
	if err == nil && strconv.Itoa(index) == text {
		return index, true
	}
	p.at = start
	return 0, false
}

const aKey = "a key such as name=web, a quoted name or *"

// keys reads name=web or port=80,protocol=TCP.
func (p *parser) keys() (map[string]any, error) {
	keys := map[string]any{}
	for {
		name, err := p.key()
		if err != nil {
			return nil, err
		}
		if !p.take("=") {
			return nil, p.unexpected(aKey)
		}
		if keys[name], err = p.value(",]"); err != nil {
			return nil, err
		}
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
		return "", p.unexpected(aKey)
	}
	return name, nil
}

// filter reads a filter that compares keys of list items, or the items themselves.
func (p *parser) filter() (Selector, error) {
	start := p.at
	keys := map[string]any{}
	err := p.conjunction(keys)
	if err == nil {
		return Selector{Keys: keys}, nil
	}
	failed := p.at
	p.at = start
	p.blanks()
	parenthesis := p.take("(")
	if p.blanks(); p.take("@") {
		if item, unlike := p.equals(); unlike == nil {
			if p.blanks(); !parenthesis || p.take(")") {
				return Selector{Item: &item}, nil
			}
		}
	}
	p.at = failed
	return Selector{}, err
}

// conjunction reads comparisons of keys: @.name=='web' && @.port==80.
func (p *parser) conjunction(keys map[string]any) error {
	for {
		p.blanks()
		if p.take("(") {
			if err := p.conjunction(keys); err != nil {
				return err
			}
			if !p.take(")") {
				return p.unexpected("&& or a closing parenthesis")
			}
		} else if err := p.comparison(keys); err != nil {
			return err
		}
		p.blanks()
		if !p.take("&&") {
			return nil
		}
	}
}

// comparison reads @.name=='web'. It refuses a comparison with another field, or of a field at a deeper level.
func (p *parser) comparison(keys map[string]any) error {
	const wanted = "a comparison such as @.name=='web'"
	var name string
	var err error
	switch {
	case p.take("@."):
		if name, err = p.bareName("=!<>()&|.[, \t\r\n"); err == nil && name == "" {
			err = p.unexpected(wanted)
		}
	case p.take("@["):
		if p.blanks(); !p.peekQuote() {
			return p.unexpected("a quoted name")
		}
		if name, err = p.quoted(); err == nil {
			if p.blanks(); !p.take("]") {
				err = p.unexpected("a closing bracket")
			}
		}
	default:
		err = p.unexpected(wanted)
	}
	if err != nil {
		return err
	}
	v, err := p.equals()
	if err != nil {
		return err
	}
	if had, twice := keys[name]; twice && had != v {
		return errors.New("a key cannot have two values")
	}
	keys[name] = v
	return nil
}

// equals reads == and a value, which must not be another field.
func (p *parser) equals() (any, error) {
	if p.blanks(); !p.take("==") {
		return nil, p.unexpected("==")
	}
	p.blanks()
	start := p.at
	v, err := p.value(")&|, \t\r\n]")
	if err != nil {
		return nil, err
	}
	if bare := p.text[start:p.at]; !isQuote(bare[0]) && (bare[0] == '@' || bare[0] == '$' || strings.Contains(bare, "(")) {
		p.at = start
		return nil, p.unexpected("a value")
	}
	return v, nil
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// whole reads the next bracket to its end, past quoted and nested brackets. Within quotes, kubectl requires a backslash
// before dots, and RFC 9535 does not allow one.
func (p *parser) whole() (string, error) {
	var taken strings.Builder
	depth, quote := 0, byte(0)
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			if quote == 0 || p.text[p.at] != '.' {
				taken.WriteByte(c)
			}
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case isQuote(c):
			quote = c
		case c == '[':
			depth++
		case c == ']':
			depth--
		}
		taken.WriteByte(p.text[p.at])
		if depth == 0 {
			p.at++
			return taken.String(), nil
		}
	}
	return "", errors.New("a bracket is not closed")
}
