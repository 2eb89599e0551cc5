package connection

import (
	"fmt"
	"strings"
)

func contains(names []string, name string) bool {
	for _, candidate := range names {
		if candidate == name {
			return true
		}
	}
	return false
}

// suggestion completes a message about an unknown name with the name that was probably meant.
func suggestion(name string, known []string) string {
	best, distance := "", 4
	for _, candidate := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(candidate)); d < distance && d < len(candidate) {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return "; it has " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// editDistance is the number of single-letter changes between two names (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(change, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
