package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// addOns are the objects that the page speaks of, as a managed cluster brings them.
var addOns = map[string]string{
	"apps/v1/DaemonSet/kube-system/aws-node": awsNode,
	"apps/v1/Deployment/kube-system/coredns": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: coredns, namespace: kube-system}
spec:
  selector: {matchLabels: {k8s-app: kube-dns}}
  template:
    metadata: {labels: {k8s-app: kube-dns}, annotations: {eks.amazonaws.com/compute-type: ec2}}
    spec: {containers: [{name: coredns, image: "registry.example/coredns:1"}]}
`,
	"apps/v1/Deployment/kube-system/metrics-server": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: metrics-server, namespace: kube-system}
spec:
  selector: {matchLabels: {k8s-app: metrics-server}}
  template:
    metadata: {labels: {k8s-app: metrics-server}}
    spec: {containers: [{name: metrics-server, image: "registry.example/metrics-server:1", args: [--secure-port=10250]}]}
`,
}

// pageOnPatching runs every program of the page, brings about what goes wrong, and goes through its migration.
func pageOnPatching(t *testing.T, p page) {
	c := workloads.Get(t)
	k := kubeOf(t, c)
	// place has a text of the page be about a namespace of the test's own, with the add-ons in it.
	place := func(t *testing.T) (_ *stack, space string, in func(string) string) {
		t.Helper()
		space = c.Namespace(t)
		in = func(text string) string { return strings.ReplaceAll(text, "kube-system", space) }
		for _, manifest := range addOns {
			applyAs(t, c, "eks", in(manifest))
		}
		return newStackIn(t, k, c.KubeconfigFile()), space, in
	}

	const migration = "From local.Command and kubectl patch"
	p.prove(t, proofs{
		aProgram: func(t *testing.T, f fence) {
			if f.section == migration {
				return // whose programs are proven together, below
			}
			code := f.code
			s, space, in := place(t)
			untouched := map[string]map[string]any{}
			for id := range addOns {
				untouched[in(id)] = untimed(k.get(t, in(id)))
			}
			s.program(t, "%s", in(programOf(t, code)))
			s.up(t)
			s.previewEmpty(t)
			patch := thePatch(t, s.export(t))
			live := k.get(t, patch.ID)
			switch containers := func() any { return k.value(t, patch.ID, "spec", "template", "spec", "containers") }; {
			case f.section == "Removing what was added":
				assert.Len(t, containers(), 2)
				s.destroy(t)
				assert.Len(t, containers(), 1)
				assert.Empty(t, k.ours(t, patch.ID))
				return
			case f.section == "Undoing a patch":
				s.destroy(t)
				assert.Equal(t, untouched[patch.ID], untimed(k.get(t, patch.ID)))
				return
			case live.GetKind() == "Namespace":
				assert.Equal(t, "baseline", live.GetLabels()["pod-security.kubernetes.io/warn"])
			case live.GetName() == "coredns":
				assert.Empty(t, at(live.Object, "spec", "template", "metadata", "annotations"))
			case strings.Contains(code, "jsonPatch"):
				assert.Equal(t, []any{"--secure-port=10250", "--kubelet-insecure-tls"},
					at(live.Object, "spec", "template", "spec", "containers", 0, "args"))
			case live.GetName() == "metrics-server":
				assert.Equal(t, "system-cluster-critical", at(live.Object, "spec", "template", "spec", "priorityClassName"))
				k.get(t, "v1/ConfigMap/"+space+"/dashboard")
			default:
				assert.Equal(t, map[string]any{
					"spec.template.spec.containers[name=aws-node].env[name=AWS_VPC_K8S_CNI_LOGLEVEL].value": "eks",
				}, patch.Outputs["previousOwners"])
			}
			s.handBack(t, k, patch.ID)
		},
		anOutput: func(t *testing.T, f fence) {
			golden, err := os.ReadFile(filepath.Join("testdata", "golden", "a-patch-takes-a-field-over.txt"))
			require.NoError(t, err)
			assert.Contains(t, string(golden), strings.ReplaceAll(f.code, "kube-system", "NAMESPACE"))
		},
	})

	t.Run("what goes wrong is said as on the page about messages", func(t *testing.T) {
		t.Parallel()
		s, space, in := place(t)
		owner := newStackIn(t, k, c.KubeconfigFile())
		owner.program(t, "%s", configMap("owner", "owned", space)+
			patchOf("other", in("{apiVersion: apps/v1, kind: Deployment, namespace: kube-system, name: coredns}"), "patch: {spec: {replicas: 2}}"))
		owner.up(t)
		const coredns = "{apiVersion: apps/v1, kind: Deployment, namespace: kube-system, name: coredns}"
		brings := map[string]string{
			"A Patch takes its fields from their owners by force": strings.Replace(patchOf("bad", coredns, "patch: {spec: {paused: true}}"), "takeOwnership: true", "takeOwnership: false", 1),
			"not found. A Patch changes existing objects":         patchOf("bad", strings.Replace(coredns, "coredns", "nobody", 1), "patch: {spec: {paused: true}}"),
			"is managed by the KubeObject …":                      patchOf("bad", targetConfigMap(space, "owned"), "patch: {data: {a: '2'}}"),
			"another Patch has fields that this one names.":       patchOf("bad", coredns, "patch: {spec: {replicas: 3}}"),
			"unknown field":      patchOf("bad", coredns, "patch: {spec: {template: {spec: {hostNet: true}}}}"),
			"is not accepted: …": patchOf("bad", coredns, "patch: {spec: {progressDeadlineSeconds: soon}}"),
			"the API server refuses the manifest as invalid": patchOf("bad", coredns, "patch: {spec: {selector: {matchLabels: {k8s-app: other}}}}"),
			"but another one than the test expects":          patchOf("bad", coredns, "jsonPatch: [{op: test, path: /spec/replicas, value: 9}, {op: add, path: /spec/paused, value: true}]"),
			"there is no … at …, which has …":                patchOf("bad", coredns, "jsonPatch: [{op: replace, path: /spec/template/spek/x, value: 9}]"),
			"The status cannot be patched here":              patchOf("bad", coredns, "patch: {status: {replicas: 9}}"),
			"is a directive of strategic merge patches":      patchOf("bad", coredns, "patch: {spec: {$patch: delete}}"),
			"A null cannot remove a field here.":             patchOf("bad", coredns, "patch: '{spec: {paused: null}}'"),
			"timed out after … waiting for …":                patchOf("bad", coredns, "patch: {spec: {paused: true}}\n      waitFor: {condition: Never, timeout: 1s}"),
			"a Patch cannot be imported":                     "",
		}
		page := readPage(t, "troubleshooting.md").text
		for said, program := range brings {
			require.Contains(t, page, "\n| `"+said+"` |")
			if program == "" {
				s.program(t, "")
				out := s.runFails(t, "import", "k8sconnect:index:Patch", "imported", in("apps/v1/Deployment/kube-system/coredns"), "--yes", "--skip-preview")
				assert.Contains(t, out, said)
				continue
			}
			s.program(t, "%s", "resources:"+in(program))
			requireShown(t, said, s.upFails(t))
		}
	})

	t.Run("the migration runs no script, changes no pod and restarts none", func(t *testing.T) {
		t.Parallel()
		s, _, in := place(t)
		programs := p.in(t, migration, aProgram)
		require.Len(t, programs, 2)
		var old struct {
			Resources map[string]struct{ Properties struct{ Create string } }
		}
		require.NoError(t, yaml.Unmarshal([]byte(programs[0].code), &old))
		command := old.Resources["proxy"].Properties.Create
		require.NotEmpty(t, command)
		shell(t, c, in(command))

		id := in("apps/v1/DaemonSet/kube-system/aws-node")
		before := k.get(t, id)
		s.program(t, "%s", in(programOf(t, programs[1].code)))
		out := s.preview(t)
		assert.Contains(t, out, "+ 2 to create")
		assert.NotContains(t, out, "will take")
		s.up(t)
		assert.Equal(t, before.GetGeneration(), k.get(t, id).GetGeneration())
		s.previewEmpty(t)
		s.handBack(t, k, id)
		var managers []string
		for _, entry := range k.get(t, id).GetManagedFields() {
			managers = append(managers, entry.Manager)
		}
		assert.Contains(t, managers, "kubectl-patch", "it has what it had")
	})
}

// thePatch is the only Patch of a state.
func thePatch(t *testing.T, saved state) resource {
	t.Helper()
	var patches []resource
	for _, r := range saved.resources {
		if r.Type == "k8sconnect:index:Patch" {
			patches = append(patches, r)
		}
	}
	require.Len(t, patches, 1)
	return patches[0]
}

// shell runs a command line in which kubectl is an administrator's, and returns what it has printed.
func shell(t *testing.T, c *cluster.Cluster, line string) string {
	t.Helper()
	kubectl, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Env = []string{"HOME=" + tools.Home, "KUBECONFIG=" + c.KubeconfigFile(), fmt.Sprintf("PATH=%s:%s", filepath.Dir(kubectl), os.Getenv("PATH"))}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}
