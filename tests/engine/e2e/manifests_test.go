package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A set that needs an order: documents in the worst one.
const (
	setBox        = "apiVersion: GROUP/v1\nkind: Box\nmetadata: {name: first, namespace: SPACE}\nspec: {size: 1}\n"
	setSettings   = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: SPACE}\ndata: {mode: 'on'}\n"
	setNamespace  = "apiVersion: v1\nkind: Namespace\nmetadata: {name: SPACE}\n"
	setDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.GROUP}
spec:
  group: GROUP
  scope: Namespaced
  names: {kind: Box, plural: boxes}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`
)

// setIn is a text with documents, in a namespace and with an API group that no other test has.
func setIn(space string, documents ...string) string {
	return replaceAll(strings.Join(documents, "---\n"), "GROUP", space+".example.com", "SPACE", space)
}

func TestManifestsComeFromAnySource(t *testing.T) { // [M1] [M2]
	t.Parallel()
	for name, source := range map[string]string{
		"text":          "content: {fn::readFile: set.yaml}",
		"files":         "files: [set.yaml]",
		"kustomization": "kustomization: .",
		"list":          "manifests: '${split.manifests}'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, s, space := kubeOf(t, shared.Get(t)), newStack(t), "manifests-"+name
			s.file(t, "set.yaml", setIn(space, setBox, setSettings, setNamespace, setDefinition))
			s.file(t, "kustomization.yaml", "resources: [set.yaml]\n")
			s.program(t, `
variables:
  split: {fn::invoke: {function: k8sconnect:splitYaml, arguments: {files: [set.yaml]}}}
resources:
  shop:
    type: k8sconnect:Manifests
    properties: {%s}
outputs:
  uid: '${shop.resources["ConfigMap.%s.settings"].uid}'
`, source, space)
			out := s.preview(t)
			assert.NotContains(t, out, "not known", "the preview defines the kind itself")
			assert.NotContains(t, s.up(t), "warning:")
			settings := k.get(t, "v1/ConfigMap/"+space+"/settings")
			assert.Equal(t, string(settings.GetUID())+"\n", s.succeed(t, "stack", "output", "uid").stdout)
			assert.Equal(t, int64(1), k.value(t, space+".example.com/v1/Box/"+space+"/first", "spec", "size"))
			names := s.export(t).named("k8sconnect:index:KubeObject")
			require.Equal(t, []string{
				"shop:ConfigMap." + space + ".settings", "shop:Namespace." + space,
				"shop:apiextensions.k8s.io/CustomResourceDefinition.boxes." + space + ".example.com",
				"shop:" + space + ".example.com/Box." + space + ".first",
			}, names)
			for _, name := range names {
				assert.Contains(t, out, "KubeObject::"+name+"]", "a preview with --diff shows names whole, however wide the terminal is [D82]")
			}
			s.previewEmpty(t)
			s.destroy(t)
			assert.Empty(t, s.export(t).all)
			k.gone(t, "v1/Namespace/"+space)
		})
	}
}

func TestADocumentOfASetIsOneObject(t *testing.T) { // [M4] [M5] [M21]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), "manifests-documents"
	document := func(name, value string) string {
		return setIn(space, replaceAll(setSettings, "name: settings", "name: "+name, "'on'", value))
	}
	write := func(file string, documents ...string) { s.file(t, file, strings.Join(documents, "---\n")) }
	s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {files: ['*.yml']}}}\n")
	write("a.yml", setIn(space, setNamespace), document("a", "'1'"), document("b", "'1'"))
	s.up(t)
	settings := func(name string) string { return "v1/ConfigMap/" + space + "/" + name }
	uids := map[string]string{"a": string(k.get(t, settings("a")).GetUID()), "b": string(k.get(t, settings("b")).GetUID())}

	step(t, "other files in another order are no difference [M5]", func(t *testing.T) {
		write("a.yml", "# nothing here\n", document("b", "'1'"))
		write("b.yml", document("a", "'1'"), "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Namespace, metadata: {name: "+space+"}}]}\n")
		s.previewEmpty(t)
	})
	step(t, "a changed document changes its object alone [M4]", func(t *testing.T) {
		write("a.yml", document("b", "'2'"))
		out := s.preview(t)
		assert.Contains(t, out, "~ 1 to update")
		assert.Equal(t, []string{`~ mode: "1" => "2"`}, changedLines(out), out)
		s.up(t)
		assert.Equal(t, "2", k.value(t, settings("b"), "data", "mode"))
	})
	step(t, "an added document adds an object, a removed one deletes its own [M4]", func(t *testing.T) {
		write("a.yml", document("b", "'2'"), document("c", "'1'"))
		assert.Contains(t, s.up(t), "+ 1 created\n    ~ 1 updated", "the record, too")
		write("a.yml", document("b", "'2'"))
		assert.Contains(t, s.up(t), "~ 1 updated\n    - 1 deleted")
		k.gone(t, settings("c"))
	})
	for name, uid := range uids {
		assert.Equal(t, uid, string(k.get(t, settings(name)).GetUID()))
	}
	step(t, "an object that is there twice is refused, with both places [M21]", func(t *testing.T) {
		write("c.yml", document("a", "'9'"))
		out := s.upFails(t)
		assert.Contains(t, out, "ConfigMap."+space+".a is there twice, with different contents: b.yml, document 1 (line 1), and c.yml, document 1 (line 1). Remove one of them.")
		assert.Equal(t, 1, strings.Count(out, "is there twice"))
	})
}

func TestTheNamespaceOfASet(t *testing.T) { // [M16]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), shared.Get(t).Namespace(t)
	other := shared.Get(t).Namespace(t)
	s.file(t, "set.yaml", setIn(other, replaceAll(setSettings, ", namespace: SPACE", ""), replaceAll(setSettings, "name: settings", "name: elsewhere"),
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: manifests-SPACE}}\n"))
	program := func(namespace string) {
		s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {files: [set.yaml], namespace: "+namespace+"}}}\n")
	}
	program(space)
	s.up(t)
	k.get(t, "v1/ConfigMap/"+space+"/settings")
	k.get(t, "v1/ConfigMap/"+other+"/elsewhere")
	k.get(t, "rbac.authorization.k8s.io/v1/ClusterRole/manifests-"+other)
	s.previewEmpty(t)

	step(t, "one that makes two objects one is refused", func(t *testing.T) {
		s.file(t, "set.yaml", setIn(other, replaceAll(setSettings, ", namespace: SPACE", ""), setSettings))
		program(other)
		assert.Contains(t, s.previewFails(t), `ConfigMap.`+other+`.settings and ConfigMap.settings are the same object in namespace "`+other+`"`)
	})
}
