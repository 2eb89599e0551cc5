package ownership

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Repeated returns the list items among the fields that tree has more than once, formatted by [Format], in stable
// order. A create or an update may make such lists, but a server-side apply of one is refused.
func Repeated(tree any, fields *fieldpath.Set) []string {
	var repeated []string
	fields.Iterate(func(path fieldpath.Path) {
		item := path[len(path)-1]
		if item.Key == nil && item.Value == nil {
			return
		}
		parent, _, _ := Locate(tree, path[:len(path)-1])
		list, _ := parent.([]any)
		if count(list, item) > 1 {
			repeated = append(repeated, Format(path))
		}
	})
	slices.Sort(repeated)
	return repeated
}

// count counts the items of a list that element selects.
func count(list []any, element fieldpath.PathElement) int {
	n := 0
	for _, item := range list {
		switch {
		case element.Value != nil && isScalar(item) && value.Equals(*element.Value, value.NewValueInterface(item)),
			element.Key != nil && agreement(item, *element.Key) == len(*element.Key):
			n++
		}
	}
	return n
}
