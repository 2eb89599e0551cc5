package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASetWhoseSourceIsNotKnownYet(t *testing.T) { // [M18]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), shared.Get(t).Namespace(t)
	s.config(t, "k8sconnect:namespace", space)
	program := func(name string) {
		s.program(t, `
resources:
  origin:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}}
  shop:
    type: k8sconnect:Manifests
    properties:
      content: |
        {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {name: ${origin.resourceRef.name}, uid: ${origin.resourceRef.uid}}}
        ---
        {apiVersion: v1, kind: ServiceAccount, metadata: {name: shop}}
    options: {protect: true}
`, name)
	}
	program("first")
	assert.Contains(t, s.preview(t), "is known only after the apply")
	s.up(t)
	uid := k.get(t, "v1/ConfigMap/"+space+"/settings").GetUID()
	s.previewEmpty(t)

	step(t, "no preview shows its objects as deleted, and protected ones do not fail it", func(t *testing.T) {
		program("second")
		out := s.preview(t)
		assert.NotContains(t, out, "delete", "%s", strings.Join(changedLines(out), "\n"))
		assert.Contains(t, out, "shop:ConfigMap.settings")
		assert.Contains(t, out, "manifest: [unknown]")
	})
	step(t, "the up changes what is different, in place", func(t *testing.T) {
		s.up(t)
		assert.Equal(t, "second", k.value(t, "v1/ConfigMap/"+space+"/settings", "data", "name"))
		assert.Equal(t, uid, k.get(t, "v1/ConfigMap/"+space+"/settings").GetUID())
		s.previewEmpty(t)
		s.run(t, "state", "unprotect", "--all", "--yes")
	})
}

func TestAnUnknownLeafIsThatOfOneObject(t *testing.T) { // [M19]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), shared.Get(t).Namespace(t)
	s.config(t, "k8sconnect:namespace", space)
	program := func(name string) {
		s.program(t, `
resources:
  origin:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}}
  shop:
    type: k8sconnect:Manifests
    properties:
      manifests:
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {uid: '${origin.resourceRef.uid}', other: same}}
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {other: same}}
`, name)
	}
	program("first")
	s.up(t)
	program("second")
	out := s.preview(t)
	assert.Contains(t, out, "=> [unknown]")
	assert.Equal(t, 1, strings.Count(out, "k8sconnect:index:KubeObject: (update)"), "%s", out)
	s.up(t)
	assert.Equal(t, string(k.get(t, "v1/ConfigMap/"+space+"/second").GetUID()), k.value(t, "v1/ConfigMap/"+space+"/a", "data", "uid"))

	step(t, "an object whose name is not known yet hides nothing else, and nothing is shown as deleted", func(t *testing.T) {
		s.program(t, `
resources:
  origin:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: third}}}
  shop:
    type: k8sconnect:Manifests
    properties:
      manifests:
        one: {apiVersion: v1, kind: ConfigMap, metadata: {name: 'n-${origin.resourceRef.uid}'}}
        two: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {other: changed}}
`)
		out := s.preview(t)
		assert.Contains(t, out, `"same" => "changed"`)
		assert.NotContains(t, out, "to delete", "the engine cannot tell a ConfigMap.a from n-…")
		s.up(t)
		k.get(t, "v1/ConfigMap/"+space+"/n-"+string(k.get(t, "v1/ConfigMap/"+space+"/third").GetUID()))
		k.gone(t, "v1/ConfigMap/"+space+"/a")
	})
}

func TestAWaitThatAnUnknownValueMayNeedIsKept(t *testing.T) { // [M18] [M19]
	t.Parallel()
	s, space := newStack(t), shared.Get(t).Namespace(t)
	program := func(name string) {
		s.program(t, `
resources:
  origin:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %[2]s}, data: {name: first}}}
  shop:
    type: k8sconnect:Manifests
    properties:
      namespace: %[2]s
      manifests:
      - {apiVersion: v1, kind: Namespace, metadata: {name: of-%[2]s}}
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, annotations: {config.kubernetes.io/depends-on: '/Namespace/of-%[2]s,/namespaces/%[2]s/Secret/${origin.resourceRef.uid}'}}}
    options: {protect: true}
`, name, space)
	}
	program("first")
	s.up(t)
	wait := []string{"shop:Namespace.of-" + space}
	require.Equal(t, wait, s.export(t).named("k8sconnect:index:Wait"))
	s.previewEmpty(t)
	program("second")
	out := s.preview(t)
	assert.NotContains(t, out, "delete", "%s", strings.Join(changedLines(out), "\n"))
	assert.NotContains(t, out, "ManifestsRecord: (update)")
	s.up(t)
	s.previewEmpty(t)
	require.Equal(t, wait, s.export(t).named("k8sconnect:index:Wait"))

	step(t, "one that nothing needs any more goes, however protected the set is", func(t *testing.T) {
		s.program(t, `
resources:
  shop:
    type: k8sconnect:Manifests
    properties:
      namespace: %[1]s
      manifests:
      - {apiVersion: v1, kind: Namespace, metadata: {name: of-%[1]s}}
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}
    options: {protect: true}
`, space)
		s.up(t)
		assert.Empty(t, s.export(t).named("k8sconnect:index:Wait"))
		s.run(t, "state", "unprotect", "--all", "--yes")
	})
}

func TestMarksKeepTheirPlacesAtAnyDepth(t *testing.T) { // [M20]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), "manifests-depths"
	s.file(t, "kind.yaml", setIn(space, setNamespace, setDefinition,
		"{apiVersion: v1, kind: Secret, metadata: {name: of-a-file, namespace: SPACE}, stringData: {key: hush-kind}}\n"))
	// At every depth a secret, an unknown and a plain value.
	deep := "{end: true}"
	for depth := 18; depth > 0; depth-- {
		deep = fmt.Sprintf("{secret: {fn::secret: hush-%02d-hush}, unknown: '${origin.resourceRef.uid}-%02d', plain: plain-%02d, list: [%s]}", depth, depth, depth, deep)
	}
	s.program(t, replaceAll(`
resources:
  kind: {type: k8sconnect:Manifests, properties: {files: [kind.yaml]}}
  origin:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: origin, namespace: default}}}
  shop:
    type: k8sconnect:Manifests
    properties:
      manifests:
      - {apiVersion: SPACE.example.com/v1, kind: Box, metadata: {name: deep, namespace: SPACE}, spec: DEEP}
      deletionPropagation: Background
      edits: {labels: {edited: 'yes'}, annotations: {hush: {fn::secret: hush-annotation}}}
    options: {dependsOn: ['${kind}']}
`, "SPACE", space, "DEEP", deep))
	out := s.preview(t)
	require.NotContains(t, out, "hush-")
	ours := strings.Count(out, "resourceRef: [unknown]") + strings.Count(out, "waits: [unknown]")
	assert.Equal(t, 18, strings.Count(out, "[unknown]")-ours, "%s", out)
	assert.Equal(t, 18, strings.Count(out, `"plain-`))
	s.up(t)
	require.NotContains(t, s.everythingSaved(t), "hush-")
	box := k.get(t, space+".example.com/v1/Box/"+space+"/deep")
	uid := string(k.get(t, "v1/ConfigMap/default/"+"origin").GetUID())
	level := at(box.Object, "spec")
	for depth := 1; depth <= 18; depth++ {
		assert.Equal(t, fmt.Sprintf("hush-%02d-hush", depth), at(level, "secret"))
		assert.Equal(t, fmt.Sprintf("%s-%02d", uid, depth), at(level, "unknown"))
		level = at(level, "list", 0)
	}
	assert.Equal(t, map[string]string{"edited": "yes"}, box.GetLabels())
	assert.Equal(t, "hush-annotation", box.GetAnnotations()["hush"])
	s.previewEmpty(t)
	step(t, "what it depends on is deleted after it", func(t *testing.T) {
		out := s.destroy(t)
		assert.Less(t, strings.Index(out, "Box."+space+".deep deleted"), strings.Index(out, "KubeObject origin deleting"), "%s", out)
	})
}
