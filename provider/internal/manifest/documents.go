package manifest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	yamlnode "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// byteOrderMark is what some editors put before a text.
const byteOrderMark = "\ufeff"

// document is one non-empty YAML document.
type document struct {
	piece
	root *yamlnode.Node // its content, with line numbers
}

// piece is the text between two document markers. Each is parsed separately: a document cannot refer to another, and
// a mistake in one leaves the others readable.
type piece struct {
	text   string
	before int // number of lines before it in the whole text
}

// pieces splits a text at the start of its documents, that is, at every marker (---) at the start of a line: no
// block, plain or quoted text can contain one. Directives (%YAML) may appear at the beginning and after the end (...)
// of a document, and belong to the next one. Lines end where YAML ends them; otherwise the line numbers would differ
// from the parser's.
func pieces(text string) []piece {
	var found []piece
	current, start, line := piece{}, 0, 0
	between := true                     // no document has begun, or the last one has ended
	directives, directivesLine := -1, 0 // start of the directives without a document yet
	for at := 0; at < len(text); line++ {
		if strings.HasPrefix(text[at:], byteOrderMark) && (at == 0 || isMarker(text[at+len(byteOrderMark):], "---")) {
			if at > start {
				current.text = text[start:at]
				found = append(found, current)
			}
			at += len(byteOrderMark)
			current, start = piece{before: line}, at
		}
		end := at + lineLength(text[at:])
		switch rest := text[at:end]; {
		case isMarker(rest, "---"):
			from, before := at, line
			if directives >= 0 {
				from, before = directives, directivesLine
			}
			if from > start {
				current.text = text[start:from]
				found = append(found, current)
			}
			current, start, directives, between = piece{before: before}, from, -1, false
		case isMarker(rest, "..."):
			directives, between = -1, true
		case !between, strings.HasPrefix(rest, "#"), strings.TrimSpace(rest) == "":
		case strings.HasPrefix(rest, "%"):
			if directives < 0 {
				directives, directivesLine = at, line
			}
		default:
			directives, between = -1, false
		}
		at = end
	}
	current.text = text[start:]
	return append(found, current)
}

// isMarker reports whether a line begins with a marker rather than a longer word.
func isMarker(line, marker string) bool {
	rest, found := strings.CutPrefix(line, marker)
	return found && (rest == "" || strings.ContainsAny(rest[:1], " \t") || breakLength(rest) > 0)
}

// lineLength returns the length of the first line, including its line break.
func lineLength(text string) int {
	for i := 0; i < len(text); i++ {
		if n := breakLength(text[i:]); n > 0 {
			return i + n
		}
	}
	return len(text)
}

// breakLength returns the length of the line break at the start of the text, or 0 if there is none.
func breakLength(text string) int {
	switch text[0] {
	case '\n':
		return 1
	case '\r':
		if strings.HasPrefix(text, "\r\n") {
			return 2
		}
		return 1
	case 0xC2, 0xE2:
		for _, other := range []string{"\u0085", "\u2028", "\u2029"} {
			if strings.HasPrefix(text, other) {
				return len(other)
			}
		}
	}
	return 0
}

// read parses the piece. It returns false if the piece contains only comments.
func (p piece) read() (document, bool, error) {
	node, err := p.nodes()
	if err != nil {
		return document{}, false, p.mistake(err, func(text string) error {
			_, err := piece{text: text}.nodes()
			return err
		})
	}
	if node == nil || len(node.Content) == 0 || node.Content[0].ShortTag() == "!!null" {
		return document{}, false, nil
	}
	shift(node, p.before)
	return document{piece: p, root: node.Content[0]}, true, nil
}

// nodes parses the piece; nil means that there is no document.
func (p piece) nodes() (*yamlnode.Node, error) {
	decoder := yamlnode.NewDecoder(strings.NewReader(p.text))
	var node, more yamlnode.Node
	err := decoder.Decode(&node)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, withoutTab(withoutAlias(err, p.text), p.text)
	}
	switch err := decoder.Decode(&more); {
	case errors.Is(err, io.EOF):
		return &node, nil
	case err != nil:
		return nil, err
	default:
		return nil, fmt.Errorf("line %d: a document begins without the marker ---", more.Line)
	}
}

// mistake returns a mistake in the piece with line numbers in the whole text. The parsers omit the number of the
// first line, so they read the piece again, with an empty line before it.
func (p piece) mistake(err error, read func(text string) error) error {
	if p.before > 0 {
		if again := read("\n" + p.text); again != nil {
			return yamlError(again, p.before-1)
		}
	}
	return yamlError(err, p.before)
}

// shift converts line numbers in a piece to those in the whole text.
func shift(node *yamlnode.Node, lines int) {
	node.Line += lines
	for _, child := range node.Content {
		shift(child, lines)
	}
}

// decode refuses content that would be read differently from how it is written, and reads the rest.
func (d document) decode(repeated func(*repeatedKey) error) (any, error) {
	if err := check(d.root, repeated); err != nil {
		return nil, err
	}
	if err := checkAliases(d.root); err != nil {
		return nil, err
	}
	encoded, err := yaml.YAMLToJSON([]byte(d.text))
	if err != nil {
		return nil, d.mistake(err, func(text string) error {
			_, err := yaml.YAMLToJSON([]byte(text))
			return err
		})
	}
	var value any
	if err := json.Unmarshal(encoded, &value); err != nil {
		return nil, yamlError(err, 0)
	}
	return value, nil
}

// onlyDocument returns the only non-empty document, which must be an object or a list. expected and several are for
// its messages: what it expects, and what to do with more than one document.
func onlyDocument(text, expected, several string) (document, error) {
	var found []document
	for _, p := range pieces(text) {
		read, some, err := p.read()
		if err != nil {
			return document{}, err
		}
		if some {
			found = append(found, read)
		}
	}
	switch {
	case len(found) == 0:
		return document{}, fmt.Errorf("YAML: the text holds no %s", expected)
	case len(found) > 1:
		return document{}, fmt.Errorf("YAML: the text holds %d documents (the second begins in line %d): %s",
			len(found), found[1].root.Line, several)
	case found[0].root.Kind != yamlnode.MappingNode && found[0].root.Kind != yamlnode.SequenceNode:
		return document{}, fmt.Errorf("YAML: the text holds a single value, not an %s; "+
			"if it is the name of a file, pass the contents of the file", expected)
	}
	return found[0], nil
}

// checkText refuses anything that is not text, such as a file in UTF-16, in which no marker would be found.
func checkText(text string) error {
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			return fmt.Errorf("YAML: the text is not in UTF-8 (byte %d): save it in this encoding", i+1)
		}
	}
	return nil
}
