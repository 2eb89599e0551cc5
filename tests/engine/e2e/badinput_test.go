package e2e

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBadInput(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)

	// Each is the properties of one resource. The answer names the path of the property and says
	// what is wrong in a sentence; the rest of the list is in the tests of the packages.
	for _, bad := range []struct{ name, properties, path, sentence string }{
		{
			"neither manifest nor yaml", `{deletionPropagation: Background}`,
			"manifest", "Give the object as manifest",
		}, {
			"both manifest and yaml", `{manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}, yaml: "a: 1"}`,
			"yaml", "not both",
		}, {
			"not an object", `{manifest: just text}`,
			"manifest", "must be an object",
		}, {
			"a List", `{manifest: {apiVersion: v1, kind: List, items: []}}`,
			"manifest", "several objects",
		}, {
			"several documents", `{yaml: "apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\n"}`,
			"yaml", "splitYaml",
		}, {
			"duplicate YAML keys", `{yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: 1, a: 2}\n"}`,
			"yaml", `"a"`,
		}, {
			"no apiVersion", `{manifest: {kind: ConfigMap, metadata: {name: x}}}`,
			"manifest.apiVersion", "is missing",
		}, {
			"a malformed kind", `{manifest: {apiVersion: v1, kind: configmaps, metadata: {name: x}}}`,
			"manifest.kind", "is not a kind",
		}, {
			"no name", `{manifest: {apiVersion: v1, kind: ConfigMap, metadata: {namespace: x}}}`,
			"manifest.metadata.name", "is missing",
		}, {
			"generateName", `{manifest: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: x-}}}`,
			"manifest.metadata.generateName", "server-side apply cannot generate names",
		}, {
			"a container without a name",
			`{manifest: {apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containers: [{name: a, image: a}, {image: b}]}}}`,
			"manifest.spec.containers[1].name", "has no name",
		}, {
			"an unknown policy", `{manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}, deletionPropagation: Never}`,
			"deletionPropagation", "must be one of Background, Foreground, Orphan",
		}, {
			"an unknown input", `{manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}, manifset: {}}`,
			"manifset", "", // the CLI finds it in the schema
		}, {
			"a connection that contradicts itself",
			`{manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}, clusterConnection: {host: "https://x", kubeconfig: y}}`,
			"clusterConnection.host", "cannot be combined with kubeconfig",
		}, {
			"a path of ignoreFields that is no text", `{manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}, ignoreFields: [1]}`,
			"ignoreFields[0]", `The path must be a string, such as "spec.replicas". [Invalid]`,
		}, {
			"an empty path of ignoreFields", `{manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}, ignoreFields: [""]}`,
			"ignoreFields[0]", `"" is not a path: it is empty [Invalid]`,
		},
	} {
		t.Run(bad.name+" is refused at the property, in a sentence [O55]", func(t *testing.T) {
			s.program(t, "resources: {bad: {type: k8sconnect:KubeObject, properties: %s}}", bad.properties)
			out := s.previewFails(t)
			assert.Regexp(t, `([pP]roperty `+regexp.QuoteMeta(bad.path)+` |has a problem: `+regexp.QuoteMeta(bad.path)+`: )`, out)
			assert.Contains(t, out, bad.sentence)
			assert.NotContains(t, out, "nil", "the engine has no value to print [D45]")
		})
	}

	t.Run("an up with bad input fails as well and saves nothing [O55]", func(t *testing.T) {
		s.program(t, "resources: {bad: {type: k8sconnect:KubeObject, properties: {manifest: {apiVersion: v1}}}}")
		out := s.upFails(t)
		assert.Contains(t, out, "manifest.kind")
		assert.Contains(t, out, "manifest.metadata", "all problems are said at once")
		assert.Empty(t, s.export(t).resources)
	})

	t.Run("what kubectl get prints is taken as it is, with one warning [O55]", func(t *testing.T) {
		s := newStack(t)
		s.program(t, `
resources:
  printed:
    type: k8sconnect:KubeObject
    properties:
      yaml: |
        apiVersion: v1
        kind: Service
        metadata:
          name: printed
          namespace: %s
          creationTimestamp: "2024-01-01T00:00:00Z"
          resourceVersion: "123"
          uid: 6a5ee4d2-97c5-4b63-8c0c-1b7a4f8e8f00
          generation: 4
          managedFields: [{manager: kubectl, operation: Update}]
          annotations: null
          labels: {app: web, empty: null}
        spec:
          selector: {app: web}
          externalName: null
          ports: [{port: 80, name: null}]
        status:
          loadBalancer: {ingress: [{ip: 1.2.3.4}]}
`, space)
		out := s.up(t)
		assert.Contains(t, out, "metadata.resourceVersion")
		assert.Contains(t, out, "status")
		live := k.get(t, "v1/Service/"+space+"/printed").Object
		assert.Equal(t, map[string]any{"app": "web"}, at(live, "metadata", "labels"))
		assert.Empty(t, at(live, "status", "loadBalancer"))
		s.previewEmpty(t)
	})
}
