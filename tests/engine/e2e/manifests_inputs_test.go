package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

func TestOverridesOfASet(t *testing.T) { // [M13]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), shared.Get(t).Namespace(t)
	s.file(t, "set.yaml", setIn(space, setSettings, replaceAll(setSettings, "name: settings", "name: other")))
	program := func(overrides string) {
		s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {files: [set.yaml], overrides: "+overrides+"}}}\n")
	}
	program("[{select: {name: setings}, ignoreFields: [data.mode]}]")
	out := s.upFails(t)
	assert.Contains(t, out, `the inputs of Manifests "shop" are refused`)
	assert.Contains(t, out, "overrides[0].select: It selects no object of the set. Correct it, or set optional: true.")
	assert.Empty(t, s.export(t).named("k8sconnect:index:KubeObject"), "nothing is made of a set with a mistake")

	program("[{select: {name: 'set*'}, ignoreFields: [data.mode]}]")
	s.up(t)
	for _, name := range []string{"settings", "other"} {
		k.merge(t, "v1/ConfigMap/"+space+"/"+name, `{data: {mode: drifted}}`)
	}
	assert.Equal(t, []string{`~ mode: "drifted" => "on"`}, changedLines(s.preview(t)), "the other one is ignored")
	program("[{select: {name: nothing}, optional: true, adopt: true}]")
	assert.Len(t, changedLines(s.preview(t)), 2)
}

func TestTheNamespaceOfTheConnectionIsThatOfASet(t *testing.T) { // [M21]
	t.Parallel()
	s, space := newStack(t), shared.Get(t).Namespace(t)
	s.config(t, "k8sconnect:namespace", space)
	s.program(t, `
resources:
  shop:
    type: k8sconnect:Manifests
    properties:
      manifests:
        - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
        - {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: %s}}
`, space)
	for _, out := range []string{s.previewFails(t), s.upFails(t)} {
		assert.Contains(t, out, `ConfigMap.a are the same object in namespace "`+space+`"`)
	}
	assert.Empty(t, s.export(t).named("k8sconnect:index:KubeObject"), "nothing is made of a set with a mistake")
}

func TestEditsOfASet(t *testing.T) { // [M14]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), shared.Get(t).Namespace(t)
	s.config(t, "k8sconnect:namespace", space)
	s.file(t, "set.yaml", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/web:1"}]}
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}
`)
	program := func(team string) {
		s.program(t, `
resources:
  shop:
    type: k8sconnect:Manifests
    properties:
      files: [set.yaml]
      edits:
        labels: {team: %s}
        annotations: {owner: {fn::secret: hush-owner}}
        images: [{name: registry.example/web, newName: mirror.example/web, newTag: '2'}]
        patches:
        - target: {kind: Deployment, name: w.*}
          patch: '[{op: add, path: /spec/replicas, value: 3}]'
        - patch: '{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80, name: http}]}}'
`, team)
	}
	program("shop")
	s.up(t)
	web, service := k.get(t, "apps/v1/Deployment/"+space+"/web"), k.get(t, "v1/Service/"+space+"/web")
	for _, live := range []map[string]any{web.Object, service.Object} {
		assert.Equal(t, "shop", at(live, "metadata", "labels", "team"))
		assert.Equal(t, "hush-owner", at(live, "metadata", "annotations", "owner"))
	}
	assert.Equal(t, map[string]any{"app": "web"}, at(web.Object, "spec", "selector", "matchLabels"))
	assert.Equal(t, map[string]any{"app": "web"}, at(service.Object, "spec", "selector"))
	assert.Equal(t, map[string]any{"app": "web"}, at(web.Object, "spec", "template", "metadata", "labels"))
	assert.Equal(t, "mirror.example/web:2", at(web.Object, "spec", "template", "spec", "containers", 0, "image"))
	assert.Equal(t, int64(3), at(web.Object, "spec", "replicas"))
	assert.Equal(t, "http", at(service.Object, "spec", "ports", 0, "name"))
	assert.NotContains(t, s.everythingSaved(t), "hush-owner")
	s.previewEmpty(t)

	program("store")
	out := s.preview(t)
	assert.Equal(t, []string{`~ team: "shop" => "store"`, `~ team: "shop" => "store"`}, changedLines(out), out)
	s.up(t)
	assert.Equal(t, web.GetUID(), k.get(t, "apps/v1/Deployment/"+space+"/web").GetUID(), "no selector has changed")
}

func TestAFailedWaitOfASetStopsWhatDependsOnIt(t *testing.T) { // [M15]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), shared.Get(t).Namespace(t)
	s.config(t, "k8sconnect:namespace", space)
	program := func(wait string) {
		s.program(t, `
resources:
  shop:
    type: k8sconnect:Manifests
    properties:
      wait: %s
      manifests:
      - {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: lost}, spec: {accessModes: [ReadWriteOnce], storageClassName: none, volumeName: none, resources: {requests: {storage: 1Gi}}}}
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: after, annotations: {config.kubernetes.io/depends-on: /namespaces/%s/PersistentVolumeClaim/lost}}}
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: free}}
`, wait, space)
	}
	program("all")
	claim := "v1/PersistentVolumeClaim/" + space + "/lost"
	// lose updates, and has the volume of the claim lost meanwhile, whatever the controllers say of it.
	lose := func(t *testing.T) result {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		client, name := k.must(t, claim)
		go wait.UntilWithContext(ctx, func(ctx context.Context) {
			// There is no claim at first.
			_, _ = client.Patch(ctx, name, types.MergePatchType, []byte(`{"status": {"phase": "Lost"}}`), metav1.PatchOptions{}, "status")
		}, 50*time.Millisecond)
		return s.exec(t, "up", "--yes", "--skip-preview")
	}
	failed := lose(t)
	require.NotZero(t, failed.code, failed.String())
	assert.Contains(t, failed.out, "[WaitFailed]")
	k.get(t, "v1/ConfigMap/"+space+"/free")
	k.gone(t, "v1/ConfigMap/"+space+"/after")

	step(t, "with wait: needed a failed wait is a warning that names both, and the update goes on", func(t *testing.T) {
		program("needed")
		up := lose(t)
		require.Zero(t, up.code, up.String())
		assert.Contains(t, strings.Join(strings.Fields(up.out), " "), "PersistentVolumeClaim.lost is not ready. ConfigMap.after is applied all the same (its annotation")
		k.get(t, "v1/ConfigMap/"+space+"/after")
		s.previewEmpty(t)
	})
	step(t, "with wait: none nothing waits", func(t *testing.T) {
		program("none")
		s.up(t)
		assert.Empty(t, s.export(t).named("k8sconnect:index:Wait"))
		s.previewEmpty(t)
	})
}

func TestChildrenOfASetAreOrdinaryResources(t *testing.T) { // [M22] [M24]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), shared.Get(t).Namespace(t)
	settings, other := "v1/ConfigMap/"+space+"/settings", "v1/ConfigMap/"+space+"/other"
	k.create(t, settings, setIn(space, setSettings))
	uid := k.get(t, settings).GetUID()
	set := func(mode string) {
		s.file(t, "set.yaml", setIn(space, replaceAll(setSettings, "'on'", mode), replaceAll(setSettings, "name: settings", "name: other", "'on'", mode)))
	}
	set("'on'")
	program := func(options string) {
		s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {files: [set.yaml]"+options+"}}}\n")
	}
	step(t, "an object that exists is refused, and taken over with adopt [M24]", func(t *testing.T) {
		program("")
		assert.Contains(t, s.upFails(t), "[AlreadyExists]")
		program(", adopt: true")
		assert.Contains(t, s.preview(t), "settings")
		s.up(t)
		assert.Equal(t, uid, k.get(t, settings).GetUID())
		s.previewEmpty(t)
	})
	step(t, "one of them can be the target of an update", func(t *testing.T) {
		set("'off'")
		urn := s.export(t).get(t, "shop:ConfigMap."+space+".other").URN
		s.up(t, "--target", urn)
		assert.Equal(t, "off", k.value(t, other, "data", "mode"))
		assert.Equal(t, "on", k.value(t, settings, "data", "mode"))
		s.up(t)
		assert.Equal(t, "off", k.value(t, settings, "data", "mode"))
		s.previewEmpty(t)
	})
	step(t, "protection of the component is that of its children", func(t *testing.T) {
		s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {files: [set.yaml], adopt: true}, options: {protect: true}}}\n")
		s.up(t)
		s.file(t, "set.yaml", setIn(space, replaceAll(setSettings, "'on'", "'off'")))
		assert.Contains(t, s.previewFails(t), "protected")
		set("'off'")
		s.run(t, "state", "unprotect", "--all", "--yes")
		program(", adopt: true")
		s.up(t)
	})
}
