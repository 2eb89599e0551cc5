package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestObjectsOfASetBesideTypedKinds(t *testing.T) { // [K16]
	t.Parallel()
	s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
	s.extend(t, "kinds=apps/v1/Deployment,v1/ConfigMap", live(t))
	config, web := "v1/ConfigMap/"+space+"/settings", "apps/v1/Deployment/"+space+"/web"
	document := func(replicas string) string {
		return `
          ---
          apiVersion: apps/v1
          kind: Deployment
          metadata: {name: web}
          spec:
            replicas: ` + replicas + `
            selector: {matchLabels: {app: web}}
            template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: "nginx:1", ports: [{containerPort: 80}]}]}}`
	}
	set := func(more, overrides string) string {
		return `
  shop:
    type: k8sconnect:Manifests
    properties:
      namespace: ` + space + `
      content: |
          apiVersion: v1
          kind: ConfigMap
          metadata: {name: settings}
          data: {greeting: hello}` + more + `
      overrides: [` + overrides + "]\n"
	}
	own := typedResource("own", "core/v1:ConfigMap", "{metadata: {name: own, namespace: "+space+"}}")
	ignoring := "{select: {kind: Deployment}, ignoreFields: [spec.replicas]}"
	step(t, "they are KubeObjects, and overrides have their options as these have them", func(t *testing.T) {
		s.program(t, "%s", "resources:"+own+set(document("1"), ignoring))
		s.up(t)
		k.merge(t, web, "spec: {replicas: 3}")
		s.previewEmpty(t)
		child := s.export(t).get(t, "shop:apps/Deployment.web")
		assert.Equal(t, "k8sconnect:index:KubeObject", child.Type)
		assert.Equal(t, []any{"spec.replicas"}, child.Inputs["ignoreFields"])
	})
	step(t, "options of a class are refused there", func(t *testing.T) {
		s.program(t, "%s", "resources:"+own+set(document("1"), "{select: {kind: Deployment}, k8sconnect: {ignoreFields: [spec.replicas]}}"))
		assert.Contains(t, s.previewFails(t), "k8sconnect")
	})
	step(t, "an object moves into a class in place", func(t *testing.T) {
		uid, child := k.get(t, web).GetUID(), s.export(t).get(t, "shop:apps/Deployment.web").URN
		s.program(t, "%s", "resources:"+own+set("", "")+
			typedDeployment(space, 2, "")+"    options: {aliases: [\""+child+"\"]}\n")
		out := s.preview(t)
		assert.NotContains(t, out, "replace")
		assert.NotContains(t, out, "to delete")
		s.up(t)
		assert.Equal(t, uid, k.get(t, web).GetUID())
		assert.EqualValues(t, 2, k.value(t, web, "spec", "replicas"))
		saved := s.export(t).get(t, "web")
		assert.Equal(t, "k8sconnect:apps/v1:Deployment", saved.Type)
		assert.NotContains(t, saved.Inputs, "manifest")
		s.previewEmpty(t)
	})
	step(t, "and the set is taken down without it", func(t *testing.T) {
		s.program(t, "%s", "resources:"+typedDeployment(space, 2, ""))
		s.up(t)
		k.gone(t, config)
		require.NotNil(t, k.get(t, web))
		s.previewEmpty(t)
	})
}
