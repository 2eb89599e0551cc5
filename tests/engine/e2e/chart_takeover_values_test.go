package e2e

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// webhookTemplates have what charts of operators draw: a chain of certificates whose authority signs once, in a Secret and in a webhook,
// credentials of a registry, and a Deployment with checksums.
const webhookTemplates = `
{{- $host := printf "%s.%s.svc" .Release.Name .Release.Namespace }}
{{- $ca := genCA "shop-ca" 3650 }}
{{- $cert := genSignedCert $host nil (concat (list $host) .Values.hosts) 365 $ca }}
{{- $password := randAlphaNum 16 }}
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-tls }
type: kubernetes.io/tls
data:
  ca.crt: {{ $ca.Cert | b64enc }}
  tls.crt: {{ $cert.Cert | b64enc }}
  tls.key: {{ $cert.Key | b64enc }}
---
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-signing }
stringData:
  key: {{ genPrivateKey "ecdsa" | quote }}
---
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-registry }
type: kubernetes.io/dockerconfigjson
data:
  .dockerconfigjson: {{ printf "{\"auths\":{\"registry\":{\"password\":%q,\"auth\":%q}}}" $password (printf "shop:%s" $password | b64enc) | b64enc }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: {{ .Release.Namespace }}-{{ .Release.Name }} }
webhooks:
  - name: shop.example.com
    clientConfig: { caBundle: {{ $ca.Cert | b64enc }}, service: { name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }} } }
    rules: [{ apiGroups: [shop.example.com], apiVersions: [v1], resources: [shops], operations: [CREATE] }]
    failurePolicy: Ignore
    sideEffects: None
    admissionReviewVersions: [v1]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }} }
spec:
  replicas: 0
  selector: { matchLabels: { app: shop } }
  template:
    metadata:
      labels: { app: shop }
      annotations: { checksum/tls: {{ $cert.Cert | sha256sum }}, rollme: {{ randAlphaNum 5 | quote }} }
    spec: { containers: [{ name: shop, image: "registry.example/shop:1.0" }] }
`

func TestCertificatesOfHelmAreTakenOver(t *testing.T) { // [D65]
	t.Parallel()
	s := newChartStory(t)
	tls, signing, registry, web := "v1/Secret/"+s.space+"/shop-tls", "v1/Secret/"+s.space+"/shop-signing", "v1/Secret/"+s.space+"/shop-registry", "apps/v1/Deployment/"+s.space+"/shop"
	webhook := "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration/" + s.space + "-shop"
	s.chart(t, "1.0.0", map[string]string{"templates/all.yaml": webhookTemplates, "values.yaml": "hosts: []\n"})
	s.helm(t, s.cluster, s.space, "install", "shop", "./web")
	data := func() []any {
		return []any{
			s.kube.value(t, tls, "data"), s.kube.value(t, signing, "data"), s.kube.value(t, registry, "data"),
			s.kube.value(t, webhook, "webhooks", 0, "clientConfig", "caBundle"), s.kube.get(t, web).GetGeneration(),
		}
	}
	before := data()
	same := func(t *testing.T) {
		t.Helper()
		for i, now := range data() {
			assert.True(t, assert.ObjectsAreEqual(before[i], now), "what is at %d has changed", i)
		}
	}
	step(t, "nothing changes, and the preview says so", func(t *testing.T) {
		s.declare(t, "adopt: true\ntakeOverFrom: [helm]")
		for _, out := range []string{s.preview(t), s.up(t)} {
			assert.NotContains(t, out, "The chart draws other values")
			assert.NotContains(t, out, "These fields change")
		}
		same(t)
		s.previewEmpty(t)
	})
	step(t, "nor when nothing is taken over any more", func(t *testing.T) {
		s.declare(t, "")
		s.up(t)
		same(t)
		s.previewEmpty(t)
	})
	step(t, "a certificate with other names needs another authority, and the preview says so", func(t *testing.T) {
		s.declare(t, "values: { hosts: [shop.example.com] }")
		out := s.preview(t)
		assert.Contains(t, out, "These values will be drawn again: web/templates/all.yaml|ca|genCA 3650")
		s.up(t)
		assert.Equal(t, before[1:3], data()[1:3], "all others stay")
		authority, certificate := certificateIn(t, s.kube.value(t, tls, "data", "ca.crt")), certificateIn(t, s.kube.value(t, tls, "data", "tls.crt"))
		require.NoError(t, certificate.CheckSignatureFrom(authority))
		assert.Contains(t, certificate.DNSNames, "shop.example.com")
		assert.Equal(t, s.kube.value(t, tls, "data", "ca.crt"), s.kube.value(t, webhook, "webhooks", 0, "clientConfig", "caBundle"))
		s.previewEmpty(t)
	})
}

// certificateIn is the certificate in the data of a Secret.
func certificateIn(t *testing.T, data any) *x509.Certificate {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(data.(string))
	require.NoError(t, err)
	block, _ := pem.Decode(text)
	require.NotNil(t, block)
	certificate, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	return certificate
}

func TestThePreviewNamesTheValuesThatAreTakenOver(t *testing.T) { // [D65]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{"templates/secret.yaml": chartSecret})
	s.helm(t, s.cluster, s.space, "install", "shop", "./web")
	password := s.password(t)
	s.declare(t, "adopt: true\ntakeOverFrom: [helm]")
	out := s.preview(t)
	assert.Contains(t, out, "Values that the chart would draw are taken from the cluster, and kept: web/templates/secret.yaml|")
	assert.NotContains(t, out, password)
	s.up(t)
	assert.Equal(t, password, s.password(t))
}

func TestValuesThatCannotBeTakenOverAreNamed(t *testing.T) { // [D65]
	t.Parallel()
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: {{ .Release.Name }}-auth }\nstringData:\n  password: "
	lost := "data.password of Secret shop-auth"
	for name, c := range map[string]struct {
		// password is what the Secret has; more are further templates.
		password, more string
		// lost are the fields that get other values, kept whether the Secret stays.
		lost []string
		kept bool
	}{
		"of which a part is shown":     {password: `{{ randAlphaNum 32 | trunc 16 }}`, lost: []string{lost}},
		"of which the checksum is":     {password: `{{ randAlphaNum 32 | sha256sum }}`, lost: []string{lost}},
		"which are the time":           {password: `{{ (now).UnixNano | quote }}`, lost: []string{lost}},
		"which are short, in a text":   {password: `"pin {{ randNumeric 4 }}"`, lost: []string{lost}},
		"which are hashes of those":    {password: `{{ $p := randAlphaNum 32 }}{{ printf "%s %s" (htpasswd "admin" $p) ($p | trunc 16) | quote }}`, lost: []string{lost}},
		"in a checksum of its own":     {password: `{{ randAlphaNum 32 | upper }}`, lost: []string{lost}},
		"of which the hash alone is":   {password: `{{ htpasswd "admin" (randAlphaNum 16) | quote }}`, kept: true},
		"that are shuffled":            {password: `{{ printf "%s_%s_%s" (randAlpha 1) (randNumeric 1) (randAscii 8 | replace "\\" "@" | replace "'" "@") | shuffle | b64enc | quote }}`, kept: true},
		"that a checksum has, as well": {password: `{{ randAlphaNum 16 }}`, more: `checksum/config: {{ include (print $.Template.BasePath "/secret.yaml") . | sha256sum }}`, kept: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChartStory(t)
			files := map[string]string{"templates/secret.yaml": secret + c.password + "\n"}
			if c.more != "" {
				files["templates/config.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n  annotations:\n    " + c.more + "\n"
			}
			s.chart(t, "1.0.0", files)
			s.helm(t, s.cluster, s.space, "install", "shop", "./web")
			password := s.password(t)
			s.declare(t, "adopt: true\ntakeOverFrom: [helm]")
			preview := s.preview(t)
			assert.Contains(t, preview, "shop-auth exists and will be adopted")
			assert.Equal(t, !c.kept, strings.Contains(preview, "known only after the apply"), preview)
			for _, out := range []string{preview, s.up(t)} {
				for _, field := range c.lost {
					assert.Regexp(t, "The chart draws other values than the release has, .*: "+field+"\\. To keep a value, set it in `values`", out)
				}
				assert.Equal(t, len(c.lost) > 0, strings.Contains(out, "The chart draws other values"), out)
				assert.Equal(t, c.more != "", strings.Contains(out, "These fields change"), out)
				assert.Equal(t, c.more != "", strings.Contains(out, "from other ones: metadata.annotations.checksum/config of ConfigMap shop."), out)
			}
			assert.Equal(t, c.kept, password == s.password(t))
			s.previewEmpty(t)
		})
	}
}

// authOf is a Secret with a password of its own, as others leave it.
func (s chartStory) authOf(t *testing.T, manager, annotations string) (password string) {
	t.Helper()
	password = base64.StdEncoding.EncodeToString([]byte("liveLiveLiveLive"))
	s.kube.apply(t, "v1/Secret/"+s.space+"/shop-auth", manager, "apiVersion: v1\nkind: Secret\nmetadata: { name: shop-auth, namespace: "+s.space+
		", annotations: { "+annotations+" } }\ndata: { password: "+password+" }\n")
	return password
}

func TestValuesAreTakenFromObjectsOfTheReleaseAlone(t *testing.T) { // [D65]
	t.Parallel()
	for name, c := range map[string]struct {
		annotations string
		// whole is whether values are kept if the whole release is taken over, single whether they are if the object alone is.
		whole, single bool
	}{
		"which is this one":                         {"meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: SPACE", true, true},
		"and not of another one":                    {"meta.helm.sh/release-name: blog, meta.helm.sh/release-namespace: SPACE", false, false},
		"and not of one in another namespace":       {"meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: default", false, false},
		"and not of an object that has none":        {"", false, false},
		"or one that was left, by its name":         {"helm.sh/resource-policy: keep", false, true},
		"and not one that another release has left": {"helm.sh/resource-policy: keep, meta.helm.sh/release-name: blog, meta.helm.sh/release-namespace: SPACE", false, false},
	} {
		for inputs, all := range map[string]string{"as a whole": "adopt: true", "as a single object": "overrides: [{ select: { kind: Secret }, adopt: true }]"} {
			t.Run(name+", "+inputs, func(t *testing.T) {
				t.Parallel()
				kept := c.whole
				if strings.Contains(all, "overrides") {
					kept = c.single
				}
				s := newChartStory(t)
				s.chart(t, "1.0.0", map[string]string{"templates/secret.yaml": chartSecret})
				password := s.authOf(t, "helm", strings.ReplaceAll(c.annotations, "SPACE", s.space))
				s.declare(t, all+"\ntakeOverFrom: [helm]")
				for _, out := range []string{s.preview(t), s.up(t)} {
					assert.Equal(t, !kept, strings.Contains(out, ": data.password of Secret shop-auth (which is not of this release)."), out)
				}
				assert.Equal(t, kept, password == s.password(t))
				s.previewEmpty(t)
			})
		}
	}
}

func TestARandomPasswordOfAnotherChartIsNamed(t *testing.T) { // [D65]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{"templates/secret.yaml": chartSecret})
	s.declare(t, "")
	s.up(t)
	other := chartStory{newStackIn(t, s.kube, s.cluster.KubeconfigFile()), s.kube, s.cluster, s.space}
	other.chart(t, "1.0.0", map[string]string{"templates/secret.yaml": chartSecret})
	other.declare(t, "takeOverFrom: ['"+s.kube.managers(t, "v1/Secret/"+s.space+"/shop-auth")[0]+"']")
	for _, out := range []string{other.preview(t), other.up(t)} {
		assert.Contains(t, out, ": data.password of Secret shop-auth (which is not of this release).")
	}
	other.previewEmpty(t)
}

func TestASecretThatIsTakenOverAloneKeepsItsPassword(t *testing.T) { // [D65] [H13]
	t.Parallel()
	const adopts = "overrides: [{ select: { kind: Secret }, adopt: true }]"
	kept := map[string]string{
		"templates/hooks.yaml": jobOf("pre", "kwok", "helm.sh/hook: pre-install"),
		"templates/secret.yaml": `{{- $password := randAlphaNum 16 }}
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-auth, annotations: { helm.sh/resource-policy: keep } }
data: { password: {{ $password | b64enc }} }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data: { password: {{ $password }} }
`,
	}
	for name, leave := range map[string]func(t *testing.T, s chartStory){
		"which Helm has left": func(t *testing.T, s chartStory) {
			s.helm(t, s.cluster, s.space, "install", "shop", "./web", "--no-hooks")
			s.helm(t, s.cluster, s.space, "uninstall", "shop", "--no-hooks")
		},
		"which an earlier Chart has left": func(t *testing.T, s chartStory) {
			s.declare(t, "")
			s.up(t)
			s.destroy(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChartStory(t)
			s.chart(t, "1.0.0", kept)
			leave(t, s)
			password := s.password(t)
			require.NotEmpty(t, password)
			s.declare(t, adopts+"\ntakeOverFrom: [helm]")
			assert.Contains(t, s.preview(t), "taken from the cluster, and kept: web/templates/secret.yaml|")
			assert.NotContains(t, s.up(t), "The chart draws other values")
			assert.Equal(t, password, s.password(t))
			plain, err := base64.StdEncoding.DecodeString(password.(string))
			require.NoError(t, err)
			assert.Equal(t, string(plain), s.kube.value(t, "v1/ConfigMap/"+s.space+"/shop", "data", "password"))
			s.previewEmpty(t)
			s.declare(t, "")
			s.up(t)
			assert.Equal(t, password, s.password(t))
			s.previewEmpty(t)
		})
	}
	t.Run("after the install has begun without it", func(t *testing.T) {
		t.Parallel()
		s := newChartStory(t)
		plain := strings.Replace(kept["templates/secret.yaml"], "---", "---\napiVersion: v1\nkind: Secret\nmetadata: { name: shop-new }\nstringData: { password: {{ randAlphaNum 20 }} }\n---", 1)
		s.chart(t, "1.0.0", map[string]string{"templates/secret.yaml": plain, "templates/fails.yaml": "apiVersion: nosuch.example/v1\nkind: Nosuch\nmetadata: { name: x }\n"})
		s.declare(t, "")
		s.upFails(t)
		added := s.kube.value(t, "v1/Secret/"+s.space+"/shop-new", "data", "password")
		s.kube.delete(t, "v1/Secret/"+s.space+"/shop-auth")
		s.kube.delete(t, "v1/ConfigMap/"+s.space+"/shop")
		s.succeed(t, "state", "delete", "--yes", "--target-dependents", s.urnOf(t, "KubeObject::shop:Secret.shop-auth"))
		s.succeed(t, "state", "delete", "--yes", "--target-dependents", s.urnOf(t, "KubeObject::shop:ConfigMap.shop"))
		password := s.authOf(t, "helm", "meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: "+s.space)
		s.chart(t, "1.0.1", map[string]string{"templates/secret.yaml": plain})
		s.declare(t, "overrides: [{ select: { name: shop-auth }, adopt: true }]\ntakeOverFrom: [helm]")
		assert.Contains(t, s.preview(t), "taken from the cluster, and kept: web/templates/secret.yaml|")
		s.up(t)
		assert.Equal(t, password, s.password(t))
		assert.Equal(t, "liveLiveLiveLive", s.kube.value(t, "v1/ConfigMap/"+s.space+"/shop", "data", "password"))
		assert.Equal(t, added, s.kube.value(t, "v1/Secret/"+s.space+"/shop-new", "data", "password"), "what it has drawn before stays")
		s.previewEmpty(t)
	})
}
