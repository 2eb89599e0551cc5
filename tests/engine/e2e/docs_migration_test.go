package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// steps is the heading below which each of these pages has its program.
const steps = "Step by step"

// migration is a page whose program takes over an object that another tool has applied.
type migration struct {
	page page
	// manager is the other tool's field manager; "" is kubectl apply.
	manager string
}

// taken adopts the object of the page's program as the page says, and wants that nothing about it changes. It
// returns the stack, the ID of the object, and the program.
func (m migration) taken(t *testing.T, files map[string]string) (s *stack, id, program string) {
	t.Helper()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	in := func(text string) string { return strings.ReplaceAll(text, "namespace: shop", "namespace: "+space) }
	s = newStack(t)
	program = in(programOf(t, m.page.in(t, steps, aProgram)[0].code))
	manifest := program
	for name, content := range files {
		manifest = in(content)
		s.file(t, name, manifest)
	}
	if _, inside, found := strings.Cut(manifest, "manifest:\n"); found {
		manifest = inside
	}
	if m.manager == "" {
		kubectl(t, c, manifest, "apply", "-f", "-")
	} else {
		applyAs(t, c, m.manager, manifest)
	}
	deployments, err := c.Client().AppsV1().Deployments(space).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, deployments.Items, 1)
	id = "apps/v1/Deployment/" + space + "/" + deployments.Items[0].Name
	before := k.get(t, id)
	s.program(t, "%s", program)
	out := s.preview(t)
	assert.Contains(t, out, "exists and will be adopted")
	assert.NotContains(t, out, "warning:")
	s.up(t)
	live := k.get(t, id)
	assert.Equal(t, before.GetUID(), live.GetUID())
	assert.Equal(t, before.Object["spec"], live.Object["spec"], "no pod restarts")
	program = takesOver.ReplaceAllString(program, "")
	s.program(t, "%s", program)
	s.previewEmpty(t)
	return s, id, program
}

// takesOver are the lines that the pages say to take out again.
var takesOver = regexp.MustCompile(`(?m)^      (adopt|takeOverFrom): .*\n`)

// drops takes the number of replicas out of the program, and wants that it goes.
func (m migration) drops(t *testing.T, s *stack, id, program string) {
	t.Helper()
	s.program(t, "%s", strings.Replace(program, "          replicas: 2\n", "", 1))
	s.up(t)
	assert.Equal(t, int64(1), kubeOf(t, shared.Get(t)).value(t, id, "spec", "replicas"), "the default")
	s.previewEmpty(t)
}

// pageOnKubectl takes over what kubectl apply has made.
func pageOnKubectl(t *testing.T, p page) {
	p.prove(t, proofs{
		aManifest:    p.told(steps),
		aProgram:     p.told(steps),
		commandLines: commands,
	})
	t.Run("what kubectl apply has made is taken over as it is", func(t *testing.T) {
		t.Parallel()
		file := p.in(t, steps, aManifest)[0].code
		s, id, _ := migration{page: p}.taken(t, map[string]string{"web.yaml": file})
		k := kubeOf(t, shared.Get(t))
		for _, entry := range k.get(t, id).GetManagedFields() {
			assert.False(t, strings.HasPrefix(entry.Manager, "kubectl"), "its fields are the resource's")
		}
		assert.NotContains(t, k.get(t, id).GetAnnotations(), "kubectl.kubernetes.io/last-applied-configuration")
		content, err := readFile(s.dir, "web.yaml")
		require.NoError(t, err)
		s.file(t, "web.yaml", content+"---\n"+content)
		assert.Contains(t, s.previewFails(t), "documents")
	})
	t.Run("a whole namespace is imported by the command of the page [M50]", func(t *testing.T) {
		t.Parallel()
		c := shared.Get(t)
		s, space := newStack(t), c.Namespace(t)
		kubectl(t, c, strings.ReplaceAll(p.in(t, steps, aManifest)[0].code, "namespace: shop", "namespace: "+space), "apply", "-f", "-")
		program := s.importedBy(t, p.in(t, "A whole namespace in one command", commandLines)[0].code, "namespace shop", "namespace "+space)
		assert.Len(t, manifestsOf(t, program), 1)
	})
}

// importedBy runs the import that a page shows, on other things, puts the program in place, and wants that nothing is
// left to do. It returns the resources of the program.
func (s *stack) importedBy(t *testing.T, commands, shown, instead string) string {
	t.Helper()
	s.installConverter(t)
	_, line, found := strings.Cut(commands, "pulumi import ")
	require.True(t, found, commands)
	line, _, _ = strings.Cut(line, "\n")
	require.Contains(t, line, shown)
	s.run(t, append([]string{"import", "--yes"}, strings.Fields(strings.Replace(line, shown, instead, 1))...)...)
	program, err := readFile(s.dir, "imported.yaml")
	require.NoError(t, err)
	s.file(t, "Pulumi.yaml", "name: "+s.project+"\nruntime: yaml\n"+program)
	s.previewEmpty(t)
	return program
}

// pageOnPulumiKubernetes takes over what looks as if the other provider had made it.
func pageOnPulumiKubernetes(t *testing.T, p page) {
	p.prove(t, proofs{
		aProgram:     p.told(steps, "Sets of manifests", "Helm charts"),
		commandLines: commands,
	})
	t.Run("a Release becomes a Chart [H12]", func(t *testing.T) {
		takenOver{page: p, section: "Helm charts", install: byHelm("pulumi-resource-kubernetes"), records: true}.walk(t)
	})
	t.Run("a Chart of the other provider becomes one of this [H12]", func(t *testing.T) {
		require.Contains(t, p.section(t, "Helm charts"), "`takeOverFrom: [\"pulumi-kubernetes*\"]`")
		takenOver{page: p, section: "Helm charts", install: bySSA("pulumi-kubernetes-1a2b3c4d"), change: func(program string) string {
			return regexp.MustCompile(`takeOverFrom: .*`).ReplaceAllString(program, `takeOverFrom: ["pulumi-kubernetes*"]`)
		}}.walk(t)
	})
	t.Run("the objects of a stack are imported by the command of the page [M55]", func(t *testing.T) {
		t.Parallel()
		c := shared.Get(t)
		s, space := newStack(t), c.Namespace(t)
		applyAs(t, c, "pulumi-kubernetes-1a2b3c4d", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: "+space+"}, data: {a: b}}")
		s.file(t, "state.json", strings.ReplaceAll(`{"deployment": {"resources": [{"custom": true, "type": "kubernetes:core/v1:ConfigMap",
			"outputs": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "SPACE"}}}]}}`, "SPACE", space))
		program := s.importedBy(t, p.in(t, "All objects of a stack in one command", commandLines)[0].code, "stack state.json", "stack state.json")
		assert.Len(t, manifestsOf(t, program), 1)
	})
	t.Run("what another provider has applied is taken over as it is", func(t *testing.T) {
		t.Parallel()
		m := migration{page: p, manager: "pulumi-kubernetes-1a2b3c4d"}
		s, id, program := m.taken(t, nil)
		m.drops(t, s, id, program)
	})
	t.Run("the objects of a component of another provider are taken over as they are [M22]", func(t *testing.T) {
		t.Parallel()
		c := shared.Get(t)
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		const settings, account = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: '1'}\n", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web}\n"
		ids := []string{"v1/ConfigMap/" + space + "/settings", "v1/ServiceAccount/" + space + "/web"}
		var before []string
		for i, object := range []string{settings, account} {
			applyAs(t, c, "pulumi-kubernetes-1a2b3c4d", strings.Replace(object, "metadata: {", "metadata: {namespace: "+space+", ", 1))
			before = append(before, string(k.get(t, ids[i]).GetUID()))
		}
		require.NoError(t, os.Mkdir(filepath.Join(s.dir, "manifests"), 0o700))
		s.file(t, "manifests/all.yaml", settings+"---\n"+account)
		program := strings.ReplaceAll(p.in(t, "Sets of manifests", aProgram)[0].code, "namespace: shop", "namespace: "+space)
		s.program(t, "%s", program)
		assert.Equal(t, 2, strings.Count(s.preview(t), "exists and will be adopted"))
		s.up(t)
		s.program(t, "%s", takesOver.ReplaceAllString(program, ""))
		s.previewEmpty(t)
		for i, id := range ids {
			assert.Equal(t, before[i], string(k.get(t, id).GetUID()))
			assert.Equal(t, k.ours(t, id), k.managers(t, id), "nobody else is left on it")
		}
	})
}

// pageOnTerraform takes over what looks as if Terraform had made it.
func pageOnTerraform(t *testing.T, p page) {
	p.prove(t, proofs{
		aProgram:     p.told(steps, "From helm_release"),
		commandLines: commands,
	})
	t.Run("a helm_release becomes a Chart [H12]", func(t *testing.T) {
		takenOver{page: p, section: "From helm_release", install: byHelm("terraform-provider-helm_v3.1.0_x5"), records: true}.walk(t)
	})
	t.Run("the objects of a state are imported by the command of the page, and what is dropped later goes [M56]", func(t *testing.T) {
		t.Parallel()
		c := shared.Get(t)
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		const section = "All objects of a state in one command"
		k.post(t, "HashiCorp", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: "+space+"}, data: {a: b, c: d}}")
		s.file(t, "terraform.tfstate", strings.ReplaceAll(`{"version": 4, "resources": [{"mode": "managed", "type": "kubernetes_config_map_v1", "name": "settings",
			"module": "module.shop[\"eu\"]", "instances": [{"attributes": {"id": "SPACE/settings"}}]}]}`, "SPACE", space))
		program := s.importedBy(t, p.in(t, section, commandLines)[0].code, "terraform terraform.tfstate", "terraform terraform.tfstate")
		assert.Contains(t, manifestsOf(t, program), "shop-eu-kubernetes-config-map-v1-settings")
		require.Contains(t, p.section(t, section), "| `kubernetes_deployment_v1` and the like | `HashiCorp` |")
		program = strings.Replace(program, "      manifest:", "      takeOverFrom: [HashiCorp]\n      manifest:", 1)
		s.file(t, "Pulumi.yaml", "name: "+s.project+"\nruntime: yaml\n"+program)
		s.up(t)
		s.file(t, "Pulumi.yaml", "name: "+s.project+"\nruntime: yaml\n"+strings.Replace(program, "          c: d\n", "", 1))
		s.up(t)
		assert.Equal(t, map[string]any{"a": "b"}, k.value(t, "v1/ConfigMap/"+space+"/settings", "data"))
		s.previewEmpty(t)
	})
	for kind, manager := range map[string]string{"k8sconnect_object": "k8sconnect", "kubernetes_manifest": "Terraform"} {
		t.Run("what "+kind+" has applied is taken over as it is, and removals are real [D32]", func(t *testing.T) {
			t.Parallel()
			m := migration{page: p, manager: manager}
			s, id, program := m.taken(t, nil)
			m.drops(t, s, id, program)
		})
	}
	t.Run("what a k8sconnect_patch has a field of is not", func(t *testing.T) {
		t.Parallel()
		c := shared.Get(t)
		s, space := newStack(t), c.Namespace(t)
		applyAs(t, c, "k8sconnect-patch-0a1b2c3d4e5f", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: "+space+"}, data: {a: '1'}}")
		s.program(t, "%s", strings.Replace(configMap("settings", "settings", space), "      manifest:", "      adopt: true\n      manifest:", 1))
		assert.Contains(t, s.previewFails(t), "already exists and is managed by the Patch")
	})
	t.Run("a path that the page converts is refused as it was", func(t *testing.T) {
		t.Parallel()
		s := newStack(t)
		s.program(t, "%s", strings.Replace(configMap("settings", "settings", "shop"), "      manifest:",
			"      ignoreFields: ['webhooks[0].clientConfig']\n      manifest:", 1))
		assert.Contains(t, s.previewFails(t), "is a position, and items move")
	})
}
