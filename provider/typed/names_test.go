package typed

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestEncodedNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"replicas":                   "replicas",
		"max_connections":            "max_connections",
		"trailing_":                  "trailing_",
		"x-kubernetes-int-or-string": "x__kubernetes__int__or__string",
		"$ref":                       "x_x24_ref",
		"kebab-name":                 "kebab__name",
		"@odd":                       "x_x40_odd",
		"a.b":                        "a_x2e_b",
		"_hidden":                    "x_x5f_hidden",
		"9lives":                     "x_x39_lives",
		"two__lines":                 "two_x5f__x5f_lines",
		"x_x24_ref":                  "x_x78__x5f_x24_x5f_ref",
		"ünï":                        "x_xfc_n_xef_",
		"pulumi":                     "pulumi_",
		"pulumi_":                    "pulumi_x5f_",
	} {
		assert.Equal(t, want, nested.encode(name), name)
	}
	for name, want := range map[string]string{"id": "id_", "urn": "urn_", "k8sconnect": "k8sconnect_", "id_": "id_x5f_", "resourceRef": "resourceRef"} {
		assert.Equal(t, want, atTop.encode(name), name)
	}
	assert.Equal(t, "id", nested.encode("id"))
}

// identifier is what is a name in every language, and is no hidden property.
var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func TestEveryNameLeadsBackToItsField(t *testing.T) {
	t.Parallel()
	names := rapid.OneOf(
		rapid.StringMatching(`[a-z$@_-]{1,4}[x_]{0,3}[0-9a-f_-]{0,6}`),
		rapid.StringMatching(`(x_x)?(_x[0-9a-f]{0,6}_|__|_|id|urn|pulumi|k8sconnect|-|x)*`),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		at := level(rapid.Bool().Draw(t, "at top"))
		name := names.Filter(func(s string) bool { return s != "" }).Draw(t, "name")
		encoded := at.encode(name)
		if got := at.decode(encoded); got != name {
			t.Fatalf("%q became %q, and that %q", name, encoded, got)
		}
		if !identifier.MatchString(encoded) || at.reserves(encoded) {
			t.Fatalf("%q became %q, which is no name", name, encoded)
		}
	})
}
