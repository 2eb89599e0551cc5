package mutation

import "slices"

// Carried extends marks, one for each operation, to operations that copy or move what a marked operation has written.
// The meaning of a pointer depends on the object, so Carried treats all positions as equal. It may mark too much, but
// never too little.
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

// mayMeet reports whether two pointers may lead to the same place, or one of them to a place that contains the other's.
func mayMeet(a, b pointer) bool {
	for n := range min(len(a), len(b)) {
		item := func(p pointer) bool { return p[n] == endOfList || p[:n+1].isPosition() }
		if a[n] != b[n] && !(item(a) && item(b)) {
			return false
		}
	}
	return true
}
