package mutation

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// The operations of a JSON patch.
const (
	opAdd     = "add"
	opRemove  = "remove"
	opReplace = "replace"
	opMove    = "move"
	opCopy    = "copy"
	opTest    = "test"
)

// JSONPatch is a patch according to RFC 6902.
type JSONPatch struct {
	operations []operation
}

// operation is one operation of a JSON patch.
type operation struct {
	name  string
	path  pointer
	from  pointer
	value any
	// unknown means that a part other than the value is not known yet; the known parts are there.
	unknown bool
	// passed means that a test need not be run.
	passed bool
}

// ParseJSONPatch reads a list of operations. It does not judge unknown values; a patch with unknown values can be
// checked, but not evaluated or encoded.
//
// It ignores members that an operation does not have, as the RFC demands.
func ParseJSONPatch(operations any) (JSONPatch, []Problem) {
	if values.IsUnknown(operations) {
		return JSONPatch{operations: []operation{{unknown: true}}}, nil
	}
	list, isList := operations.([]any)
	if !isList {
		return JSONPatch{}, []Problem{{Reason: fmt.Sprintf("A JSON patch is a list of operations, not %s. "+
			"Write a list such as [{op: replace, path: /spec/replicas, value: 3}].", describe(operations))}}
	}
	if len(list) == 0 {
		return JSONPatch{}, []Problem{{Reason: "The list of operations is empty, so the patch would change nothing. " +
			"Write at least one, such as {op: replace, path: /spec/replicas, value: 3}."}}
	}
	var patch JSONPatch
	var problems []Problem
	for i, item := range list {
		operation, found := parseOperation(i, item)
		patch.operations = append(patch.operations, operation)
		problems = append(problems, found...)
	}
	return patch, problems
}

// parseOperation reads the operation at a position.
func parseOperation(index int, item any) (operation, []Problem) {
	if values.IsUnknown(item) {
		return operation{unknown: true}, nil
	}
	members, isMap := item.(map[string]any)
	if !isMap {
		return operation{}, []Problem{{Path: values.FormatSegments(index), Reason: fmt.Sprintf("An operation is an object with op, path "+
			"and, as the op needs, value or from, not %s.", describe(item))}}
	}
	p := operationParser{index: index, members: members}
	p.result.name = p.text("op", "Write one of add, remove, replace, move, copy, test.")
	switch p.result.name {
	case opAdd, opReplace, opTest:
		p.path()
		p.value()
	case opRemove:
		p.path()
		if members["value"] != nil {
			p.add("value", "The operation remove takes away whatever is at its path, it does not look at a value. "+
				"Remove the value; to be sure of what is there, put a test before it.")
		}
	case opMove, opCopy:
		p.path()
		p.from()
	case "":
	default:
		p.add("op", fmt.Sprintf("There is no operation %q. Write one of add, remove, replace, move, copy, test.", p.result.name))
	}
	return p.result, p.problems
}

// operationParser reads the members of one operation.
type operationParser struct {
	index    int
	members  map[string]any
	result   operation
	problems []Problem
}

func (p *operationParser) add(member, reason string) {
	p.problems = append(p.problems, Problem{Path: values.FormatSegments(p.index, member), Reason: reason})
}

// text reads a required member. It returns "" if the member is unknown, or a problem.
func (p *operationParser) text(member, hint string) string {
	value, has := p.members[member]
	text, isText := value.(string)
	switch {
	case values.IsUnknown(value):
		p.result.unknown = true
	case !has:
		p.add(member, fmt.Sprintf("The operation has no %s. %s", member, hint))
	case !isText:
		p.add(member, fmt.Sprintf("The member %s must be text, not %s. %s", member, describe(value), hint))
	case text == "" && member == "op":
		p.add(member, "The op is empty. "+hint)
	}
	return text
}

func (p *operationParser) pointer(member, hint string) pointer {
	before := len(p.problems)
	text := p.text(member, hint)
	if len(p.problems) > before || values.IsUnknown(p.members[member]) {
		return nil
	}
	result, reason := parsePointer(text)
	if reason != "" {
		p.add(member, reason)
	}
	return result
}

func (p *operationParser) path() {
	p.result.path = p.pointer("path", "Write where it works, as a JSON pointer such as /spec/replicas.")
}

func (p *operationParser) from() {
	p.result.from = p.pointer("from", fmt.Sprintf("The operation %s needs it: write where the value comes from, as a JSON pointer "+
		"such as /metadata/labels/app.", p.result.name))
	if p.result.name == opMove && p.result.from != nil && p.result.path.below(p.result.from) {
		p.add("path", fmt.Sprintf("The path %s lies inside of %s, which is moved away. A value cannot be moved into itself.",
			p.result.path, p.result.from))
	}
}

func (p *operationParser) value() {
	value, has := p.members["value"]
	if !has {
		p.add("value", fmt.Sprintf("The operation %s has no value. Write one. null is a value too, but "+
			"programs in YAML and Go lose it on the way: give the patch as text there.", p.result.name))
		return
	}
	p.result.value = normalized(value)
}

// OnceOperations names the operations that cannot be repeated, as far as the patch alone tells: an operation that seems
// to add to a list may turn out to set a member of an object. [JSONPatch.Evaluate] knows. An operation with a secret
// path is named by its number.
func (p JSONPatch) OnceOperations(secret func(index int) bool) []string {
	var names []string
	for i, operation := range p.operations {
		switch {
		case !operation.looksOnce():
		case secret(i):
			names = append(names, fmt.Sprintf("%s [secret] (operation %d)", operation.name, i+1))
		default:
			names = append(names, operation.String())
		}
	}
	return names
}

func (o operation) looksOnce() bool {
	switch o.name {
	case opRemove, opMove, opCopy:
		return true
	case opAdd:
		return len(o.path) > 0 && o.path[len(o.path)-1] == endOfList || o.path.isPosition()
	}
	return false
}

// String names the operation without its value.
func (o operation) String() string {
	if o.from != nil {
		return fmt.Sprintf("%s %s to %s", o.name, o.from, o.path)
	}
	return o.name + " " + o.path.String()
}

// Encode writes the body to send. The first operations make the API server refuse the patch, with a conflict, if the
// object has another uid or a later version.
//
// A test of the uid would also work, but the API server answers a failed test like any patch that it cannot evaluate.
func (p JSONPatch) Encode(uid types.UID, resourceVersion string) ([]byte, error) {
	return encodeGuarded(p.operations, uid, resourceVersion)
}

func encodeGuarded(operations []operation, uid types.UID, resourceVersion string) ([]byte, error) {
	encoded := []wireOperation{
		wire(operation{name: opReplace, path: pointer{"metadata", "uid"}, value: string(uid)}),
		wire(operation{name: opReplace, path: pointer{"metadata", "resourceVersion"}, value: resourceVersion}),
	}
	for i, operation := range operations {
		if operation.unknown {
			return nil, &OperationError{Index: i, Reason: unknownReason}
		}
		encoded = append(encoded, wire(operation))
	}
	body, err := json.Marshal(encoded)
	if err != nil {
		return nil, fmt.Errorf("jsonPatch: %w", err)
	}
	return body, nil
}

// wireOperation is an operation as it is sent.
type wireOperation struct {
	Operation string `json:"op"`
	Path      string `json:"path"`
	From      string `json:"from,omitempty"`
	Value     *any   `json:"value,omitempty"`
}

func wire(o operation) wireOperation {
	encoded := wireOperation{Operation: o.name, Path: o.path.String(), From: o.from.String()}
	switch o.name {
	case opAdd, opReplace, opTest:
		encoded.Value = &o.value
	}
	return encoded
}

// normalized copies a tree with whole numbers as int64, as in a Kubernetes object.
func normalized(v any) any {
	switch v := v.(type) {
	case map[string]any:
		result := make(map[string]any, len(v))
		for key, member := range v {
			result[key] = normalized(member)
		}
		return result
	case []any:
		result := make([]any, len(v))
		for i, item := range v {
			result[i] = normalized(item)
		}
		return result
	case float64:
		return values.Number(v)
	case int:
		return int64(v)
	default:
		return v
	}
}
