package mutation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// TestItemsThatWereAdded carries out a patch, lets the owner of the lists change them, and checks what is then
// restored.
func TestItemsThatWereAdded(t *testing.T) {
	const (
		args = "/spec/template/spec/containers/0/args"
		env  = "/spec/template/spec/containers/0/env"
	)
	for _, test := range []struct {
		name, patch, theirs string
		// added are the operations whose items are remembered, gone those that are missed.
		added, gone []int
		// want are the operations that restore the items, or err says why there are none.
		want, err string
		// beside means that the other contents of the lists are unchanged.
		beside bool
	}{
		{
			name:  "an item at the end is added again at the end",
			patch: `[{op: add, path: ` + args + `/-, value: --b}]`, theirs: `[{op: replace, path: ` + args + `, value: [x, y, z]}]`,
			added: []int{0}, gone: []int{0}, want: `{"op":"add","path":"` + args + `/3","value":"--b"}`,
		},
		{
			name:  "an item that is there is not added again, wherever it stands",
			patch: `[{op: add, path: ` + args + `/-, value: --b}]`, theirs: `[{op: replace, path: ` + args + `, value: [--b, x]}]`,
			added: []int{0},
		},
		{
			name:  "an item that was added in front is added in front",
			patch: `[{op: add, path: ` + args + `/0, value: --b}]`, theirs: `[{op: replace, path: ` + args + `, value: [x]}]`,
			added: []int{0}, gone: []int{0}, want: `{"op":"add","path":"` + args + `/0","value":"--b"}`,
		},
		{
			name:  "an item between others is not added where the others have changed",
			patch: `[{op: add, path: ` + args + `/1, value: --b}]`, theirs: `[{op: replace, path: ` + args + `, value: [x, y]}]`,
			added: []int{0}, gone: []int{0}, err: "the list has changed otherwise too",
		},
		{
			name:  "an item between others is added where these are as they were",
			patch: `[{op: add, path: ` + args + `/1, value: --b}]`, theirs: `[{op: remove, path: ` + args + `/1}]`,
			added: []int{0}, gone: []int{0}, want: `{"op":"add","path":"` + args + `/1","value":"--b"}`, beside: true,
		},
		{
			name:  "all of several items come again, in their order",
			patch: `[{op: add, path: ` + args + `/-, value: -o}, {op: add, path: ` + args + `/-, value: file}]`, theirs: `[{op: replace, path: ` + args + `, value: [y]}]`,
			added: []int{0, 1}, gone: []int{0, 1},
			want: `{"op":"add","path":"` + args + `/1","value":"-o"},{"op":"add","path":"` + args + `/2","value":"file"}`,
		},
		{
			name:  "of several items some of which are there, none is added",
			patch: `[{op: add, path: ` + args + `/-, value: -o}, {op: add, path: ` + args + `/-, value: file}]`, theirs: `[{op: replace, path: ` + args + `, value: [-o, y]}]`,
			added: []int{0, 1}, gone: []int{1}, err: "only some of them are there",
		},
		{
			name:  "two items that are alike are two",
			patch: `[{op: add, path: ` + args + `/-, value: -v}, {op: add, path: ` + args + `/-, value: -v}]`, theirs: `[{op: replace, path: ` + args + `, value: [-v]}]`,
			added: []int{0, 1}, gone: []int{1}, err: "only some of them are there",
		},
		{
			name:  "an item with a key is there as long as its key is",
			patch: `[{op: add, path: ` + env + `/-, value: {name: B, value: x}}]`, theirs: `[{op: replace, path: ` + env + `/1/value, value: theirs}]`,
			added: []int{0},
		},
		{
			name:  "an item with a key comes again with all that it had",
			patch: `[{op: add, path: ` + env + `/-, value: {name: B, value: x}}]`, theirs: `[{op: remove, path: ` + env + `/1}]`,
			added: []int{0}, gone: []int{0}, want: `{"op":"add","path":"` + env + `/1","value":{"name":"B","value":"x"}}`,
		},
		{
			name:  "an object that the server has given defaults is there",
			patch: `[{op: add, path: /spec/template/spec/tolerations/-, value: {key: c}}]`, theirs: `[{op: add, path: /spec/template/spec/tolerations/2/operator, value: Exists}]`,
			added: []int{0},
		},
		{
			name:   "of objects each is added again for itself",
			patch:  `[{op: add, path: /spec/template/spec/tolerations/-, value: {key: c}}, {op: add, path: /spec/template/spec/tolerations/-, value: {key: d}}]`,
			theirs: `[{op: remove, path: /spec/template/spec/tolerations/2}]`,
			added:  []int{0, 1}, gone: []int{0}, want: `{"op":"add","path":"/spec/template/spec/tolerations/3","value":{"key":"c"}}`,
		},
		{
			name:  "a list that is gone is made again",
			patch: `[{op: add, path: ` + args + `/-, value: --b}]`, theirs: `[{op: remove, path: ` + args + `}]`,
			added: []int{0}, gone: []int{0}, want: `{"op":"add","path":"` + args + `","value":[]},{"op":"add","path":"` + args + `/0","value":"--b"}`,
		},
		{
			name:  "a container that is gone is not made again",
			patch: `[{op: add, path: ` + args + `/-, value: --b}]`, theirs: `[{op: remove, path: /spec/template/spec/containers/0}]`,
			added: []int{0}, gone: []int{0}, err: "is gone, and what else was in it is not known",
		},
		{
			name:  "a test that no longer holds keeps the item out",
			patch: `[{op: test, path: ` + args + `/0, value: -conf}, {op: add, path: ` + args + `/-, value: --b}]`, theirs: `[{op: replace, path: ` + args + `, value: [-log]}]`,
			added: []int{1}, gone: []int{1}, err: "jsonPatch[0]: test",
		},
		{
			name:  "a test of an item that an addition has moved is made where it is with the addition",
			patch: `[{op: test, path: ` + args + `/0, value: -conf}, {op: add, path: ` + args + `/0, value: --b}]`, theirs: `[{op: replace, path: ` + args + `, value: [-conf, new]}]`,
			added: []int{1}, gone: []int{1}, want: `{"op":"add","path":"` + args + `/0","value":"--b"}`,
		},
		{
			name:  "a value that was set behind an addition is set behind it",
			patch: `[{op: add, path: ` + args + `/0, value: --b}, {op: replace, path: ` + args + `/2, value: ours}]`, theirs: `[{op: replace, path: ` + args + `, value: [-conf, x]}]`,
			added: []int{0}, gone: []int{0}, beside: true,
			want: `{"op":"add","path":"` + args + `/0","value":"--b"},{"op":"replace","path":"` + args + `/2","value":"ours"}`,
		},
		{
			name:  "what takes the place of an item is not remembered: the former would come back beside it",
			patch: `[{op: remove, path: ` + args + `/0}, {op: add, path: ` + args + `/-, value: --b}]`, theirs: `[{op: replace, path: ` + args + `, value: [x]}]`,
		},
		{
			name:  "an item in which another operation works is not remembered",
			patch: `[{op: add, path: ` + env + `/-, value: {name: B}}, {op: add, path: ` + env + `/1/value, value: x}]`, theirs: `[{op: replace, path: ` + env + `/1/value, value: x}]`,
		},
		{
			name:  "an item that another operation empties is not remembered",
			patch: `[{op: add, path: ` + args + `/-, value: {p: 1}}, {op: move, from: ` + args + `/2/p, path: /metadata/annotations/p}]`, theirs: `[{op: replace, path: ` + args + `, value: [x]}]`,
		},
		{
			name:  "what is copied or moved is not remembered",
			patch: `[{op: copy, from: ` + args + `/0, path: ` + args + `/-}]`, theirs: `[{op: replace, path: ` + args + `, value: [x]}]`,
		},
	} {
		t.Run(test.name+" [D39]", func(t *testing.T) {
			live := object(t, strings.Replace(deployment, "[serve, -v, --all]", "[-conf, x]", 1))
			patch := jsonPatch(t, test.patch)
			effect, err := patch.Evaluate(live)
			require.NoError(t, err)
			places := placesOf(effect)
			left := Left{
				Values: ownership.Project(effect.Object, effect.Set, nil), Fields: effect.Set, Places: places, Added: patch.Additions(places),
				Unchanged: func(List) bool { return test.beside },
			}
			var added, gone []int
			for _, a := range left.Added {
				added = append(added, a.Operation)
			}
			assert.Equal(t, test.added, added)

			live.Object = effect.Object
			theirs, err := jsonPatch(t, test.theirs).Evaluate(live)
			require.NoError(t, err)
			live.Object = theirs.Object
			found := Find(live.Object, left.Added)
			for _, a := range left.Added {
				if _, there := found[a.Operation]; !there {
					gone = append(gone, a.Operation)
				}
			}
			assert.Equal(t, test.gone, gone)

			restored, err := patch.Restore(live, left, "6c7a", "41")
			switch {
			case test.err != "":
				require.ErrorContains(t, err, test.err)
				assert.Nil(t, restored.Body)
				return
			case test.want == "":
				require.NoError(t, err)
				assert.Nil(t, restored.Body)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprintf("[%s,%s]", guard, test.want), string(restored.Body))
			for i, place := range restored.Places {
				if place != nil {
					left.Places[i] = place
				}
			}
			again, problems := ParseJSONPatch(decode(t, "["+test.want+"]"))
			require.Empty(t, problems)
			after, err := again.Evaluate(live)
			require.NoError(t, err)
			live.Object = after.Object
			for i := range left.Added {
				left.Added[i].Place = left.Places[left.Added[i].Operation]
			}
			twice, err := patch.Restore(live, left, "6c7a", "41")
			require.NoError(t, err)
			assert.Nil(t, twice.Body, "once is enough")
			assert.Equal(t, left.Places, twice.Places)
		})
	}
}
