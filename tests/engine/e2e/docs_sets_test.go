package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageOnSets runs every program of the page, beside its files, in a namespace of its own which is the provider's default.
func pageOnSets(t *testing.T, p page) {
	c := shared.Get(t)
	files := p.in(t, "A folder of files", aFile)
	start := func(t *testing.T) (*stack, *kube, string) {
		t.Helper()
		s, k, space := docsStack(t, c)
		for _, f := range files {
			name := fileName.FindStringSubmatch(f.code)[1]
			require.NoError(t, os.MkdirAll(filepath.Join(s.dir, filepath.Dir(name)), 0o700))
			s.file(t, name, f.code)
		}
		return s, k, space
	}
	// The two objects of the page's files, as resources of their own and with the names that the page gives them.
	singly := `
variables: {all: {fn::invoke: {function: k8sconnect:splitYaml, arguments: {files: [manifests/*.yaml]}}}}
resources:
  web: {type: k8sconnect:KubeObject, properties: {manifest: '${all.manifests["apps/Deployment.web"]}'}}
  settings: {type: k8sconnect:KubeObject, properties: {manifest: '${all.manifests["ConfigMap.settings"]}'}}
`
	uids := func(t *testing.T, k *kube, space string) []string {
		t.Helper()
		return []string{
			string(k.get(t, "v1/ConfigMap/"+space+"/settings").GetUID()), string(k.get(t, "apps/v1/Deployment/"+space+"/web").GetUID()),
		}
	}

	p.prove(t, proofs{
		aFile:        p.told("A folder of files"),
		inALanguage:  func(t *testing.T, f fence) { assert.Contains(t, f.code, "aliases") }, // tests/sdk runs it
		commandLines: commands,
		aProgram: func(t *testing.T, f fence) {
			s, k, space := start(t)
			other := space + "-order"
			program := replaceAll(f.code, "namespace: shop", "namespace: "+other, "{ name: shop }", "{ name: "+other+" }", "/namespaces/shop/", "/namespaces/"+other+"/",
				"k8sconnect-shop.dev.", "k8sconnect-"+s.project+"."+s.name+".", "urn:pulumi:dev::shop::", "urn:pulumi:"+s.name+"::"+s.project+"::")
			var before []string
			switch f.section {
			case "Moving objects into a set":
				s.program(t, "%s", singly)
			case "Moving objects out of a set":
				s.program(t, "%s", p.in(t, "A folder of files", aProgram)[0].code)
			}
			if strings.HasPrefix(f.section, "Moving") {
				s.up(t)
				before = uids(t, k, space)
			}
			s.program(t, "%s", program)
			if f.section == "Moving objects out of a set" {
				// The other object of the set stays where it is, so the set does, too.
				rest := "  shop: {type: k8sconnect:Manifests, properties: {manifests: ['${all.manifests[\"apps/Deployment.web\"]}']}}\n"
				s.program(t, "%s", strings.SplitAfter(singly, "\n")[1]+program+rest)
			}
			out := s.preview(t)
			assert.NotContains(t, out, "not known")
			assert.NotContains(t, out, "warning:")
			s.up(t)
			s.previewEmpty(t)
			if before != nil {
				assert.Equal(t, before, uids(t, k, space), "they are the same objects")
			}
			switch f.section {
			case "A folder of files":
				uid := uids(t, k, space)[1]
				assert.Equal(t, uid+"\n", s.succeed(t, "stack", "output", "uid").stdout)
			case "Order":
				settings, report := k.get(t, "v1/ConfigMap/"+other+"/settings"), k.get(t, "v1/ConfigMap/"+other+"/report")
				assert.Less(t, settings.GetResourceVersion(), report.GetResourceVersion())
			case "Edits and inputs for some objects":
				id := "apps/v1/Deployment/" + space + "/web"
				assert.Equal(t, "registry.example/shop:1.1", k.value(t, id, "spec", "template", "spec", "containers", 0, "image"))
				assert.Equal(t, "system-cluster-critical", k.value(t, id, "spec", "template", "spec", "priorityClassName"))
				assert.Equal(t, "shop", k.value(t, id, "metadata", "labels", "team"))
				k.merge(t, id, `{"spec": {"replicas": 5}}`)
				s.previewEmpty(t)
			case "Deleting":
				k = kubeOf(t, c) // which knows the new kind
				k.apply(t, "sets.example.com/v1/Crate/"+space+"/foreign", "test",
					"{apiVersion: sets.example.com/v1, kind: Crate, metadata: {name: foreign, namespace: "+space+"}}")
				withOverride := p.in(t, "Deleting", aProgram)[0].code
				without, _, found := strings.Cut(withOverride, "      overrides:\n")
				require.True(t, found)
				s.program(t, "%s", without)
				s.up(t)
				assert.Contains(t, s.runFails(t, "destroy", "--yes", "--skip-preview"), "of kind Crate.sets.example.com would be deleted with it")
				s.program(t, "%s", withOverride)
				s.up(t)
				s.destroy(t)
				k.gone(t, "apiextensions.k8s.io/v1/CustomResourceDefinition/crates.sets.example.com")
			}
		},
	})

	schema, err := readFile(filepath.Join("..", "..", ".."), "schema.json")
	require.NoError(t, err)
	of := func(path ...any) any { return at(parse([]byte(schema)), path...) }
	rows := func(section string) (found []string) {
		for _, row := range tableRow.FindAllStringSubmatch(p.section(t, section), -1) {
			found = append(found, row[1])
		}
		return found
	}
	t.Run("the table has every way to wait", func(t *testing.T) {
		var words []string
		modes, _ := of("types", "k8sconnect:index:ManifestsWait", "enum").([]any)
		for i := range modes {
			words = append(words, of("types", "k8sconnect:index:ManifestsWait", "enum", i, "value").(string))
		}
		require.NotEmpty(t, words)
		assert.ElementsMatch(t, words, slices.DeleteFunc(rows("Waiting"), func(word string) bool { return word == "wait" }))
	})
	t.Run("every input is on the page", func(t *testing.T) {
		inputs, _ := of("resources", "k8sconnect:index:Manifests", "inputProperties").(map[string]any)
		require.NotEmpty(t, inputs)
		for input := range maps.Keys(inputs) {
			assert.Contains(t, p.text, "`"+input+"`")
		}
	})
}
