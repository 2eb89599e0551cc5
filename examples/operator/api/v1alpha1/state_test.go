package v1alpha1

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnEnvironmentFailsWithThePresentInputs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		running string
		is      State
	}{
		"while it waits to be repeated":     {"", StateFailing},
		"while it is repeated":              {"broken", StateFailing},
		"but not while it runs with others": {"corrected", StateReconciling},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &Environment{Status: EnvironmentStatus{Retry: &Retry{Count: 1, InputHash: "broken"}}}
			if c.running != "" {
				e.Status.CurrentOperation = &Operation{InputHash: c.running}
			}
			assert.Equal(t, c.is, e.State())
		})
	}
}
