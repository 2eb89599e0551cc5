package manifest

import (
	"fmt"
	"strings"

	yamlnode "go.yaml.in/yaml/v3"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Place is the position of an object in a text.
type Place struct {
	// Document is the number of its document, from 1, without empty documents.
	Document int
	// Item is the path of an object in a list, within the document, such as items[2].
	Item string
	// Line is where it begins, from 1.
	Line int
}

// String names the place for people: "document 2 (line 14)".
func (p Place) String() string {
	if p.Item != "" {
		return fmt.Sprintf("document %d, %s (line %d)", p.Document, p.Item, p.Line)
	}
	return fmt.Sprintf("document %d (line %d)", p.Document, p.Line)
}

// Placed is an object with its position.
type Placed struct {
	Place

	Object map[string]any
}

// PlacedError is a mistake with its position.
type PlacedError struct {
	Place

	// Err may quote keys of the text, but never values.
	Err error
}

func (e *PlacedError) Error() string { return fmt.Sprintf("%s: %v", e.Place, e.Err) }

// Unwrap returns the mistake.
func (e *PlacedError) Unwrap() error { return e.Err }

// ParseDocuments reads all objects in a text, by the rules of [ParseYAML], in their order. It skips documents that
// are empty or contain only comments. It takes apart lists, both of kind List and of one kind such as ConfigMapList.
// It reports every document that cannot be read.
func ParseDocuments(text string) ([]Placed, []*PlacedError) {
	var reading objects
	reading.text(text)
	return reading.found, reading.failed
}

// ParseGenerated reads all objects in a text that a generator has written, which its user cannot correct. It differs from
// [ParseDocuments] in one rule: a key that is there twice is not a mistake, and its last value counts, as for kubectl and
// Helm. repeated are these keys.
func ParseGenerated(text string) (found []Placed, repeated, failed []*PlacedError) {
	reading := objects{generated: true}
	reading.text(text)
	return reading.found, reading.repeated, reading.failed
}

// objects collects the objects of a text.
type objects struct {
	generated bool // the last value of a repeated key counts
	number    int  // of the document
	found     []Placed
	repeated  []*PlacedError
	failed    []*PlacedError
}

func (o *objects) text(text string) {
	if err := checkText(text); err != nil {
		o.fail(Place{Document: 1, Line: 1}, err)
		return
	}
	for _, p := range pieces(text) {
		found, some, err := p.read()
		if some || err != nil {
			o.number++
		}
		switch {
		case err != nil:
			o.fail(Place{Document: o.number, Line: p.before + 1}, err)
		case some:
			o.document(found)
		}
	}
}

func (o *objects) fail(at Place, err error) {
	o.failed = append(o.failed, &PlacedError{Place: at, Err: err})
}

func (o *objects) document(read document) {
	at := Place{Document: o.number, Line: read.root.Line}
	repeated := refuseRepeated
	if o.generated {
		repeated = func(key *repeatedKey) error {
			o.repeated = append(o.repeated, &PlacedError{Place: at, Err: key})
			return nil
		}
	}
	value, err := read.decode(repeated)
	if err != nil {
		o.fail(at, err)
		return
	}
	o.add(at, value, read.root)
}

// add adds an object, or the objects of a list. node is the node that value was read from.
func (o *objects) add(at Place, value any, node *yamlnode.Node) {
	object, isMap := value.(map[string]any)
	switch {
	case !isMap:
		o.fail(at, fmt.Errorf("YAML: the document holds %s, not an object", describe(value)))
	case isList(object):
		o.items(at, object, node)
	default:
		o.found = append(o.found, Placed{Place: at, Object: object})
	}
}

// items takes a list apart. In a list of one kind, the items need not repeat their apiVersion and kind.
func (o *objects) items(at Place, list map[string]any, node *yamlnode.Node) {
	items, isArray := list["items"].([]any)
	if !isArray && list["items"] != nil {
		o.fail(at, fmt.Errorf("the items of a List must be a list, not %s", describe(list["items"])))
		return
	}
	written := itemNodes(node)
	for i, item := range items {
		place := Place{Document: at.Document, Item: strings.TrimPrefix(fmt.Sprintf("%s.items[%d]", at.Item, i), "."), Line: at.Line}
		var inner *yamlnode.Node
		if len(written) == len(items) {
			inner = written[i]
			place.Line = inner.Line
		}
		object, isMap := item.(map[string]any)
		if !isMap {
			o.fail(place, fmt.Errorf("the item is %s, not an object", describe(item)))
			continue
		}
		o.add(place, ofKind(list, object), inner)
	}
}

// Items takes a list apart, also one of a single kind such as ConfigMapList, whose items need not repeat their apiVersion and
// kind. It returns false for everything else.
func Items(object map[string]any) ([]any, bool) {
	if !isList(object) {
		return nil, false
	}
	if values.IsUnknown(object["items"]) {
		return []any{object["items"]}, true
	}
	items, _ := object["items"].([]any)
	found := make([]any, len(items))
	for i, item := range items {
		found[i] = item
		if member, isMap := item.(map[string]any); isMap {
			found[i] = ofKind(object, member)
		}
	}
	return found, true
}

// itemNodes returns the nodes of a list's items; nothing if they are behind an alias.
func itemNodes(list *yamlnode.Node) []*yamlnode.Node {
	if list == nil || list.Kind != yamlnode.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(list.Content); i += 2 {
		if list.Content[i].Value == "items" && list.Content[i+1].Kind == yamlnode.SequenceNode {
			return list.Content[i+1].Content
		}
	}
	return nil
}

// ofKind gives an item in a list of one kind the apiVersion and kind that it omits.
func ofKind(list, item map[string]any) map[string]any {
	kind, _ := list["kind"].(string)
	kind = strings.TrimSuffix(kind, "List")
	if kind == "" {
		return item
	}
	complete := make(map[string]any, len(item)+2)
	complete["apiVersion"], complete["kind"] = list["apiVersion"], kind
	for key, value := range item {
		if value != nil || key != "apiVersion" && key != "kind" {
			complete[key] = value
		}
	}
	return complete
}
