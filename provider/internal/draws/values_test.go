package draws_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

func TestValuesGoThroughJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := draws.Values{}
		for _, key := range rapid.SliceOfDistinct(rapid.StringMatching(`[a-z>:@\[\]/]{1,9}\|[a-z@]{0,3}\|(randAscii 3|htpasswd|shuffle #2)`), rapid.ID).Draw(t, "keys") {
			text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
			values[key] = draws.Value{Text: text, Arguments: rapid.StringMatching(`[0-9a-f]{0,4}`).Draw(t, "arguments")}
		}
		require.Equal(t, values, roundTrip(t, values))
		inRecord, err := json.Marshal(map[string]any{"draws": values})
		require.NoError(t, err)
		var record struct{ Draws draws.Values }
		require.NoError(t, json.Unmarshal(inRecord, &record))
		require.Equal(t, values, record.Draws)
	})
}

func TestValuesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, s := run(t, files{"a": `{{ (genCA "x" 1).Cert }}`}, nil, draws.Options{})
	ca := s.Used()["web/templates/a||genCA 1"]
	for name, test := range map[string]struct{ data, message string }{
		"nothing":               {"", "this is not their JSON"},
		"text":                  {"hunter2", "this is not their JSON"},
		"a list":                {"[]", "this is not their JSON"},
		"cut off":               {`{"version":1,"values":{"a||now":{"text":"hunter2`, "this is not their JSON"},
		"no version":            {"{}", "they are in the format 0, and this version of the provider reads the formats up to 2"},
		"a later version":       {`{"version":3,"what":"hunter2"}`, "they are in the format 3"},
		"another field":         {`{"version":1,"hunter2":1}`, "this is not their JSON"},
		"another field of one":  {`{"version":1,"values":{"a||uuidv4":{"text":"a","hunter2":1}}}`, "this is not their JSON"},
		"a number for a text":   {`{"version":1,"values":{"a||uuidv4":{"text":3}}}`, "this is not their JSON"},
		"no key":                {`{"version":1,"values":{"a":{"text":"hunter2"}}}`, `"a" is no key of one`},
		"another function":      {`{"version":1,"values":{"a||print":{"text":"hunter2"}}}`, `"a||print" is no key of one`},
		"no value":              {`{"version":1,"values":{"a||uuidv4":{}}}`, "it has no value, or more than one"},
		"two values":            {`{"version":1,"values":{"a||uuidv4":{"text":"hunter2","bytes":"aHVudGVyMg=="}}}`, "it has no value, or more than one"},
		"no number":             {`{"version":1,"values":{"a||randInt 1 3":{"text":"hunter2"}}}`, "it is no whole number"},
		"no time":               {`{"version":1,"values":{"a||now":{"text":"hunter2"}}}`, "it is no time"},
		"no certificate":        {`{"version":1,"values":{"a||genCA 3":{"text":"hunter2"}}}`, "it is not of the kind that genCA draws"},
		"a certificate":         {`{"version":1,"values":{"a||randAlpha 3":{"certificate":"hunter2","privateKey":"x"}}}`, "it is not of the kind that randAlpha draws"},
		"a private key":         {`{"version":1,"values":{"a||randAlpha 3":{"privateKey":"x"}}}`, "it has no value, or more than one"},
		"no PEM":                {`{"version":1,"values":{"a||genCA 3":{"certificate":"hunter2"}}}`, "its certificate is no PEM"},
		"PEM of something else": {`{"version":1,"values":{"a||genCA 3":{"certificate":` + quote(ca.PrivateKey) + `}}}`, "its certificate cannot be parsed"},
		"no PEM for its key":    {`{"version":1,"values":{"a||genCA 3":{"certificate":` + quote(ca.Certificate) + `,"privateKey":"hunter2"}}}`, "its private key is no PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := draws.ParseValues([]byte(test.data))
			require.ErrorContains(t, err, "drawn values: ")
			require.ErrorContains(t, err, test.message)
			require.NotContains(t, err.Error(), "hunter2")
			var values draws.Values
			require.Error(t, json.Unmarshal([]byte(test.data), &values))
		})
	}
	read, err := draws.ParseValues([]byte(`{"version":1}`))
	require.NoError(t, err)
	require.Empty(t, read)
}

func quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// A value that was not read from JSON is checked when it is used.
func TestAStoredValueOfAnotherKindIsRefused(t *testing.T) {
	t.Parallel()
	for text, value := range map[string]draws.Value{
		"{{ randInt 1 3 }}": {Text: "hunter2"}, "{{ now }}": {Text: "hunter2"}, "{{ randAlpha 3 }}": {Certificate: "hunter2"}, "{{ (genCA \"x\" 1).Cert }}": {Certificate: "hunter2"},
	} {
		_, s := run(t, files{"a": text}, nil, draws.Options{})
		stored := s.Used()
		for key, drawn := range stored {
			value.Arguments = drawn.Arguments
			stored[key] = value
			s = draws.NewSession(draws.Options{Stored: stored})
			_, err := render(t, files{"a": text}, nil, s.Rewrite, s.Funcs())
			require.ErrorContains(t, err, "the stored value of "+key+" cannot be used: it")
			require.NotContains(t, err.Error(), "hunter2")
		}
	}
}

func FuzzParseValues(f *testing.F) {
	_, s := run(f, chartOf(), given(), draws.Options{})
	data, err := s.Used().MarshalJSON()
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`{"version":1,"values":{"a|b@c@2|randInt 1 2 #3":{"text":"1","arguments":"x"},"a>b:c[d]|e|htpasswd ~2":{"bytes":"/w=="}}}`))
	f.Add([]byte(`{"version":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		values, err := draws.ParseValues(data)
		if err != nil {
			require.Nil(t, values)
			return
		}
		require.Equal(t, values, roundTrip(t, values))
		s := draws.NewSession(draws.Options{Stored: values, Rotate: []string{"*", "b"}, Missing: draws.Placeholder(1)})
		f := files{"a": "{{ $b := randInt 1 2 }}{{ range list (dict \"name\" \"d\") }}c: {{ htpasswd \"a\" \"b\" }}{{ end }}{{ $b }}"}
		_, err = render(t, f, nil, s.Rewrite, s.Funcs())
		require.NoError(t, err)
		s.Again(nil)
	})
}
