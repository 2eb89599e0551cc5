package readiness

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// outdated says how far the status of an object is behind, "" if it is not. While its controller has not seen the
// newest generation, everything below status describes the previous one: it proves neither readiness nor failure. A
// status that does not state its generation is trusted.
func outdated(object map[string]any) string {
	observed, says, _ := unstructured.NestedInt64(object, "status", "observedGeneration")
	generation, _, _ := unstructured.NestedInt64(object, "metadata", "generation")
	if !says || observed >= generation {
		return ""
	}
	return fmt.Sprintf("the status is about generation %d, the object is at %d", observed, generation)
}

// shortfall returns what an object lacks until a criterion holds; "" when it holds.
func shortfall(c criterion, object map[string]any, behind string) string {
	missing := c.missing(object)
	if missing == "" && behind != "" && c.readsStatus() {
		return c.String() + " is out of date: " + behind
	}
	return missing
}
