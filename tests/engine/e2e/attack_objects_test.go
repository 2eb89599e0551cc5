package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// define makes a definition of a custom kind Widget, with a status of its own, in a group. It returns its ID.
func (k *kube) define(t *testing.T, group, schema string) string {
	t.Helper()
	id := "apiextensions.k8s.io/v1/CustomResourceDefinition/widgets." + group
	k.create(t, id, widgetsOf(group, schema))
	t.Cleanup(func() { k.remove(t, id) })
	k.established(t, id)
	return id
}

func (k *kube) established(t *testing.T, definition string) {
	t.Helper()
	eventually(t, "the definition is established", func() bool {
		return at(conditionOf(k.get(t, definition).Object, "Established"), "status") == "True"
	})
}

func widgetsOf(group, schema string) string {
	return replaceAll(widgetDefinition, "waiting.example", group, "{type: object, x-kubernetes-preserve-unknown-fields: true}", schema)
}

// anyFields is a schema that takes every field.
const anyFields = "{type: object, x-kubernetes-preserve-unknown-fields: true}"

// TestObjectsThatAreNotOurs is about objects that a command must not take for its own, or for what they are not.
func TestObjectsThatAreNotOurs(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	t.Run("two backends with a stack of the same names do not share an object [D9]", func(t *testing.T) {
		t.Parallel()
		k, alice, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		settings := "v1/ConfigMap/" + space + "/settings"
		alice.program(t, "%s", configMap("settings", "settings", space))
		alice.up(t)
		made := k.get(t, settings)

		bob := &stack{project: alice.project, name: alice.name, dir: t.TempDir(), backend: t.TempDir()}
		bob.env = environment(bob.backend, c.KubeconfigFile())
		bob.program(t, "%s", configMap("settings", "settings", space))
		bob.run(t, "stack", "init", bob.name)
		bob.config(t, "k8sconnect:resumeWithin", "1s")
		eventually(t, "the object is older than resumeWithin", func() bool {
			return time.Since(made.GetCreationTimestamp().Time) > 2*time.Second
		})
		for _, out := range []string{bob.previewFails(t), bob.upFails(t)} {
			for _, way := range []string{"already exists", "pulumi import", "adopt: true", "resumeWithin"} {
				assert.Contains(t, out, way)
			}
		}
		assert.Empty(t, bob.export(t).resources)
		bob.destroy(t)
		assert.Equal(t, made, k.get(t, settings))
		alice.previewEmpty(t)
		alice.destroy(t)
		k.gone(t, settings)
	})
	t.Run("an object that is being deleted is not adopted, and not unchanged without a word [D11]", func(t *testing.T) {
		t.Parallel()
		k, s, other, space := kubeOf(t, c), newStack(t), newStack(t), c.Namespace(t)
		settings := "v1/ConfigMap/" + space + "/settings"
		s.program(t, "%s", configMap("settings", "settings", space))
		s.up(t)
		k.create(t, "v1/ConfigMap/"+space+"/theirs", `{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: `+space+`}, data: {a: "1"}}`)
		for _, id := range []string{settings, "v1/ConfigMap/" + space + "/theirs"} {
			k.merge(t, id, `{metadata: {finalizers: [example.com/hold]}}`)
			client, name := k.must(t, id)
			require.NoError(t, client.Delete(t.Context(), name, metav1.DeleteOptions{}))
		}
		for _, out := range []string{s.previewEmpty(t), s.up(t)} {
			assert.Contains(t, out, "/settings is being deleted since")
			assert.Contains(t, out, "held by the finalizer example.com/hold")
		}
		other.program(t, "%s", replaceAll(configMap("theirs", "theirs", space), "properties:", "properties:\n      adopt: true"))
		before := k.get(t, "v1/ConfigMap/"+space+"/theirs").GetResourceVersion()
		for _, out := range []string{other.previewFails(t), other.upFails(t)} {
			assert.Contains(t, out, "is being deleted since")
			assert.Contains(t, out, "run `pulumi up` again when the object is gone")
		}
		assert.Empty(t, other.export(t).resources)
		assert.Equal(t, before, k.get(t, "v1/ConfigMap/"+space+"/theirs").GetResourceVersion())
		for _, id := range []string{settings, "v1/ConfigMap/" + space + "/theirs"} {
			k.merge(t, id, `{metadata: {finalizers: null}}`)
			k.gone(t, id)
		}
		s.up(t)
		other.up(t)
		assert.Equal(t, string(k.get(t, settings).GetUID()), s.export(t).get(t, "settings").uid())
		s.destroy(t)
		other.destroy(t)
	})
	t.Run("a status of before the change is not ready, and does not fail either [D11]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		k.define(t, "stale.example", anyFields)
		k = kubeOf(t, c)
		widget := "stale.example/v1/Widget/" + space + "/slow"
		k.create(t, widget, `{apiVersion: stale.example/v1, kind: Widget, metadata: {name: slow, namespace: `+space+`}, spec: {size: 1}}`)
		k.status(t, widget, "{status: {observedGeneration: 1, phase: Ready, health: Failed}}")
		k.merge(t, widget, "{spec: {size: 2}}")
		wait := func(name, goal string) string {
			return "\n  " + name + ": {type: 'k8sconnect:Wait', properties: {waitFor: {timeout: 2s, " + goal +
				"}, resourceRef: {apiVersion: stale.example/v1, kind: Widget, namespace: " + space + ", name: slow}}}"
		}
		goals := map[string]string{
			"field": "field: status.phase", "value": "fieldValue: {status.phase: Ready}", "expression": `expression: "object.status.phase == 'Ready'"`,
			"failed": `expression: "object.status.phase == 'Ready'", failWhen: "object.status.health == 'Failed'"`,
		}
		program := "resources:"
		for name, goal := range goals {
			program += wait(name, goal)
		}
		s.program(t, "%s", program+"\n")
		out := s.upFails(t, "--continue-on-error")
		assert.Equal(t, len(goals), strings.Count(out, "\n      Seen last:"), out)
		assert.Contains(t, out, "out of date: the status is about generation 1, the object is at 2")
		assert.NotContains(t, out, "failWhen")
		saved := s.export(t)
		for name := range goals {
			assert.True(t, saved.get(t, name).waits(), name)
		}
		k.status(t, widget, "{status: {observedGeneration: 2, phase: Ready, health: Good}}")
		s.up(t)
		s.previewEmpty(t)
	})
	t.Run("a definition does not take the objects of others with it [D33]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		definition := "apiextensions.k8s.io/v1/CustomResourceDefinition/widgets.crowded.example"
		declare := func(more string) {
			s.program(t, "%s", "resources:\n  widgets:\n    type: k8sconnect:KubeObject\n    options: {customTimeouts: {delete: 2s}}\n"+
				"    properties:\n      "+more+"\n      yaml: |\n"+indented(widgetsOf("crowded.example", anyFields), 8))
		}
		declare("forceDestroy: false")
		s.up(t)
		k.established(t, definition)
		k = kubeOf(t, c)
		theirs := "crowded.example/v1/Widget/" + space + "/theirs"
		k.create(t, theirs, `{apiVersion: crowded.example/v1, kind: Widget, metadata: {name: theirs, namespace: `+space+`}, spec: {size: 1}}`)
		out := s.runFails(t, "destroy", "--yes", "--skip-preview")
		for _, says := range []string{"1 object", "Widget " + space + "/theirs", "retainOnDelete", "deleteInstances: true"} {
			assert.Contains(t, out, says)
		}
		assert.Equal(t, string(k.get(t, definition).GetUID()), s.export(t).get(t, "widgets").uid())
		assert.NotNil(t, k.find(t, theirs))
		declare("deleteInstances: true")
		s.up(t)
		s.destroy(t)
		k.gone(t, definition)
		assert.Empty(t, s.export(t).resources)
	})
}
