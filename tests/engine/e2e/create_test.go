package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)

	t.Run("the preview of a create knows the projection and not the uid [O5]", func(t *testing.T) {
		s := newStack(t)
		s.program(t, `
resources:
  service:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Service
        metadata: {name: projected, namespace: %s}
        spec: {selector: {app: web}, ports: [{port: 80}]}
outputs:
  port: ${service.manifest.spec.ports[0].port}
  name: ${service.manifest.metadata.name}
  uid: ${service.resourceRef.uid}
`, space)
		out := s.preview(t)
		assert.Regexp(t, `port: 80\n`, out)
		assert.Regexp(t, `name: "projected"`, out)
		assert.Regexp(t, `uid *: \[unknown\]`, out)
		k.gone(t, "v1/Service/"+space+"/projected")
	})

	t.Run("a pod with containers is made and destroyed [O2]", func(t *testing.T) {
		s := newStack(t)
		id := "v1/Pod/" + space + "/two"
		eventually(t, "the namespace has its service account", func() bool {
			return k.find(t, "v1/ServiceAccount/"+space+"/default") != nil
		})
		s.program(t, `
resources:
  pod:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Pod
        metadata: {name: two, namespace: %s}
        spec:
          initContainers: [{name: prepare, image: busybox}]
          containers:
            - {name: main, image: nginx, ports: [{containerPort: 80}], env: [{name: A, value: "1"}]}
            - {name: side, image: busybox, command: [sleep, "1"]}
`, space)
		s.up(t)
		assert.Equal(t, "side", k.value(t, id, "spec", "containers", 1, "name"))
		assert.Equal(t, id, s.export(t).get(t, "pod").ID)
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, id)
	})

	t.Run("an object without a namespace goes to the connection's default one [O3]", func(t *testing.T) {
		s := newStack(t)
		name := "default-of-" + space
		s.program(t, configMap("plain", name, ""))
		s.up(t)
		id := "v1/ConfigMap/default/" + name
		assert.Equal(t, "1", k.value(t, id, "data", "a"))
		assert.Equal(t, id, s.export(t).get(t, "plain").ID)
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, id)

		s.config(t, "k8sconnect:namespace", space)
		s.up(t)
		k.get(t, "v1/ConfigMap/"+space+"/"+name)
		k.gone(t, id)
		s.previewEmpty(t)
	})

	t.Run("a namespace on a cluster-scoped object is ignored with a warning [O4]", func(t *testing.T) {
		s := newStack(t)
		id := "rbac.authorization.k8s.io/v1/ClusterRole/reader-of-" + space
		s.program(t, `
resources:
  role:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: reader-of-%[1]s, namespace: %[1]s}
        rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`, space)
		const warning = "belongs to no namespace"
		assert.Contains(t, s.preview(t), warning)
		assert.Contains(t, s.up(t), warning)
		assert.Equal(t, id, s.export(t).get(t, "role").ID)
		assert.Empty(t, k.get(t, id).GetNamespace())
		assert.NotContains(t, s.previewEmpty(t), warning, "what was said once is not said again")
		s.destroy(t)
		k.gone(t, id)
	})
}

func TestUnknownAtPreview(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	user, err := c.AddUser("unknowns", "system:masters")
	require.NoError(t, err)
	s.connectAs(t, user)
	s.program(t, `
resources:
  first:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: first, namespace: %[1]s}, data: {a: "1"}}
  flat:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: flat
          namespace: %[1]s
          labels: {first: "${first.resourceRef.uid}"}
        data:
          whole: ${first.resourceRef.uid}
          inside: of ${first.resourceRef.uid}, a text
          known: "2"
  deep:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: deep, namespace: %[1]s}
        spec:
          replicas: 1
          selector: {matchLabels: {app: deep}}
          template:
            metadata:
              labels: {app: deep}
              annotations: {first: "${first.resourceRef.uid}"}
            spec:
              containers:
                - name: main
                  image: nginx
                  env:
                    - {name: KNOWN, value: "3"}
                    - {name: FIRST, value: "${first.resourceRef.uid}"}
`, space)
	flat, deep := "v1/ConfigMap/"+space+"/flat", "apps/v1/Deployment/"+space+"/deep"

	step(t, "values that are not known yet are shown as unknown and never sent [O6]", func(t *testing.T) {
		mark, err := c.AuditMark()
		require.NoError(t, err)
		out := s.preview(t)
		assert.Regexp(t, `whole *: \[unknown\]`, out)
		assert.Contains(t, out, "known only after the apply")
		requests, err := c.RequestsSince(mark)
		require.NoError(t, err)
		for _, request := range requests.Where(by(user)) {
			if strings.Contains(request.Path(), "flat") || strings.Contains(request.Path(), "deep") {
				assert.Equal(t, "get", request.Verb, "it is only looked whether the object exists")
			}
		}
	})

	step(t, "and arrive right, at whatever depth [O6]", func(t *testing.T) {
		s.up(t)
		uid := string(k.get(t, "v1/ConfigMap/"+space+"/first").GetUID())
		live := k.get(t, flat).Object
		assert.Equal(t, uid, at(live, "metadata", "labels", "first"))
		assert.Equal(t, map[string]any{"whole": uid, "inside": "of " + uid + ", a text", "known": "2"}, at(live, "data"))
		template := at(k.get(t, deep).Object, "spec", "template")
		assert.Equal(t, uid, at(template, "metadata", "annotations", "first"))
		assert.Equal(t, uid, at(template, "spec", "containers", 0, "env", 1, "value"))
		s.previewEmpty(t)
	})

	step(t, "a value that becomes unknown again does not blank what is there [O6]", func(t *testing.T) {
		before := k.get(t, flat).GetResourceVersion()
		k.delete(t, "v1/ConfigMap/"+space+"/first")
		s.preview(t)
		assert.Equal(t, before, k.get(t, flat).GetResourceVersion())
		s.up(t)
		uid := string(k.get(t, "v1/ConfigMap/"+space+"/first").GetUID())
		assert.Equal(t, uid, k.value(t, flat, "data", "whole"))
		assert.Equal(t, uid, k.value(t, deep, "spec", "template", "metadata", "annotations", "first"))
		s.previewEmpty(t)
	})
}

func TestText(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "v1/ConfigMap/" + space + "/text"
	const asText = `
resources:
  object:
    type: k8sconnect:KubeObject
    properties:
      yaml: |
%s
`
	indent := func(text string) string {
		return "        " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n        ")
	}

	step(t, "yaml text is applied like a manifest [O7]", func(t *testing.T) {
		s.program(t, asText, indent(fmt.Sprintf(`
# A comment.
apiVersion: v1
kind: ConfigMap
metadata: {name: text, namespace: %s}
data:
  port: "80"
  "on": "yes"
  lines: |
    one
    two
`, space)))
		s.up(t)
		assert.Equal(t, map[string]any{"port": "80", "on": "yes", "lines": "one\ntwo\n"}, k.value(t, id, "data"))
	})

	version := k.get(t, id).GetResourceVersion()
	step(t, "other formatting, comments and key order are no difference [O7]", func(t *testing.T) {
		s.program(t, asText, indent(fmt.Sprintf(`
---
kind:   "ConfigMap"
metadata:
  # Another comment.
  namespace: %s
  name: 'text'
data: {"on": 'yes', "lines": "one\ntwo\n", port: '80'}
apiVersion: v1
`, space)))
		s.previewEmpty(t)
		s.up(t, "--expect-no-changes")
	})

	step(t, "the same as a manifest is no difference [O7]", func(t *testing.T) {
		s.program(t, `
resources:
  object:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: text, namespace: %s, creationTimestamp: null}
        data: {port: "80", "on": "yes", lines: "one\ntwo\n"}
`, space)
		s.previewEmpty(t)
		assert.Equal(t, version, k.get(t, id).GetResourceVersion())
	})
}

func TestLarge(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "v1/ConfigMap/" + space + "/large"
	var labels, want strings.Builder
	for i := range 100 {
		fmt.Fprintf(&labels, "            example.com/label-%d: value-%d\n", i, i)
	}
	for i := 0; want.Len() < 1_000_000; i++ {
		fmt.Fprintf(&want, "line %d: grüße, 你好, 🚀 \"quoted\" \\ ${not.a.reference} \t#\n", i)
	}
	s.file(t, "large.txt", want.String())
	s.program(t, `
variables:
  large: {fn::readFile: ./large.txt}
resources:
  object:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: large
          namespace: %s
          labels:
%s
        data:
          large.txt: ${large}
          empty: ""
          lines: "one\n\n  two \r\nthree"
          unicode: "grüße 你好 🚀 \u0001"
`, space, labels.String())
	step(t, "1 MB, 100 labels, unicode and many lines arrive byte for byte [O12]", func(t *testing.T) {
		s.up(t)
		live := k.get(t, id)
		assert.Len(t, live.GetLabels(), 100)
		// Not assert.Equal, which would print two megabytes.
		assert.True(t, want.String() == at(live.Object, "data", "large.txt"))
		assert.Equal(t, "", at(live.Object, "data", "empty"))
		assert.Equal(t, "one\n\n  two \r\nthree", at(live.Object, "data", "lines"))
		assert.Equal(t, "grüße 你好 🚀 \u0001", at(live.Object, "data", "unicode"))
	})
	step(t, "and are no difference afterwards [O12]", func(t *testing.T) { s.previewEmpty(t) })
}
