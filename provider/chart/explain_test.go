package chart

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// secretly is a release with a secret value.
func secretly(t *testing.T, files map[string]string, secret property.Value) *release {
	t.Helper()
	r := releaseOf(t, files)
	var wrong []any
	var in inputs
	given := property.NewMap(map[string]property.Value{keyChart: property.New("./web"), keyValues: property.New(map[string]property.Value{
		"secret": secret.WithSecret(true), "plain": property.New("seen"),
	})})
	in, mistakes := decode(given, "shop", "default")
	require.Empty(t, mistakes, wrong)
	in.release.KubeVersion = "1.36"
	r.inputs = in
	return r
}

// encodings are spellings of a text from which it can be read, or guessed.
func encodings(text string) []string {
	reversed := []byte(text)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	sum := sha256.Sum256([]byte(text))
	var bytes []string
	for _, letter := range []byte(text) {
		bytes = append(bytes, fmt.Sprint(letter))
	}
	rotated := strings.Map(func(letter rune) rune { return letter + 1 }, text)
	return []string{
		text, text[:5], strings.ToUpper(text), strings.Join(strings.Split(text, ""), " "), string(reversed), rotated, hex.EncodeToString(sum[:]),
		base64.StdEncoding.EncodeToString([]byte(text)), base32.StdEncoding.EncodeToString([]byte(text)), strings.Join(bytes, " "),
	}
}

func TestAnErrorOfARenderingShowsNoSecret(t *testing.T) {
	t.Parallel()
	const secret = "correcthorse7battery"
	for name, test := range map[string]struct {
		template string
		secret   property.Value
		wanted   []string
	}{
		"as it is":                {`{{ fail (printf "%s is weak" .Values.secret) }}`, property.Value{}, []string{"[secret] is weak", "line 1"}},
		"in base64":               {`{{ fail (.Values.secret | b64enc) }}`, property.Value{}, []string{"line 1"}},
		"in base32":               {`{{ fail (.Values.secret | b32enc) }}`, property.Value{}, nil},
		"as a checksum":           {`{{ fail (.Values.secret | sha256sum) }}`, property.Value{}, nil},
		"in part":                 {`{{ fail (.Values.secret | trunc 6) }}`, property.Value{}, nil},
		"in capitals":             {`{{ fail (.Values.secret | upper) }}`, property.Value{}, nil},
		"letter by letter":        {`{{ fail (.Values.secret | splitList "" | join " ") }}`, property.Value{}, nil},
		"by its bytes":            {`{{ fail (printf "%v" (.Values.secret | toString | printf "%d" )) }}`, property.Value{}, nil},
		"backwards":               {`{{ $r := "" }}{{ range splitList "" .Values.secret }}{{ $r = print . $r }}{{ end }}{{ fail $r }}`, property.Value{}, nil},
		"in an include":           {`{{ define "no" }}{{ fail (. | b64enc) }}{{ end }}{{ include "no" .Values.secret }}`, property.Value{}, nil},
		"in a text for tpl":       {`{{ tpl .Values.secret . }}`, property.New("{{ fail \"" + secret + "\" }}"), []string{"Why is not shown"}},
		"in a wrong text":         {`{{ tpl .Values.secret . }}`, property.New("{{ nosuch \"" + secret + "\" }}"), []string{"Why is not shown"}},
		"only for this value":     {`{{ if hasPrefix "correct" .Values.secret }}{{ fail (.Values.secret | b64enc) }}{{ end }}`, property.Value{}, []string{"Why is not shown", "line 1"}},
		"because it is long":      {`{{ if gt (len .Values.secret) 16 }}{{ fail "longer than 16" }}{{ end }}`, property.Value{}, []string{"longer than 16"}},
		"because it is short":     {`{{ if lt (len .Values.secret) 32 }}{{ fail "shorter than 32" }}{{ end }}`, property.Value{}, []string{"shorter than 32"}},
		"as what is missing":      {`{{ required (.Values.secret | b64enc) .Values.none }}`, property.Value{}, nil},
		"as a wrong argument":     {`{{ index .Values (.Values.secret | b64enc) "a" }}`, property.Value{}, nil},
		"as no number":            {`{{ add (index (list 1) (.Values.secret | b64enc)) 1 }}`, property.Value{}, nil},
		"as no template":          {`{{ include (.Values.secret | b64enc) . }}`, property.Value{}, nil},
		"in YAML":                 {"a: b\n{{ .Values.secret | b64enc }}", property.Value{}, []string{"document 1"}},
		"as a key in YAML":        {"a: b\n {{ .Values.secret | b64enc }}: c", property.Value{}, nil},
		"as an anchor in YAML":    {"a: *{{ .Values.secret | upper }}", property.Value{}, nil},
		"as a key of values":      {`{{ fail (.Values.secret | keys | first | b64enc) }}`, property.New(map[string]property.Value{secret: property.New("x")}), nil},
		"in a list":               {`{{ fail (.Values.secret | toJson | b64enc) }}`, property.New([]property.Value{property.New(secret)}), nil},
		"as an annotation":        {"apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, annotations: { {{ .Values.secret | upper }}: 5 } }", property.Value{}, nil},
		"in a looked up Secret":   {`{{ fail (toJson (lookup "v1" "Secret" "default" "auth") | b64enc) }}`, property.Value{}, nil},
		"decoded, in part":        {`{{ fail ((lookup "v1" "Secret" "default" "auth").data.password | b64dec | upper) }}`, property.Value{}, nil},
		"in its annotations":      {`{{ fail ((lookup "v1" "Secret" "default" "auth").metadata.annotations | toJson) }}`, property.Value{}, nil},
		"drawn, in base64":        {`{{ $p := randAlphaNum 24 }}{{ fail ($p | b64enc) }}`, property.Value{}, nil},
		"a part of what is drawn": {`{{ $p := randAlphaNum 24 }}{{ fail ($p | trunc 9) }}`, property.Value{}, nil},
	} {
		t.Run(name+" [D96]", func(t *testing.T) {
			t.Parallel()
			given := test.secret
			if given.IsNull() {
				given = property.New(secret)
			}
			id := manifest.Identity{APIVersion: "v1", Kind: "Secret", Namespace: "default", Name: "auth"}
			encoded := base64.StdEncoding.EncodeToString([]byte(secret))
			prepared := func() *release {
				r := secretly(t, map[string]string{"templates/a.yaml": test.template}, given)
				r.lookups.cluster = &cluster.Cluster{}
				r.lookups.answers = map[manifest.Identity]map[string]any{id: {
					"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"password": encoded},
					"metadata": map[string]any{"name": "auth", "namespace": "default", "annotations": map[string]any{"last": encoded}},
				}}
				return r
			}
			drawing, rendering := prepared(), prepared()
			_, drawn := drawing.draw(t.Context(), memory{}, nil)
			_, rendered := rendering.render(t.Context(), memory{})
			require.Error(t, drawn)
			require.Error(t, rendered)
			for r, err := range map[*release]error{drawing: drawn, rendering: rendered} {
				said := r.explain(t.Context(), "shop", err)
				assert.ErrorContains(t, said, "web/templates/a.yaml")
				reason, _ := failure.ReasonOf(said)
				assert.Equal(t, failure.ReasonInvalid, reason)
				texts := append(encodings(secret), encodings(encoded)...)
				for _, value := range r.drawn {
					if len(value) > 8 {
						texts = append(texts, encodings(value)...)
						texts = append(texts, value[:9])
					}
				}
				for _, text := range texts {
					assert.NotContains(t, said.Error(), text)
				}
				for _, wanted := range test.wanted {
					assert.ErrorContains(t, said, wanted)
				}
			}
		})
	}
}

func TestAnErrorOfASchemaShowsNoSecret(t *testing.T) {
	t.Parallel()
	const schema = `{"properties": {"secret": {"additionalProperties": false, "properties": {"known": {"type": "string", "minLength": 40}}}}}`
	explained := func(t *testing.T, files map[string]string, secret property.Value) string {
		t.Helper()
		r := secretly(t, files, secret)
		_, err := r.draw(t.Context(), memory{}, nil)
		require.Error(t, err)
		return r.explain(t.Context(), "shop", err).Error()
	}
	t.Run("keys of a secret map are not named [D96]", func(t *testing.T) {
		t.Parallel()
		said := explained(t, map[string]string{"values.schema.json": schema}, property.New(map[string]property.Value{"hunter2": property.New("x")}))
		assert.NotContains(t, said, "hunter2")
		assert.Contains(t, said, "values.secret: the schema does not allow it")
	})
	t.Run("a rule that fixed values break as well is shown [D96]", func(t *testing.T) {
		t.Parallel()
		said := explained(t, map[string]string{"values.schema.json": schema, "values.yaml": "secret: { known: a }"},
			property.New(map[string]property.Value{"known": property.New("hunter2")}))
		assert.NotContains(t, said, "hunter2")
		assert.Contains(t, said, "values.secret.known: its length must be at least 40")
	})
	t.Run("a place in a secret list is not [D96]", func(t *testing.T) {
		t.Parallel()
		said := explained(t, map[string]string{"values.schema.json": `{"properties": {"secret": {"uniqueItems": true}}}`},
			property.New([]property.Value{property.New("a"), property.New("b"), property.New("a")}))
		assert.Contains(t, said, "values.secret: the schema does not allow it")
		assert.NotContains(t, said, "0 and 2")
	})
}
