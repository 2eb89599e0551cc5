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

// TakeAway returns the JSON patch after which what is at places of object is gone and managers own nothing on it. It is
// nil if there is neither a place nor such an entry. As with [Release], it is guarded by the object's resourceVersion:
// what was decided about this object happens to no other state of it.
//
// A list without keys is written by that, and so it is noted under the name of who sends the patch: hand it back after it.
func TakeAway(object *unstructured.Unstructured, managers []string, places []Location) ([]byte, error) {
	entries, changed, err := editedEntries(object, func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
		if slices.Contains(managers, entry.Manager) && entry.Subresource == "" {
			return fieldpath.NewSet()
		}
		return owned
	})
	switch {
	case err != nil:
		return nil, err
	case !changed && len(places) == 0:
		return nil, nil
	}
	operations := []patchOperation{}
	// From the end, so that no removal moves what another one means.
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

// pointerTo is the JSON pointer to a place.
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

// IsMergedByMember reports whether each member of the map at path is a value of its own: labels, annotations, the content of
// a ConfigMap. What one of them is says nothing about another.
func IsMergedByMember(path fieldpath.Path) bool {
	if mergedByMember(path) || isContent(path) {
		return true
	}
	name := path[len(path)-1].FieldName
	return name != nil && slices.Contains([]string{"labels", "annotations", "nodeSelector", "limits", "requests"}, *name)
}
