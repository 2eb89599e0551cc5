package mutation

import "slices"

// Carried extends marks on operations, one for each, to those that copy or move what a marked one has written. What a
// pointer means depends on the object, so a position is taken for any other, which may mark too much and never too
// little.
func (p JSONPatch) Carried(marked []bool) []bool {
	carried := slices.Clone(marked)
	for i, o := range p.operations {
		if o.name != opMove && o.name != opCopy {
			continue
		}
		for j, earlier := range p.operations[:i] {
			if carried[j] && earlier.name != opTest && earlier.name != opRemove && mayMeet(earlier.path, o.from) {
				carried[i] = true
			}
		}
	}
	return carried
}

// mayMeet reports whether two pointers may lead to the same, or one to something that holds what the other leads to.
func mayMeet(a, b pointer) bool {
	for n := range min(len(a), len(b)) {
		item := func(p pointer) bool { return p[n] == endOfList || p[:n+1].isPosition() }
		if a[n] != b[n] && !(item(a) && item(b)) {
			return false
		}
	}
	return true
}
