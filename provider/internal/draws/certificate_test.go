package draws_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// signed has an authority and a certificate of it.
const signed = `{{- $ca := genCA "ca" (int .Values.life) -}}
{{- $crt := genSignedCert "web" (list "10.0.0.1") (list .Values.dns) (int .Values.days) $ca -}}
{{ $ca.Cert }}{{ $crt.Cert }}{{ $crt.Key }}`

const authority, certificate = "web/templates/a|ca|genCA 300", "web/templates/a|crt|genSignedCert 30"

func names(dns string) m { return m{"life": 300, "days": 30, "dns": dns} }

// certificatesIn returns the certificates in a text.
func certificatesIn(t *testing.T, text string) []*x509.Certificate {
	t.Helper()
	var found []*x509.Certificate
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return found
		}
		if block.Type == "CERTIFICATE" {
			c, err := x509.ParseCertificate(block.Bytes)
			require.NoError(t, err)
			found = append(found, c)
		}
	}
}

func TestCertificates(t *testing.T) { // [H8]
	t.Parallel()
	f := files{"a": signed}
	now := time.Now()
	first, s := run(t, f, names("a"), draws.Options{Now: now})
	stored := roundTrip(t, s.Used())
	require.Equal(t, []string{authority, certificate}, sites(s))
	parsed := certificatesIn(t, first["a"])
	require.NoError(t, parsed[1].CheckSignatureFrom(parsed[0]))
	require.Equal(t, []string{"a"}, parsed[1].DNSNames)

	t.Run("is renewed when two thirds of its life are over", func(t *testing.T) {
		t.Parallel()
		for after, renewed := range map[time.Duration][]string{
			time.Hour: nil, 19 * 24 * time.Hour: nil, 20*24*time.Hour + time.Hour: {certificate}, 31 * 24 * time.Hour: {certificate},
			201 * 24 * time.Hour: {certificate, authority}, -time.Hour: nil,
		} {
			second, s := run(t, f, names("a"), draws.Options{Stored: stored, Now: now.Add(after)})
			require.ElementsMatch(t, renewed, s.Renewed(), after)
			require.Empty(t, s.Missing())
			require.Equal(t, renewed == nil, second["a"] == first["a"])
			_, s = run(t, f, names("a"), draws.Options{Stored: stored, Now: now.Add(after), Missing: draws.Placeholder(1)})
			require.ElementsMatch(t, renewed, s.Renewed(), "in the preview, after %s", after)
			require.Len(t, s.Used(), 2-len(renewed))
		}
	})
	t.Run("is made again when its authority has changed", func(t *testing.T) {
		t.Parallel()
		second, s := run(t, f, names("a"), draws.Options{Stored: stored, Rotate: []string{"ca"}})
		require.Equal(t, []string{certificate}, s.Renewed())
		require.Equal(t, []string{authority}, s.Rotated())
		parsed := certificatesIn(t, second["a"])
		require.NoError(t, parsed[1].CheckSignatureFrom(parsed[0]))
		require.NotContains(t, second["a"], stored[certificate].PrivateKey)
	})
	t.Run("is made again when its arguments have changed", func(t *testing.T) {
		t.Parallel()
		second, s := run(t, f, names("b"), draws.Options{Stored: stored})
		require.Equal(t, []string{certificate}, s.Missing())
		require.Empty(t, s.Renewed())
		parsed := certificatesIn(t, second["a"])
		require.Equal(t, []string{"b"}, parsed[1].DNSNames)
		require.Equal(t, stored[authority], s.Used()[authority])
	})
	secret := "kind: Secret\nmetadata:\n  name: tls\ndata:\n{{ \"\" }}" + signed
	t.Run("moves with its authority", func(t *testing.T) {
		t.Parallel()
		first, s := run(t, files{"a": secret}, names("a"), draws.Options{})
		second, s := run(t, files{"b": secret}, names("a"), draws.Options{Stored: s.Used()})
		require.Equal(t, first["a"], second["b"])
		require.Empty(t, s.Renewed())
		require.Empty(t, s.Missing())
	})
	t.Run("stays when only its authority moves", func(t *testing.T) {
		t.Parallel()
		first, s := run(t, files{"a": secret}, names("a"), draws.Options{})
		second, s := run(t, files{"a": `{{- $ca := genCA "other" 300 -}}` + secret}, names("a"), draws.Options{Stored: s.Used()})
		require.Equal(t, first["a"], second["a"])
		require.Empty(t, s.Renewed())
		require.Equal(t, []string{authority}, s.Missing())
	})
	t.Run("that has no life is not made again and again", func(t *testing.T) {
		t.Parallel()
		f := files{"a": `{{ (genCA "x" 0).Cert }}`}
		first, s := run(t, f, nil, draws.Options{})
		second, s := run(t, f, nil, draws.Options{Stored: s.Used(), Now: now.Add(time.Hour)})
		require.Equal(t, first, second)
		require.Empty(t, s.Renewed())
	})
}

// The certificate functions accept each other's results, and the results of functions that do not draw.
func TestCertificatesAndKeysGoTogether(t *testing.T) {
	t.Parallel()
	_, s := run(t, files{"a": signed}, names("a"), draws.Options{})
	own := s.Used()[authority]
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	values := m{"cert": encode(own.Certificate), "key": encode(own.PrivateKey)}
	for name, text := range map[string]string{
		"an authority of the user":    `{{ $ca := buildCustomCert .Values.cert .Values.key }}{{ $ca.Cert }}{{ (genSignedCert "x" nil nil 9 $ca).Cert }}`,
		"a key for the authority":     `{{ $k := genPrivateKey "ecdsa" }}{{ $ca := genCAWithKey "x" 9 $k }}{{ $ca.Cert }}{{ (genSignedCertWithKey "x" nil nil 9 $ca (genPrivateKey "ed25519")).Cert }}`,
		"an authority out of a map":   `{{ $d := dict "ca" (genCA "x" 9) }}{{ $d.ca.Cert }}{{ (genSignedCert "x" nil (list "a") 9 $d.ca).Cert }}`,
		"one that signs itself":       `{{ $c := genSelfSignedCertWithKey "x" nil nil 9 (genPrivateKey "rsa") }}{{ $c.Cert }}{{ $c.Cert }}`,
		"one that is drawn and built": `{{ $c := genCA "x" 9 }}{{ $ca := buildCustomCert (b64enc $c.Cert) (b64enc $c.Key) }}{{ $ca.Cert }}{{ (genSignedCert "x" nil nil 9 $ca).Cert }}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := files{"a": text}
			first, s := run(t, f, values, draws.Options{})
			parsed := certificatesIn(t, first["a"])
			require.Len(t, parsed, 2)
			require.NoError(t, parsed[0].CheckSignature(parsed[1].SignatureAlgorithm, parsed[1].RawTBSCertificate, parsed[1].Signature), name)
			second, s := run(t, f, values, draws.Options{Stored: roundTrip(t, s.Used()), Missing: draws.Placeholder(1)})
			require.Equal(t, first, second)
			require.Empty(t, s.Missing())
			for n := range 2 {
				_, err := render(t, f, values, s.Rewrite, draws.NewSession(draws.Options{Missing: draws.Placeholder(n)}).Funcs())
				require.NoError(t, err)
			}
		})
	}
}
