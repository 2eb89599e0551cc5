package lives_test

import "strings"

// shape is that of a defect that is not corrected yet, and has a story with its number.
type shape struct {
	number string
	fits   func(l *life, v violation) bool
}

// shapes are narrow: what they do not fit is new.
var shapes = []shape{
	{"D58", func(_ *life, v violation) bool { // retained, and to be made anew
		return v.law == canGoBack && v.thing.retained && strings.Contains(v.text, "the old object still exists and has the same name")
	}},
	{"D56", func(_ *life, v violation) bool {
		return (v.law == told || v.law == wanted) && (strings.HasPrefix(v.text, "data.gated of") || strings.HasPrefix(v.text, "spec.template.spec.hostname of"))
	}},
}

// known is the number of the defect that has broken the law, "" if it is none of those that are known.
func known(l *life, v violation) string {
	for _, s := range shapes {
		if s.fits(l, v) {
			return s.number
		}
	}
	return ""
}
