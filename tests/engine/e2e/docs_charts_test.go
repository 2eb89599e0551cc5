package e2e

import (
	"encoding/base64"
	"errors"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	release "helm.sh/helm/v4/pkg/release/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/chartserver"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// The headings below which a release becomes a Chart, or objects of its own.
const (
	asChart     = "Step by step, with a chart"
	asManifests = "Step by step, with manifests"
)

// shopChart are the files of the chart of the pages. What it runs is of its version.
var shopChart = map[string]string{
	"values.yaml":         "replicas: 1\ngreeting: hello\npassword: \"\"\ndatabase: {password: \"\"}\n",
	"templates/NOTES.txt": "Shop {{ .Chart.Version }} is in {{ .Release.Namespace }}.",
	"templates/settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-settings}
data:
  greeting: {{ .Values.greeting | quote }}
{{- if semverCompare "<1.5.0" .Chart.Version }}
  legacy: "true"
{{- end }}
`,
	"templates/credentials.yaml": `apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-credentials}
data:
  password: {{ .Values.password | default .Values.database.password | default (randAlphaNum 16) | b64enc }}
`,
	"templates/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}-web}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata:
      labels: {app: {{ .Release.Name }}}
      annotations: {checksum/credentials: {{ include (print .Template.BasePath "/credentials.yaml") . | sha256sum }}}
    spec:
      containers:
      - name: web
        image: registry.example/shop:{{ .Chart.Version }}
        envFrom: [{configMapRef: {name: {{ .Release.Name }}-settings}}, {secretRef: {name: {{ .Release.Name }}-credentials}}]
`,
	"templates/migrate.yaml": shopJob("migrate", "pre-install,pre-upgrade"),
	"templates/backup.yaml":  shopJob("backup", "pre-delete"),
	"templates/tests/ping.yaml": `apiVersion: v1
kind: Pod
metadata: {name: {{ .Release.Name }}-ping, annotations: {helm.sh/hook: test}}
spec: {restartPolicy: Never, containers: [{name: ping, image: registry.example/shop}]}
`,
}

func shopJob(name, events string) string {
	return `apiVersion: batch/v1
kind: Job
metadata: {name: {{ .Release.Name }}-` + name + `, annotations: {helm.sh/hook: "` + events + `"}}
spec:
  template: {spec: {restartPolicy: Never, containers: [{name: ` + name + `, image: "registry.example/shop:{{ .Chart.Version }}"}]}}
`
}

// chartSources are where the programs of the pages find the chart: a repository, a registry, and a folder beside the program.
type chartSources struct {
	repository *chartserver.Repository
	registry   *chartserver.Registry
}

func newChartSources(t *testing.T) chartSources {
	t.Helper()
	at := chartSources{chartserver.NewRepository(t), chartserver.NewRegistry(t)}
	for _, version := range []string{"1.4.2", "1.5.0"} {
		packed := chartserver.Package(t, "shop", version, shopChart)
		at.repository.Add(packed)
		at.registry.Push(t, "charts", packed)
	}
	return at
}

// stack gives a stack the files of the program of a page, and returns the program.
func (at chartSources) stack(t *testing.T, f fence, space string, s *stack) (program string) {
	t.Helper()
	at.files(t, s)
	return strings.NewReplacer("namespace: shop", "namespace: "+space, "{ name: shop }", "{ name: "+space+" }").
		Replace(at.found(programOf(t, f.code)))
}

// files writes what lies beside the programs of the pages.
func (at chartSources) files(t *testing.T, s *stack) {
	t.Helper()
	chartserver.WriteFolder(t, filepath.Join(s.dir, "charts"), "shop", "1.4.2", shopChart)
	for _, name := range []string{"values.yaml", "values-production.yaml"} {
		s.file(t, name, "greeting: good day\n")
	}
}

// found is a program that looks for its chart where it is.
func (at chartSources) found(program string) string {
	return strings.NewReplacer("https://charts.example.com", at.repository.URL, "oci://registry.example/charts/shop", at.registry.Address("charts/shop")).
		Replace(program)
}

// pageOnCharts runs every program of the page, in a namespace of its own which is the provider's default.
func pageOnCharts(t *testing.T, p page) {
	c, sources := workloads.Get(t), newChartSources(t)
	password := func(t *testing.T, k *kube, space string) string {
		t.Helper()
		text, err := base64.StdEncoding.DecodeString(k.value(t, "v1/Secret/"+space+"/shop-credentials", "data", "password").(string))
		require.NoError(t, err)
		return string(text)
	}
	p.prove(t, proofs{aProgram: func(t *testing.T, f fence) {
		s, k, space := docsStack(t, c)
		if strings.Contains(f.code, "kind: Namespace") {
			space += "-shop"
		}
		program, web := sources.stack(t, f, space, s), "apps/v1/Deployment/"+space+"/shop-web"
		var uid any
		switch f.section {
		case "Generated passwords and certificates":
			before := strings.Replace(program, "      rotate: [password]\n", "", 1)
			require.NotEqual(t, program, before)
			s.program(t, "%s", before)
			s.up(t)
			first := password(t, k, space)
			assert.Len(t, first, 16)
			s.previewEmpty(t)
			s.program(t, "%s", program)
			assert.Contains(t, s.preview(t), "will be drawn again")
			s.up(t)
			assert.NotEqual(t, first, password(t, k, space))
			s.previewEmpty(t)
			return
		case "Taking over a release":
			s.installed(t, c, space, "shop", "--set", "password=correct-horse")
			uid = k.get(t, web).GetUID()
		}
		s.program(t, "%s", program)
		out := s.preview(t)
		assert.Contains(t, out, "shop-ping", "tests are left out, and said")
		if uid != nil {
			assert.Contains(t, out, "exists and will be adopted")
		} else {
			assert.Contains(t, out, "will run")
		}
		s.up(t)
		s.previewEmpty(t)
		switch f.section {
		case "A chart of a repository":
			assert.Equal(t, "Shop 1.4.2 is in "+space+".\n", s.succeed(t, "stack", "output", "notes").stdout)
			assert.Equal(t, int64(3), k.value(t, web, "spec", "replicas"))
			assert.Equal(t, "good day", k.value(t, "v1/ConfigMap/"+space+"/shop-settings", "data", "greeting"))
			drawn := password(t, k, space)
			s.program(t, "%s", strings.Replace(program, "1.4.2", "1.5.0", 1))
			out := s.preview(t, "--diff")
			assert.Contains(t, out, "registry.example/shop:1.5.0")
			assert.Contains(t, out, "will run")
			s.up(t)
			assert.Equal(t, "registry.example/shop:1.5.0", k.value(t, web, "spec", "template", "spec", "containers", 0, "image"))
			s.program(t, "%s", program)
			s.up(t)
			assert.Equal(t, "registry.example/shop:1.4.2", k.value(t, web, "spec", "template", "spec", "containers", 0, "image"))
			assert.Equal(t, drawn, password(t, k, space))
			s.previewEmpty(t)
		case "Namespace and name":
			k.get(t, web)
		case "Secrets and values that are not known yet":
			settings := k.get(t, "v1/ConfigMap/"+space+"/settings")
			assert.Equal(t, string(settings.GetUID()), k.value(t, "v1/ConfigMap/"+space+"/shop-settings", "data", "greeting"))
			assert.Equal(t, "correct-horse", password(t, k, space))
			saved := s.everythingSaved(t)
			assert.NotContains(t, saved, "correct-horse")
			assert.NotContains(t, saved, base64.StdEncoding.EncodeToString([]byte("correct-horse")))
		case "Edits and inputs for some objects":
			assert.Equal(t, "mirror.example/shop:1.4.2", k.value(t, web, "spec", "template", "spec", "containers", 0, "image"))
			assert.Equal(t, "shop", k.value(t, web, "metadata", "labels", "team"))
			k.merge(t, web, `{"spec": {"replicas": 5}}`)
			s.previewEmpty(t)
		case "Taking over a release":
			assert.Equal(t, uid, k.get(t, web).GetUID())
			s.program(t, "%s", takesOver.ReplaceAllString(program, ""))
			s.previewEmpty(t)
		}
		s.destroy(t)
		k.gone(t, web)
		if !strings.Contains(program, "kind: Namespace") {
			assert.NotNil(t, k.value(t, "batch/v1/Job/"+space+"/shop-backup", "status", "completionTime"), "it has run, and stays as with Helm")
		}
	}})

	schema, err := readFile(filepath.Join("..", "..", ".."), "schema.json")
	require.NoError(t, err)
	t.Run("every input is on the page", func(t *testing.T) {
		inputs, _ := at(parse([]byte(schema)), "resources", "k8sconnect:index:Chart", "inputProperties").(map[string]any)
		require.NotEmpty(t, inputs)
		for input := range maps.Keys(inputs) {
			assert.Contains(t, p.text, "`"+input)
		}
	})
	t.Run("the table has every hook that Helm has", func(t *testing.T) {
		section := p.section(t, "Hooks")
		for _, event := range []release.HookEvent{
			release.HookPreInstall, release.HookPostInstall, release.HookPreUpgrade, release.HookPostUpgrade, release.HookPreDelete,
			release.HookPostDelete, release.HookPreRollback, release.HookPostRollback, release.HookTest,
		} {
			assert.Regexp(t, "(?m)^\\| .*`"+event.String()+"`.* \\|$", section)
		}
	})
}

// helm runs Helm in the folder of the program.
func (s *stack) helm(t *testing.T, c *cluster.Cluster, space string, args ...string) string {
	t.Helper()
	path, err := cluster.Tool("helm")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, append(args, "--namespace", space, "--kubeconfig", c.KubeconfigFile())...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + t.TempDir()}
	out, err := cmd.Output()
	if failed, is := errors.AsType[*exec.ExitError](err); is {
		require.NoError(t, err, "%s", failed.Stderr)
	}
	require.NoError(t, err)
	return string(out)
}

// installed installs the chart of the pages, which is in the folder of the program, by Helm.
func (s *stack) installed(t *testing.T, c *cluster.Cluster, space, release string, args ...string) {
	t.Helper()
	s.helm(t, c, space, append([]string{"install", release, "./charts/shop"}, args...)...)
}

// renamed gives what Helm has applied to another field manager: programs that contain Helm 3 have their own name, and update.
func (k *kube) renamed(t *testing.T, manager string, ids ...string) {
	t.Helper()
	for _, id := range ids {
		client, _ := k.must(t, id)
		// Controllers write the status of a workload at the same time.
		require.NoError(t, retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			live := k.get(t, id)
			entries := live.GetManagedFields()
			for i := range entries {
				if entries[i].Manager == "helm" {
					entries[i].Manager, entries[i].Operation = manager, metav1.ManagedFieldsOperationUpdate
				}
			}
			live.SetManagedFields(entries)
			_, err := client.Update(t.Context(), live, metav1.UpdateOptions{FieldManager: manager})
			return err
		}))
		require.Contains(t, k.managers(t, id), manager)
	}
}

// takenOver is the walk of a page on which the chart that others have installed becomes a Chart.
type takenOver struct {
	page page
	// section has the program.
	section string
	// install installs release from the chart in the folder of the program, with the file values.yaml and more values.
	install func(t *testing.T, s *stack, k *kube, c *cluster.Cluster, space, release string, more []string)
	// change changes the program as the page says.
	change func(program string) string
	// records tells that a release of Helm is in the cluster, which is to be forgotten in the end.
	records bool
}

// idsOf are the objects of the chart of the pages.
func idsOf(space, release string) []string {
	return []string{
		"apps/v1/Deployment/" + space + "/" + release + "-web", "v1/ConfigMap/" + space + "/" + release + "-settings",
		"v1/Secret/" + space + "/" + release + "-credentials",
	}
}

// releaseOf matches the name of a release in a program.
var releaseOf = regexp.MustCompile(`(?m)^      releaseName: (.*)$`)

func (w takenOver) walk(t *testing.T) {
	t.Helper()
	t.Parallel()
	c := workloads.Get(t)
	s, k, space := docsStack(t, c)
	program := newChartSources(t).stack(t, w.page.in(t, w.section, aProgram)[0], space, s)
	name := "shop"
	if named := releaseOf.FindStringSubmatch(program); named != nil {
		name = named[1]
	}
	var more []string
	if strings.Contains(program, "{ replicas: 3 }") {
		program = strings.Replace(program, "{ replicas: 3 }", "{ replicas: 3, password: correct-horse }", 1)
		more = []string{"--set", "replicas=3"}
	}
	if w.change != nil {
		program = w.change(program)
	}
	s.file(t, "values.yaml", "password: correct-horse\n")
	w.install(t, s, k, c, space, name, append([]string{"--values", "values.yaml"}, more...))
	ids := idsOf(space, name)
	before, jobs := map[string]*unstructured.Unstructured{}, func() map[string]types.UID {
		return chartStory{stack: s, kube: k, cluster: c, space: space}.succeeded(t)
	}
	for _, id := range ids {
		before[id] = k.get(t, id)
	}
	ran := jobs()

	s.program(t, "%s", program)
	out := s.preview(t, "--diff")
	assert.Equal(t, len(ids), strings.Count(out, "exists and will be adopted"), out)
	assert.NotContains(t, out, "will run", "no hook of an install runs")
	s.up(t)
	assert.Equal(t, ran, jobs())
	program = takesOver.ReplaceAllString(program, "")
	s.program(t, "%s", program)
	s.previewEmpty(t)
	for _, id := range ids {
		live := k.get(t, id)
		assert.Equal(t, before[id].GetUID(), live.GetUID(), id)
		assert.Equal(t, before[id].Object["spec"], live.Object["spec"], "no pod restarts")
		assert.Equal(t, before[id].Object["data"], live.Object["data"], id)
	}

	// The page says to make Helm forget the release. After that, the chart is upgraded.
	secrets, err := c.Client().CoreV1().Secrets(space).List(t.Context(), metav1.ListOptions{LabelSelector: "owner=helm,name=" + name})
	require.NoError(t, err)
	assert.Equal(t, w.records, len(secrets.Items) > 0)
	kubectl(t, c, "", "delete", "secret", "--namespace", space, "--selector", "owner=helm,name="+name)
	s.program(t, "%s", strings.Replace(program, "1.4.2", "1.5.0", 1))
	out = s.preview(t, "--diff")
	assert.Contains(t, out, "Job "+space+"/"+name+"-migrate will run")
	s.up(t)
	assert.NotContains(t, k.get(t, ids[1]).Object["data"], "legacy", "a field that is dropped really goes")
	assert.Contains(t, jobs(), name+"-migrate")
	s.previewEmpty(t)
	s.destroy(t)
	for _, id := range ids {
		k.gone(t, id)
	}
}

// byHelm installs by Helm, under the field manager of a program that contains it.
func byHelm(manager string) func(t *testing.T, s *stack, k *kube, c *cluster.Cluster, space, release string, more []string) {
	return func(t *testing.T, s *stack, k *kube, c *cluster.Cluster, space, release string, more []string) {
		t.Helper()
		s.installed(t, c, space, release, more...)
		if manager != "helm" {
			k.renamed(t, manager, idsOf(space, release)...)
		}
	}
}

// bySSA applies what Helm renders, but for hooks, as the Chart of another provider does.
func bySSA(manager string) func(t *testing.T, s *stack, k *kube, c *cluster.Cluster, space, release string, more []string) {
	return func(t *testing.T, s *stack, _ *kube, c *cluster.Cluster, space, release string, more []string) {
		t.Helper()
		rendered := s.helm(t, c, space, append([]string{"template", release, "./charts/shop", "--no-hooks"}, more...)...)
		applyAs(t, c, manager, rendered, "--namespace", space)
	}
}
