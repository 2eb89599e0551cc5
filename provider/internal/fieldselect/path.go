package fieldselect

import (
	"errors"
	"fmt"
	"strings"
)

// Path is a path from the root of an object. It has at least one step.
type Path []Step

// Step selects among the children of a value or, if it is a descendant step, among everything below it.
type Step struct {
	Descendant bool
	Selector
}

// Selector selects among the children of one value. Exactly one of its members is set.
type Selector struct {
	Name  *string        // the member with this name
	All   bool           // every member and item
	Index *int           // the item at this position; negative counts from the end
	Keys  map[string]any // the list items whose members have these values
	Item  *any           // the items equal to this value
	Other *Bracket       // any other bracket of RFC 9535
}

// Bracket is a bracket that no other selector covers. Only an evaluator of RFC 9535 can tell whether it is valid.
type Bracket struct {
	// Text is the bracket as written, with the brackets.
	Text string
	// Err says where it stops being one of the other selectors.
	Err error
}

// IsFilter reports whether it is a filter other than a comparison of keys.
func (b Bracket) IsFilter() bool { return strings.HasPrefix(b.inner(), "?") }

// IsSlice reports whether it selects positions: by a slice, or by a number in an unusual form.
func (b Bracket) IsSlice() bool {
	return b.inner() != "" && strings.Trim(b.inner(), "0123456789-: \t") == ""
}

// IsUnion reports whether it contains several selectors.
func (b Bracket) IsUnion() bool { return !b.IsFilter() && strings.Contains(b.inner(), ",") }

func (b Bracket) inner() string { return strings.TrimSpace(b.Text[1 : len(b.Text)-1]) }

// Parse reads a path.
func Parse(text string) (Path, error) {
	rest := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(rest, "{"); ok {
		if rest, ok = strings.CutSuffix(inner, "}"); !ok {
			return nil, errors.New("the brace is not closed")
		}
		rest = strings.TrimSpace(rest)
	}
	if rest == "" {
		return nil, errors.New("it is empty")
	}
	if rest = strings.TrimPrefix(rest, "$"); rest == "" {
		return nil, errors.New("it selects the whole object and not a field")
	}
	var path Path
	for p := (&parser{text: rest}); p.at < len(p.text); {
		step, err := p.step(len(path) == 0)
		if err != nil {
			return nil, err
		}
		path = append(path, step)
	}
	return path, nil
}

// step reads one step with the dots before it. The first step may lack a dot.
func (p *parser) step(first bool) (step Step, err error) {
	named := false // only a name can follow
	switch {
	case p.peek("["):
	case p.take(".."):
		step.Descendant = true
	case p.take("."), first:
		named = true
	case unexpected[p.text[p.at]] == "":
		return Step{}, fmt.Errorf("a dot or a bracket is missing before %q", p.text[p.at:])
	}
	if !named && p.peek("[") {
		step.Selector, err = p.bracket()
	} else {
		step.Selector, err = p.member()
	}
	return step, err
}

// member reads a name up to the next dot or bracket.
func (p *parser) member() (Selector, error) {
	name, err := p.bareName(".[")
	switch {
	case err != nil:
		return Selector{}, err
	case name == "":
		return Selector{}, errors.New("a name is empty")
	case name == "*":
		return Selector{All: true}, nil
	}
	return Selector{Name: &name}, nil
}

// bareName reads an unquoted name up to one of the characters in end. A backslash makes the next character literal.
func (p *parser) bareName(end string) (string, error) {
	var name strings.Builder
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
		case strings.IndexByte(end, c) >= 0:
			return name.String(), nil
		case unexpected[c] != "":
			return "", errors.New(unexpected[c])
		}
		name.WriteByte(p.text[p.at])
	}
	return name.String(), nil
}

// unexpected are the characters that an unquoted name can contain only behind a backslash, and why: they show that
// something else was meant.
var unexpected = map[byte]string{
	'{':  "a brace is in the middle of it; it must be one path in one pair of braces, and no template",
	'}':  "a brace is in the middle of it; it must be one path in one pair of braces, and no template",
	']':  "a bracket is closed that was not opened",
	'\n': "a line ends in the middle of a name",
}
