package chart

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v4/pkg/chart/common"
)

// unknownPlaces are the places in values that are not known yet, as map keys and list positions.
type unknownPlaces [][]any

func (u unknownPlaces) any() bool { return len(u) > 0 }

// cover reports whether the value at a place, or a value that contains it, is not known. The values of each subchart include the globals.
func (u unknownPlaces) cover(place []any) bool {
	for i, key := range place {
		if i > 0 && key == common.GlobalKey && u.cover(place[i:]) {
			return true
		}
	}
	return slices.ContainsFunc(u, func(one []any) bool { return len(one) <= len(place) && slices.Equal(one, place[:len(one)]) })
}

// below reports whether the value at a place contains an unknown value.
func (u unknownPlaces) below(place []any) bool {
	return slices.ContainsFunc(u, func(one []any) bool { return len(one) > len(place) && slices.Equal(place, one[:len(place)]) })
}

// conditional reports whether a part of a schema applies only under a condition on other values.
func conditional(found *jsonschema.ValidationError) bool {
	_, part, _ := strings.Cut(found.SchemaURL, "#")
	for segment := range strings.SplitSeq(part, "/") {
		switch segment {
		case "then", "else", "dependentSchemas", "dependencies":
			return true
		}
	}
	return false
}
