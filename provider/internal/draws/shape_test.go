package draws_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// shownIn finds the values that one template draws in a live text. It returns them by what draws them.
func shownIn(t *testing.T, template, live string) (found map[string]draws.Value, is bool) {
	t.Helper()
	f := files{"a": template}
	texts, base := run(t, f, nil, draws.Options{Missing: draws.Apart(0)})
	others, other := run(t, f, nil, draws.Options{Missing: draws.Apart(1)})
	shape, same := draws.ShapeOf(texts["a"], base.Wanted()).With(draws.ShapeOf(others["a"], other.Wanted()))
	if !same {
		return nil, false
	}
	shown, is := shape.In(live)
	found = map[string]draws.Value{}
	for _, w := range base.Wanted() {
		if value, fits := w.From(shown); fits {
			found[w.Key[strings.LastIndex(w.Key, "|")+1:]] = value
		}
	}
	return found, is
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestAShapeFindsValuesInAnotherText(t *testing.T) { // [D65]
	t.Parallel()
	hash := "$2a$10$" + strings.Repeat("h", 53)
	for name, c := range map[string]struct {
		template, live string
		// found are the values by their draws; nil if the text is made in another way.
		found map[string]string
	}{
		"the whole":                         {`{{ randAlphaNum 10 }}`, "abcdefghij", map[string]string{"randAlphaNum 10": "abcdefghij"}},
		"a part":                            {`user:{{ randAlphaNum 10 }}@db`, "user:abcdefghij@db", map[string]string{"randAlphaNum 10": "abcdefghij"}},
		"two":                               {`{{ randAlphaNum 10 }}-{{ randNumeric 12 }}`, "abcdefghij-012345678901", map[string]string{"randAlphaNum 10": "abcdefghij", "randNumeric 12": "012345678901"}},
		"a long one":                        {`<{{ randAlpha 4000 }}>`, "<" + strings.Repeat("y", 4000) + ">", map[string]string{"randAlpha 4000": strings.Repeat("y", 4000)}},
		"one twice":                         {`{{ $p := randAlpha 10 }}{{ $p }} {{ $p }}`, "abcdefghij abcdefghij", map[string]string{"randAlpha 10": "abcdefghij"}},
		"not two different ones":            {`{{ $p := randAlpha 10 }}{{ $p }} {{ $p }}`, "abcdefghij abcdefghix", map[string]string{}},
		"in base64":                         {`{{ printf "a:%s" (randAlpha 10) | b64enc }}`, encoded("a:abcdefghij"), map[string]string{"randAlpha 10": "abcdefghij"}},
		"in base64 twice":                   {`{{ randAlpha 10 | b64enc | b64enc }}`, encoded(encoded("abcdefghij")), map[string]string{"randAlpha 10": "abcdefghij"}},
		"in base64 and plainly":             {`{{ $p := randAlpha 10 }}{"auth":"{{ printf "u:%s" $p | b64enc }}","p":"{{ $p }}"}`, `{"auth":"` + encoded("u:abcdefghij") + `","p":"abcdefghij"}`, map[string]string{"randAlpha 10": "abcdefghij"}},
		"not in base64 of another":          {`{{ $p := randAlpha 10 }}{{ $p }} {{ $p | b64enc }}`, "abcdefghij " + encoded("abcdefghix"), map[string]string{}},
		"beside its checksum":               {`{{ $p := randAlpha 10 }}{{ $p }}:{{ $p | sha256sum }}`, "abcdefghij:" + strings.Repeat("0", 65-1), map[string]string{"randAlpha 10": "abcdefghij"}},
		"a short one alone":                 {`{{ randAlphaNum 5 }}`, "Abc12", map[string]string{"randAlphaNum 5": "Abc12"}},
		"not a short one among others":      {`x {{ randAlphaNum 5 }}`, "x Abc12", map[string]string{}},
		"a whole number":                    {`{{ randInt 30000 32767 }}`, "30123", map[string]string{"randInt 30000 32767": "30123"}},
		"a whole number of another length":  {`{{ randInt 8 32767 }}`, "9", map[string]string{"randInt 8 32767": "9"}},
		"not one that is too big":           {`{{ randInt 30000 32767 }}`, "32767", map[string]string{}},
		"not one that is too small":         {`{{ randInt 30000 32767 }}`, "29999", map[string]string{}},
		"a shuffled text":                   {`{{ printf "%s12345" (randAlpha 6) | shuffle }}`, "1a2b3c4d5ef", map[string]string{"shuffle": "1a2b3c4d5ef"}},
		"what is encrypted":                 {`{{ encryptAES "key" "text" }}`, encoded(strings.Repeat("x", 32)), map[string]string{"encryptAES": encoded(strings.Repeat("x", 32))}},
		"a hash of a drawn password":        {`{{ htpasswd "admin" (randAlpha 10) }}`, "admin:" + hash, map[string]string{"htpasswd": "admin:" + hash}},
		"not the hash of another user":      {`{{ htpasswd "admin" (randAlpha 10) }}`, "adnim:" + hash, map[string]string{}},
		"not other letters":                 {`{{ randAlpha 10 }}`, "abcdefghi0", map[string]string{}},
		"not where the rest differs":        {`user:{{ randAlphaNum 10 }}@db`, "user:abcdefghij@dc", nil},
		"not where the front differs":       {`user:{{ randAlphaNum 10 }}@db`, "uses:abcdefghij@db", nil},
		"not where it is longer":            {`{{ randAlphaNum 10 }}`, "abcdefghijk", nil},
		"not where it is shorter":           {`{{ randAlphaNum 10 }}`, "abcdefghi", nil},
		"not where letters are longer":      {`{{ randAlphaNum 10 }}`, "äbcdefghij", nil},
		"not what is truncated":             {`{{ randAlphaNum 20 | trunc 10 }}`, "abcdefghij", map[string]string{}},
		"not where base64 is written badly": {`{{ randAlphaNum 10 | b64enc }}`, strings.Replace(encoded("abcdefghij"), "ag==", "ah==", 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, is := shownIn(t, c.template, c.live)
			require.Equal(t, c.found != nil, is)
			texts := map[string]string{}
			for draw, value := range found {
				texts[draw] = value.Text
			}
			if is {
				assert.Equal(t, c.found, texts)
			}
		})
	}
}

func TestAShapeFindsCertificates(t *testing.T) { // [D65]
	t.Parallel()
	const template = `{{ $c := genSelfSignedCert "web" (list "10.0.0.1") (list "web.prod" "web") 30 }}{{ $c.Cert }}{{ if SHOWN }}{{ $c.Key }}{{ end }}`
	both, alone := strings.Replace(template, "SHOWN", "true", 1), strings.Replace(template, "SHOWN", "false", 1)
	draw := func(template string) draws.Value {
		_, s := run(t, files{"a": template}, nil, draws.Options{})
		for _, value := range s.Used() {
			return value
		}
		return draws.Value{}
	}
	live, other := draw(both), draw(both)
	replaced := func(from, to string) draws.Value { return draw(strings.Replace(both, from, to, 1)) }
	longer := replaced("30", "90")
	none := draws.Value{}
	for name, c := range map[string]struct {
		template, live string
		found          draws.Value
	}{
		"with its key":                   {both, live.Certificate + live.PrivateKey, live},
		"without, where it is not shown": {alone, live.Certificate, draws.Value{Certificate: live.Certificate}},
		"of another life":                {both, longer.Certificate + longer.PrivateKey, longer},
		"not without, where it is":       {both, live.Certificate, none},
		"not with the key of another":    {both, live.Certificate + other.PrivateKey, none},
		"not with another name":          {alone, replaced(`"web" (`, `"shop" (`).Certificate, none},
		"not with other names":           {alone, replaced(`"web.prod"`, `"web.dev"`).Certificate, none},
		"not with other addresses":       {alone, replaced("10.0.0.1", "10.0.0.2").Certificate, none},
		"not an authority":               {alone, draw(`{{ (genCA "web" 30).Cert }}`).Certificate, none},
		"not what is none":               {alone, "-----BEGIN CERTIFICATE-----\nMTIz\n-----END CERTIFICATE-----\n", none},
		"not what is behind it":          {alone, live.Certificate + live.Certificate, none},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, _ := shownIn(t, c.template, c.live)
			value := found["genSelfSignedCert 30"]
			assert.True(t, c.found.Certificate == value.Certificate && c.found.PrivateKey == value.PrivateKey)
		})
	}
	t.Run("each of several", func(t *testing.T) {
		t.Parallel()
		const chain = `{{ $ca := genCA "ca" 300 }}{{ $one := genSignedCert "one" nil nil 30 $ca }}{{ $two := genSignedCert "two" nil nil 30 $ca }}` +
			`{{ $one.Cert }}{{ $ca.Cert }}{{ $two.Cert }}{{ $two.Key }}{{ $one.Key }}`
		texts, s := run(t, files{"a": chain}, nil, draws.Options{})
		f := files{"a": chain}
		base, other := draws.NewSession(draws.Options{Missing: draws.Apart(0)}), draws.NewSession(draws.Options{Missing: draws.Apart(1)})
		first, err := render(t, f, nil, base.Rewrite, base.Funcs())
		require.NoError(t, err)
		second, err := render(t, f, nil, other.Rewrite, other.Funcs())
		require.NoError(t, err)
		shape, same := draws.ShapeOf(first["web/templates/a"], base.Wanted()).With(draws.ShapeOf(second["web/templates/a"], other.Wanted()))
		require.True(t, same)
		shown, is := shape.In(texts["a"])
		require.True(t, is)
		for _, w := range base.Wanted() {
			value, fits := w.From(shown)
			require.True(t, fits, w.Key)
			want := s.Used()[w.Key]
			assert.Equal(t, want.Certificate, value.Certificate)
			if strings.Contains(w.Key, "|ca|") {
				assert.Empty(t, value.PrivateKey)
			} else {
				assert.Equal(t, want.PrivateKey, value.PrivateKey)
			}
		}
	})
	t.Run("a private key", func(t *testing.T) {
		t.Parallel()
		for _, kind := range []string{"rsa", "ecdsa", "ed25519"} {
			template := `{{ genPrivateKey "` + kind + `" | trim }}`
			texts, _ := run(t, files{"a": template}, nil, draws.Options{})
			found, is := shownIn(t, template, texts["a"])
			require.True(t, is)
			assert.Equal(t, texts["a"]+"\n", found["genPrivateKey"].Text, kind)
			found, _ = shownIn(t, strings.Replace(template, kind, map[bool]string{true: "ecdsa", false: "rsa"}[kind == "rsa"], 1), texts["a"])
			assert.Empty(t, found, "of another kind")
		}
	})
}
