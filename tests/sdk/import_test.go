package sdk_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func TestAnImportGoesOnInTypeScript(t *testing.T) { // [M60]
	selected(t, "nodejs")
	t.Parallel()
	first := nodePrograms.get(t)
	p := importingProject(t, first, "nodejs\n")
	p.write(t, "package.json", `{"main": "index.ts"}`)
	require.NoError(t, os.Symlink(first.path("node_modules"), p.path("node_modules")))
	importAndGoOn(t, p, "index.ts", `color: "blue"`, "});", "}, { retainOnDelete: true });")
}

func TestAnImportGoesOnInPython(t *testing.T) { // [M60]
	selected(t, "python")
	t.Parallel()
	first := pythonPrograms.get(t)
	p := importingProject(t, first, "{name: python, options: {virtualenv: venv}}\n")
	require.NoError(t, os.Symlink(first.path("venv"), p.path("venv")))
	importAndGoOn(t, p, "__main__.py", `"color": "blue"`, "})", "}, opts=pulumi.ResourceOptions(retain_on_delete=True))")
}

// importingProject is an empty project beside the one in which the packed SDK is installed.
func importingProject(t *testing.T, first project, runtime string) project {
	t.Helper()
	p := project{dir: t.TempDir(), env: append(slices.Clip(first.env),
		"KUBECONFIG="+workloads.Get(t).KubeconfigFile(), "PULUMI_BACKEND_URL=file://"+filepath.ToSlash(t.TempDir()),
		"PATH="+strangerPath("hosts")+string(os.PathListSeparator)+strangerPath("bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOGC=off", "GOMEMLIMIT=400MiB", "PULUMI_SKIP_CHECKPOINTS=true")}
	p.write(t, "Pulumi.yaml", "name: imported\nruntime: "+runtime)
	return p
}

// importAndGoOn imports a namespace, and goes on with the program that Pulumi has written. color is how the label of an
// object stands in it, end how a resource ends, and retained how one ends that a destroy leaves alone.
func importAndGoOn(t *testing.T, p project, file, color, end, retained string) {
	space := workloads.Get(t).Namespace(t)
	fill(t, space)
	before := objectsIn(t, space)
	require.GreaterOrEqual(t, len(before), fewest)
	change := func(t *testing.T, from, to string) {
		t.Helper()
		text, err := os.ReadFile(p.path(file))
		require.NoError(t, err)
		require.Equal(t, len(before), strings.Count(string(text), from), string(text))
		p.write(t, file, strings.ReplaceAll(string(text), from, to))
	}
	p.pulumi(t, "stack", "init", "dev")

	step(t, "one command imports what each tool has applied", func(t *testing.T) {
		p.pulumi(t, "import", "--yes", "--skip-preview", "--protect=false", "--from", "k8sconnect", "--out", file, "--", "namespace", space)
	})
	step(t, "a preview with the program is empty, and nothing was written", func(t *testing.T) {
		p.pulumi(t, "preview", "--expect-no-changes")
		for name, now := range objectsIn(t, space) {
			assert.Equal(t, managersOf(before[name]), managersOf(now), name)
		}
	})
	step(t, "an update changes one field of each object, and no more", func(t *testing.T) {
		change(t, color, strings.ReplaceAll(color, "blue", "green"))
		p.pulumi(t, "up", "--yes", "--skip-preview")
		for name, now := range objectsIn(t, space) {
			assert.Equal(t, before[name].GetUID(), now.GetUID(), name)
			assert.Equal(t, "green", now.GetLabels()["color"], name)
			assert.Equal(t, written(before[name]), written(now), name)
		}
		p.pulumi(t, "preview", "--expect-no-changes")
	})
	step(t, "and with retainOnDelete, destroy gives them back", func(t *testing.T) {
		change(t, end+"\n", retained+"\n")
		p.pulumi(t, "up", "--yes", "--skip-preview")
		p.pulumi(t, "destroy", "--yes", "--skip-preview")
		after := objectsIn(t, space)
		assert.Len(t, after, len(before))
		for name, now := range after {
			assert.Equal(t, before[name].GetUID(), now.GetUID(), name)
		}
	})
}

// fewest is how many objects are imported at least, so that the test does not pass with an empty namespace.
const fewest = 60

// importedFrom is how tools apply a file, each in its own way. The chart is the folder.
var importedFrom = map[string][]string{
	"client":    {"kubectl", "apply", "-f", "all.yaml"},
	"server":    {"kubectl", "apply", "--server-side", "--field-manager=kustomize-controller", "-f", "all.yaml"},
	"pulumi":    {"kubectl", "apply", "--server-side", "--field-manager=pulumi-kubernetes-1a2b3c4d", "-f", "all.yaml"},
	"terraform": {"kubectl", "create", "--field-manager=Terraform", "-f", "all.yaml"},
	"chart":     {"helm", "install", "chart", "."},
}

// fill makes objects of many kinds in a namespace, by every tool.
func fill(t *testing.T, space string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "engine", "e2e", "testdata", "imported.yaml"))
	require.NoError(t, err)
	for name, command := range importedFrom {
		dir := project{dir: t.TempDir()}
		var documents []string
		for document := range strings.SplitSeq(string(text)+quoted, "\n---\n") {
			if notInANamespace.MatchString(document) {
				continue
			}
			document = strings.ReplaceAll(document, "NAMESPACE", space)
			documents = append(documents, strings.Replace(document, "name: imported", "name: "+name, 1))
		}
		dir.write(t, "all.yaml", strings.Join(documents, "\n---\n"))
		dir.write(t, "Chart.yaml", "{apiVersion: v2, name: chart, version: 1.0.0}")
		dir.write(t, "templates/all.yaml", `{{ .Files.Get "all.yaml" }}`) // it has braces of its own
		tool, err := cluster.Tool(command[0])
		require.NoError(t, err)
		dir.run(t, tool, append(command[1:], "--kubeconfig", workloads.Get(t).KubeconfigFile(), "--namespace", space)...)
	}
}

// quoted is a text that every language has to quote in its own way.
const quoted = `
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: imported-quoted
  namespace: NAMESPACE
  labels: {color: blue}
data: {app.conf: "a = \"${b}\"\nc = 'd'\n"}
`

// notInANamespace are kinds that the import of a namespace leaves out, and one that this cluster does not serve.
var notInANamespace = regexp.MustCompile(`(?m)^kind: (ClusterRole|StorageClass|Secret|Gadget)$`)

// objectsIn are the objects that fill has made, by their kinds and names.
func objectsIn(t *testing.T, space string) map[string]*unstructured.Unstructured {
	t.Helper()
	kubectl, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	text, err := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", workloads.Get(t).KubeconfigFile(), "--namespace", space, "get", "--output=json",
		"--show-managed-fields", "--selector=color", "deployments,statefulsets,daemonsets,services,ingresses,configmaps,cronjobs,networkpolicies,hpa,pdb,serviceaccounts,quota,pvc").Output()
	require.NoError(t, err)
	var list unstructured.UnstructuredList
	require.NoError(t, json.Unmarshal(text, &list))
	objects := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		objects[list.Items[i].GetKind()+" "+list.Items[i].GetName()] = &list.Items[i]
	}
	return objects
}

// managersOf are the field managers of an object, but for its controllers.
func managersOf(object *unstructured.Unstructured) []metav1.ManagedFieldsEntry {
	return slices.DeleteFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Subresource != "" || entry.Manager == "kube-controller-manager"
	})
}

// written is an object without its label, without kubectl's copy of the manifest, and without what the API server and
// controllers write.
func written(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	for _, field := range [][]string{
		{"metadata", "labels", "color"}, {"metadata", "managedFields"}, {"metadata", "resourceVersion"}, {"metadata", "generation"}, {"status"},
		{"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"},
	} {
		unstructured.RemoveNestedField(object.Object, field...)
	}
	if len(object.GetAnnotations()) == 0 {
		unstructured.RemoveNestedField(object.Object, "metadata", "annotations")
	}
	return object.Object
}
