package ownership

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Put is a value to write at a place. The place exists, or is a member of a map that does.
type Put struct {
	At    Location
	Value any
}

// TakeAway returns the JSON patch that writes puts, removes places from object and leaves managers owning nothing on
// it. It returns nil if there is nothing to do. As with [Release], the object's resourceVersion guards the patch: a
// decision about this object affects no other state of it. No put may move an item that a place is in.
//
// The API server records what the patch writes, lists without keys that it shortens included, under the sender's field
// manager: release that afterwards.
func TakeAway(object *unstructured.Unstructured, managers []string, puts []Put, places []Location) ([]byte, error) {
	entries, changed, err := reducedEntries(object, func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
		if slices.Contains(managers, entry.Manager) && entry.Subresource == "" {
			return fieldpath.NewSet()
		}
		return owned
	})
	switch {
	case err != nil:
		return nil, err
	case !changed && len(places) == 0 && len(puts) == 0:
		return nil, nil
	}
	operations := []patchOperation{}
	for _, put := range puts {
		operations = append(operations, patchOperation{writing(put.At), pointerTo(put.At), put.Value})
	}
	// Remove from the end, so that no removal shifts the position of another.
	places = slices.Clone(places)
	slices.SortFunc(places, func(a, b Location) int { return CompareLocations(b, a) })
	for _, place := range places {
		operations = append(operations, patchOperation{Operation: "remove", Path: pointerTo(place)})
	}
	if changed {
		operations = append(operations, patchOperation{"add", "/metadata/managedFields", entries})
	}
	return guarded(object, operations...)
}

// writing returns the operation that writes a place: in a list, add would insert an item.
func writing(place Location) string {
	if _, isItem := place[len(place)-1].(int); isItem {
		return "replace"
	}
	return "add"
}

// pointerTo returns the JSON pointer to a place.
func pointerTo(place Location) string {
	var text strings.Builder
	for _, segment := range place {
		text.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(segment)))
	}
	return text.String()
}

// CompareLocations orders the places of one tree: items of a list by their position.
func CompareLocations(a, b Location) int {
	return slices.CompareFunc(a, b, func(x, y any) int {
		i, isItem := x.(int)
		j, isItemToo := y.(int)
		if isItem && isItemToo {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(fmt.Sprint(x), fmt.Sprint(y))
	})
}

// IsMergedByMember reports whether each member of the map at path is a separate value: labels, annotations, the
// content of a ConfigMap. One member says nothing about another.
func IsMergedByMember(path fieldpath.Path) bool {
	if mergedByMember(path) || isContent(path) {
		return true
	}
	name := path[len(path)-1].FieldName
	return name != nil && slices.Contains([]string{"labels", "annotations", "nodeSelector", "limits", "requests"}, *name)
}
