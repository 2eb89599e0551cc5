package ownership

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Extra is something on an object that has an effect of its own: an item of a list that is merged by items, or a key of
// the content of a ConfigMap or a Secret. An additional container, for example, is another program that runs.
type Extra struct {
	Path fieldpath.Path
	// Owners are the field managers that own it or parts of it, in the object's order.
	Owners []string
}

// Extras lists each [Extra] that others have set on object, unless known contains part of it. It excludes the metadata,
// whose finalizers and owner references belong to controllers.
func Extras(object *unstructured.Unstructured, known *fieldpath.Set) ([]Extra, error) {
	var extras []Extra
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == releasedManager || !SetsFields(entry) {
			continue
		}
		owned, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		owned.Iterate(func(path fieldpath.Path) {
			whole := standing(path, known)
			if whole == nil {
				return
			}
			i := slices.IndexFunc(extras, func(extra Extra) bool { return extra.Path.Equals(whole) })
			if i < 0 {
				i, extras = len(extras), append(extras, Extra{Path: whole.Copy()})
			}
			if !slices.Contains(extras[i].Owners, entry.Manager) {
				extras[i].Owners = append(extras[i].Owners, entry.Manager)
			}
		})
	}
	slices.SortFunc(extras, func(a, b Extra) int { return strings.Compare(Format(a.Path), Format(b.Path)) })
	return extras, nil
}

// standing returns the shortest beginning of path that is an [Extra]: it has an effect of its own, and known contains no
// part of it. It returns nil if there is none.
func standing(path fieldpath.Path, known *fieldpath.Set) fieldpath.Path {
	if first := path[0].FieldName; first == nil || *first == "metadata" || *first == "status" {
		return nil
	}
	for n := 2; n <= len(path); n++ {
		isItem := path[n-1].Key != nil || path[n-1].Value != nil
		if (isItem || isContent(path[:n-1])) && !touches(known, path[:n]) {
			return path[:n]
		}
	}
	return nil
}
