package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAReleaseOfHelmIsTakenOver(t *testing.T) { // [H12]
	t.Parallel()
	s := newChartStory(t)
	secret, web := "v1/Secret/"+s.space+"/shop-auth", "apps/v1/Deployment/"+s.space+"/shop"
	chart := webChart(map[string]string{
		// In Helm, the checksum of a file that draws is another one than that of what is applied.
		"templates/deployment.yaml": strings.ReplaceAll(chartDeployment, "annotations:", "# annotations:"),
		"templates/secret.yaml": `
{{- $live := lookup "v1" "Secret" .Release.Namespace (printf "%s-auth" .Release.Name) }}
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-auth }
data:
  password: {{ if $live }}{{ $live.data.password }}{{ else }}{{ randAlphaNum 16 | b64enc }}{{ end }}
`})
	s.chart(t, "1.0.0", chart)
	s.helm(t, s.cluster, s.space, "install", "shop", "./web", "--set", "replicas=2")
	password, live := s.kube.value(t, secret, "data", "password"), s.kube.get(t, web)
	records := func() int {
		list, err := s.cluster.Client().CoreV1().Secrets(s.space).List(t.Context(), metav1.ListOptions{LabelSelector: "owner=helm,name=shop"})
		require.NoError(t, err)
		return len(list.Items)
	}
	job := s.job(t, "shop-migrate")
	require.NotNil(t, job)

	step(t, "without being told to, nothing is taken over", func(t *testing.T) {
		s.declare(t, "values: { replicas: 2 }")
		assert.Contains(t, s.previewFails(t), "already exists")
	})
	step(t, "no hook of installs runs, no pod restarts, and the password stays", func(t *testing.T) {
		s.declare(t, "values: { replicas: 2 }\nadopt: true\ntakeOverFrom: [helm]")
		out := s.preview(t)
		assert.NotContains(t, out, "will run")
		assert.Contains(t, out, "Secrets sh.helm.release.v1.shop.v*")
		s.up(t)
		assert.Equal(t, live.GetUID(), s.kube.get(t, web).GetUID())
		assert.Equal(t, live.GetGeneration(), s.kube.get(t, web).GetGeneration())
		assert.Equal(t, password, s.kube.value(t, secret, "data", "password"))
		assert.Equal(t, job.UID, s.job(t, "shop-migrate").UID)
		assert.Equal(t, 1, records(), "the record of the release is Helm's")
		s.previewEmpty(t)
	})
	step(t, "the password stays when nothing is taken over any more, and when the Secret was lost", func(t *testing.T) {
		s.declare(t, "values: { replicas: 2 }")
		s.up(t)
		assert.Equal(t, password, s.kube.value(t, secret, "data", "password"))
		s.kube.delete(t, secret)
		s.up(t)
		assert.Equal(t, password, s.kube.value(t, secret, "data", "password"))
	})
	step(t, "the next change runs the hooks of upgrades, in place of Helm's Jobs", func(t *testing.T) {
		s.declare(t, "values: { replicas: 3 }")
		s.up(t)
		assert.NotEqual(t, job.UID, s.job(t, "shop-migrate").UID)
		s.previewEmpty(t)
	})
	step(t, "what leaves the chart leaves the cluster", func(t *testing.T) {
		delete(chart, "templates/deployment.yaml")
		s.chart(t, "1.1.0", chart)
		s.up(t)
		s.kube.gone(t, web)
	})
}

func TestARandomPasswordOfHelmIsTakenOver(t *testing.T) { // [D65]
	t.Parallel()
	const templates = `
{{- $password := randAlphaNum 16 }}
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-auth }
stringData:
  password: {{ $password | quote }}
  hash: {{ htpasswd "admin" "correct-horse" | quote }}
---
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-url }
data:
  url: {{ printf "postgres://admin:%s@db" $password | b64enc }}
---
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-tls }
data:
  ca.crt: {{ (genCA "shop" 365).Cert | b64enc }}
`
	for name, c := range map[string]struct {
		change func(t *testing.T, s chartStory, secret, url string)
		stays  bool
	}{
		"as Helm has made it": {stays: true},
		"as an application has rotated it": {stays: true, change: func(t *testing.T, s chartStory, secret, url string) {
			s.kube.apply(t, secret, "app", "apiVersion: v1\nkind: Secret\nmetadata: {name: shop-auth, namespace: "+s.space+"}\nstringData: {password: rotatedRotated16}\n")
			s.kube.apply(t, url, "app", "apiVersion: v1\nkind: Secret\nmetadata: {name: shop-url, namespace: "+s.space+"}\nstringData: {url: 'postgres://admin:rotatedRotated16@db'}\n")
		}},
		"not where places disagree": {change: func(t *testing.T, s chartStory, secret, _ string) {
			s.kube.apply(t, secret, "app", "apiVersion: v1\nkind: Secret\nmetadata: {name: shop-auth, namespace: "+s.space+"}\nstringData: {password: rotatedRotated16}\n")
		}},
		"not where it is longer": {change: func(t *testing.T, s chartStory, secret, url string) {
			s.kube.apply(t, secret, "app", "apiVersion: v1\nkind: Secret\nmetadata: {name: shop-auth, namespace: "+s.space+"}\nstringData: {password: rotatedRotated16longer}\n")
			s.kube.apply(t, url, "app", "apiVersion: v1\nkind: Secret\nmetadata: {name: shop-url, namespace: "+s.space+"}\nstringData: {url: 'postgres://admin:rotatedRotated16longer@db'}\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChartStory(t)
			secret, url, tls := "v1/Secret/"+s.space+"/shop-auth", "v1/Secret/"+s.space+"/shop-url", "v1/Secret/"+s.space+"/shop-tls"
			s.chart(t, "1.0.0", map[string]string{"templates/secrets.yaml": templates})
			s.helm(t, s.cluster, s.space, "install", "shop", "./web")
			if c.change != nil {
				c.change(t, s, secret, url)
			}
			password, whole, hash := s.kube.value(t, secret, "data", "password"), s.kube.value(t, url, "data", "url"), s.kube.value(t, secret, "data", "hash")
			authority := s.kube.value(t, tls, "data", "ca.crt")
			s.declare(t, "adopt: true\ntakeOverFrom: [helm, app]")
			out := s.preview(t)
			assert.Equal(t, !c.stays, strings.Contains(out, "The chart draws other values than the release has"), out)
			assert.Equal(t, !c.stays, strings.Contains(out, "data.password of Secret shop-auth, data.url of Secret shop-url"), out)
			assert.Contains(t, out, "shop-auth exists and will be adopted")
			assert.Equal(t, !c.stays, strings.Contains(s.up(t), "data.password of Secret shop-auth, data.url of Secret shop-url"))
			assert.Equal(t, c.stays, password == s.kube.value(t, secret, "data", "password"))
			assert.Equal(t, c.stays, whole == s.kube.value(t, url, "data", "url"))
			assert.Equal(t, hash, s.kube.value(t, secret, "data", "hash"), "the hash can be kept without what is in it")
			assert.Equal(t, authority, s.kube.value(t, tls, "data", "ca.crt"))
			s.previewEmpty(t)
			s.declare(t, "")
			s.up(t)
			assert.Equal(t, c.stays, password == s.kube.value(t, secret, "data", "password"))
		})
	}
}
