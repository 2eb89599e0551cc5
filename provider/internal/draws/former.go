package draws

import "maps"

// Former are values that renderings have ceased to use, those of the last rendering first. Only the very call site that had a value
// finds it again, for the same arguments: where a chart or its values go back to what they were, so do passwords.
type Former []Values

// mostFormer is how many values are kept that no rendering uses. The oldest go first.
const mostFormer = 200

// find returns the value that a call site had.
func (f Former) find(key, arguments string) (Value, bool) {
	for _, values := range f {
		if value, is := values[key]; is && value.Arguments == arguments {
			return value, true
		}
	}
	return Value{}, false
}

// Former returns the values that this rendering has not used.
func (s *Session) Former() Former {
	count, former := 0, Former{}
	for _, values := range append(Former{s.options.Stored}, s.options.Former...) {
		unused := maps.Clone(values)
		maps.DeleteFunc(unused, func(key string, value Value) bool {
			answer, asked := s.answers[key]
			return asked && answer.value.Arguments == value.Arguments
		})
		if count += len(unused); count > mostFormer {
			break
		}
		if len(unused) > 0 {
			former = append(former, unused)
		}
	}
	return former
}

// stored returns the value that is stored for a call site.
func (s *Session) stored(key, arguments string) (Value, bool) {
	if value, is := s.options.Stored[key]; is && value.Arguments == arguments {
		return value, true
	}
	return s.options.Former.find(key, arguments)
}
