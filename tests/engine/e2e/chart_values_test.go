package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/chartserver"
)

func TestAChartOfARepositoryAndOfARegistry(t *testing.T) { // [H1]
	t.Parallel()
	files := map[string]string{"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: shop }\ndata: { version: {{ .Chart.Version | quote }} }\n"}
	first, second := chartserver.Package(t, "web", "1.0.0", files), chartserver.Package(t, "web", "1.1.0", files)
	repository, registry := chartserver.NewRepository(t, first), chartserver.NewRegistry(t)
	for _, archive := range []chartserver.Archive{first, second} {
		registry.Push(t, "charts", archive)
	}
	registry.Demand("reader", "hunter2")
	s := newChartStory(t)
	s.env["PULUMI_HOME"] = t.TempDir() // with a cache of its own
	declare := func(t *testing.T, inputs string) {
		t.Helper()
		s.declare(t, inputs)
		s.program(t, "%s", strings.Replace(s.programText(t), "chart: ./web", "", 1))
	}
	installed := func(t *testing.T) any { return s.kube.value(t, "v1/ConfigMap/"+s.space+"/shop", "data", "version") }

	step(t, "is fetched once in a run, at the newest version that the program allows", func(t *testing.T) {
		declare(t, "chart: web\nrepo: "+repository.URL+"\nversion: ^1.0")
		s.up(t)
		assert.Equal(t, "1.0.0", installed(t))
		assert.Equal(t, "1.0.0", s.output(t, "version"))
		assert.Equal(t, 1, repository.Count("index.yaml"))
	})
	step(t, "a new version is an update that changes what differs [H13]", func(t *testing.T) {
		repository.Add(second)
		assert.Contains(t, s.preview(t), `version: "1.0.0" => "1.1.0"`)
		s.up(t)
		assert.Equal(t, "1.1.0", installed(t))
	})
	step(t, "another digest is refused, with both", func(t *testing.T) {
		declare(t, "chart: web\nrepo: "+repository.URL+"\nversion: 1.0.0\ndigest: "+second.Digest())
		out := s.previewFails(t)
		assert.Contains(t, out, first.Digest())
		assert.Contains(t, out, second.Digest())
	})
	step(t, "of a registry, with a login that nothing shows", func(t *testing.T) {
		declare(t, "chart: "+registry.Address("charts/web")+"\nversion: 1.0.0")
		assert.NotContains(t, s.previewFails(t), "hunter2")
		declare(t, "chart: "+registry.Address("charts/web")+"\nversion: 1.0.0\nrepoUsername: reader\nrepoPassword: hunter2")
		s.up(t)
		assert.Equal(t, "1.0.0", installed(t))
		assert.NotContains(t, s.exported(t), "hunter2")
		s.previewEmpty(t)
	})
}

func TestAValueThatIsKnownOnlyAfterTheApply(t *testing.T) { // [H10]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", webChart(map[string]string{
		"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: shop }\ndata: { uid: {{ .Values.uid | quote }}, color: blue }\n",
		"templates/some.yaml":   "{{ if .Values.uid }}\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: some }\n{{ end }}\n",
	}))
	declare := func(t *testing.T, color string) {
		t.Helper()
		s.declare(t, "values: { uid: \"${other.resourceRef.uid}\", replicas: 1 }")
		text := strings.Replace(s.programText(t), "resources:\n", strings.NewReplacer("SPACE", s.space, "COLOR", color).Replace(`resources:
  other:
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: other-COLOR, namespace: SPACE } } }
`), 1)
		s.program(t, "%s", text)
	}
	config := "v1/ConfigMap/" + s.space + "/shop"
	step(t, "makes that leaf unknown, and nothing else", func(t *testing.T) {
		declare(t, "a")
		out := s.preview(t)
		assert.Regexp(t, `uid\s*: \[unknown\]`, out)
		assert.Contains(t, out, `color: "blue"`)
		assert.Contains(t, out, "replicas: 1")
		s.up(t)
		assert.Equal(t, string(s.kube.get(t, "v1/ConfigMap/"+s.space+"/other-a").GetUID()), s.kube.value(t, config, "data", "uid"))
		s.kube.get(t, "v1/ConfigMap/"+s.space+"/some")
		s.previewEmpty(t)
	})
	step(t, "later deletes nothing in a preview, not even what may not be there any more", func(t *testing.T) {
		declare(t, "b")
		out := s.preview(t)
		assert.Regexp(t, `uid: "[^"]+" => \[unknown\]`, out)
		assert.NotContains(t, out, "- k8sconnect:index:KubeObject: (delete)\n        [urn=urn:pulumi:test::"+s.project+"::k8sconnect:index:Chart$")
		assert.NotContains(t, out, "- k8sconnect:index:Task")
		s.up(t)
		assert.Equal(t, string(s.kube.get(t, "v1/ConfigMap/"+s.space+"/other-b").GetUID()), s.kube.value(t, config, "data", "uid"))
		s.previewEmpty(t)
	})
}

func TestAReleaseThatIsRenderedOnlyAfterTheApply(t *testing.T) { // [H6] [H10]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", webChart(nil))
	declare := func(t *testing.T, other string) {
		t.Helper()
		s.declare(t, "values: { replicas: 1 }\napiVersions: [\"${other.resourceRef.uid}\"]\n"+
			"overrides: [{ select: { kind: Deployment }, ignoreFields: [spec.replicas] }]")
		s.program(t, "%s", strings.Replace(s.programText(t), "resources:\n", strings.NewReplacer("SPACE", s.space, "OTHER", other).Replace(`resources:
  other:
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: OTHER, namespace: SPACE } } }
`), 1))
	}
	declare(t, "a")
	s.up(t)
	welcomed := s.job(t, "shop-welcome")
	declare(t, "b")
	out := s.preview(t)
	assert.Contains(t, out, "shop:batch/Job.shop-migrate]")
	assert.Contains(t, out, "+ manifest: [unknown]")
	for _, input := range []string{"__hook", "runOn", "triggers", "with", "ignoreFields"} {
		assert.NotRegexp(t, `(?m)^\s*[-~+] `+input+`\b`, out, "nothing else of a child changes")
	}
	assert.Equal(t, 1, strings.Count(out, "It will run"), "the hook of installs does not")
	s.up(t)
	assert.Equal(t, welcomed.UID, s.job(t, "shop-welcome").UID)
	s.previewEmpty(t)
}

func TestASecretValueOfAChart(t *testing.T) { // [H2]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{
		"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: shop }\ndata: { url: \"db://{{ .Values.db.user }}:{{ .Values.db.password }}@host\", sum: {{ sha256sum .Values.db.password }}, color: blue }\n",
		"templates/NOTES.txt":   "The password is {{ .Values.db.password }}.\n",
	})
	s.declare(t, "values: { db: { user: ann, password: { fn::secret: hunter2secret } } }")
	out := s.preview(t)
	assert.NotContains(t, out, "hunter2secret")
	assert.Regexp(t, `url\s*: \[secret\]`, out)
	assert.Regexp(t, `sum\s*: \[secret\]`, out)
	assert.Contains(t, out, `"blue"`)
	assert.NotContains(t, s.up(t), "hunter2secret")
	assert.NotContains(t, s.exported(t), "hunter2secret")
	assert.Equal(t, "db://ann:hunter2secret@host", s.kube.value(t, "v1/ConfigMap/"+s.space+"/shop", "data", "url"))
	s.previewEmpty(t)
}

func TestRandomValuesAreDrawnAgainWhenTheProgramSaysSo(t *testing.T) { // [H8]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{
		"templates/secret.yaml": chartSecret,
		"templates/tls.yaml": `
{{- $ca := genCA "shop" 365 }}{{ $cert := genSignedCert "shop" nil (list "shop") 365 $ca }}
apiVersion: v1
kind: Secret
metadata: { name: tls }
data: { ca.crt: {{ b64enc $ca.Cert }}, tls.crt: {{ b64enc $cert.Cert }}, tls.key: {{ b64enc $cert.Key }} }
`,
	})
	password := func(t *testing.T) any { return s.kube.value(t, "v1/Secret/"+s.space+"/shop-auth", "data", "password") }
	certificate := func(t *testing.T) any { return s.kube.value(t, "v1/Secret/"+s.space+"/tls", "data", "tls.crt") }
	s.declare(t, "")
	s.up(t)
	first, tls := password(t), certificate(t)
	s.previewEmpty(t)
	step(t, "once, and the preview says which", func(t *testing.T) {
		s.declare(t, "rotate: [password]")
		out := s.preview(t)
		assert.Contains(t, out, "These values will be drawn again: ")
		assert.Contains(t, out, "web/templates/secret.yaml|password")
		s.up(t)
		assert.NotEqual(t, first, password(t))
		assert.Equal(t, tls, certificate(t))
		second := password(t)
		s.previewEmpty(t)
		s.up(t)
		assert.Equal(t, second, password(t))
	})
	step(t, "on another machine they are the same", func(t *testing.T) {
		second := password(t)
		other := s
		other.stack = &stack{project: s.project, name: s.name, dir: t.TempDir(), backend: s.backend, env: s.env}
		other.chart(t, "1.0.1", map[string]string{"templates/secret.yaml": "# moved\n" + chartSecret})
		other.declare(t, "")
		settings, err := os.ReadFile(s.initialFiles()[0])
		require.NoError(t, err)
		other.file(t, filepath.Base(s.initialFiles()[0]), string(settings))
		other.up(t)
		assert.Equal(t, second, password(t))
	})
}

func TestRenderChartInAProgram(t *testing.T) { // [H17]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{
		"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\ndata: { size: {{ .Values.size | quote }} }\n",
		"templates/hook.yaml":   jobOf("migrate", "kwok", "helm.sh/hook: pre-install"),
		"templates/NOTES.txt":   chartNotes,
	})
	s.program(t, "%s", `
variables:
  rendered:
    fn::invoke:
      function: k8sconnect:renderChart
      arguments: { chart: ./web, releaseName: shop, values: { size: 4 } }
  text:
    fn::invoke:
      function: k8sconnect:renderChart
      arguments: { chart: ./web, releaseName: shop, values: { size: 4 }, format: yaml }
outputs:
  text: ${text.yaml}
  size: ${rendered.manifests["ConfigMap.shop"].data.size}
  first: ${rendered.hooks[0].events[0]}
  notes: ${rendered.notes}
`)
	s.nowhere(t)
	s.up(t)
	require.Equal(t, "4", s.output(t, "size"))
	assert.Equal(t, "---\napiVersion: v1\ndata:\n  size: \"4\"\nkind: ConfigMap\nmetadata:\n  name: shop", s.output(t, "text"))
	assert.Equal(t, "pre-install", s.output(t, "first"))

	// kubectl takes the text as it is.
	kubectl(t, s.cluster, s.output(t, "text"), "apply", "--dry-run=server", "--validate=strict", "--namespace", s.space, "--filename", "-")
	kubectl(t, s.cluster, s.output(t, "text"), "apply", "--namespace", s.space, "--filename", "-")
	assert.Equal(t, "4", s.kube.get(t, "v1/ConfigMap/"+s.space+"/shop").Object["data"].(map[string]any)["size"])
	assert.Contains(t, s.output(t, "notes"), "shop 1.0.0 is in default.")
}

func TestMistakesOfAChartSayNothingOfSecretValues(t *testing.T) { // [H2]
	t.Parallel()
	s := newChartStory(t)
	for what, c := range map[string]struct {
		template, says string
		fails          bool
	}{
		"what an object depends on": {"apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, annotations: { config.kubernetes.io/depends-on: {{ .Values.p | upper | quote }} } }\n", "because the manifest is secret", true},
		"what is not in the chart":  {"apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, annotations: { config.kubernetes.io/depends-on: /Secret/{{ .Values.p }} } }\n", "should be applied after an object", false},
		"when a hook runs":          {"apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, annotations: { helm.sh/hook: {{ .Values.p | quote }} } }\n", "names an event that Helm does not know", false},
		"the version of a kind":     {"apiVersion: {{ .Values.p }}\nkind: ConfigMap\nmetadata: { name: a }\n", "apiVersion depends on a secret value", true},
		"a kind":                    {"apiVersion: v1\nkind: {{ .Values.p }}\nmetadata: { name: a }\n", "kind depends on a secret value", true},
		"a name":                    {"apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Values.p | lower }} }\n", "metadata.name depends on a secret value", true},
	} {
		s.chart(t, "1.0.0", map[string]string{"templates/it.yaml": c.template})
		s.declare(t, "values: { p: { 'fn::secret': S3cr3tValue } }")
		for _, command := range []string{"preview", "up --yes --skip-preview"} {
			r := s.exec(t, strings.Fields(command)...)
			assert.Equal(t, c.fails, r.code != 0, "%s: %s", what, r.out)
			if command == "preview" {
				assert.Contains(t, r.out, c.says, what)
			}
			assert.NotContains(t, strings.ToLower(r.out), "s3cr3tvalue", what)
			assert.NotContains(t, strings.ToLower(s.exported(t)), "s3cr3tvalue", what)
		}
	}
}

func TestAChartThatCannotBeReadChangesNothing(t *testing.T) { // [H1]
	t.Parallel()
	s := newChartStory(t)
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n"
	s.chart(t, "1.0.0", map[string]string{"templates/a.yaml": config})
	s.declare(t, "")
	s.up(t)
	id := "v1/ConfigMap/" + s.space + "/a"
	before := s.uids(t, id)
	s.chart(t, "1.0.1", map[string]string{"templates/a.yaml": config, "values.yaml": "a: [\n"})
	for _, out := range []string{s.previewFails(t), s.upFails(t)} {
		assert.Contains(t, out, "values.yaml")
		assert.Contains(t, out, "[ChartUnusable]")
	}
	assert.Equal(t, before, s.uids(t, id))
}

func TestAChartMayWriteTheNamespaceOfTheReleaseOrNot(t *testing.T) { // [H13]
	t.Parallel()
	s := newChartStory(t)
	config := func(namespace string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a" + namespace + " }\n---\n" +
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web" + namespace + " }\nspec:\n  selector: { matchLabels: { app: web } }\n" +
			"  template:\n    metadata: { labels: { app: web, kubelet: kwok } }\n    spec: { containers: [{ name: web, image: \"web:1\" }] }\n"
	}
	ids := []string{"v1/ConfigMap/" + s.space + "/a", "apps/v1/Deployment/" + s.space + "/web"}
	s.chart(t, "1.0.0", map[string]string{"templates/a.yaml": config("")})
	s.declare(t, "wait: all")
	s.up(t)
	before := s.uids(t, ids...)
	for i, namespace := range []string{", namespace: {{ .Release.Namespace }}", "", ", namespace: " + s.space} {
		version := fmt.Sprintf("1.0.%d", i+1)
		s.chart(t, version, map[string]string{"templates/a.yaml": config(namespace)})
		assert.NotContains(t, s.preview(t), "to replace", version)
		s.up(t)
		assert.Equal(t, before, s.uids(t, ids...), version)
		s.previewEmpty(t)
	}
	s.destroy(t)
	s.tidy(t, s.kube)
}

func TestAValueThatTheProgramRemoves(t *testing.T) { // [D68]
	t.Parallel()
	s := newChartStory(t)
	shop := "v1/ConfigMap/" + s.space + "/shop"
	s.chart(t, "1.0.0", map[string]string{
		"values.yaml":           "limits: { cpu: 1, memory: 2 }\n",
		"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\ndata: { limits: {{ .Values.limits | toJson | quote }} }\n",
	})
	s.declare(t, "unset: [limits.cpu, limits.cpus]")
	out := s.preview(t)
	assert.Contains(t, out, "unset removes what the chart sets: limits.cpu.")
	assert.Contains(t, out, `unset: "limits.cpus" names nothing that the chart sets.`)
	s.up(t)
	assert.JSONEq(t, `{"memory":2}`, s.kube.value(t, shop, "data", "limits").(string))
	s.declare(t, "")
	assert.NotContains(t, s.up(t), "unset")
	assert.JSONEq(t, `{"cpu":1,"memory":2}`, s.kube.value(t, shop, "data", "limits").(string))
}

func TestAKeyThatIsSecretStandsTwice(t *testing.T) { // [D96]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", webChart(map[string]string{
		"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: shop }\ndata:\n  {{ .Values.key }}: a\n  {{ .Values.key }}: b\n  {{ .Values.key }}: c\n",
		"templates/other.yaml":  "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: other }\ndata:\n  color: red\n  color: blue\n",
	}))
	s.declare(t, "values: { key: { fn::secret: hunter2 } }")
	for _, out := range []string{s.preview(t), s.up(t)} {
		assert.NotContains(t, out, "hunter2")
		assert.Contains(t, out, "templates/config.yaml: a warning is not shown, because what it quotes depends on values that are secret")
		assert.Contains(t, out, `the key "color" is there twice`)
	}
	assert.Equal(t, "c", s.kube.value(t, "v1/ConfigMap/"+s.space+"/shop", "data", "hunter2"), "the last one counts, as for Helm")
	assert.NotContains(t, s.exported(t), "hunter2")
}
