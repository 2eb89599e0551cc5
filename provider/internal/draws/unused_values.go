package draws

import (
	"maps"
	"slices"
)

// Former are values that renderings no longer use, starting with the most recent rendering. They wait for their places: if a chart or its
// values change back, so do the passwords.
type Former []Values

// mostFormer limits the kept values whose call sites are no longer in the templates. The oldest are dropped first.
const mostFormer = 200

// find returns the former value of a call site.
func (f Former) find(key, arguments string) (Value, bool) {
	for _, values := range f {
		if value, is := values[key]; is && value.Arguments == arguments {
			return value, true
		}
	}
	return Value{}, false
}

// stored returns the value that is stored for a call site.
func (s *Session) stored(key, arguments string) (Value, bool) {
	if s.options.withheld[key] {
		return Value{}, false
	}
	if value, is := s.options.Stored[key]; is && value.Arguments == arguments {
		return value, true
	}
	return s.options.Former.find(key, arguments)
}

// Former returns the values that this rendering has not used. It leaves out values that were to be drawn again, so that they do not come
// back.
func (s *Session) Former() Former {
	former, _ := s.former()
	return former
}

// Dropped returns the keys of values that are no longer kept, because there are too many.
func (s *Session) Dropped() []string {
	_, dropped := s.former()
	return dropped
}

func (s *Session) former() (former Former, dropped []string) {
	gone := 0
	former = Former{}
	for _, values := range append(Former{s.options.Stored}, s.options.Former...) {
		unused := Values{}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if s.isOver(key, values[key]) {
				continue
			}
			if k, is := parseKey(key); is && !s.options.Source.has(k) {
				if gone++; gone > mostFormer {
					dropped = append(dropped, key)
					continue
				}
			}
			unused[key] = values[key]
		}
		if len(unused) > 0 {
			former = append(former, unused)
		}
	}
	return former, dropped
}

// isOver reports whether a stored value cannot come back, because it is in use or has been replaced.
func (s *Session) isOver(key string, value Value) bool {
	if s.isToRotate(key) {
		return true
	}
	answer, asked := s.answers[key]
	return asked && answer.value.Arguments == value.Arguments && (answer.value.same(value) || answer.fate == renewed || value.Places == nil)
}

// Forgotten returns the keys of values that this rendering does not use, and that will be drawn again when they are used.
func (s *Session) Forgotten() (keys []string) {
	for _, values := range append(Former{s.options.Stored}, s.options.Former...) {
		for key := range values {
			if _, asked := s.answers[key]; !asked && s.isToRotate(key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Kept returns the keys of values that the previous rendering used and this one does not, and that are kept.
func (s *Session) Kept() (keys []string) {
	for _, key := range slices.Sorted(maps.Keys(s.first)) {
		answer, asked := s.answers[key]
		if asked && (answer.fate == rotated || answer.fate == renewed) || s.isToRotate(key) || s.uses(s.first[key]) {
			continue
		}
		keys = append(keys, key)
	}
	return keys
}

// uses reports whether a call site has this value.
func (s *Session) uses(value Value) bool {
	for _, answer := range s.answers {
		if answer.value.same(value) {
			return true
		}
	}
	return false
}
