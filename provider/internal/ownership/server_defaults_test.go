package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatWasNotSentMayChangeInAnAtomicValue(t *testing.T) { // [D106]
	t.Parallel()
	for name, c := range map[string]struct {
		wanted, live, sent string
		taken              bool
	}{
		"a default that appears":             {`{l: [{id: a}]}`, `{l: [{id: a, mode: x}]}`, `{l: [{id: a}]}`, true},
		"a default that changes":             {`{l: [{id: a, mode: x}]}`, `{l: [{id: a, mode: y}]}`, `{l: [{id: a}]}`, true},
		"a default that goes":                {`{l: [{id: a, mode: x}]}`, `{l: [{id: a}]}`, `{l: [{id: a}]}`, true},
		"a default in a map in a map":        {`{l: {a: {b: c}}}`, `{l: {a: {b: c, d: e}, f: g}}`, `{l: {a: {b: c}}}`, true},
		"as the API server spells it":        {`{l: [{cpu: "1"}]}`, `{l: [{cpu: "1", mode: x}]}`, `{l: [{cpu: 1000m}]}`, true},
		"a default, if nothing is known":     {`{l: [{id: a}]}`, `{l: [{id: a, mode: x}]}`, `{}`, true},
		"not another default then":           {`{l: [{id: a, mode: x}]}`, `{l: [{id: a, mode: y}]}`, `{}`, false},
		"not a value that was sent":          {`{l: [{id: a}]}`, `{l: [{id: b, mode: x}]}`, `{l: [{id: a}]}`, false},
		"not one that is gone":               {`{l: [{id: a, mode: y}]}`, `{l: [{id: a}]}`, `{l: [{id: a, mode: y}]}`, false},
		"not another item":                   {`{l: [{id: a}]}`, `{l: [{id: a}, {mode: x}]}`, `{l: [{id: a}]}`, false},
		"not a scalar":                       {`{l: a}`, `{l: b}`, `{l: a}`, false},
		"not a list of scalars":              {`{l: [a]}`, `{l: [a, b]}`, `{l: [a]}`, false},
		"not what is there on one side only": {`{}`, `{l: [{id: a}]}`, `{}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wanted, live := object(t, c.wanted), object(t, c.live)
			got := WithDefaults(wanted, live, fields(t, `{"f:l":{}}`), In(object(t, c.sent)))
			if c.taken {
				assert.Equal(t, live, got)
			} else {
				assert.Equal(t, wanted, got)
			}
			assert.Equal(t, object(t, c.wanted), wanted, "it is a copy")
		})
	}
}
