package rpc_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNothingIsLostWhenAPatchIsUndone has others write what a Patch also writes, in any order. What is there after the destroy
// is what others have written last. They never write the value that is there: nobody can see that.
func TestNothingIsLostWhenAPatchIsUndone(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		t.Run(fmt.Sprintf("in story %d [P41]", seed), func(t *testing.T) {
			t.Parallel()
			w, r := newWorld(t), rand.New(rand.NewPCG(seed, 1))
			keys := []string{"a", "b", "c", "d"}
			theirs := m{"a": "1", "b": "2"}
			w.apply("eks", w.configMap("it", nil))
			s := removing(t, w, start(t, inline(newUser(t))))
			value := func(of string) any { return fmt.Sprint(of, r.IntN(4)) }
			var told []string
			for range 8 {
				key := keys[r.IntN(len(keys))]
				if s.id != "" && r.IntN(2) == 0 {
					edit := m{key: value("theirs ")}
					if r.IntN(4) == 0 {
						edit[key] = nil
					}
					w.patch("ConfigMap", "it", m{"data": edit})
					maps.Copy(theirs, edit)
					maps.DeleteFunc(theirs, func(_ string, v any) bool { return v == nil })
					told = append(told, fmt.Sprint("others: ", edit))
					continue
				}
				wanted := m{key: value("ours "), "a": value("ours ")}
				kind := patchKinds[r.IntN(len(patchKinds))]
				_, err := s.up(patching(w.configMap("it", nil), setting(kind, m{"data": wanted}), restores))
				if !assert.NoError(t, err) {
					return
				}
				told = append(told, fmt.Sprint(kind, ": ", wanted))
			}
			destroyed(t, w, s, "ConfigMap")
			assert.Equal(t, theirs, w.value("ConfigMap", "it", "data"), told)
		})
	}
}
