package draws_test

import (
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// chain has an authority without its private key, and a certificate of it.
const chain = `kind: Secret
metadata:
  name: tls
{{- $ca := genCA "ca" 300 }}
{{- $crt := genSignedCert "web" nil (list .Values.dns) 30 $ca }}
ca: {{ $ca.Cert | b64enc }}
{{- if .Values.key }}
ca-key: {{ printf "%s/%s" "x" $ca.Key | b64enc }}
{{- end }}
crt: {{ $crt.Cert | b64enc }}
key: {{ $crt.Key | b64enc }}
{{- if .Values.more }}
{{- $more := genSignedCert "more" nil nil 30 $ca }}
more: {{ $more.Cert | b64enc }}
{{- end }}
`

func TestACertificateWithoutItsPrivateKey(t *testing.T) { // [D65]
	t.Parallel()
	now := time.Now()
	f, given := files{"a": chain}, m{"dns": "a"}
	first, s := run(t, f, given, draws.Options{Now: now})
	stored := s.Used()
	authority := stored["web/templates/a|ca|genCA 300"]
	authority.PrivateKey = ""
	stored["web/templates/a|ca|genCA 300"] = authority
	stored = roundTrip(t, stored)

	t.Run("is kept as it is", func(t *testing.T) {
		t.Parallel()
		for _, missing := range []draws.Missing{draws.Draw, draws.Placeholder(0)} {
			second, s := run(t, f, given, draws.Options{Stored: stored, Now: now.Add(time.Hour), Missing: missing})
			require.True(t, first["a"] == second["a"])
			require.Empty(t, s.Renewed())
			require.Empty(t, s.Used()["web/templates/a|ca|genCA 300"].PrivateKey)
		}
	})
	for name, c := range map[string]struct {
		values  m
		options draws.Options
		renewed []string
	}{
		"another one is due":          {given, draws.Options{Now: now.Add(21 * 24 * time.Hour)}, []string{"ca|genCA 300", "crt|genSignedCert 30"}},
		"another one is to be new":    {given, draws.Options{Rotate: []string{"crt"}}, []string{"ca|genCA 300"}},
		"another one has other names": {m{"dns": "b"}, draws.Options{}, []string{"ca|genCA 300"}},
		"there is one more":           {m{"dns": "a", "more": true}, draws.Options{}, []string{"ca|genCA 300", "crt|genSignedCert 30"}},
		"its key is shown":            {m{"dns": "a", "key": true}, draws.Options{}, []string{"ca|genCA 300", "crt|genSignedCert 30"}},
		"it is due":                   {given, draws.Options{Now: now.Add(201 * 24 * time.Hour)}, []string{"ca|genCA 300", "crt|genSignedCert 30"}},
	} {
		t.Run("is made again, with those that it has signed, if "+name, func(t *testing.T) {
			t.Parallel()
			o := c.options
			o.Stored = stored
			if o.Now.IsZero() {
				o.Now = now
			}
			var renewed []string
			for _, end := range c.renewed {
				renewed = append(renewed, "web/templates/a|"+end)
			}
			second, s := run(t, f, c.values, o)
			require.ElementsMatch(t, renewed, s.Renewed())
			require.False(t, strings.Contains(second["a"], "is not known"))
			var authority *x509.Certificate
			for key, value := range s.Used() {
				require.NotEmpty(t, value.PrivateKey)
				require.NotEqual(t, stored[key].Certificate, value.Certificate)
				if key == "web/templates/a|ca|genCA 300" {
					authority = certificatesIn(t, value.Certificate)[0]
				}
			}
			for _, value := range s.Used() {
				require.NoError(t, certificatesIn(t, value.Certificate)[0].CheckSignatureFrom(authority))
			}
			third, s := run(t, f, c.values, draws.Options{Stored: roundTrip(t, s.Used())})
			require.True(t, second["a"] == third["a"])
			require.Empty(t, s.Renewed())

			o.Missing = draws.Placeholder(0)
			_, s = run(t, f, c.values, o)
			require.ElementsMatch(t, renewed, s.Renewed(), "in the preview")
			require.Empty(t, s.Used())
		})
	}
	t.Run("is not asked for its key while it is looked for", func(t *testing.T) {
		t.Parallel()
		inherited := draws.Values{"web/templates/a|ca|genCA 300": authority}
		_, s := run(t, f, given, draws.Options{Inherited: inherited, Missing: draws.Apart(0)})
		require.Equal(t, []string{"web/templates/a|ca|genCA 300"}, s.Unsigned(), "the other one has to be signed")
	})
}
