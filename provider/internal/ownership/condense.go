package ownership

import "slices"

import "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

// Condense shortens the result of [Owners]: if all leaves of set below a path have one owner, the path represents
// them. An object that one manager has applied needs a few entries instead of hundreds. Condensing twice changes
// nothing.
func Condense(owners map[string]string, set *fieldpath.Set) map[string]string {
	condensed := map[string]string{}
	condense(owners, set, nil, condensed)
	return condensed
}

// OwnerOf looks up the owner of a leaf in condensed owners.
func OwnerOf(owners map[string]string, leaf fieldpath.Path) (owner string, ok bool) {
	for n := len(leaf); n > 0 && !ok; n-- {
		owner, ok = owners[Format(leaf[:n])]
	}
	return owner, ok
}

// condense returns the one owner of everything in set below at. If there are several, it writes the entries, and
// alike is false; at the top it always writes them.
func condense(owners map[string]string, set *fieldpath.Set, at fieldpath.Path, condensed map[string]string) (owner string, alike bool) {
	type entry struct {
		path  string
		owner string
	}
	var entries []entry
	alike = true
	for element, below := range elements(set) {
		path := append(slices.Clip(at), element)
		var of string
		var known bool
		if below == nil || below.Empty() {
			of, known = OwnerOf(owners, path)
		} else {
			of, known = condense(owners, below, path, condensed)
		}
		if !known {
			alike = false
			continue
		}
		entries = append(entries, entry{Format(path), of})
	}
	for _, e := range entries {
		alike = alike && e.owner == entries[0].owner
	}
	if alike && len(at) > 0 && len(entries) > 0 {
		return entries[0].owner, true
	}
	for _, e := range entries {
		condensed[e.path] = e.owner
	}
	return "", false
}
