package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// chartStory is a stack with a Chart in a namespace of its own, in a cluster in which pods run.
type chartStory struct {
	*stack
	kube    *kube
	cluster *cluster.Cluster
	space   string
}

func newChartStory(t *testing.T) chartStory {
	t.Helper()
	c := workloads.Get(t)
	k := kubeOf(t, c)
	return chartStory{newStackIn(t, k, c.KubeconfigFile()), k, c, c.Namespace(t)}
}

// chart writes a chart into the project: Chart.yaml, and files by their names.
func (s chartStory) chart(t *testing.T, version string, files map[string]string) {
	t.Helper()
	all := map[string]string{"Chart.yaml": "apiVersion: v2\nname: web\nversion: " + version + "\n"}
	maps.Copy(all, files)
	require.NoError(t, os.RemoveAll(filepath.Join(s.dir, "web")))
	for name, text := range all {
		path := filepath.Join("web", name)
		require.NoError(t, os.MkdirAll(filepath.Join(s.dir, filepath.Dir(path)), 0o700))
		s.file(t, path, text)
	}
}

// declare writes a program with the Chart, with these inputs beside the namespace.
func (s chartStory) declare(t *testing.T, inputs string) {
	t.Helper()
	const program = `
resources:
  shop:
    type: k8sconnect:Chart
    properties:
      chart: ./web
      namespace: SPACE
      INPUTS
outputs:
  notes: ${shop.notes}
  version: ${shop.version}
`
	s.program(t, "%s", strings.NewReplacer("SPACE", s.space, "INPUTS", strings.ReplaceAll(inputs, "\n", "\n      ")).Replace(program))
}

// job reads a Job, nil if there is none.
func (s chartStory) job(t *testing.T, name string) *batchv1.Job {
	t.Helper()
	list, err := s.cluster.Client().BatchV1().Jobs(s.space).List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	require.NoError(t, err)
	if len(list.Items) == 0 {
		return nil
	}
	return &list.Items[0]
}

// jobOf is the template of a hook whose pods are run by a kubelet.
func jobOf(name, kubelet string, annotations ...string) string {
	return strings.NewReplacer("NAME", name, "KUBELET", kubelet, "ANNOTATIONS", strings.Join(annotations, ", ")).Replace(`
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-NAME
  annotations: { ANNOTATIONS }
spec:
  backoffLimit: 0
  template:
    metadata: { labels: { kubelet: KUBELET } }
    spec: { restartPolicy: Never, containers: [{ name: NAME, image: "hook:1" }] }
`)
}

const (
	chartSecret = `
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-auth }
stringData:
  password: {{ randAlphaNum 16 | quote }}
`
	chartDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }} }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: web } }
  template:
    metadata:
      labels: { app: web, kubelet: kwok }
      annotations: { checksum: {{ include (print $.Template.BasePath "/secret.yaml") . | sha256sum }} }
    spec:
      containers: [{ name: web, image: "web:1", envFrom: [{ secretRef: { name: {{ .Release.Name }}-auth } }] }]
`
	chartNotes = "{{ .Release.Name }} {{ .Chart.Version }} is in {{ .Release.Namespace }}.\n"
)

// webChart has a password, a workload, and hooks of every phase.
func webChart(changes map[string]string) map[string]string {
	files := map[string]string{
		"values.yaml":                 "replicas: 1\n",
		"templates/secret.yaml":       chartSecret,
		"templates/deployment.yaml":   chartDeployment,
		"templates/NOTES.txt":         chartNotes,
		"templates/hook-migrate.yaml": jobOf("migrate", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
		"templates/hook-account.yaml": `
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .Release.Name }}-migrate
  annotations: { helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-weight: "-5", helm.sh/hook-delete-policy: hook-succeeded }
`,
		"templates/hook-welcome.yaml": jobOf("welcome", "kwok", "helm.sh/hook: post-install"),
		"templates/hook-cleanup.yaml": jobOf("cleanup", "kwok", "helm.sh/hook: pre-delete"),
		"templates/hook-test.yaml":    jobOf("test", "kwok", "helm.sh/hook: test"),
	}
	maps.Copy(files, changes)
	for name, text := range changes {
		if text == "" {
			delete(files, name)
		}
	}
	return files
}

func TestAChartFromItsInstallToItsEnd(t *testing.T) {
	t.Parallel()
	s := newChartStory(t)
	secret, web := "v1/Secret/"+s.space+"/shop-auth", "apps/v1/Deployment/"+s.space+"/shop"
	password := func(t *testing.T) any { return s.kube.value(t, secret, "data", "password") }
	var first any
	var migrated, welcomed *batchv1.Job

	step(t, "a preview lists the objects, says which hooks will run, and makes nothing [H6]", func(t *testing.T) {
		s.chart(t, "1.0.0", webChart(nil))
		s.declare(t, "values: { replicas: 2 }")
		out := s.preview(t)
		assert.Contains(t, out, "Job "+s.space+"/shop-migrate will run: it is new.")
		assert.Contains(t, out, "Job "+s.space+"/shop-welcome will run: it is new.")
		assert.Contains(t, out, "Tests of the chart are left out: Job/shop-test.")
		assert.NotContains(t, out, "shop-cleanup will run")
		assert.Contains(t, out, "replicas: 2", "objects by field")
		s.kube.gone(t, secret)
		assert.Nil(t, s.job(t, "shop-migrate"))
	})
	step(t, "it installs: hooks before, objects, hooks after [H1] [H2] [H6] [H15]", func(t *testing.T) {
		s.up(t)
		migrated, welcomed = s.job(t, "shop-migrate"), s.job(t, "shop-welcome")
		require.NotNil(t, migrated)
		require.NotNil(t, welcomed)
		live := s.kube.get(t, web)
		assert.False(t, live.GetCreationTimestamp().Time.Before(migrated.Status.CompletionTime.Time), "objects come after the hooks before them")
		assert.False(t, welcomed.CreationTimestamp.Time.Before(live.GetCreationTimestamp().Time))
		s.kube.gone(t, "v1/ServiceAccount/"+s.space+"/shop-migrate")
		assert.Equal(t, "shop 1.0.0 is in "+s.space+".", s.output(t, "notes"))
		assert.Equal(t, "1.0.0", s.output(t, "version"))
		assert.NotContains(t, live.GetLabels(), "app.kubernetes.io/managed-by", "no label of Helm's [D75]")
		first = password(t)
		assert.Len(t, first, 24)
		assert.Nil(t, s.job(t, "shop-cleanup"))
	})
	step(t, "a second run changes nothing, and runs nothing [H8], and what was left out is not said again [D83]", func(t *testing.T) {
		assert.NotContains(t, s.previewEmpty(t), "are left out")
		assert.Contains(t, s.up(t), "unchanged")
		assert.Equal(t, first, password(t))
		assert.Equal(t, migrated.UID, s.job(t, "shop-migrate").UID)
	})
	step(t, "another value changes what differs, and runs the hooks of upgrades [H6] [H8] [H13]", func(t *testing.T) {
		s.declare(t, "values: { replicas: 3 }")
		out := s.preview(t)
		assert.Contains(t, out, "replicas: 2 => 3")
		assert.Contains(t, out, "Job "+s.space+"/shop-migrate will run: the release has changed.", "[D83]")
		assert.NotContains(t, out, "shop-welcome will run")
		before := s.kube.get(t, secret).GetResourceVersion()
		s.up(t)
		assert.Equal(t, before, s.kube.get(t, secret).GetResourceVersion(), "the password is not even written")
		assert.NotEqual(t, migrated.UID, s.job(t, "shop-migrate").UID)
		assert.Equal(t, welcomed.UID, s.job(t, "shop-welcome").UID)
		s.previewEmpty(t)
	})
	step(t, "a version without the hook of deletions, and one that skips hooks, run no clean-up [H7]", func(t *testing.T) {
		s.chart(t, "1.1.0", webChart(map[string]string{"templates/hook-cleanup.yaml": ""}))
		s.up(t)
		assert.Nil(t, s.job(t, "shop-cleanup"))
		s.chart(t, "1.2.0", webChart(nil))
		s.up(t)
		s.declare(t, "values: { replicas: 3 }\nhooks: skip")
		s.up(t)
		assert.Nil(t, s.job(t, "shop-cleanup"))
		s.declare(t, "values: { replicas: 3 }")
		s.up(t)
		assert.Equal(t, first, password(t))
		s.previewEmpty(t)
	})
	step(t, "at the end the hook of deletions runs first, and everything goes [H7]", func(t *testing.T) {
		assert.Contains(t, s.destroy(t), "shop:pre-delete")
		require.NotNil(t, s.job(t, "shop-cleanup"), "its Job stays, as in Helm")
		s.kube.gone(t, secret)
		s.kube.gone(t, web)
		assert.Nil(t, s.job(t, "shop-migrate"))
	})
}

// output is an output of the stack.
func (s chartStory) output(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(s.succeed(t, "stack", "output", name).stdout)
}

// programText is the program without its first lines, as program takes it.
func (s chartStory) programText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "Pulumi.yaml"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "runtime: yaml\n")
	return rest
}
