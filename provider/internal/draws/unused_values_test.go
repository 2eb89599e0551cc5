package draws

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFormerValuesAreFoundByTheirOwnCallSiteAlone(t *testing.T) { // [H8]
	t.Parallel()
	value := func(text string) Value { return Value{Text: text, Arguments: "16"} }
	former := Former{{"a": value("new")}, {"a": value("old"), "b": value("b")}}
	for name, c := range map[string]struct {
		key, arguments, want string
	}{
		"the last one first":         {"a", "16", "new"},
		"one of an earlier update":   {"b", "16", "b"},
		"none for another call site": {"c", "16", ""},
		"none for other arguments":   {"b", "24", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, is := former.find(c.key, c.arguments)
			assert.Equal(t, c.want, found.Text)
			assert.Equal(t, c.want != "", is)
		})
	}
}

func TestWhatARenderingNoLongerUsesIsFormer(t *testing.T) { // [H8]
	t.Parallel()
	stored := Values{"kept": {Text: "k", Arguments: "8"}, "gone": {Text: "g", Arguments: "8"}, "longer": {Text: "l", Arguments: "8"}}
	s := NewSession(Options{Stored: stored, Former: Former{{"back": {Text: "b", Arguments: "8"}, "never": {Text: "n", Arguments: "8"}}}})
	for key, arguments := range map[string]string{"kept": "8", "longer": "16", "back": "8"} {
		s.answers[key] = answer{value: Value{Arguments: arguments}}
	}
	assert.Equal(t, Former{{"gone": stored["gone"], "longer": stored["longer"]}, {"never": {Text: "n", Arguments: "8"}}}, s.Former())

	many, gone, last := Values{}, Values{}, Values{}
	for i := range mostFormer {
		many[fmt.Sprintf("a%d|x|uuidv4", i)] = Value{Text: fmt.Sprint(i)}
		gone[fmt.Sprintf("b%d|x|uuidv4", i)] = Value{Text: fmt.Sprint(i)}
	}
	last["c|x|uuidv4"], last["a0|x|uuidv4"] = Value{Text: "oldest"}, Value{Text: "earlier"}
	written := map[string]string{}
	for i := range mostFormer {
		written[fmt.Sprintf("a%d", i)] = "x: {{ uuidv4 }}"
	}
	s = NewSession(Options{Stored: many, Former: Former{gone, last}, Source: SourceOf(written)})
	delete(last, "c|x|uuidv4")
	assert.Equal(t, Former{many, gone, last}, s.Former(), "[D87] the oldest that are gone go first, and none that is switched off")
}
