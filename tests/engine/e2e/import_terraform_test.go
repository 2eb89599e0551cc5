package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// byTerraform are the objects of the state in the converter's testdata, as people have written them, by the names of the
// resources that they become.
var byTerraform = map[string]string{
	"kubernetes-manifest-web": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: SPACE, labels: {color: blue}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/web:1.0"}]}
`,
	"shop-eu-config-kubernetes-config-map-v1-settings-a-b": `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: SPACE, labels: {color: blue}}
data: {mode: live}
`,
	"kubernetes-service-web-0": `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: SPACE, labels: {color: blue}}
spec: {ports: [{port: 80}], selector: {app: web}}
`,
	"kubernetes-cron-job-report": `
apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: SPACE, labels: {color: blue}}
spec:
  schedule: "0 3 * * *"
  suspend: true
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: OnFailure, containers: [{name: report, image: "registry.example/report:1.0"}]}
`,
	"kubectl-manifest-account": `
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: SPACE, labels: {color: blue}}
`,
	"k8sconnect-object-reader": `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: SPACE, labels: {color: blue}}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
`,
}

// asTerraform makes these objects as the providers for Terraform do, and returns the state that they have then, and the
// IDs by the names of the resources.
func asTerraform(t *testing.T, c *cluster.Cluster, k *kube, space string) (state string, ids map[string]string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "provider", "converter", "testdata", "terraform.tfstate"))
	require.NoError(t, err)
	ids = map[string]string{}
	for name, document := range byTerraform {
		document = strings.ReplaceAll(document, "SPACE", space)
		object := unstructured.Unstructured{Object: documentOf(t, document)}
		ids[name] = object.GetAPIVersion() + "/" + object.GetKind() + "/" + space + "/" + object.GetName()
		switch name {
		case "kubernetes-manifest-web":
			applyAs(t, c, "Terraform", document)
		case "kubectl-manifest-account":
			kubectl(t, c, document, "apply", "--field-manager=HashiCorp", "-f", "-")
		case "k8sconnect-object-reader":
			applyAs(t, c, "k8sconnect", strings.Replace(document, "labels:", "annotations: {k8sconnect.terraform.io/terraform-id: 0a1b2c3d4e5f}, labels:", 1))
		case "kubernetes-service-web-0":
			k.post(t, "HashiCorp", strings.Replace(document, "spec: {", "spec: {type: ClusterIP, sessionAffinity: None, ", 1))
		default:
			k.post(t, "HashiCorp", document)
		}
	}
	k.post(t, "HashiCorp", "{apiVersion: v1, kind: Secret, metadata: {name: password, namespace: "+space+"}, stringData: {password: swordfish}}")
	k.post(t, "HashiCorp", "{apiVersion: v1, kind: ConfigMap, metadata: {name: elsewhere, namespace: "+space+"}}")
	state = regexp.MustCompile(`"UID ([^"]+)"`).ReplaceAllStringFunc(strings.ReplaceAll(string(content), "SPACE", space), func(uid string) string {
		return `"` + string(k.get(t, strings.TrimPrefix(strings.Trim(uid, `"`), "UID ")).GetUID()) + `"`
	})
	return state, ids
}

// TestImportOfAStateOfTerraform takes over what Terraform has applied, and goes on with the program that the import has
// written.
func TestImportOfAStateOfTerraform(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	state, ids := asTerraform(t, c, k, space)
	file := s.file(t, "terraform.tfstate", state)
	before := map[string]*unstructured.Unstructured{}
	for name, id := range ids {
		before[name] = k.get(t, id)
	}
	var program string
	step(t, "one command imports the objects in the state, by the names that they have there [M56]", func(t *testing.T) {
		var out string
		out, program = s.importAll(t, "terraform", file)
		saved := s.export(t)
		for name, id := range ids {
			assert.Equal(t, string(before[name].GetUID()), saved.get(t, name).uid(), id)
		}
		assert.Len(t, manifestsOf(t, program), len(ids), "and nothing else")
		for _, said := range []string{
			"they are not in the cluster: ConfigMap gone (kubernetes_config_map.gone)",
			"ConfigMap elsewhere (kubernetes_config_map.elsewhere)",
			"Secret password (kubernetes_secret.password)",
			"a Patch or a Wait does that: kubernetes_labels.team, k8sconnect_patch.tune.",
			"no such kind of Kubernetes' own: kubernetes_pod_security_policy.old.",
			"resources of other providers: aws 2, random 1.",
			"pulumi import --from k8sconnect -- release redis -n " + space,
			`terraform state rm '`,
		} {
			assert.Contains(t, out, said, "[M58]")
		}
		assert.NotContains(t, out, "swordfish")
		_, command, _ := strings.Cut(out, "terraform state rm ")
		command, _, _ = strings.Cut(command, "\n")
		assert.ElementsMatch(t, []string{
			"'kubernetes_manifest.web'", `'module.shop["eu"].module.config.kubernetes_config_map_v1.settings["a.b"]'`, "'kubernetes_service.web[0]'",
			"'kubernetes_cron_job.report'", "'kubectl_manifest.account'", "'k8sconnect_object.reader'",
		}, strings.Fields(command), "what is imported, and nothing that is left out [M59]")
	})
	step(t, "the program says what people have written, word for word [M56]", func(t *testing.T) {
		manifests := manifestsOf(t, program)
		for name, document := range byTerraform {
			assert.Equal(t, documentOf(t, strings.ReplaceAll(document, "SPACE", space)), manifests[name], name)
		}
	})
	continueWith := func(t *testing.T, program string) {
		t.Helper()
		s.file(t, "Pulumi.yaml", "name: "+s.project+"\nruntime: yaml\n"+program)
	}
	step(t, "with that program, the next preview is empty, and nothing was written [M56]", func(t *testing.T) {
		continueWith(t, program)
		s.previewEmpty(t)
		for name, id := range ids {
			live := k.get(t, id) // a controller may have written its status meanwhile
			assert.Equal(t, before[name].GetLabels(), live.GetLabels(), id)
			assert.Equal(t, without(before[name]), without(live), id)
			assert.Empty(t, k.ours(t, id), id)
		}
	})
	step(t, "an update changes one field in place, and no more [M56]", func(t *testing.T) {
		require.Equal(t, len(ids), strings.Count(program, "color: blue"))
		program = strings.ReplaceAll(program, "color: blue", "color: green")
		continueWith(t, program)
		s.up(t)
		for name, id := range ids {
			live := k.get(t, id)
			assert.Equal(t, before[name].GetUID(), live.GetUID(), id)
			assert.Equal(t, "green", live.GetLabels()["color"], id)
			assert.Equal(t, withoutLastApplied(before[name]), withoutLastApplied(live), id)
		}
		s.previewEmpty(t)
	})
	step(t, "and with retainOnDelete, destroy gives them back [M56]", func(t *testing.T) {
		continueWith(t, strings.ReplaceAll(program, "    type: k8sconnect:KubeObject\n", "    type: k8sconnect:KubeObject\n    options: {retainOnDelete: true}\n"))
		s.up(t)
		s.destroy(t)
		for name, id := range ids {
			assert.Equal(t, before[name].GetUID(), k.get(t, id).GetUID(), id)
		}
	})
	step(t, "a Secret is imported if its kind is named, and nothing else then [M58]", func(t *testing.T) {
		out, program := s.importAll(t, "terraform", file, "--kinds", "Secret")
		assert.Len(t, manifestsOf(t, program), 1)
		assert.Contains(t, out, "terraform state rm 'kubernetes_secret.password'\n")
		assert.Equal(t, "v1/Secret/"+space+"/password", s.export(t).get(t, "kubernetes-secret-password").ID)
	})
	for name, example := range map[string]struct{ content, says string }{
		"a state with nothing to import": {`{"version": 4, "resources": [{"mode": "managed", "type": "helm_release", "name": "redis", "instances": [{"attributes": {"name": "redis", "namespace": "shop"}}]}]}`, "release redis -n shop"},
		"a state that is encrypted":      {`{"encrypted_data": "swordfish"}`, "OpenTofu has encrypted it. Write one with `terraform state pull` or `tofu state pull`, into a file"},
	} {
		step(t, name+" is an error [M56]", func(t *testing.T) {
			out := s.runFails(t, "import", "--from=k8sconnect", "--yes", "--skip-preview", "--", "terraform", s.file(t, "other.tfstate", example.content))
			assert.Contains(t, out, example.says)
			assert.NotContains(t, out, "swordfish")
		})
	}
}
