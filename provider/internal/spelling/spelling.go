// Package spelling finds the name that a misspelt one was probably meant to be. Upper and lower case make no difference.
package spelling

import (
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the known name that name is nearest to, or "" if it is near to none. Of equally near ones, the first is it.
func Nearest(name string, known []string) string {
	const far = 4 // letters to change
	nearest, least := "", far
	for _, candidate := range known {
		if d := distance(name, candidate); d < least && d < len(candidate) {
			nearest, least = candidate, d
		}
	}
	return nearest
}

// Resembles reports whether name was probably meant to be wanted, where nothing else is known that it could be.
func Resembles(name, wanted string) bool {
	const near = 2
	d := distance(name, wanted)
	return d <= near && d < len(wanted)/2
}

func distance(a, b string) int {
	return levenshtein.Distance(strings.ToLower(a), strings.ToLower(b), nil)
}
