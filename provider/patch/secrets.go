package patch

import (
	"errors"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/mutation"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// secretOperations returns the fields that are secret because an operation of a JSON patch contains a secret: the place
// of the operation, everything below it, and a leaf above it. In a list whose items are identified by position, all
// items are secret, because a secret may have moved to another position. names reports whether names of fields are
// secret too: members of a secret value, items that a secret names, or a secret place. The set contains a whole place
// if that is a field or has fields below it.
func (in inputs) secretOperations(fields patchedFields) (secret *fieldpath.Set, names bool) {
	secret = fieldpath.NewSet()
	operations := in.secretsOfOperations()
	for i, own := range operations {
		if !own.any {
			continue
		}
		place, known := fields.place(i)
		if !known {
			// The state does not have the places yet: it may be any of these.
			secret = secret.Union(ownership.Leaves(fields.nonIdempotent))
			names = names || !fields.nonIdempotent.Empty()
			continue
		}
		if place == nil {
			continue
		}
		names = names || own.namesOf(place)
		whole := wholePlace(place)
		if own.pointer {
			whole = place[:1] // the names below it must not be shown either
		}
		fields.all().Leaves().Iterate(func(leaf fieldpath.Path) {
			switch {
			case leadsTo(whole, leaf):
				secret.Insert(whole)
			case leadsTo(leaf, whole):
				secret.Insert(leaf.Copy())
			}
			names = names || leadsTo(place, leaf) && own.namesBelow(leaf[len(place):])
		})
	}
	return secret, names
}

// markField marks a field of a projection. If a list shows too little of its items to find one, it marks the list.
func markField(marks *values.Marks, projection map[string]any, path fieldpath.Path) {
	for n := len(path); n > 0; n-- {
		if _, at, ok := ownership.Locate(projection, path[:n]); ok {
			marks.Add(tracked.PropertyPath(at))
			return
		}
		if path[n-1].FieldName != nil && n == len(path) {
			if _, _, ok := ownership.Locate(projection, path[:n-1]); ok {
				return // the field is absent
			}
		}
	}
}

// withoutSecrets returns an error of an operation without quoting a secret place.
func (in inputs) withoutSecrets(err error) error {
	operation := (*mutation.OperationError)(nil)
	if !errors.As(err, &operation) {
		return err
	}
	if in.hidesPlace(operation.Index) {
		return &mutation.OperationError{
			Index: operation.Index, Operation: operation.Operation, Pointer: "[secret]", Test: operation.Test, Position: operation.Position,
			Reason: "the value there is not what the operation needs",
		}
	}
	return err
}

// hidesPlace reports whether the place of an operation is secret.
func (in inputs) hidesPlace(index int) bool {
	for _, member := range []string{"path", "from"} {
		if !in.secrets.Sub(property.NewSegment(index), property.NewSegment(member)).Empty() {
			return true
		}
	}
	return false
}

// liveSecrets returns the secret places in the output of the patch. The output shows live values instead of the values
// that were set, and values in a list may have moved inside it.
func (in inputs) liveSecrets(fields patchedFields) values.Marks {
	marks := in.secrets
	markLists(&marks, in.document)
	secret, _ := in.secretOperations(fields)
	for i, path := range fields.operations {
		if path != nil && ownership.Around(secret, path) {
			marks.Add(property.PathFromSegments(property.NewSegment(i), property.NewSegment("value")))
		}
	}
	return marks
}

// markLists marks each list that contains a mark. A list of operations has its own places.
func markLists(marks *values.Marks, document any) {
	var walk func(v any, at []property.PathSegment)
	walk = func(v any, at []property.PathSegment) {
		if marks.Sub(at...).Empty() {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				walk(member, append(slices.Clip(at), property.NewSegment(name)))
			}
		case []any:
			marks.Add(property.PathFromSegments(at...))
		}
	}
	if operations, ok := document.([]any); ok {
		for i, operation := range operations {
			walk(operation, []property.PathSegment{property.NewSegment(i)})
		}
		return
	}
	walk(document, nil)
}

// place returns where an operation worked, and whether that is known.
func (t patchedFields) place(operation int) (fieldpath.Path, bool) {
	switch {
	case operation < len(t.places):
		return t.places[operation], true
	case operation < len(t.operations) && t.operations[operation] != nil:
		return t.operations[operation], true
	}
	return nil, false
}

// wholePlace returns a place, or the list that contains it if its position identifies it.
func wholePlace(place fieldpath.Path) fieldpath.Path {
	for n, element := range place {
		if element.Index != nil {
			return place[:n]
		}
	}
	return place
}

// leadsTo reports whether above equals path or is an ancestor of it.
func leadsTo(above, path fieldpath.Path) bool {
	return len(above) <= len(path) && above.Equals(path[:len(above)])
}

// operationSecrets are the secrets in one operation.
type operationSecrets struct {
	// any means that there is one, in the operation or in what it copies or moves.
	any bool
	// pointer means that one is in the path that it works on.
	pointer bool
	// hides reports whether a part of the written value is inside a secret, or is one.
	hides func(at ...property.PathSegment) bool
}

func (in inputs) secretsOfOperations() []operationSecrets {
	list, _ := in.document.([]any)
	patch, problems := mutation.ParseJSONPatch(in.document)
	if in.secrets.Empty() || len(problems) > 0 {
		return nil
	}
	marked := make([]bool, len(list))
	for i := range list {
		marked[i] = !in.secrets.Sub(property.NewSegment(i)).Empty()
	}
	operations := make([]operationSecrets, len(list))
	for i, carried := range patch.Carried(marked) {
		member := func(name string) bool {
			return !in.secrets.Sub(property.NewSegment(i), property.NewSegment(name)).Empty()
		}
		operation, _ := list[i].(map[string]any)
		if operation["op"] == "test" {
			continue // a test only reads
		}
		_, writes := operation["value"]
		operations[i] = operationSecrets{
			any: carried, pointer: member("path") || member("from"),
			hides: func(at ...property.PathSegment) bool {
				if !writes {
					return carried // a copy: we do not know which parts of it are secret
				}
				return in.secrets.IsSecret(property.PathFromSegments(
					append([]property.PathSegment{property.NewSegment(i), property.NewSegment("value")}, at...)...))
			},
		}
	}
	return operations
}

// namesOf reports whether the name of the place itself is secret.
func (o operationSecrets) namesOf(place fieldpath.Path) bool {
	last := place[len(place)-1]
	switch {
	case o.pointer:
		return true
	case last.Value != nil:
		return o.hides()
	case last.Key != nil:
		for _, field := range *last.Key {
			if o.hides(property.NewSegment(field.Name)) {
				return true
			}
		}
	}
	return false
}

// namesBelow reports whether a name on the path from the place down to a field is inside a secret.
func (o operationSecrets) namesBelow(below fieldpath.Path) bool {
	var at []property.PathSegment
	for _, element := range below {
		if o.hides(at...) {
			return true
		}
		if element.FieldName == nil {
			return true // we do not know which item of the value it is
		}
		at = append(at, property.NewSegment(*element.FieldName))
	}
	return false
}
