package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFunctions splits the files of a project whose program has a folder of its own, applies two of the
// manifests and reads one of the objects.
func TestFunctions(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	s.config(t, "k8sconnect:namespace", space)
	require.NoError(t, os.MkdirAll(filepath.Join(s.dir, "app", "manifests"), 0o700))
	s.program(t, "main: app\n")
	const read = `
  live:
    fn::invoke:
      function: k8sconnect:getObject
      arguments: {apiVersion: v1, kind: Secret, name: NAME}
outputs:
  uid: ${live.uid}
  password: ${live.manifest.data.password}
`
	write := func(end string) {
		s.file(t, "app/Main.yaml", `
resources:
  settings:
    type: k8sconnect:KubeObject
    properties: {manifest: '${all.namespaced["ConfigMap.settings"]}'}
  credentials:
    type: k8sconnect:KubeObject
    properties: {manifest: '${all.manifests["Secret.credentials"]}'}
variables:
  all:
    fn::invoke:
      function: k8sconnect:splitYaml
      arguments: {files: [manifests/*.yaml]}`+end)
	}
	write("")
	const hush = "aHVzaC1odXNo"
	s.file(t, "app/manifests/b.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: credentials}, data: {password: "+hush+"}}\n")
	s.file(t, "app/manifests/a.yaml", "# settings\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {mode: on, size: '3'}}\n")

	step(t, "a mistake in a file is told with its place, and nothing is made [F4]", func(t *testing.T) {
		s.file(t, "app/manifests/a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\n--- # again\n"+
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: '1'}}\n")
		assert.Contains(t, s.upFails(t), "ConfigMap.settings is there twice, with different contents: manifests/a.yaml, document 1 (line 1), and manifests/a.yaml, document 2 (line 3)")
		assert.Empty(t, s.export(t).resources)
	})
	s.file(t, "app/manifests/a.yaml", "# settings\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {mode: 'on', size: '3'}}\n")
	step(t, "the manifests in the program's folder are applied [F3]", func(t *testing.T) {
		assert.NotContains(t, s.preview(t), hush)
		assert.NotContains(t, s.up(t), hush)
		assert.Equal(t, map[string]any{"mode": "on", "size": "3"}, k.value(t, "v1/ConfigMap/"+space+"/settings", "data"))
		s.previewEmpty(t)
	})
	step(t, "an object is read, and what it holds stays secret [F1]", func(t *testing.T) {
		write(replaceAll(read, "NAME", "credentials"))
		assert.NotContains(t, s.up(t), hush)
		live := k.get(t, "v1/Secret/"+space+"/credentials")
		assert.Equal(t, string(live.GetUID())+"\n", s.succeed(t, "stack", "output", "uid", "--show-secrets").stdout)
		assert.Equal(t, hush+"\n", s.succeed(t, "stack", "output", "password", "--show-secrets").stdout)
		assert.NotContains(t, s.run(t, "stack", "export"), hush, "what a Secret holds is encrypted in the state")
		s.previewEmpty(t)
	})
	step(t, "an object that is not there is an error that says what to do [F1]", func(t *testing.T) {
		write(replaceAll(read, "NAME", "none"))
		preview := s.exec(t, "preview") // Pulumi itself puts "rpc error" before the errors of functions
		assert.NotZero(t, preview.code)
		assert.Contains(t, preview.out, "cannot read Secret "+space+"/none: not found (404)")
		assert.Contains(t, strings.Join(strings.Fields(preview.out), " "), "set optional to true")
	})
	write("")
	step(t, "a changed file is a changed object [F3]", func(t *testing.T) {
		s.file(t, "app/manifests/a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {mode: 'off'}}\n")
		s.up(t)
		assert.Equal(t, map[string]any{"mode": "off"}, k.value(t, "v1/ConfigMap/"+space+"/settings", "data"))
		s.destroy(t)
		assert.Empty(t, s.export(t).all)
	})
}
