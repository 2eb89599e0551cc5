package mutation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestWhetherAPatchHasBeenCarriedOut(t *testing.T) {
	for _, test := range []struct {
		name, patch, live string
		want              bool
	}{
		{"a member has its value [P12]", `[{op: replace, path: /a, value: 1}]`, `{a: 1}`, true},
		{"a member has another value [P12]", `[{op: add, path: /a, value: 1}]`, `{a: 2}`, false},
		{"a member is missing [P12]", `[{op: add, path: /a, value: 1}]`, `{b: 1}`, false},
		{"what it is in is missing [P12]", `[{op: add, path: /b/a, value: 1}]`, `{}`, false},
		{"a value may have got defaults", `[{op: add, path: /a, value: {x: 1, n: null, l: [{y: 1}]}}]`, `{a: {x: 1, d: 2, l: [{y: 1, d: 2}]}}`, true},
		{"a list may not have got more", `[{op: add, path: /a, value: [1]}]`, `{a: [1, 2]}`, false},
		{"a part is missing", `[{op: add, path: /a, value: {x: 1, y: 2}}]`, `{a: {x: 1}}`, false},
		{"the last item is the added one [P13]", `[{op: add, path: /l/-, value: b}]`, `{l: [a, b]}`, true},
		{"the last item is another [P13]", `[{op: add, path: /l/-, value: b}]`, `{l: [b, a]}`, false},
		{"there is no item [P13]", `[{op: add, path: /l/-, value: b}]`, `{l: []}`, false},
		{"two items were added [P13]", `[{op: add, path: /l/-, value: b}, {op: add, path: /l/-, value: c}]`, `{l: [a, b, c]}`, true},
		{"one of two items was added [P13]", `[{op: add, path: /l/-, value: b}, {op: add, path: /l/-, value: b}]`, `{l: [a, b]}`, false},
		{"an item is where it was added [P13]", `[{op: add, path: /l/0, value: b}]`, `{l: [b, a]}`, true},
		{"an item is elsewhere [P13]", `[{op: add, path: /l/0, value: b}]`, `{l: [a, b]}`, false},
		{"items were added in front, one after the other [P13]", `[{op: add, path: /l/0, value: b}, {op: add, path: /l/0, value: c}]`, `{l: [c, b, a]}`, true},
		{"a position is not there [P13]", `[{op: add, path: /l/1, value: b}]`, `{l: [b]}`, false},
		{"a member is removed [P12]", `[{op: remove, path: /a}]`, `{b: 1}`, true},
		{"a member is still there [P12]", `[{op: remove, path: /a}]`, `{a: 1}`, false},
		{"whether an item is removed is not known [P12]", `[{op: remove, path: /l/1}]`, `{l: [a]}`, false},
		{"a member is moved [P12]", `[{op: move, from: /a, path: /b}]`, `{b: 1}`, true},
		{"a member is not moved [P12]", `[{op: move, from: /a, path: /b}]`, `{a: 1}`, false},
		{"both ends of a move are there [P12]", `[{op: move, from: /a, path: /b}]`, `{a: 1, b: 1}`, false},
		{"a member is moved to the end of a list [P12]", `[{op: move, from: /a, path: /l/-}]`, `{l: [1]}`, true},
		{"an item is moved, which is not known [P12]", `[{op: move, from: /l/0, path: /l/-}]`, `{l: [1, 2]}`, false},
		{"a member is copied [P12]", `[{op: copy, from: /a, path: /b}]`, `{a: 1, b: 1}`, true},
		{"a member is not copied [P12]", `[{op: copy, from: /a, path: /b}]`, `{a: 1, b: 2}`, false},
		{"the source of a copy is gone [P12]", `[{op: copy, from: /a, path: /b}]`, `{b: 1}`, false},
		{"a test of what the patch has left alone holds [P12]", `[{op: test, path: /b, value: 2}, {op: replace, path: /a, value: 1}]`, `{a: 1, b: 2}`, true},
		{"a test of what the patch has left alone does not hold [P12]", `[{op: test, path: /b, value: 3}, {op: replace, path: /a, value: 1}]`, `{a: 1, b: 2}`, false},
		{"a test of what has a part that is overwritten counts for nothing [P12]", `[{op: test, path: /m, value: {a: 0}}, {op: replace, path: /m/a, value: 1}]`, `{m: {a: 1}}`, true},
		{"a test of what is overwritten counts for nothing [P12]", `[{op: test, path: /a, value: 2}, {op: replace, path: /a, value: 1}]`, `{a: 1}`, true},
		{"the last of two operations counts", `[{op: replace, path: /a, value: 1}, {op: replace, path: /a, value: 2}]`, `{a: 2}`, true},
		{"what a later operation has changed is not looked at", `[{op: add, path: /a, value: {x: 1, y: 1}}, {op: add, path: /a/x, value: 2}]`, `{a: {x: 2, y: 1}}`, true},
		{"what a later operation has added is not missed", `[{op: add, path: /a, value: {y: 1}}, {op: add, path: /a/x, value: 2}]`, `{a: {x: 2, y: 1}}`, true},
		{"what a later operation has removed is not missed", `[{op: add, path: /a, value: {x: 1}}, {op: remove, path: /a}]`, `{}`, true},
		{"what was added is moved away", `[{op: add, path: /a, value: 1}, {op: move, from: /a, path: /b}]`, `{b: 1}`, true},
		{"something else than what was added is moved away", `[{op: add, path: /a, value: 1}, {op: move, from: /a, path: /b}]`, `{b: 2}`, false},
		{"what was below something that is overwritten", `[{op: add, path: /a/x, value: 1}, {op: add, path: /a, value: {}}]`, `{a: {}}`, true},
		{"a copy of something that is overwritten", `[{op: copy, from: /a, path: /b}, {op: replace, path: /a, value: 3}]`, `{a: 3, b: 1}`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := object(t, test.live)
			_, held := jsonPatch(t, test.patch).Held(live)
			assert.Equal(t, test.want, held)
			assert.Equal(t, object(t, test.live), live, "the live object is not changed")
		})
	}
}

func TestAPatchHoldsOnceItHasBeenCarriedOut(t *testing.T) {
	patch := jsonPatch(t, `[{op: test, path: /spec/replicas, value: 3}, {op: replace, path: /spec/replicas, value: 5}, {op: remove, path: /spec/paused},
		{op: add, path: /spec/template/spec/containers/0/env/-, value: {name: C, value: x}}, {op: add, path: /spec/template/spec/containers/-, value: {name: y}},
		{op: add, path: /spec/template/spec/containers/0, value: {name: z}}, {op: move, from: /metadata/labels/app, path: /metadata/labels/was},
		{op: copy, from: /spec/replicas, path: /spec/copied}]`)
	live := object(t, deployment)
	_, held := patch.Held(live)
	assert.False(t, held)
	effect, err := patch.Evaluate(live)
	require.NoError(t, err)
	entries := live.GetManagedFields()
	live.Object = effect.Object
	live.SetManagedFields(entries)
	found, held := patch.Held(live)
	assert.True(t, held, "[P13]")
	for what, sets := range map[string][2]*fieldpath.Set{
		"set": {effect.Set, found.Set}, "removed": {effect.Removed, found.Removed}, "once": {effect.Once, found.Once},
	} {
		assert.True(t, sets[0].Equals(sets[1]), "%s: %s is found as %s", what, sets[0], sets[1])
	}
	assert.Equal(t, effect.Operations, found.Operations)
}
