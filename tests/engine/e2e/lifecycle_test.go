package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLifecycle(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s := kubeOf(t, c), newStack(t)
	const space = "lifecycle"
	settings, web := "v1/ConfigMap/"+space+"/settings", "apps/v1/Deployment/"+space+"/web"
	s.program(t, lifecycleProgram, space)

	step(t, "a preview of all new writes nothing", func(t *testing.T) {
		s.preview(t)
		k.gone(t, "v1/Namespace/"+space)
		assert.Empty(t, s.export(t).all)
	})

	step(t, "a namespace and what is in it are made in one up [O1]", func(t *testing.T) {
		s.up(t)
		live := k.get(t, web)
		assert.Equal(t, int64(2), at(live.Object, "spec", "replicas"))
		saved := s.export(t)
		for name, id := range map[string]string{"namespace": "v1/Namespace/" + space, "settings": settings, "web": web} {
			r := saved.get(t, name)
			assert.Equal(t, id, r.ID)
			assert.Equal(t, string(k.get(t, id).GetUID()), r.uid())
			assert.Empty(t, r.InitErrors)
			assert.True(t, r.RefreshBeforeUpdate)
		}
		assert.Equal(t, "nginx:1.29", at(saved.get(t, "web").Outputs,
			"manifest", "spec", "template", "spec", "containers", 0, "image"))
		assert.Nil(t, at(saved.get(t, "web").Outputs, "manifest", "spec", "strategy"), "a default is not ours")
	})

	step(t, "an unchanged preview is empty [O21]", func(t *testing.T) { s.previewEmpty(t) })

	step(t, "drift of one field is seen without --refresh and shown as live => desired [O28, O29]", func(t *testing.T) {
		k.merge(t, web, `{spec: {replicas: 5}}`)
		out := s.preview(t)
		assert.Equal(t, []string{"~ replicas: 5 => 2"}, changedLines(out), out)
		assert.Contains(t, out, "~ 1 to update")
		assert.Equal(t, int64(5), k.value(t, web, "spec", "replicas"), "a preview writes nothing")
	})

	step(t, "up puts the drift right, and nothing else is touched", func(t *testing.T) {
		uid, version := k.get(t, web).GetUID(), k.get(t, settings).GetResourceVersion()
		s.up(t)
		assert.Equal(t, int64(2), k.value(t, web, "spec", "replicas"))
		assert.Equal(t, uid, k.get(t, web).GetUID())
		assert.Equal(t, version, k.get(t, settings).GetResourceVersion())
		s.previewEmpty(t)
	})

	step(t, "refresh takes the live value into the state, and the next up still puts it right", func(t *testing.T) {
		k.merge(t, settings, `{data: {greeting: bonjour}}`)
		s.refresh(t)
		assert.Equal(t, "bonjour", at(s.export(t).get(t, "settings").Outputs, "manifest", "data", "greeting"))
		out := s.preview(t)
		assert.Contains(t, changedLines(out), `~ greeting: "bonjour" => "hello"`)
		assert.Equal(t, "bonjour", k.value(t, settings, "data", "greeting"))
		s.up(t)
		assert.Equal(t, "hello", k.value(t, settings, "data", "greeting"))
		s.previewEmpty(t)
	})

	step(t, "an object that someone deleted is made again", func(t *testing.T) {
		old := k.get(t, settings).GetUID()
		k.delete(t, settings)
		s.up(t)
		assert.NotEqual(t, old, k.get(t, settings).GetUID())
		assert.Equal(t, string(k.get(t, settings).GetUID()), s.export(t).get(t, "settings").uid())
		s.previewEmpty(t)
	})

	step(t, "destroy leaves nothing [O1]", func(t *testing.T) {
		s.destroy(t)
		require.Empty(t, s.export(t).all)
		k.gone(t, web)
		k.gone(t, settings)
		k.gone(t, "v1/Namespace/"+space)
	})
}

const lifecycleProgram = `
resources:
  namespace:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Namespace
        metadata:
          name: %[1]s
  settings:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: settings
          namespace: ${namespace.resourceRef.name}
        data:
          greeting: hello
          log.level: info
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: web
          namespace: ${namespace.resourceRef.name}
        spec:
          replicas: 2
          selector:
            matchLabels:
              app.kubernetes.io/name: web
          template:
            metadata:
              labels:
                app.kubernetes.io/name: web
            spec:
              containers:
                - name: web
                  image: nginx:1.29
                  envFrom:
                    - configMapRef:
                        name: ${settings.resourceRef.name}
`
