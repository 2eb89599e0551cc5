package chart

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// The oracle is reflect.DeepEqual, which knows nothing of digests.
func TestOnlyEqualValuesHaveOneDigest(t *testing.T) { // [H10]
	t.Parallel()
	now := time.Unix(1, 0)
	values := []any{
		nil, "", "a", "ab", "1", 1, int64(1), 1.0, 1.5, true, false, "true", []byte("a"), []byte(nil), []any{"a"}, []any{"ab"}, []any{"a", "b"},
		[]any{[]any{"a"}, "b"}, m{}, m{"a": nil}, m{"a": "b"}, m{"b": "a"}, m{"a": m{"b": "c"}}, m{"a": "b", "c": "d"}, m{"a": "b1:c"},
		[]any{"a", ""}, []any{"", "a"}, now, now.Add(1), map[int]string{1: "a"}, map[int]string{2: "a"},
	}
	for i, one := range values {
		for j, other := range values {
			same := digestOfAll([]reflect.Value{reflect.ValueOf(&one).Elem()}) == digestOfAll([]reflect.Value{reflect.ValueOf(&other).Elem()})
			assert.Equal(t, i == j, same, "%#v and %#v", one, other)
		}
	}
	assert.NotEqual(t, digestOfAll(of("a", "b")), digestOfAll(of("astringb")), "arguments do not run into each other")
	assert.NotEqual(t, digestOfAll(of("a", "b")), digestOfAll(of([]any{"a", "b"})), "two arguments are no list")

	endless := m{"a": "b"}
	endless["itself"] = endless
	assert.NotEmpty(t, digestOfAll(of(endless)))
}

func of(arguments ...any) (all []reflect.Value) {
	for _, one := range arguments {
		all = append(all, reflect.ValueOf(one))
	}
	return all
}

func TestDigestsAgreeWithDeepEqual(t *testing.T) { // [H10]
	t.Parallel()
	leaf := rapid.OneOf(
		rapid.SampledFrom([]any{"", "a", "1", "a1:b", 1, int64(1), 1.0, true, nil, []byte("a")}), rapid.Map(rapid.StringN(0, 3, 9), func(s string) any { return s }),
	)
	tree := rapid.OneOf(leaf, rapid.Map(rapid.SliceOfN(leaf, 0, 3), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", ""}), leaf, 0, 3), func(l map[string]any) any { return l }))
	rapid.Check(t, func(t *rapid.T) {
		one, other := tree.Draw(t, "one"), tree.Draw(t, "other")
		same := digestOfAll([]reflect.Value{reflect.ValueOf(&one).Elem()}) == digestOfAll([]reflect.Value{reflect.ValueOf(&other).Elem()})
		if same != reflect.DeepEqual(one, other) {
			t.Fatal(fmt.Sprintf("%#v and %#v", one, other))
		}
	})
}

func TestATemplateIsRewrittenOnceForAllRenderings(t *testing.T) {
	t.Parallel()
	c := loaded(t, templated(configMap("a", "a: {{ randAlphaNum 5 }}")))
	draws := &rewriting{counting: &counting{}, seen: map[string]int{}}
	for range 3 {
		rendered, err := c.Render(t.Context(), release, nil, Functions{Draws: draws})
		assert.NoError(t, err)
		assert.Len(t, rendered.Objects, 1)
	}
	for file, times := range draws.seen {
		assert.Equal(t, 1, times, file)
	}
	assert.NotEmpty(t, draws.seen)
	assert.Equal(t, 3, draws.drawn, "but each rendering draws")
}

// rewriting counts how often a file is rewritten.
type rewriting struct {
	*counting

	seen map[string]int
}

func (r *rewriting) Rewrite(file, text string) string {
	r.seen[file]++
	return r.counting.Rewrite(file, text)
}
