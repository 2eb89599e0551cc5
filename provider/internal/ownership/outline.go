package ownership

import (
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Outline shortens the result of [Owners] to the fields at the top of the object. Each gets all owners of what the set
// has below it.
func Outline(owners map[string]string, set *fieldpath.Set) map[string]string {
	below := map[string]map[string]bool{}
	set.Leaves().Iterate(func(path fieldpath.Path) {
		of, known := OwnerOf(owners, path)
		if !known {
			return
		}
		top := Format(path[:1])
		if below[top] == nil {
			below[top] = map[string]bool{}
		}
		for owner := range strings.SplitSeq(of, ", ") {
			below[top][owner] = true
		}
	})
	outline := map[string]string{}
	for top, names := range below {
		outline[top] = strings.Join(slices.Sorted(maps.Keys(names)), ", ")
	}
	return outline
}
