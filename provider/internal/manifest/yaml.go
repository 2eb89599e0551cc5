package manifest

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	yamlnode "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// ParseYAML reads the one object that the text holds, in YAML or JSON.
//
// The values are those that kubectl would send: Kubernetes reads YAML 1.1, so `yes` and `on` are
// booleans, and whole numbers are int64. In addition it refuses what kubectl passes over in silence:
// duplicate keys, with the lines of both, and more than one object. Empty documents and those with
// nothing but comments do not count.
func ParseYAML(text string) (map[string]any, error) {
	document, err := onlyDocument(text, "object", splitHint)
	if err != nil {
		return nil, err
	}
	if document.root.Kind == yamlnode.SequenceNode {
		return nil, fmt.Errorf("YAML: the text holds a list, not an object: %s", splitHint)
	}
	value, err := document.decode()
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

// ParseDocument reads the one object or list that the text holds, a patch for instance, by the rules of
// [ParseYAML].
func ParseDocument(text string) (any, error) {
	document, err := onlyDocument(text, "object or list", "write it as one document")
	if err != nil {
		return nil, err
	}
	return document.decode()
}

// decode refuses what would be read as something else than is written, and reads the rest.
func (d document) decode() (any, error) {
	if err := check(d.root); err != nil {
		return nil, err
	}
	encoded, err := yaml.YAMLToJSON([]byte(d.text))
	if err != nil {
		return nil, yamlError(err)
	}
	var value any
	if err := json.Unmarshal(encoded, &value); err != nil {
		return nil, yamlError(err)
	}
	return value, nil
}

// document is one YAML document.
type document struct {
	text string         // from its own beginning; other documents may follow
	root *yamlnode.Node // what it says, with the lines where it says it
}

// onlyDocument finds the document that is not empty, which must be an object or a list. For the messages
// it is told what is expected, and what to do with more than one document.
func onlyDocument(text, expected, several string) (document, error) {
	var found document
	var lines []int // where the documents that are not empty begin
	decoder := yamlnode.NewDecoder(strings.NewReader(text))
	for index := 0; ; index++ {
		var node yamlnode.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return document{}, yamlError(err)
		}
		if len(node.Content) == 0 || node.Content[0].ShortTag() == "!!null" {
			continue
		}
		root := node.Content[0]
		lines = append(lines, root.Line)
		found = document{text: text, root: root}
		if index > 0 {
			found.text = fromMarker(text, root.Line)
		}
	}
	switch {
	case len(lines) == 0:
		return document{}, fmt.Errorf("YAML: the text holds no %s", expected)
	case len(lines) > 1:
		return document{}, fmt.Errorf("YAML: the text holds %d documents (the second begins in line %d): %s",
			len(lines), lines[1], several)
	case found.root.Kind != yamlnode.MappingNode && found.root.Kind != yamlnode.SequenceNode:
		return document{}, fmt.Errorf("YAML: the text holds a single value, not an %s; "+
			"if it is the name of a file, pass the contents of the file", expected)
	}
	return found, nil
}

// documentMarker begins a document. At the start of a line it does so everywhere: block and quoted
// texts cannot contain it.
var documentMarker = regexp.MustCompile(`^---([ \t\r]|$)`)

// fromMarker cuts away the documents before the one whose content begins in the line (from 1).
func fromMarker(text string, line int) string {
	lines := strings.SplitAfter(text, "\n")
	for i := min(line, len(lines)) - 1; i >= 0; i-- {
		if documentMarker.MatchString(strings.TrimSuffix(lines[i], "\n")) {
			return strings.Join(lines[i:], "")
		}
	}
	return text
}

// check refuses what would be read as something else than is written.
func check(node *yamlnode.Node) error {
	if node.Kind == yamlnode.ScalarNode && node.ShortTag() == "!!binary" {
		return fmt.Errorf("YAML: line %d: the tag !!binary is not possible in a manifest; "+
			"write the base64 text without the tag", node.Line)
	}
	if node.Kind == yamlnode.MappingNode {
		if err := checkKeys(node); err != nil {
			return err
		}
	}
	for _, child := range node.Content {
		if err := check(child); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys refuses a mapping that has a key twice. Keys are compared as they end up in JSON, where 1
// and "1" are the same, and so are yes and true. A merged key (<<) may be overridden, that is its use.
func checkKeys(mapping *yamlnode.Node) error {
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
			return fmt.Errorf("YAML: the key %q is there twice, in lines %d and %d: remove one of them",
				key, line, mapping.Content[i].Line)
		}
		first[key] = mapping.Content[i].Line
	}
	return nil
}

// plainWord matches unquoted keys that are no numbers.
var plainWord = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*$`)

// specialWord matches the words that YAML 1.1 reads as booleans or null.
var specialWord = regexp.MustCompile(`(?i)^(y|yes|on|true|n|no|off|false|null)$`)

// jsonKey is the key as it ends up in JSON.
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

// yamlError puts the parser's message, which has the line, behind one common subject.
func yamlError(err error) error {
	return fmt.Errorf("YAML: %w", trimmedError{err})
}

// trimmedError is an error without the parsers' own name in front of it, and without the values that they
// quote: a value may be secret.
type trimmedError struct{ error }

// quotedValue is how the parsers quote a value.
var quotedValue = regexp.MustCompile("(?s)`.*`")

func (e trimmedError) Error() string {
	text := strings.TrimPrefix(e.error.Error(), "yaml: ")
	text = strings.ReplaceAll(text, "unmarshal errors:\n  ", "")
	return quotedValue.ReplaceAllString(text, "value")
}

func (e trimmedError) Unwrap() error { return e.error }
