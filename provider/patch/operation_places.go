package patch

import (
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// written returns what the patch sets, by fields. It leaves out operations with secrets, which are shown as a whole.
func (s state) written(in inputs) func(fieldpath.Path) (any, bool) {
	if in.kind != keyJSONPatch {
		return ownership.In(in.tree())
	}
	list, _ := in.document.([]any)
	secrets := in.secretsOfOperations()
	return func(field fieldpath.Path) (any, bool) {
		i, below, ok := s.operationOf(field)
		if !ok || i >= len(list) || i < len(secrets) && secrets[i].any {
			return nil, false
		}
		operation, _ := list[i].(map[string]any)
		v, written := operation["value"]
		if !written {
			return nil, false
		}
		return ownership.In(v)(below)
	}
}

// operationOf returns which operation of a JSON patch gives a field its value, and the path of the field in that value.
func (s state) operationOf(field fieldpath.Path) (operation int, below fieldpath.Path, ok bool) {
	for i, path := range slices.Backward(s.touched.operations) {
		if path != nil && len(path) <= len(field) && path.Equals(field[:len(path)]) {
			return i, field[len(path):], true
		}
	}
	return 0, nil, false
}

// placeInOperations returns where a JSON patch shows a change, and the kind of the change.
func (s state) placeInOperations(change ownership.Change) (string, p.DiffKind) {
	operation, below, ok := s.operationOf(change.Path)
	if !ok {
		return keyJSONPatch, p.Update
	}
	at := ownership.Location{operation, "value"}
	kind := p.Update
	for i, element := range below {
		segment, ok := segmentOf(element)
		if !ok {
			break
		}
		at = append(at, segment)
		if i == len(below)-1 {
			kind = kindOf(change)
		}
	}
	return tracked.PropertyAt(keyJSONPatch, at, kind)
}

// segmentOf returns the segment of an element in the value of an operation; false if that depends on the other items.
func segmentOf(element fieldpath.PathElement) (any, bool) {
	switch {
	case element.FieldName != nil:
		return *element.FieldName, true
	case element.Index != nil:
		return *element.Index, true
	default:
		return nil, false
	}
}

// kindOf returns the kind of a change for the engine.
func kindOf(change ownership.Change) p.DiffKind {
	switch change.Kind {
	case ownership.Added:
		return p.Add
	case ownership.Removed:
		return p.Delete
	default:
		return p.Update
	}
}

// addsAgain returns the operation that re-adds the missing item of a change.
func (s state) addsAgain(change ownership.Change) (operation int, gone bool) {
	if change.Kind != ownership.Added {
		return 0, false
	}
	for _, operation := range s.gone() {
		if s.touched.places[operation].Equals(change.Path) {
			return operation, true
		}
	}
	return 0, false
}
