package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// pageOnHelm takes over what looks as if Helm had made it: Helm 4 applies, and Helm 3 creates and patches.
func pageOnHelm(t *testing.T, p page) {
	p.prove(t, proofs{
		aManifest:    p.told(asManifests),
		aProgram:     p.told(asManifests, asChart),
		commandLines: commands,
	})
	t.Run("a release becomes a Chart [H12]", func(t *testing.T) {
		takenOver{page: p, section: asChart, install: byHelm("helm"), records: true}.walk(t)
	})
	c := shared.Get(t)
	t.Run("the objects of a release are imported by the command of the page [M54]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		s.tinyRelease(t, c, space, "web")
		program := s.importedBy(t, p.in(t, asManifests, commandLines)[0].code, "release web -n shop", "release web -n "+space)
		assert.Len(t, manifestsOf(t, program), 2)
	})
	for what, install := range map[string]func(t *testing.T, manifest string){
		"Helm 4": func(t *testing.T, manifest string) { applyAs(t, c, "helm", manifest) },
		"Helm 3": func(t *testing.T, manifest string) {
			kubectl(t, c, manifest, "create", "--field-manager=helm", "--save-config=false", "-f", "-")
		},
	} {
		t.Run("what "+what+" has made is taken over as it is, and removals are real [D32]", func(t *testing.T) {
			t.Parallel()
			k, space, s := kubeOf(t, c), c.Namespace(t), newStack(t)
			in := func(text string) string { return strings.ReplaceAll(text, "namespace: shop", "namespace: "+space) }
			file := in(p.in(t, asManifests, aManifest)[0].code)
			install(t, file)
			id := "apps/v1/Deployment/" + space + "/web"
			kubectl(t, c, "", "annotate", "--field-manager=helm", "--namespace", space, "deployment", "web", "meta.helm.sh/release-name=web")
			_, err := c.Client().CoreV1().Secrets(space).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
				Name: "sh.helm.release.v1.web.v1", Labels: map[string]string{"owner": "helm", "name": "web"},
			}}, metav1.CreateOptions{})
			require.NoError(t, err)
			before := k.get(t, id)

			program := programOf(t, p.in(t, asManifests, aProgram)[0].code)
			s.file(t, "web.yaml", file)
			s.program(t, "%s", program)
			out := s.preview(t, "--diff")
			assert.Contains(t, out, "exists and will be adopted")
			assert.NotContains(t, out, "->", "no field gets another value")
			s.up(t)
			live := k.get(t, id)
			assert.Equal(t, before.GetUID(), live.GetUID())
			assert.Equal(t, before.Object["spec"], live.Object["spec"], "no pod restarts")
			s.program(t, "%s", strings.NewReplacer("      adopt: true\n", "", "      takeOverFrom: [helm]\n", "").Replace(program))
			s.previewEmpty(t)
			s.up(t)

			kubectl(t, c, "", "delete", "secret", "--namespace", space, "--selector", "owner=helm,name=web")
			var manifest map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(file), &manifest))
			delete(manifest["metadata"].(map[string]any), "labels")
			shorter, err := yaml.Marshal(manifest)
			require.NoError(t, err)
			s.file(t, "web.yaml", string(shorter))
			s.up(t)
			assert.Empty(t, k.get(t, id).GetLabels(), "a field that is dropped really goes")
			assert.Equal(t, "web", k.get(t, id).GetAnnotations()["meta.helm.sh/release-name"], "Helm's own annotation stays")
			kubectl(t, c, "", "annotate", "deployment", "web", "--namespace", space, "meta.helm.sh/release-name-")
			s.previewEmpty(t)
			s.destroy(t)
			k.gone(t, id)
		})
	}
}

// pageOnCI meets what a pipeline meets at night, and holds the exit codes against the page.
func pageOnCI(t *testing.T, p page) {
	p.prove(t, proofs{commandLines: commands})
	const found = "what was found"
	codes := map[string]string{}
	for _, row := range tableCells.FindAllString(p.section(t, "Drift at night"), -1) {
		what, code, _ := strings.Cut(strings.Trim(row, "| "), " | ")
		what, _, _ = strings.Cut(what, ":")
		codes[what] = strings.Trim(code, "`")
	}
	require.Equal(t, "exit code", codes[found])
	command := strings.Fields(strings.TrimPrefix(p.in(t, "Drift at night", commandLines)[0].code, "pulumi "))
	c := shared.Get(t)
	k, s, space, proxy := kubeOf(t, c), newStack(t), c.Namespace(t), newFaulty(t, c)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	content, err := proxy.User.Kubeconfig()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(kubeconfig, content, 0o600))
	s.config(t, "k8sconnect:kubeconfig", kubeconfig)
	s.program(t, "%s", configMap("settings", "settings", space))
	s.up(t)
	exits := func(what string, says ...string) {
		t.Helper()
		r := s.exec(t, command...)
		assert.Equal(t, codes[what], strconv.Itoa(r.code), r)
		for _, text := range says {
			assert.Contains(t, r.out, text)
		}
	}
	exits("every object is as the program says")
	k.merge(t, "v1/ConfigMap/"+space+"/settings", `{data: {a: "drift"}}`)
	exits("drift, or a change of the program that was not applied", `data.a: "drift" -> "1"`)
	s.up(t)
	const unread = "an object that could not be read"
	proxy.strike(everything, expired)
	exits(unread, proxy.User.Host, "401")
	assert.Contains(t, s.runFails(t, "refresh", "--yes", "--expect-no-changes"), proxy.User.Host)
	proxy.heal()
	require.NoError(t, os.Rename(kubeconfig, kubeconfig+".gone"))
	exits(unread, kubeconfig, proxy.User.Host)
	require.NoError(t, os.Rename(kubeconfig+".gone", kubeconfig))
	s.previewEmpty(t)
	proxy.server.Close()
	exits(unread, proxy.User.Host, "connection refused")
}
