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
	{"D51", func(_ *life, v violation) bool {
		return v.law == keptIgnored && v.thing.kind() == "Secret" && v.thing.ignoresAs("stringData.password")
	}},
	{"D52", func(_ *life, v violation) bool {
		return v.law == settled && v.thing.kind() == "Service" && strings.Contains(v.text, "[port=53,protocol=TCP].targetPort") &&
			(v.thing.ignoresAs("spec.ports[port=53,protocol=UDP].targetPort") || v.thing.ignoresAs("spec.ports[protocol=UDP,port=53].targetPort"))
	}},
	{"D53", func(l *life, v violation) bool { return v.law == waited && l.wait.had == "warn" }}, // it has never held
	{"D54", func(l *life, v violation) bool { return v.law == taken && l.patch.meddled }},       // somebody had changed it
	{"D55", func(_ *life, v violation) bool {
		return v.thing != nil && v.thing.name == "ClusterRole" && v.thing.emptyRules() &&
			(v.law == atRest || v.law == asListed || v.law == settled && strings.HasPrefix(v.text, "rules of"))
	}},
	{"D56", func(_ *life, v violation) bool {
		return (v.law == told || v.law == wanted) && (strings.HasPrefix(v.text, "data.gated of") || strings.HasPrefix(v.text, "spec.template.spec.hostname of"))
	}},
	{"D62", func(_ *life, v violation) bool {
		return v.law == inPlace && v.thing.ignoresAs("metadata") && strings.Contains(v.text, "name is empty")
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

func (th *thing) ignoresAs(spelling string) bool {
	for _, i := range th.ignores {
		if i.spelling == spelling {
			return true
		}
	}
	return false
}

func (th *thing) emptyRules() bool {
	rules, there := th.manifest["rules"].([]any)
	return there && len(rules) == 0 || th.applied != nil && th.applied.emptyRules()
}
