package mutation

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMarksFollowWhatIsCopiedAndMoved(t *testing.T) {
	for _, test := range []struct {
		name, patch string
		want        []bool // with the first marked
	}{
		{"a copy, and a copy of the copy", `[{op: add, path: /a, value: x}, {op: copy, from: /a, path: /b}, {op: copy, from: /b, path: /c}]`, []bool{true, true, true}},
		{"a part of it", `[{op: add, path: /a, value: {b: x}}, {op: move, from: /a/b, path: /c}]`, []bool{true, true}},
		{"what holds it", `[{op: add, path: /a/b, value: x}, {op: move, from: /a, path: /c}]`, []bool{true, true}},
		{"an item at the end, by its position", `[{op: add, path: /l/-, value: x}, {op: copy, from: /l/3, path: /c}]`, []bool{true, true}},
		{"an item that has moved on", `[{op: add, path: /l/0/v, value: x}, {op: add, path: /l/0, value: y}, {op: copy, from: /l/1, path: /c}]`, []bool{true, false, true}},
		{"not what stands beside it", `[{op: add, path: /a/b, value: x}, {op: copy, from: /a/c, path: /d}, {op: replace, path: /a/b, value: y}]`, []bool{true, false, false}},
		{"not what was copied before", `[{op: add, path: /b, value: x}, {op: copy, from: /a, path: /c}, {op: add, path: /a, value: x}]`, []bool{true, false, false}},
		{"not what is only tested", `[{op: test, path: /a, value: x}, {op: copy, from: /a, path: /b}]`, []bool{true, false}},
	} {
		t.Run(test.name+" [D4]", func(t *testing.T) {
			marked := make([]bool, len(test.want))
			marked[0] = true
			assert.Equal(t, test.want, jsonPatch(t, test.patch).Carried(marked))
			assert.NotContains(t, marked[1:], true, "the argument is not changed")
		})
	}
}
