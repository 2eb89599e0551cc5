package fieldselect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// parser is a position in the text of a path.
type parser struct {
	text string
	at   int
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

func (p *parser) blanks() { p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " \t\r\n")) }

func (p *parser) unexpected(wanted string) error {
	if p.at >= len(p.text) {
		return fmt.Errorf("it ends where %s is expected", wanted)
	}
	return fmt.Errorf("at %q %s is expected", p.text[p.at:], wanted)
}

func (p *parser) peekQuote() bool { return p.peek(`"`) || p.peek("'") }

// quoted reads a text in single or double quotes.
func (p *parser) quoted() (string, error) {
	quote := p.text[p.at]
	var text strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == quote:
			p.at++
			return text.String(), nil
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			if err := p.escaped(&text); err != nil {
				return "", err
			}
		default:
			text.WriteByte(c)
		}
	}
	return "", errors.New("a quote is not closed")
}

// escaped reads the character after a backslash, and stops at the last one that it has read.
func (p *parser) escaped(text *strings.Builder) error {
	const letters, controls = "bfnrt", "\b\f\n\r\t"
	c := p.text[p.at]
	if i := strings.IndexByte(letters, c); i >= 0 {
		text.WriteByte(controls[i])
		return nil
	}
	if c != 'u' {
		text.WriteByte(c)
		return nil
	}
	digits := 4
	unit, ok := p.hex(p.at + 1)
	if ok && utf16.IsSurrogate(unit) {
		// A second escape follows; both together are one character.
		low, paired := p.hex(p.at + 7)
		unit, digits = utf16.DecodeRune(unit, low), 10
		ok = paired && p.text[p.at+5:p.at+7] == `\u` && unit != unicode.ReplacementChar
	}
	if !ok {
		return errors.New(`a \u is not followed by the four digits of a character`)
	}
	text.WriteRune(unit)
	p.at += digits
	return nil
}

// hex reads four hexadecimal digits.
func (p *parser) hex(at int) (rune, bool) {
	if at+4 > len(p.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[at:at+4], 16, 16)
	return rune(n), err == nil
}

// value reads a quoted text, or a bare one up to one of the characters in end.
func (p *parser) value(end string) (any, error) {
	if p.peekQuote() {
		return p.quoted()
	}
	bare := p.until(end)
	if bare == "" {
		return nil, p.unexpected("a value")
	}
	return scalar(bare), nil
}

// scalar interprets a bare text: as JSON if it is a scalar there, otherwise as the text itself.
func scalar(bare string) any {
	var v any
	decoder := json.NewDecoder(strings.NewReader(bare))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil || decoder.More() {
		return bare
	}
	switch v := v.(type) {
	case bool, nil:
		return v
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	return bare
}
