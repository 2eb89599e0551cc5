package draws_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

func TestPlaceholdersDifferInEveryCharacter(t *testing.T) { // [H10]
	t.Parallel()
	for call, same := range map[string]string{ // and the characters that are the same in all of them
		"randAlphaNum 40": "", "randAlpha 40": "", "randNumeric 40": "", "randAscii 40": "", "randInt 10 20": "1", "randInt 0 8": "",
		"randBytes 30": "", "randBytes 31": "==", "randBytes 32": "=", "shuffle \"abcdefgh\"": "", "uuidv4": "--4--",
		"bcrypt \"x\"": "$2a$10$", "htpasswd \"user\" \"x\"": "user:$2a$10$", "now | date \"2006\"": "", "ago now": "h", "durationRound now": "h",
		"date \"2006\" \"x\"": "", "dateInZone \"2006\" nil \"UTC\"": "", "date_in_zone \"2006\" nil \"UTC\"": "",
		"htmlDate \"\" | trunc 4": "", "htmlDateInZone nil \"UTC\" | trunc 4": "", "randAlpha 0": "", "shuffle \"\"": "", "randInt 3 4": "3",
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			const variants = 4 // of the last character of base64 there are no more
			f := files{"a": "{{ " + call + " }}", "b": "{{ " + call + " }}"}
			drawn, _ := run(t, f, nil, draws.Options{})
			var texts []string
			for n := range variants {
				placeholders, s := run(t, f, nil, draws.Options{Missing: draws.Placeholder(n)})
				again, _ := run(t, f, nil, draws.Options{Missing: draws.Placeholder(n)})
				require.Equal(t, placeholders, again, "they are the same each time")
				require.Empty(t, s.Used(), "they are not stored")
				text := placeholders["a"]
				if !strings.Contains(call, "ago") && !strings.Contains(call, "duration") {
					require.Len(t, text, len(drawn["a"]))
				}
				if len(text) >= 30 {
					require.NotEqual(t, text, placeholders["b"], "of another call site")
				}
				texts = append(texts, text)
			}
			for i, text := range texts {
				for _, other := range texts[:i] {
					var common strings.Builder
					for at := range min(len(text), len(other)) {
						if text[at] == other[at] {
							common.WriteByte(text[at])
						}
					}
					require.Equal(t, same, common.String(), "%s, %s", text, other)
				}
			}
		})
	}
}

func TestPlaceholdersPassWhatChartsCheckAPasswordFor(t *testing.T) { // [H8]
	t.Parallel()
	check := func(wanted string) string {
		return `{{ if not (regexMatch "` + wanted + `" $x) }}{{ fail $x }}{{ end }}`
	}
	for n := range 40 {
		text := ""
		for i := range 10 {
			text += fmt.Sprintf("{{ $x := randAlphaNum %d }}", i+4) + check("[a-z]") + check("[A-Z]") + check("[0-9]") + check("^[a-zA-Z]")
			text += fmt.Sprintf("{{ $x = randAlpha %d }}", i+4) + check("[a-z]") + check("[A-Z]") + check("^[a-zA-Z]+$")
		}
		run(t, files{"a": text}, nil, draws.Options{Missing: draws.Placeholder(n)})
	}
}

func TestPlaceholdersThatTakeLongAreRealAndTheSameEachTime(t *testing.T) { // [H10]
	t.Parallel()
	f := files{"a": `{{ genPrivateKey "rsa" }}`, "b": `{{ genPrivateKey "ecdsa" }}`, "c": `{{ genPrivateKey "dsa" }}`, "d": `{{ genPrivateKey "nosuch" }}`,
		"e": `{{ genPrivateKey "ed25519" }}`, "f": `{{ (genCA "x" 1).Cert }}`, "g": `{{ encryptAES "a" "b" | decryptAES "a" }}`, "h": `{{ encryptAES "a" "b" }}`,
		"i": `{{ (genSelfSignedCert "x" nil nil 1).Key }}`, "j": `{{ (genSignedCert "x" nil nil 1 (genCA "y" 1)).Cert }}`}
	first, _ := run(t, f, nil, draws.Options{Missing: draws.Placeholder(1)})
	second, _ := run(t, f, nil, draws.Options{Missing: draws.Placeholder(1)})
	other, _ := run(t, f, nil, draws.Options{Missing: draws.Placeholder(2)})
	require.Equal(t, first, second)
	for name := range f {
		if name == "d" || name == "g" {
			require.Equal(t, first[name], other[name])
		} else {
			require.NotEqual(t, first[name], other[name], name)
		}
	}
	require.Equal(t, "Unknown type nosuch", first["d"])
	require.Equal(t, "b", first["g"])
	require.True(t, strings.HasPrefix(first["a"], "-----BEGIN RSA PRIVATE KEY-----\n"))
}

// A placeholder must not turn into a number, a truth value or nothing because of how it is written.
func TestYAMLTakesPlaceholdersForTexts(t *testing.T) {
	t.Parallel()
	for length := range 6 {
		for n := range 34 {
			for _, function := range []string{"randAlphaNum", "randAlpha", "randAscii"} {
				texts, _ := run(t, files{"a": fmt.Sprintf("a: {{ %s %d }}", function, length+1)}, nil, draws.Options{Missing: draws.Placeholder(n)})
				var parsed map[string]any
				require.NoError(t, yaml.Unmarshal([]byte(texts["a"]), &parsed))
				require.IsType(t, "", parsed["a"], texts["a"])
			}
		}
	}
}

func TestExchangedReplacesStoredValues(t *testing.T) { // [H10]
	t.Parallel()
	f := files{"a": "{{ $p := randAlpha 9 }}p: {{ $p }}\nlen: {{ len $p }}\nhash: {{ $p | sha256sum }}\nq: {{ .Values.a }}\nnow: {{ now | date \"2006\" }}\ncert: {{ (genCA \"x\" 1).Cert | b64enc }}"}
	first, s := run(t, f, m{"a": 1}, draws.Options{})
	stored := s.Used()
	one, s := run(t, f, m{"a": 1}, draws.Options{Stored: stored, Missing: draws.Exchanged(1)})
	require.Empty(t, s.Used())
	require.Empty(t, s.Missing())
	two, _ := run(t, f, m{"a": 1}, draws.Options{Stored: stored, Missing: draws.Exchanged(2)})
	var differ []string
	texts := [][]string{strings.Split(first["a"], "\n"), strings.Split(one["a"], "\n"), strings.Split(two["a"], "\n")}
	for i, line := range texts[0] {
		name, _, _ := strings.Cut(line, ":")
		if line != texts[1][i] && line != texts[2][i] && texts[1][i] != texts[2][i] {
			differ = append(differ, name)
		} else {
			require.Equal(t, line, texts[1][i])
			require.Equal(t, line, texts[2][i])
		}
	}
	require.Equal(t, []string{"p", "hash", "now", "cert"}, differ)
	require.Nil(t, s.Again(nil), "nothing has to move")
}

func TestWhatTakesTooLongIsRefused(t *testing.T) { // [H16]
	t.Parallel()
	for name, test := range map[string]struct{ text, message string }{
		"a long text":       {"{{ randAlphaNum 100000000 }}", "it draws at most 1048576 characters"},
		"many bytes":        {"{{ randBytes 1048577 }}", "it draws at most 1048576 characters"},
		"many values":       {"{{ range until 10001 }}{{ randInt 1 5 }}{{ end }}", "the templates draw more than 10000 values"},
		"a site of its own": {"{{ kc_randAlpha (kc_file \"x\" 1) \"a|b\" 3 }}", "templates have no call sites of their own"},
		"no scope":          {"{{ kc_randAlpha nil \"a\" 3 }}", "nil pointer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, missing := range []draws.Missing{draws.Draw, draws.Placeholder(1)} {
				s := draws.NewSession(draws.Options{Missing: missing})
				_, err := render(t, files{"a": test.text}, nil, s.Rewrite, s.Funcs())
				require.ErrorContains(t, err, test.message)
			}
		})
	}
}

func TestTheTimeIsThatOfTheSession(t *testing.T) { // [H8]
	t.Parallel()
	at := time.Date(2025, 3, 4, 5, 6, 7, 8, time.FixedZone("x", 3600))
	f := files{"a": "{{ now | date \"2006-01-02 15:04:05 MST\" }}|{{ now }}|{{ htmlDate now }}|{{ now | date_modify \"1h\" | date \"15 MST\" }}|{{ date_in_zone \"15\" now \"UTC\" }}"}
	texts, s := run(t, f, nil, draws.Options{Now: at})
	require.Equal(t, "2025-03-04 04:06:07 UTC|2025-03-04 04:06:07.000000008 +0000 UTC|2025-03-04|05 UTC|04", texts["a"])
	again, _ := run(t, f, nil, draws.Options{Now: at.Add(time.Hour), Stored: s.Used()})
	require.Equal(t, texts, again)
}
