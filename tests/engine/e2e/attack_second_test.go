package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// queuedJob is a program of a Job that a queue controller starts. options are inputs beside the manifest.
func queuedJob(space, rev, options string) string {
	return fmt.Sprintf(`
resources:
  work:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: batch/v1
        kind: Job
        metadata: {name: work, namespace: %s, labels: {rev: "%s"}}
        spec: {suspend: true, template: {spec: {restartPolicy: Never, nodeSelector: {pool: batch}, containers: [{name: main, image: "work:1"}]}}}
%s`, space, rev, options)
}

// start is what a queue controller does to it.
func (k *kube) start(t *testing.T, id string) {
	t.Helper()
	k.patch(t, id, types.MergePatchType, `{spec: {template: {spec: {nodeSelector: {zone: a}}}}}`, "kueue")
	k.patch(t, id, types.MergePatchType, `{spec: {suspend: false}}`, "kueue")
}

func TestWhatTheSecondAttackFoundFromOutside(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)

	t.Run("a running Job stays, whether what has started it is ignored or not [D49] [D50] [D61]", func(t *testing.T) {
		t.Parallel()
		const ignoring = "      ignoreFields: [spec.suspend, spec.template.spec.nodeSelector]\n"
		for name, options := range map[string]string{"ignored": ignoring, "not ignored": ""} {
			k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
			id := "batch/v1/Job/" + space + "/work"
			s.program(t, "%s", queuedJob(space, "1", options))
			s.up(t)
			k.start(t, id)
			uid := k.get(t, id).GetUID()
			s.program(t, "%s", queuedJob(space, "2", options))
			preview := s.preview(t)
			assert.Contains(t, preview, "~ 1 to update", name)
			assert.NotContains(t, preview, "replace", name)
			s.up(t)
			assert.Equal(t, uid, k.get(t, id).GetUID(), name)
			assert.Equal(t, "2", k.value(t, id, "metadata", "labels", "rev"), name)
			assert.Equal(t, false, k.value(t, id, "spec", "suspend"), name)
			s.previewEmpty(t)
			s.program(t, "%s", queuedJob(space, "2", ignoring))
			s.up(t)
			assert.Equal(t, uid, k.get(t, id).GetUID(), "the fields are ignored because they have changed")
		}
	})
	t.Run("a rotated password stays that is ignored as it is written [D51]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		id := "v1/Secret/" + space + "/keys"
		program := func(rev string) {
			s.program(t, `
resources:
  keys:
    type: k8sconnect:KubeObject
    properties:
      ignoreFields: [stringData.password]
      manifest: {apiVersion: v1, kind: Secret, metadata: {name: keys, namespace: %s, labels: {rev: "%s"}}, stringData: {password: first, user: me}}
`, space, rev)
		}
		program("1")
		s.up(t)
		k.patch(t, id, types.MergePatchType, `{data: {password: c2Vjb25k}}`, "rotation")
		program("2")
		s.up(t)
		assert.Equal(t, "c2Vjb25k", k.value(t, id, "data", "password"))
		assert.Equal(t, "2", k.value(t, id, "metadata", "labels", "rev"))
		s.previewEmpty(t)
	})
	t.Run("a Wait that begins to fail is held to it [D53]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		program := func(onFailure string) {
			s.program(t, `
resources:
  settings:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: %s}, data: {a: "1"}}}
  wait:
    type: k8sconnect:Wait
    properties: {resourceRef: '${settings.resourceRef}', waitFor: {fieldValue: {data.a: never}, timeout: 1s}, onFailure: %s}
`, space, onFailure)
		}
		program("warn")
		out := s.up(t)
		assert.Contains(t, out, "timed out after 1s")
		assert.NotContains(t, out, "waits again", "for it does not")
		s.previewEmpty(t)
		program("fail")
		assert.Contains(t, s.upFails(t), "[WaitTimedOut]")
	})
	t.Run("what a Patch has added goes as a whole after a repair [D54]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		id := "apps/v1/Deployment/" + space + "/web"
		k.apply(t, id, "team", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}}}`)
		s.program(t, `
resources:
  sidecar:
    type: k8sconnect:Patch
    properties:
      target: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: %s}
      takeOwnership: true
      onDestroy: remove
      patch: {spec: {template: {spec: {containers: [{name: side, image: "side:1", env: [{name: A, value: "1"}]}]}}}}
`, space)
		s.up(t)
		k.patch(t, id, types.StrategicMergePatchType, `{spec: {template: {spec: {containers: [{name: side, image: "side:9"}]}}}}`, "someone")
		s.up(t)
		s.destroy(t)
		containers, ok := k.value(t, id, "spec", "template", "spec", "containers").([]any)
		require.True(t, ok)
		require.Len(t, containers, 1)
		assert.Equal(t, "web", containers[0].(map[string]any)["name"])
	})
	t.Run("an aggregated role keeps the rules that its controller has found [D55]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		id := "rbac.authorization.k8s.io/v1/ClusterRole/" + space + "-all"
		program := func(rev string) {
			s.program(t, `
resources:
  all:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: %[1]s-all, labels: {rev: "%[2]s"}}
        aggregationRule: {clusterRoleSelectors: [{matchLabels: {into: %[1]s}}]}
        rules: []
  part:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: %[1]s-part, labels: {into: %[1]s}}
        rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`, space, rev)
		}
		rules := func() []any {
			rules, _ := k.value(t, id, "rules").([]any)
			return rules
		}
		program("1")
		s.up(t)
		eventually(t, "the role is filled", func() bool { return len(rules()) == 1 })
		s.previewEmpty(t)
		program("2")
		s.up(t)
		assert.Len(t, rules(), 1, "at no time are they gone")
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("what depends on an object stays, as the update says that replaces it [D102]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		program := func(app, options string) {
			s.program(t, `
resources:
  web:
    type: k8sconnect:KubeObject
    properties:
%s      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: %s}
        spec: {replicas: 0, selector: {matchLabels: {app: %[3]s}}, template: {metadata: {labels: {app: %[3]s}}, spec: {containers: [{name: web, image: "web:1"}]}}}
`, options, space, app)
		}
		sets := func() map[string]bool {
			list, err := c.Client().AppsV1().ReplicaSets(space).List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			found := map[string]bool{}
			for _, set := range list.Items {
				found[string(set.UID)] = true
			}
			return found
		}
		program("web", "")
		s.up(t)
		eventually(t, "the Deployment has a ReplicaSet", func() bool { return len(sets()) == 1 })
		before := sets()
		program("other", "      deletionPropagation: Orphan\n")
		assert.Contains(t, s.preview(t), "+-1 to replace")
		s.up(t)
		now := sets()
		for uid := range before {
			assert.True(t, now[uid], "the ReplicaSet of the former Deployment is left")
		}
		assert.NotNil(t, k.get(t, "apps/v1/Deployment/"+space+"/web"))
	})
	t.Run("a definition drops a version in the way that its refusal tells [D110]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		group := "d110-" + space + ".example.com"
		id, definition := group+"/v1/Lamp/"+space+"/it", "apiextensions.k8s.io/v1/CustomResourceDefinition/lamps."+group
		const keeping = "      - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n"
		program := func(version, more string) {
			s.program(t, "%s", replaceAll(`
resources:
  lamps:
    type: k8sconnect:KubeObject
    properties:
      deletionPropagation: Background
      manifest:
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: lamps.GROUP}
        spec:
          group: GROUP
          scope: Namespaced
          names: {kind: Lamp, plural: lamps}
          versions:
          - {name: VERSION, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
    MORE`, "GROUP", group, "VERSION", version, "MORE", more))
		}
		program("v1beta1", "")
		s.up(t)
		kubectl(t, c, "apiVersion: "+group+"/v1beta1\nkind: Lamp\nmetadata: {name: it, namespace: "+space+"}\nspec: {color: red}\n", "apply", "-f", "-")
		uid := k.get(t, group+"/v1beta1/Lamp/"+space+"/it").GetUID()

		program("v1", "")
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, "objects may still be stored in v1beta1, which the manifest drops. It was not touched.")
			assert.Contains(t, out, "Next: keep v1beta1 in the manifest for now, with `storage: true` for v1 alone, and run `pulumi up`. Then store the objects again")
			assert.Contains(t, out, "Do not delete the definition (lost with it: every object of its kind in the cluster).")
			assert.NotContains(t, out, "by hand")
		}
		program("v1", keeping)
		s.up(t)
		program("v1", "")
		out := s.upFails(t)
		assert.Contains(t, out, "Next: store the objects again, if there are any, and say that it is done:")
		commands := regexp.MustCompile(`(?m)^ *(kubectl .*)$`).FindAllStringSubmatch(out, -1)
		require.Len(t, commands, 2, out)
		for _, command := range commands {
			sh(t, c, command[1])
		}
		s.up(t)
		s.previewEmpty(t)
		k = kubeOf(t, c) // which sees the new version
		assert.Equal(t, uid, k.get(t, id).GetUID())
		assert.Equal(t, []any{"v1"}, k.value(t, definition, "status", "storedVersions"))
	})
	t.Run("objects can be changed after their kind has dropped the version that they were applied in, alone and in a set [D111]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		group := "d111-" + space + ".example.com"
		definition := "apiextensions.k8s.io/v1/CustomResourceDefinition/lamps." + group
		program := func(version, color string, served ...string) {
			var versions strings.Builder
			for i, name := range served {
				fmt.Fprintf(&versions, "\n          - {name: %s, served: true, storage: %t, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}", name, i == 0)
			}
			s.program(t, "%s", replaceAll(`
resources:
  lamps:
    type: k8sconnect:KubeObject
    properties:
      deletionPropagation: Background
      manifest:
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: lamps.GROUP}
        spec:
          group: GROUP
          scope: Namespaced
          names: {kind: Lamp, plural: lamps}
          versions: VERSIONS
  alone:
    type: k8sconnect:KubeObject
    properties:
      deletionPropagation: Background
      manifest: {apiVersion: GROUP/VERSION, kind: Lamp, metadata: {name: alone, namespace: SPACE}, spec: {color: COLOR}}
    options: {dependsOn: ["${lamps}"]}
  house:
    type: k8sconnect:Manifests
    properties:
      deletionPropagation: Background
      manifests: [{apiVersion: GROUP/VERSION, kind: Lamp, metadata: {name: member, namespace: SPACE}, spec: {color: COLOR}}]
    options: {dependsOn: ["${lamps}"]}
`, "VERSIONS", versions.String(), "GROUP", group, "VERSION", version, "SPACE", space, "COLOR", color))
		}
		member, alone := group+"/v1/Lamp/"+space+"/member", group+"/v1/Lamp/"+space+"/alone"
		program("v1beta1", "red", "v1beta1")
		s.up(t)
		program("v1beta1", "red", "v1", "v1beta1")
		s.up(t)
		uids := map[string]any{}
		for _, id := range []string{member, alone} {
			k.merge(t, id, "{metadata: {labels: {migrated: 'yes'}}}") // which stores it in v1
			uids[id] = k.get(t, id).GetUID()
		}
		client, name := k.must(t, definition)
		_, err := client.Patch(t.Context(), name, types.MergePatchType, []byte(`{"status": {"storedVersions": ["v1"]}}`), metav1.PatchOptions{}, "status")
		require.NoError(t, err)
		for _, color := range []string{"red", "blue", "green"} {
			program("v1", color, "v1")
			assert.NotContains(t, s.preview(t), "replace")
			s.up(t)
			s.previewEmpty(t)
			for _, id := range []string{member, alone} {
				assert.Equal(t, color, k.value(t, id, "spec", "color"), id)
				assert.Equal(t, uids[id], k.get(t, id).GetUID(), id)
				assert.Equal(t, "yes", k.get(t, id).GetLabels()["migrated"], id)
				for _, entry := range k.get(t, id).GetManagedFields() {
					assert.Equal(t, group+"/v1", entry.APIVersion, id)
				}
			}
		}
		s.destroy(t)
		k.gone(t, definition)
	})
	t.Run("what an adopted Deployment has beyond the manifest is a warning, and goes as it advises [D103]", func(t *testing.T) {
		t.Parallel()
		for name, from := range map[string]string{"no takeover": "[]", "takeover": "[helm]"} {
			k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
			id := "apps/v1/Deployment/" + space + "/web"
			k.createAs(t, id, "helm", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}}}`)
			program := func(containers, from string) {
				s.program(t, `
resources:
  web:
    type: k8sconnect:KubeObject
    properties:
      adopt: true
      takeOverFrom: %s
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: %s}
        spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [%s]}}}
`, from, space, containers)
			}
			const app, web, left = `{name: app, image: "web:1"}`, `{name: web, image: "web:1"}`, "  spec.template.spec.containers[name=web] (helm)"
			program(app, from)
			out := s.preview(t)
			assert.Contains(t, out, left, name)
			assert.Contains(t, out, `takeOverFrom: ["helm"]`, name)
			program(app+", "+web, "[helm]")
			s.up(t)
			program(app, "[helm]")
			s.up(t)
			containers, ok := k.value(t, id, "spec", "template", "spec", "containers").([]any)
			require.True(t, ok)
			require.Len(t, containers, 1, name)
			assert.Equal(t, "app", containers[0].(map[string]any)["name"], name)
			s.previewEmpty(t)
		}
	})
}
