package manifest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	yamlnode "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// ParseYAML reads the one object in the text, in YAML or JSON.
//
// The values are those that kubectl would send: Kubernetes reads YAML 1.1, so `yes` and `on` are booleans, and whole
// numbers are int64. In addition, it refuses what kubectl silently ignores: duplicate keys, reported with both lines,
// and more than one object. Empty documents and those with only comments do not count.
func ParseYAML(text string) (map[string]any, error) {
	if object, ok := ParseText(text); ok && !isList(object) {
		return object, nil
	}
	document, err := onlyDocument(text, "object", splitHint)
	if err != nil {
		return nil, err
	}
	if document.root.Kind == yamlnode.SequenceNode {
		return nil, fmt.Errorf("YAML: the text holds a list, not an object: %s", splitHint)
	}
	value, err := document.decode(refuseRepeated)
	if err != nil {
		return nil, err
	}
	object, isMap := value.(map[string]any)
	if !isMap {
		return nil, fmt.Errorf("YAML: the text holds %s, not an object", describe(value))
	}
	if isList(object) {
		return nil, fmt.Errorf("YAML: kind %v holds several objects: %s", object["kind"], splitHint)
	}
	return object, nil
}

// ParseDocument reads the one object or list in the text, such as a patch, by the rules of [ParseYAML].
func ParseDocument(text string) (any, error) {
	document, err := onlyDocument(text, "object or list", "write it as one document")
	if err != nil {
		return nil, err
	}
	return document.decode(refuseRepeated)
}

// repeatedKey is a key that a mapping has twice.
type repeatedKey struct {
	key         string
	first, then int // the lines
}

func (r *repeatedKey) Error() string {
	return fmt.Sprintf("YAML: the key %q is there twice, in lines %d and %d: remove one of them", r.key, r.first, r.then)
}

// refuseRepeated refuses every key that is there twice.
func refuseRepeated(key *repeatedKey) error { return key }

// check refuses content that would be read differently from how it is written. What it does about a key that is there
// twice is up to repeated.
func check(node *yamlnode.Node, repeated func(*repeatedKey) error) error {
	if node.Kind == yamlnode.ScalarNode && node.ShortTag() == "!!binary" {
		return fmt.Errorf("YAML: line %d: the tag !!binary is not possible in a manifest; "+
			"write the base64 text without the tag", node.Line)
	}
	if node.Kind == yamlnode.MappingNode {
		if err := checkKeys(node, repeated); err != nil {
			return err
		}
	}
	for _, child := range node.Content {
		if err := check(child, repeated); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys finds the duplicate keys of a mapping. It compares keys as they appear in JSON, where 1 and "1" are the
// same, and so are yes and true. A merged key (<<) may be overridden; that is its purpose.
func checkKeys(mapping *yamlnode.Node, repeated func(*repeatedKey) error) error {
	first := make(map[string]int, len(mapping.Content)/2)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		node := mapping.Content[i]
		if node.Kind == yamlnode.AliasNode {
			node = node.Alias
		}
		switch {
		case node.Kind != yamlnode.ScalarNode || node.ShortTag() == "!!null":
			return fmt.Errorf("YAML: line %d: a key must be text; null, lists and objects cannot be one",
				mapping.Content[i].Line)
		case node.ShortTag() == "!!merge":
			continue
		}
		key := jsonKey(node)
		if line, seen := first[key]; seen {
			if err := repeated(&repeatedKey{key, line, mapping.Content[i].Line}); err != nil {
				return err
			}
		}
		first[key] = mapping.Content[i].Line
	}
	return nil
}

// plainWord matches unquoted keys that are not numbers.
var plainWord = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*$`)

// specialWord matches the words that YAML 1.1 reads as booleans or null.
var specialWord = regexp.MustCompile(`(?i)^(y|yes|on|true|n|no|off|false|null)$`)

// jsonKey returns the key as it appears in JSON.
func jsonKey(node *yamlnode.Node) string {
	const quoted = yamlnode.DoubleQuotedStyle | yamlnode.SingleQuotedStyle |
		yamlnode.LiteralStyle | yamlnode.FoldedStyle
	if node.Style&quoted != 0 || plainWord.MatchString(node.Value) && !specialWord.MatchString(node.Value) {
		return node.Value
	}
	var resolved map[string]any
	if err := yaml.Unmarshal([]byte(node.Value+": 0"), &resolved); err != nil || len(resolved) != 1 {
		return node.Value
	}
	for key := range resolved {
		return key
	}
	return node.Value
}

// unknownAnchor matches the parser's error for an unquoted value that begins with an asterisk and is not an alias.
var unknownAnchor = regexp.MustCompile(`^yaml: unknown anchor '(.+)' referenced$`)

// withoutAlias reports the position of such a value instead of the value: it may be a password without its quotes.
// The parser does not tell the position in any other way.
func withoutAlias(err error, text string) error {
	found := unknownAnchor.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	before, _, _ := strings.Cut(text, "*"+found[1])
	return fmt.Errorf("line %d: a value that begins with * refers to an anchor (&), and there is none of this name; "+
		"put it in quotes if it is meant as text", 1+strings.Count(before, "\n"))
}

// strayCharacter matches the parser's error for a tab before a key, among others.
var strayCharacter = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?found character that cannot start any token$`)

// withoutTab reports that a line is indented by a tab, which looks like spaces in an editor.
func withoutTab(err error, text string) error {
	found := strayCharacter.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	number, _ := strconv.Atoi(found[1])
	number = max(number, 1)
	lines := strings.Split(text, "\n")
	if number > len(lines) || !strings.HasPrefix(strings.TrimLeft(lines[number-1], " "), "\t") {
		return err
	}
	return fmt.Errorf("line %d: it is indented by a tab, and YAML allows only spaces there", number)
}

// yamlError adds a common subject before the parser's message, which has the line. before is the number of lines of
// the whole text that the parser has not seen.
func yamlError(err error, before int) error {
	return fmt.Errorf("YAML: %w", trimmedError{err, before})
}

// trimmedError is an error without the parser's own name as a prefix, and without the values that parsers quote: a
// value may be secret.
type trimmedError struct {
	error

	before int
}

// quotedValue is how the parsers quote a value, and lineNumber how they name a line.
var (
	quotedValue = regexp.MustCompile("(?s)`.*`")
	lineNumber  = regexp.MustCompile(`\bline [0-9]+`)
)

func (e trimmedError) Error() string {
	text := strings.TrimPrefix(e.error.Error(), "yaml: ")
	text = strings.ReplaceAll(text, "unmarshal errors:\n  ", "")
	text = quotedValue.ReplaceAllString(text, "value")
	return lineNumber.ReplaceAllStringFunc(text, func(line string) string {
		number, err := strconv.Atoi(strings.TrimPrefix(line, "line "))
		if err != nil {
			return line
		}
		return fmt.Sprintf("line %d", number+e.before)
	})
}

func (e trimmedError) Unwrap() error { return e.error }
