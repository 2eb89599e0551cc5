package e2e

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// extend gives a project an extension with these parameters, of the kinds of the shared cluster, as `pulumi package add` does. A program
// can still use the base package.
func (s *stack) extend(t testing.TB, parameters ...string) engine.Extension {
	t.Helper()
	made, err := engine.Extend(t.Context(), parameters...)
	require.NoError(t, err)
	s.install(t, made)
	return made
}

// live is a parameter: kinds of the shared cluster are read.
func live(t testing.TB) string {
	t.Helper()
	return "kubeconfig=" + shared.Get(t).KubeconfigFile()
}

// install writes the files with which a YAML program says what its packages are.
func (s *stack) install(t testing.TB, extensions ...engine.Extension) {
	t.Helper()
	folder := filepath.Join(s.dir, "sdks")
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.Mkdir(folder, 0o700))
	declared := fmt.Sprintf("packageDeclarationVersion: 1\nname: k8sconnect\nversion: %s\n", provider.Version)
	s.file(t, "sdks/k8sconnect.yaml", declared)
	for _, made := range extensions {
		s.file(t, "sdks/"+made.Name+".yaml", fmt.Sprintf("%sextension:\n  name: %s\n  version: %s\n  value: %s\n",
			declared, made.Name, made.Version, base64.StdEncoding.EncodeToString(made.Value)))
	}
}

// typedResource is a resource of a kind, with its properties in YAML.
func typedResource(name, kind, properties string) string {
	return fmt.Sprintf("\n  %s:\n    type: k8sconnect:%s\n    properties: %s\n", name, kind, properties)
}

// ownUID is the uid in the state of a typed resource.
func (r resource) ownUID() string {
	uid, _ := at(r.Outputs, "k8sconnect", "resourceRef", "uid").(string)
	return uid
}

// typedDeployment is a Deployment with so many replicas.
func typedDeployment(space string, replicas int, more string) string {
	return typedResource("web", "apps/v1:Deployment", fmt.Sprintf(`{metadata: {name: web, namespace: %s}, spec: {replicas: %d,
      selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: "nginx:1", ports: [{containerPort: 80}]}]}}}%s}`,
		space, replicas, more))
}

func TestTypedResources(t *testing.T) {
	t.Parallel()
	t.Run("live through their life as a KubeObject does [K1]", func(t *testing.T) {
		t.Parallel()
		s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		id := "apps/v1/Deployment/" + space + "/web"
		s.extend(t, "kinds=apps/v1/Deployment,v1/Service", live(t))
		program := func(replicas int) string {
			return "resources:" + typedDeployment(space, replicas, ", k8sconnect: {ignoreFields: [\"spec.paused\"]}") +
				typedResource("both", "core/v1:Service", "{metadata: {name: web, namespace: "+space+"}, spec: {selector: {app: web}, ports: [{port: 80, targetPort: 80}]}}") +
				"outputs: {uid: \"${web.k8sconnect.resourceRef.uid}\", replicas: \"${web.spec.replicas}\"}\n"
		}
		step(t, "an up applies them", func(t *testing.T) {
			s.program(t, "%s", program(2))
			assert.Contains(t, s.preview(t), "replicas")
			s.up(t)
			object, saved := k.get(t, id), s.export(t).get(t, "web")
			assert.Equal(t, "k8sconnect:apps/v1:Deployment", saved.Type)
			assert.Equal(t, string(object.GetUID()), saved.ownUID())
			assert.NotContains(t, saved.Inputs, "manifest")
			assert.NotContains(t, saved.Outputs, "apiVersion")
			assert.InDelta(t, 2, at(saved.Outputs, "spec", "replicas"), 0)
		})
		step(t, "a preview without a change is empty", func(t *testing.T) { s.previewEmpty(t) })
		step(t, "drift is shown at the field, and repaired", func(t *testing.T) {
			k.merge(t, id, "spec: {replicas: 5}")
			assert.Contains(t, changedLines(s.preview(t)), "~ replicas: 5 => 2")
			s.up(t)
			assert.EqualValues(t, 2, k.value(t, id, "spec", "replicas"))
			s.previewEmpty(t)
		})
		step(t, "an update changes the object in place", func(t *testing.T) {
			uid := k.get(t, id).GetUID()
			s.program(t, "%s", program(3))
			assert.Contains(t, changedLines(s.preview(t)), "~ replicas: 2 => 3")
			s.up(t)
			assert.EqualValues(t, 3, k.value(t, id, "spec", "replicas"))
			assert.Equal(t, uid, k.get(t, id).GetUID())
		})
		step(t, "a refresh reads what others have changed", func(t *testing.T) {
			k.merge(t, id, "spec: {replicas: 4}")
			s.refresh(t)
			assert.InDelta(t, 4, at(s.export(t).get(t, "web").Outputs, "spec", "replicas"), 0)
			s.up(t)
			s.previewEmpty(t)
		})
		step(t, "a destroy deletes them", func(t *testing.T) {
			s.destroy(t)
			k.gone(t, id)
			k.gone(t, "v1/Service/"+space+"/web")
		})
	})
	t.Run("continue a KubeObject by an alias, and the other way round [K3]", func(t *testing.T) {
		t.Parallel()
		s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		id := "v1/ConfigMap/" + space + "/it"
		s.extend(t, "kinds=v1/ConfigMap", live(t))
		alias := func(of string) string { return "    options: {aliases: [{type: \"k8sconnect:" + of + "\"}]}\n" }
		plain := "resources:" + configMapResource("it", "it", space, `{a: "1"}`)
		typed := "resources:" + typedResource("it", "core/v1:ConfigMap", "{metadata: {name: it, namespace: "+space+"}, data: {a: \"1\"}}")
		s.program(t, "%s", plain)
		s.up(t)
		uid, before := k.get(t, id).GetUID(), k.get(t, id).GetManagedFields()[0].Manager
		for _, next := range []string{typed + alias("index:KubeObject"), plain + alias("core/v1:ConfigMap")} {
			s.program(t, "%s", next)
			diff := s.preview(t)
			assert.NotContains(t, diff, "replace")
			s.up(t)
			object := k.get(t, id)
			assert.Equal(t, uid, object.GetUID())
			assert.Len(t, object.GetManagedFields(), 1)
			assert.NotEqual(t, before, object.GetManagedFields()[0].Manager)
			before = object.GetManagedFields()[0].Manager
			s.previewEmpty(t)
		}
		s.program(t, "%s", typed+alias("index:KubeObject"))
		s.up(t)
		k.merge(t, id, "data: {a: \"2\"}")
		assert.Contains(t, changedLines(s.preview(t)), "~ a: \"2\" => \"1\"")

		s.up(t)

		// A field that leaves the program, and the other type, in one update.
		s.program(t, "%s", "resources:"+configMapResource("it", "it", space, `{b: "1"}`)+alias("core/v1:ConfigMap"))
		assert.NotContains(t, s.preview(t), "replace")
		s.up(t)
		object := k.get(t, id)
		assert.Equal(t, uid, object.GetUID())
		assert.Equal(t, map[string]any{"b": "1"}, object.Object["data"])
		s.previewEmpty(t)

		// Another object, and the other type, in one update: both ways, the former object is deleted.
		for _, next := range []struct{ name, program string }{
			{"second", "resources:" + typedResource("it", "core/v1:ConfigMap", "{metadata: {name: second, namespace: "+space+"}}") + alias("index:KubeObject")},
			{"it", plain + alias("core/v1:ConfigMap")},
		} {
			former := id
			id = "v1/ConfigMap/" + space + "/" + next.name
			s.program(t, "%s", next.program)
			assert.Contains(t, s.preview(t), "replace")
			s.up(t)
			k.get(t, id)
			k.gone(t, former)
			s.previewEmpty(t)
		}
		s.destroy(t)
		k.gone(t, id)
	})
	t.Run("come from a saved file where there is no cluster [K13]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), shared.Get(t).Namespace(t)
		file := filepath.Join(t.TempDir(), "kinds.json")
		first := s.extend(t, "kinds=v1/ConfigMap,apps/v1/Deployment", live(t), "save="+file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		again := s.extend(t, "from="+file)
		assert.Equal(t, first.Value, again.Value, "the same kinds are the same bytes")
		assert.Equal(t, first.Schema, again.Schema)
		s.extend(t, "from="+file, "save="+file)
		unchanged, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(text), string(unchanged))
		_, err = engine.Extend(t.Context(), "from="+file, "kinds=v1/Secret")
		require.ErrorContains(t, err, "the file has no v1/Secret, only apps/v1/Deployment, v1/ConfigMap")
		s.program(t, "%s", "resources:"+typedResource("it", "core/v1:ConfigMap", "{metadata: {name: it, namespace: "+space+"}, data: {a: \"1\"}}"))
		s.up(t)
		s.previewEmpty(t)
	})
}
