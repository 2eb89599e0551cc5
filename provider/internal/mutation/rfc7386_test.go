package mutation

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The published examples of RFC 7386: that of section 3, and appendix A.
func TestTheExamplesOfRFC7386(t *testing.T) {
	for _, example := range []struct{ original, patch, want string }{
		{
			`{"title": "Goodbye!", "author": {"givenName": "John", "familyName": "Doe"}, "tags": ["example", "sample"], "content": "This will be unchanged"}`,
			`{"title": "Hello!", "phoneNumber": "+01-123-456-7890", "author": {"familyName": null}, "tags": ["example"]}`,
			`{"title": "Hello!", "author": {"givenName": "John"}, "tags": ["example"], "content": "This will be unchanged", "phoneNumber": "+01-123-456-7890"}`,
		},
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		t.Run(example.original+" with "+example.patch, func(t *testing.T) {
			got, err := merge(decode(t, example.original), decode(t, example.patch))
			require.NoError(t, err)
			assert.Equal(t, decode(t, example.want), got)
			assert.Equal(t, got, reference(decode(t, example.original), decode(t, example.patch)), "the reference implementation")
		})
	}
}

// reference is the pseudocode of RFC 7386, section 2.
func reference(target, patch any) any {
	members, isMap := patch.(map[string]any)
	if !isMap {
		return patch
	}
	result := map[string]any{}
	if object, isMap := target.(map[string]any); isMap {
		maps.Copy(result, object)
	}
	for name, value := range members {
		if value == nil {
			delete(result, name)
		} else {
			result[name] = reference(result[name], value)
		}
	}
	return result
}
