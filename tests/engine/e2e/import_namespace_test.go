package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// installConverter installs the converter as the documentation says: the plugin under another name. Once is enough for all
// tests.
func (s *stack) installConverter(t testing.TB) {
	t.Helper()
	installedConverter.Do(func() {
		s.run(t, "plugin", "install", "converter", "k8sconnect", "0.0.1", "--file="+filepath.Join(tools.Plugins, "pulumi-resource-k8sconnect"))
	})
}

var installedConverter sync.Once

// importAll imports what the converter finds by these arguments, and returns what the command printed and the resources
// of the program that Pulumi has written.
func (s *stack) importAll(t *testing.T, args ...string) (out, program string) {
	t.Helper()
	s.installConverter(t)
	generated := filepath.Join(t.TempDir(), "generated.yaml")
	out = s.run(t, append([]string{
		"import", "--from=k8sconnect", "--yes", "--skip-preview", "--protect=false", "--out=" + generated, "--",
	}, args...)...)
	text, err := os.ReadFile(generated)
	require.NoError(t, err)
	return out, string(text)
}

// manifestsOf are the manifests of a program, by the names of the resources.
func manifestsOf(t *testing.T, program string) map[string]map[string]any {
	t.Helper()
	var parsed struct {
		Resources map[string]struct {
			Type       string `json:"type"`
			Properties struct {
				Manifest map[string]any `json:"manifest"`
			} `json:"properties"`
		} `json:"resources"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(program), &parsed), program)
	manifests := map[string]map[string]any{}
	for name, r := range parsed.Resources {
		manifests[name] = r.Properties.Manifest
	}
	return manifests
}

// What people have written of the objects in a namespace, by the names of the resources that they become.
var (
	bySSA0 = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: SPACE, labels: {color: blue}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/web:1.0
        ports: [{containerPort: 8080}]
        env: [{name: MODE, value: live}]
        readinessProbe: {httpGet: {path: /, port: 8080}}
`
	byApply0 = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store, namespace: SPACE, labels: {color: blue}}
spec:
  serviceName: store
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers:
      - name: store
        image: registry.example/store:1.0
        resources: {requests: {cpu: 100m}}
      volumes: [{name: settings, configMap: {name: settings-1}}]
---
apiVersion: v1
kind: Service
metadata: {name: store, namespace: SPACE, labels: {color: blue}}
spec:
  selector: {app: store}
  ports: [{port: 80, name: http}]
`
	byHelm0 = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: release, namespace: SPACE, labels: {color: blue, app.kubernetes.io/managed-by: Helm}}
spec:
  replicas: 1
  selector: {matchLabels: {app: release}}
  template:
    metadata: {labels: {app: release}}
    spec:
      serviceAccountName: release
      containers: [{name: release, image: "registry.example/release:1.0", livenessProbe: {tcpSocket: {port: 80}, timeoutSeconds: 3}}]
      volumes: [{name: settings, configMap: {name: settings-1}}]
`
)

// TestImportOfANamespace takes over a whole namespace by one command, and goes on with the program that it has written.
func TestImportOfANamespace(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)+"-whole"
	in := func(text string) string { return strings.ReplaceAll(text, "SPACE", space) }
	kubectl(t, c, "{apiVersion: v1, kind: Namespace, metadata: {name: "+space+", labels: {color: blue}}}", "apply", "-f", "-")
	t.Cleanup(func() { k.remove(t, "v1/Namespace/"+space) })

	applyAs(t, c, "kubectl", in(bySSA0))
	kubectl(t, c, in(byApply0), "apply", "-f", "-")
	k.post(t, "helm", in(byHelm0))
	written := map[string]string{
		"-deployment-web": in(bySSA0), "-statefulset-store": in(strings.Split(byApply0, "---")[0]),
		"-service-store": in(strings.Split(byApply0, "---")[1]), "-deployment-release": in(byHelm0),
	}
	for i := range 26 {
		document := fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-%d, namespace: %s, labels: {color: blue}}, data: {key.a: \"%d\"}}", i, space, i)
		written[fmt.Sprintf("-configmap-settings-%d", i)] = document
		switch i % 3 {
		case 0:
			applyAs(t, c, "kustomize-controller", document)
		case 1:
			kubectl(t, c, document, "apply", "-f", "-")
		default:
			k.post(t, "Terraform", document)
		}
	}
	// What nobody has applied.
	k.post(t, "kube-controller-manager", in("{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: SPACE}, data: {a: b}}"))
	k.post(t, "some-operator", in("{apiVersion: v1, kind: ConfigMap, metadata: {name: foreign, namespace: SPACE}, data: {a: b}}"))
	owner := k.get(t, "apps/v1/Deployment/"+space+"/web")
	k.post(t, "kubectl", in("{apiVersion: v1, kind: ConfigMap, metadata: {name: owned, namespace: SPACE, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: "+string(owner.GetUID())+"}]}}"))
	k.post(t, "helm", in("{apiVersion: v1, kind: Secret, type: helm.sh/release.v1, metadata: {name: sh.helm.release.v1.shop.v1, namespace: SPACE, labels: {owner: helm}}}"))
	kubectl(t, c, in("{apiVersion: v1, kind: Secret, metadata: {name: password, namespace: SPACE}, stringData: {password: swordfish}}"), "apply", "-f", "-")
	// What controllers write to what people have applied.
	k.merge(t, "apps/v1/Deployment/"+space+"/web", `{metadata: {annotations: {operator: was-here}}}`)

	before := map[string]*unstructured.Unstructured{}
	ids := map[string]string{"namespace-" + space: "v1/Namespace/" + space}
	for suffix, document := range written {
		object := unstructured.Unstructured{Object: documentOf(t, document)}
		ids[space+suffix] = object.GetAPIVersion() + "/" + object.GetKind() + "/" + space + "/" + object.GetName()
	}
	for name, id := range ids {
		before[name] = k.get(t, id)
	}

	var program string
	step(t, "one command imports what people have applied, and says what it leaves out [M50]", func(t *testing.T) {
		var out string
		out, program = s.importAll(t, "namespace", space)
		assert.Contains(t, out, "ConfigMap foreign (some-operator)")
		assert.Contains(t, out, "Secret password")
		assert.NotContains(t, out, "owned")
		assert.NotContains(t, out, "swordfish")
		state := s.export(t)
		for name, id := range ids {
			assert.Equal(t, string(before[name].GetUID()), state.get(t, name).uid(), id)
		}
		assert.Len(t, manifestsOf(t, program), len(ids), "and nothing else")
	})
	step(t, "the program says what they have written, and no more [M51]", func(t *testing.T) {
		manifests := manifestsOf(t, program)
		for suffix, document := range written {
			assert.Equal(t, documentOf(t, document), manifests[space+suffix], suffix)
		}
	})
	continueWith := func(t *testing.T, program string) {
		t.Helper()
		s.file(t, "Pulumi.yaml", "name: "+s.project+"\nruntime: yaml\n"+program)
	}
	step(t, "with that program, the next preview is empty, and nothing was written [M50]", func(t *testing.T) {
		continueWith(t, program)
		s.previewEmpty(t)
		s.up(t, "--expect-no-changes")
		for name, id := range ids {
			assert.Equal(t, before[name].GetResourceVersion(), k.get(t, id).GetResourceVersion(), id)
		}
	})
	step(t, "an update changes them in place, what was changed and no more [M50]", func(t *testing.T) {
		require.Equal(t, len(ids), strings.Count(program, "color: blue"))
		continueWith(t, strings.ReplaceAll(program, "color: blue", "color: green"))
		preview := s.preview(t, "--diff")
		for _, line := range changedLines(preview) {
			assert.Contains(t, line, "color", preview)
		}
		s.up(t)
		for name, id := range ids {
			live := k.get(t, id)
			assert.Equal(t, before[name].GetUID(), live.GetUID(), id)
			assert.Equal(t, "green", live.GetLabels()["color"], id)
			assert.Equal(t, withoutLastApplied(before[name]), withoutLastApplied(live), id)
		}
		s.previewEmpty(t)
		s.refresh(t, "--expect-no-changes")
	})
	step(t, "and with retainOnDelete, destroy gives them back [M50]", func(t *testing.T) {
		program = strings.ReplaceAll(program, "color: blue", "color: green")
		continueWith(t, strings.ReplaceAll(program, "    type: k8sconnect:KubeObject\n", "    type: k8sconnect:KubeObject\n    options: {retainOnDelete: true}\n"))
		s.up(t)
		s.destroy(t)
		for name, id := range ids {
			assert.Equal(t, before[name].GetUID(), k.get(t, id).GetUID(), id)
		}
	})
}

// withoutLastApplied is what [without] leaves, without kubectl's copy of the manifest.
func withoutLastApplied(object *unstructured.Unstructured) map[string]any {
	left := &unstructured.Unstructured{Object: without(object)}
	unstructured.RemoveNestedField(left.Object, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
	if len(left.GetAnnotations()) == 0 {
		unstructured.RemoveNestedField(left.Object, "metadata", "annotations")
	}
	return left.Object
}

// TestTheImportOfANamespaceIsNarrowed selects by labels and kinds.
func TestTheImportOfANamespaceIsNarrowed(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	s, space := newStack(t), c.Namespace(t)
	for _, name := range []string{"a", "b"} {
		applyAs(t, c, "kubectl", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s, labels: {app: %[1]s}}}", name, space))
		applyAs(t, c, "kubectl", fmt.Sprintf("{apiVersion: v1, kind: Service, metadata: {name: %s, namespace: %s, labels: {app: %[1]s}}, spec: {ports: [{port: 80}]}}", name, space))
	}
	kubectl(t, c, "{apiVersion: v1, kind: Secret, metadata: {name: c, namespace: "+space+"}, data: {password: c3dvcmRmaXNo}}", "apply", "-f", "-")
	all := t
	imported := func(t *testing.T, args ...string) []string {
		t.Helper()
		other := newStack(all) // what is in its state is deleted at the end of all
		_, program := other.importAll(t, append([]string{"namespace", space}, args...)...)
		var names []string
		for name := range manifestsOf(t, program) {
			names = append(names, strings.TrimPrefix(name, space+"-"))
		}
		slices.Sort(names)
		return names
	}
	t.Run("by a label selector [M52]", func(t *testing.T) {
		assert.Equal(t, []string{"configmap-a", "service-a"}, imported(t, "-l", "app=a"))
	})
	t.Run("by kinds [M52]", func(t *testing.T) {
		assert.Equal(t, []string{"service-a", "service-b"}, imported(t, "--kinds", "svc"))
	})
	t.Run("a Secret, if its kind is named [M52]", func(t *testing.T) {
		assert.Equal(t, []string{"secret-c"}, imported(t, "--kinds", "Secret"))
	})
	t.Run("what the user may not list is said, and the rest is imported [M52]", func(t *testing.T) {
		content, err := account(t, c, kubeOf(t, c), space, "importer").Kubeconfig()
		require.NoError(t, err)
		other := newStackIn(all, kubeOf(t, c), s.file(t, "importer", string(content)))
		out, program := other.importAll(t, "namespace", space, "-l", "app=a")
		assert.Contains(t, out, "Not looked at: ")
		assert.Contains(t, out, "rolebindings.rbac.authorization.k8s.io (you may not list them)")
		assert.Len(t, manifestsOf(t, program), 2)
	})
	for _, example := range []struct {
		name, says string
		args       []string
	}{
		{"nothing that it selects is an error", "nothing of namespace " + space + " that the command selects was applied by", []string{"namespace", space, "-l", "app=c"}},
		{"a kind that is not served is an error", "Did you mean Service?", []string{"namespace", space, "--kinds", "Servce"}},
		{"a namespace that does not exist is an error", "namespace " + space + "-none does not exist", []string{"namespace", space + "-none"}},
		{"a context that does not exist is an error", "is not in the kubeconfig", []string{"namespace", space, "--context", "none"}},
		{"other words are an error that says what to write", "Write, after `pulumi import --from k8sconnect --`, one of", []string{"everything"}},
	} {
		t.Run(example.name+" [M52]", func(t *testing.T) {
			out := s.runFails(t, append([]string{"import", "--from=k8sconnect", "--yes", "--skip-preview", "--"}, example.args...)...)
			assert.Contains(t, out, example.says)
			assert.Empty(t, s.export(t).resources)
		})
	}
}

// TestImportOfAStackAndARelease imports what a state of the other provider, or the record of a Helm release, names.
func TestImportOfAStackAndARelease(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	in := func(text string) string { return strings.ReplaceAll(text, "SPACE", space) }
	goesOn := func(t *testing.T, s *stack, program string, ids ...string) {
		t.Helper()
		s.file(t, "Pulumi.yaml", "name: "+s.project+"\nruntime: yaml\n"+program)
		s.previewEmpty(t)
		for name := range manifestsOf(t, program) {
			r := s.export(t).get(t, name)
			assert.Contains(t, ids, r.ID)
			assert.Equal(t, string(k.get(t, r.ID).GetUID()), r.uid())
		}
		assert.Len(t, manifestsOf(t, program), len(ids))
	}
	t.Run("the state of a stack [M55]", func(t *testing.T) {
		s := newStack(t)
		applyAs(t, c, "pulumi-kubernetes-1a2b3c4d", in("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: SPACE}, data: {a: b}}"))
		applyAs(t, c, "pulumi-kubernetes-1a2b3c4d", in("{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: SPACE}}"))
		applyAs(t, c, "kubectl", in("{apiVersion: v1, kind: ConfigMap, metadata: {name: again, namespace: SPACE}}"))
		// As the other provider writes it. What is secret has nothing but a text that only its stack can read.
		resource := func(token, kind, name, metadata string) string {
			return fmt.Sprintf(`{"urn": "urn:pulumi:prod::shop::kubernetes:%[1]s:%[2]s::%[3]s", "custom": true, "id": "%[4]s/%[3]s", "type": "kubernetes:%[1]s:%[2]s",
				"outputs": {"__fieldManager": "pulumi-kubernetes-1a2b3c4d", "__initialApiVersion": "v1", "apiVersion": "v1", "kind": "%[2]s", "metadata": %[5]s}}`,
				token, kind, name, space, metadata)
		}
		const secret = `{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:a:b"}`
		named := func(name, more string) string {
			return fmt.Sprintf(`{"name": %q, "namespace": %q%s}`, name, space, more)
		}
		uid := k.get(t, "v1/ConfigMap/"+space+"/settings").GetUID()
		file := s.file(t, "state.json", `{"version": 3, "deployment": {"resources": [`+strings.Join([]string{
			resource("core/v1", "ConfigMap", "settings", named("settings", fmt.Sprintf(`, "uid": %q`, uid))), resource("core/v1", "ServiceAccount", "web", secret),
			resource("core/v1", "ConfigMap", "gone", named("gone", "")), resource("core/v1", "ConfigMap", "again", named("again", `, "uid": "other"`)),
			resource("core/v1", "ConfigMapPatch", "patched", named("patched", "")),
			`{"urn": "urn:release", "custom": true, "id": "` + space + `/tiny", "type": "kubernetes:helm.sh/v3:Release", "outputs": {"name": "tiny", "namespace": "` + space + `"}}`,
		}, ",")+`]}}`)
		out, program := s.importAll(t, "stack", file)
		assert.Contains(t, out, "they are not in the cluster: ConfigMap gone")
		assert.Contains(t, out, "other objects have their names now, in this cluster: ConfigMap again")
		assert.Contains(t, out, "kubernetes:core/v1:ConfigMapPatch::patched")
		assert.Contains(t, out, "pulumi import --from k8sconnect -- release tiny -n "+space)
		goesOn(t, s, program, "v1/ConfigMap/"+space+"/settings", "v1/ServiceAccount/"+space+"/web")
		assert.Contains(t, s.runFails(t, "import", "--from=k8sconnect", "--yes", "--", "stack", s.file(t, "other.json", "{}")), "is not what `pulumi stack export` writes")
	})
	t.Run("the record of a release [M54]", func(t *testing.T) {
		s := newStack(t)
		s.tinyRelease(t, c, space, "tiny")
		out, program := s.importAll(t, "release", "tiny", "-n", space)
		assert.Contains(t, out, "Hooks of the release are left out: 1")
		goesOn(t, s, program, "v1/ConfigMap/"+space+"/tiny", "v1/Service/"+space+"/tiny")
		assert.Contains(t, s.runFails(t, "import", "--from=k8sconnect", "--yes", "--", "release", "none", "-n", space), "there is no release none in namespace "+space)
	})
}

// tinyRelease installs a release of two objects and a hook by Helm, and upgrades it.
func (s *stack) tinyRelease(t *testing.T, c *cluster.Cluster, space, release string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(s.dir, "charts", "tiny", "templates"), 0o700))
	s.file(t, "charts/tiny/Chart.yaml", "{apiVersion: v2, name: tiny, version: 1.0.0}")
	s.file(t, "charts/tiny/templates/all.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {a: {{ .Release.Revision | quote }}}\n"+
		"---\napiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}}\nspec: {ports: [{port: 80}]}\n"+
		"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: hook, annotations: {helm.sh/hook: post-install}}\n")
	s.helm(t, c, space, "install", release, "./charts/tiny")
	s.helm(t, c, space, "upgrade", release, "./charts/tiny")
}

// documentOf is an object in YAML.
func documentOf(t testing.TB, document string) map[string]any {
	t.Helper()
	var object map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(document), &object))
	return object
}

// post creates an object as a client does that knows no apply.
func (k *kube) post(t testing.TB, manager, manifest string) {
	t.Helper()
	object := unstructured.Unstructured{Object: documentOf(t, manifest)}
	client, _ := k.must(t, object.GetAPIVersion()+"/"+object.GetKind()+"/"+object.GetNamespace()+"/"+object.GetName())
	_, err := client.Create(t.Context(), &object, metav1.CreateOptions{FieldManager: manager})
	require.NoError(t, err)
}
