package draws

import (
	"slices"
	"time"
)

// Due returns the keys of the certificates that the next rendering makes again, because two thirds of their lifetime are over.
func (v Values) Due(now time.Time) (keys []string) {
	for key, value := range v {
		if isDue(value.Certificate, now) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
