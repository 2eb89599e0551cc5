package readiness

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// outdated says how far the status of an object is behind, "" if it is not. While its controller has not seen the
// newest generation, everything below status describes the previous one: it proves neither readiness nor failure. A
// status that does not state its generation is trusted.
func outdated(object map[string]any) string {
	observed, says, _ := unstructured.NestedInt64(object, "status", "observedGeneration")
	if !says {
		return ""
	}
	return behind(observed, object)
}

func behind(observed int64, object map[string]any) string {
	generation, _, _ := unstructured.NestedInt64(object, "metadata", "generation")
	if observed >= generation {
		return ""
	}
	return fmt.Sprintf("the status is about generation %d, the object is at %d", observed, generation)
}

// otherSpellings are the fields in which some controllers state the generation that their status is about.
var otherSpellings = []string{"observedGeneration", "observedSpecGeneration", "lastObservedGeneration"}

// outdatedByConvention also knows the other spellings. They are a guess, so only readiness goes by them, and not what a
// user asks for in so many words. A text may also be a hash of the spec.
func outdatedByConvention(object map[string]any) string {
	for _, name := range otherSpellings {
		value, _, _ := unstructured.NestedFieldNoCopy(object, "status", name)
		switch value := value.(type) {
		case int64:
			return behind(value, object)
		case string:
			if number, err := strconv.ParseInt(value, 10, 64); err == nil {
				return behind(number, object)
			}
		}
	}
	return ""
}

// shortfall returns what an object lacks until a criterion holds; "" when it holds.
func shortfall(c criterion, object map[string]any, behind string) string {
	missing := c.missing(object)
	if missing == "" && behind != "" && c.readsStatus() {
		return c.String() + " is out of date: " + behind
	}
	return missing
}
