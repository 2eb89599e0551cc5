package failure_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// quoting is one way to quote a text. Each quotes character by character.
type quoting struct {
	name  string
	quote func(string) string
}

var quotings = []quoting{
	{"json.Marshal", func(text string) string {
		encoded, _ := json.Marshal(text)
		return string(encoded)
	}},
	{"JSON without HTML escapes", func(text string) string {
		var encoded bytes.Buffer
		encoder := json.NewEncoder(&encoded)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(text)
		return strings.TrimSuffix(encoded.String(), "\n")
	}},
	{"strconv.Quote", strconv.Quote},
	{"strconv.QuoteToASCII", strconv.QuoteToASCII},
}

// awkward are the characters that some way of quoting changes, and a few that none does.
var awkward = []rune("pw7 '\"\\/<>&=\n\r\t\x00\x07\x1b\x7f\u0085\u00a0é\u200b\u2028\ufeff\ufffd😀\U000e0001")

// quoteUpToThrice draws ways to quote, the innermost first.
func quoteUpToThrice(t *rapid.T) (names []string, quote func(string) string) {
	ways := rapid.SliceOfN(rapid.SampledFrom(quotings), 0, 3).Draw(t, "ways")
	for _, way := range ways {
		names = append(names, way.name)
	}
	return names, func(text string) string {
		for _, way := range ways {
			text = way.quote(text)
		}
		return text
	}
}

func TestAValueIsRedactedHoweverOftenItWasQuoted(t *testing.T) {
	t.Run("nothing else goes where it is quoted up to three times in any way [D23]", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			// Letters at its ends leave no doubt where the value is among the quotes.
			value := "p" + rapid.StringOfN(rapid.SampledFrom(awkward), 2, 12, -1).Draw(t, "value") + "w"
			names, quote := quoteUpToThrice(t)
			hide := failure.NewRedactor([]string{value})
			around := func(middle string) string { return quote("line: \"one\"\n{" + middle + "} \\ é<>") }
			require.Equal(t, around("[secret]"), hide.Redact(around(value)), "%v", names)
		})
	})
	t.Run("nothing of it survives, whatever its characters [D23]", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			value := rapid.StringOfN(rapid.SampledFrom(awkward), 4, 12, -1).Draw(t, "value")
			names, quote := quoteUpToThrice(t)
			quoted := quote(value)
			bare := strings.Trim(quoted, `"\`)
			shown := failure.NewRedactor([]string{value}).Redact("it is " + quoted)
			require.Contains(t, shown, "[secret]", "%v", names)
			if len(bare) >= 4 {
				require.NotContains(t, shown, bare, "%v", names)
			}
		})
	})
	t.Run("a short one too, between its quotes [D23]", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			value := rapid.StringOfN(rapid.SampledFrom(awkward), 1, 1, 3).Draw(t, "value")
			names, quote := quoteUpToThrice(t)
			shown := failure.NewRedactor([]string{value}).Redact("it is " + quote(`{"a":`+quotings[0].quote(value)+`}`))
			require.Contains(t, shown, "[secret]", "%v", names)
		})
	})
}

func TestAValueIsFoundAsOthersWriteIt(t *testing.T) {
	const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQC7VJTU\n-----END KEY-----\n"
	inYAML := func(tree any) string {
		written, err := yaml.Marshal(tree)
		require.NoError(t, err)
		return string(written)
	}
	for _, c := range []struct{ name, value, text, want string }{
		{"JSON inside a text that Go quotes [D23]", `say "no"`, `invalid: "{\"a\":\"say \\\"no\\\"\"}"`, `invalid: "{\"a\":\"[secret]\"}"`},
		{"escapes in capitals [D23]", "p<w>é", `"p\u003Cw\u003E\u00E9"`, `"[secret]"`},
		{"an escaped slash [D23]", "https://u:p@h", `{"a":"https:\/\/u:p@h"}`, `{"a":"[secret]"}`},
		{"two surrogates for one character [D23]", "p😀w7", `"p\ud83d\ude00w7"`, `"[secret]"`},
		{"YAML's own escapes [D23]", "p\x1bw\u0085w\u00a0w\u2028w\x00p", `a: "p\ew\Nw\_w\Lw\0p"`, `a: "[secret]"`},
		{"YAML in single quotes [D23]", "it's 'it'", `a: 'it''s ''it'''`, `a: '[secret]'`},
		{"YAML in single quotes, in JSON [D23]", "it's \"it\"", `{"y":"a: 'it''s \"it\"'\n"}`, `{"y":"a: '[secret]'\n"}`},
		{"YAML, line by line [D23]", key, inYAML(map[string]any{"a": key}), "a: |\n  [secret]\n  [secret]\n  [secret]\n  [secret]\n"},
		{"YAML, line by line, in JSON [D23]", key, quotings[0].quote(inYAML(map[string]any{"a": key})), `"a: |\n  [secret]\n  [secret]\n  [secret]\n  [secret]\n"`},
		{"without the line break at its end", "hunter2\n", "token hunter2 is bad", "token [secret] is bad"},
		{"a line is no part of a longer word", "kind: Config\nx", "kind: ConfigMap", "kind: ConfigMap"},
		{"cut off at the end of the text", key, `a: -----BEGIN KEY-----\nMIIEvQIBA`, "a: [secret]"},
		{"cut off in the middle of an escape", key, `a: -----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\`, `a: [secret]\`},
		{"a few characters at the end are no value that was cut off", "password7", "set a pass", "set a pass"},
		{"two values that share characters", "hunter2-sword\nfish", "hunter2-sword\nfish", "[secret]"},
		{"what is no escape stays as it is", "hunter2", `C:\dir \q \u12 \ud800 \UFFFFFFFF "hunter2" \`, `C:\dir \q \u12 \ud800 \UFFFFFFFF "[secret]" \`},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, failure.NewRedactor([]string{c.value}).Redact(c.text))
		})
	}
	t.Run("no rest is left where one value begins in another", func(t *testing.T) {
		assert.Equal(t, "[secret]", failure.NewRedactor([]string{"hunter2-sword", "swordfish"}).Redact("hunter2-swordfish"))
	})
}
