package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// drawingChart draws a password and, in one template, an authority and a certificate.
var drawingChart = map[string]string{
	"values.yaml":           "size: 1\n",
	"templates/secret.yaml": chartSecret,
	"templates/tls.yaml": `
{{- $ca := genCA "web" 365 }}
{{- $cert := genSignedCert .Release.Name nil (list .Release.Name) 365 $ca }}
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-tls }
type: kubernetes.io/tls
data:
  ca.crt: {{ $ca.Cert | b64enc }}
  tls.crt: {{ $cert.Cert | b64enc }}
  tls.key: {{ $cert.Key | b64enc }}
`,
	"templates/object.yaml":  "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\ndata: { size: {{ .Values.size | quote }} }\n",
	"templates/migrate.yaml": jobOf("migrate", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
}

func TestTwoReleasesOfOneChartInOneNamespace(t *testing.T) { // [H8] [H9]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", drawingChart)
	releases := func(t *testing.T, names ...string) {
		t.Helper()
		text := "\nresources:\n"
		for _, name := range names {
			text += strings.NewReplacer("NAME", name, "SPACE", s.space).Replace(
				"  NAME:\n    type: k8sconnect:Chart\n    properties: { chart: ./web, namespace: SPACE, releaseName: NAME-release }\n")
		}
		s.program(t, "%s", text)
	}
	secrets := func(t *testing.T, name string) map[string]any {
		t.Helper()
		prefix := "v1/Secret/" + s.space + "/" + name + "-release-"
		found := map[string]any{"password": s.kube.value(t, prefix+"auth", "data", "password")}
		for _, key := range []string{"ca.crt", "tls.crt", "tls.key"} {
			found[key] = s.kube.value(t, prefix+"tls", "data", key)
		}
		return found
	}
	releases(t, "one", "two")
	s.preview(t)
	s.up(t)
	one, two := secrets(t, "one"), secrets(t, "two")
	jobs := s.succeeded(t)
	step(t, "each draws values of its own", func(t *testing.T) {
		for key := range one {
			assert.NotEmpty(t, one[key], key)
			assert.NotEqual(t, one[key], two[key], key)
		}
		assert.Len(t, jobs, 2)
		s.previewEmpty(t)
		s.up(t)
		assert.Equal(t, one, secrets(t, "one"))
		assert.Equal(t, two, secrets(t, "two"))
	})
	step(t, "without one, the other stays as it is", func(t *testing.T) {
		before := s.kube.get(t, "v1/Secret/"+s.space+"/two-release-tls")
		releases(t, "two")
		s.up(t)
		s.kube.gone(t, "v1/Secret/"+s.space+"/one-release-auth")
		assert.Nil(t, s.job(t, "one-release-migrate"))
		assert.Equal(t, before, s.kube.get(t, "v1/Secret/"+s.space+"/two-release-tls"))
		assert.Equal(t, two, secrets(t, "two"))
		assert.Equal(t, jobs["two-release-migrate"], s.succeeded(t)["two-release-migrate"])
		s.previewEmpty(t)
	})
	step(t, "another of the name draws other values", func(t *testing.T) {
		releases(t, "one", "two")
		s.up(t)
		assert.NotEqual(t, one["password"], secrets(t, "one")["password"])
		assert.NotEqual(t, one["tls.key"], secrets(t, "one")["tls.key"])
		assert.Equal(t, two, secrets(t, "two"))
		s.previewEmpty(t)
		s.destroy(t)
		assert.Empty(t, s.export(t).resources)
	})
}
