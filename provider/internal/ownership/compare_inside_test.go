package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnAtomicValueIsSplitWhereItHasDefaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after, written string
		want                   map[string]Kind
	}{
		"one value of an item [D109]": {
			before: `{l: [{id: a, mode: x}]}`, after: `{l: [{id: b, mode: x}]}`, written: `{l: [{id: b}]}`, want: map[string]Kind{"l[0].id": Changed},
		},
		"not without defaults": {
			before: `{l: [{id: a}]}`, after: `{l: [{id: b}]}`, written: `{l: [{id: b}]}`, want: map[string]Kind{"l": Changed},
		},
		"a value that is left to its default": {
			before: `{l: [{id: a, mode: y}]}`, after: `{l: [{id: a, mode: x}]}`, written: `{l: [{id: a}]}`, want: map[string]Kind{"l[0].mode": Changed},
		},
		"a default that appears with another change": {
			before: `{l: [{id: a}]}`, after: `{l: [{id: b, mode: x}]}`, written: `{l: [{id: b}]}`, want: map[string]Kind{"l[0].id": Changed},
		},
		"nothing but a default that appears": {
			before: `{l: [{id: a}]}`, after: `{l: [{id: a, mode: x}]}`, written: `{l: [{id: a}]}`, want: map[string]Kind{"l": Changed},
		},
		"items that come and go": {
			before: `{l: [{id: a, mode: x}]}`, after: `{l: [{id: a, mode: x}, {id: b, mode: x}]}`, written: `{l: [{id: a}, {id: b}]}`,
			want: map[string]Kind{"l[1]": Added},
		},
		"another kind of value": {
			before: `{l: [{id: {a: b}, mode: x}]}`, after: `{l: [{id: c, mode: x}]}`, written: `{l: [{id: c}]}`, want: map[string]Kind{"l[0].id": Changed},
		},
		"not what is not written": {
			before: `{l: [{id: a, mode: x}]}`, after: `{l: [{id: b, mode: x}]}`, written: `{}`, want: map[string]Kind{"l": Changed},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changes := Compare(object(t, c.before), object(t, c.after), fields(t, `{"f:l":{}}`))
			got := map[string]Kind{}
			for _, change := range Inside(changes, In(object(t, c.written))) {
				got[Format(change.Path)] = change.Kind
			}
			assert.Equal(t, c.want, got)
		})
	}
}
