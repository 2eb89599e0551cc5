package e2e

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// untimed is all of an object that a Patch can leave as it was, with who owns what: not what the API server counts, and not
// what controllers report.
func untimed(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	entries := slices.DeleteFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return entry.Subresource == "status" })
	for i := range entries {
		entries[i].Time = nil
	}
	slices.SortFunc(entries, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Or(cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Operation, b.Operation))
	})
	object.SetManagedFields(entries)
	object.SetResourceVersion("")
	object.SetGeneration(0)
	unstructured.RemoveNestedField(object.Object, "status")
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "deprecated.daemonset.template.generation")
	return object.Object
}

// TestPatchThatIsUndone changes the add-on of another team for a while.
func TestPatchThatIsUndone(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space, proxy := kubeOf(t, c), newStack(t), c.Namespace(t), newFaulty(t, c)
	s.connectAs(t, proxy.User)
	theirs := strings.ReplaceAll(awsNode, "kube-system", space)
	id := "apps/v1/DaemonSet/" + space + "/aws-node"
	applyAs(t, c, "eks", theirs)
	untouched := untimed(k.get(t, id))
	program := func(t *testing.T, container, more string) {
		t.Helper()
		s.program(t, "%s", "resources:"+patchOf("aws-node", "{apiVersion: apps/v1, kind: DaemonSet, namespace: "+space+", name: aws-node}", `onDestroy: restore
      patch: {spec: {`+more+`template: {spec: {containers: [{name: aws-node, `+container+`}]}}}}`))
	}
	const env = `env: [{name: AWS_VPC_K8S_CNI_LOGLEVEL, value: DEBUG}, {name: HTTP_PROXY, value: "http://proxy:3128"}]`
	level := func() any { return k.value(t, id, "spec", "template", "spec", "containers", 0, "env", 0, "value") }
	killed := func(t *testing.T, name string, after int) {
		t.Helper()
		seen := 0
		running := commandHeld(t, s, proxy, func(r *http.Request) bool {
			if writes("aws-node")(r) {
				seen++
			}
			return seen == after
		}, name)
		s.kill(t, running)
		require.Equal(t, -1, running.wait(t).code)
		proxy.heal()
		s.run(t, "cancel", "--yes")
	}

	step(t, "the object is as before the patch, with its owners, after updates, drift and a refresh [P33, P35]", func(t *testing.T) {
		program(t, env, "")
		s.up(t)
		program(t, `image: "ours/cni:1", `+strings.Replace(env, "DEBUG", "ERROR", 1), "minReadySeconds: 5, ")
		s.up(t)
		k.merge(t, id, `{spec: {minReadySeconds: 1}}`)
		k.apply(t, id, "eks", theirs)
		require.Equal(t, "INFO", level())
		s.refresh(t)
		s.up(t)
		require.Equal(t, "ERROR", level())
		s.previewEmpty(t)
		out := s.destroy(t)
		assert.Contains(t, out, "these fields have got back what was there before the Patch: spec.minReadySeconds, spec.template.spec.containers[name=aws-node].env[name=AWS_VPC_K8S_CNI_LOGLEVEL].value")
		assert.Equal(t, int64(1), k.value(t, id, "spec", "minReadySeconds"), "the last value of others")
		k.merge(t, id, `{spec: {minReadySeconds: 0}}`)
		k.apply(t, id, "eks", theirs)
		live := untimed(k.get(t, id))
		assert.Equal(t, untouched["spec"], live["spec"])
	})
	step(t, "what leaves the patch is restored with the update, and the preview says so [P36]", func(t *testing.T) {
		before := untimed(k.get(t, id))
		program(t, env+`, image: "ours/cni:1"`, "")
		s.up(t)
		program(t, env, "")
		assert.Contains(t, s.preview(t), "They get back what was there before it: spec.template.spec.containers[name=aws-node].image")
		s.up(t)
		assert.Equal(t, "registry.example/amazon-k8s-cni:v1.19", k.value(t, id, "spec", "template", "spec", "containers", 0, "image"))
		s.previewEmpty(t)
		s.destroy(t)
		assert.Equal(t, before, untimed(k.get(t, id)))
	})
	step(t, "what its owner has changed meanwhile stays, with a warning [P34]", func(t *testing.T) {
		program(t, env+`, image: "ours/cni:1"`, "")
		s.up(t)
		k.jsonPatch(t, id, `[{op: replace, path: /spec/template/spec/containers/0/env/0/value, value: WARN}]`)
		out := s.destroy(t)
		assert.Contains(t, out, `these values stay in the object, although onDestroy is "restore"`)
		assert.Contains(t, out, "env[name=AWS_VPC_K8S_CNI_LOGLEVEL].value: it, or a part of it, is owned by ")
		assert.Equal(t, "WARN", level())
		assert.Equal(t, "registry.example/amazon-k8s-cni:v1.19", k.value(t, id, "spec", "template", "spec", "containers", 0, "image"))
		assert.Empty(t, k.ours(t, id))
		k.apply(t, id, "eks", theirs)
	})
	step(t, "a command that is killed between two requests forgets nothing [P38]", func(t *testing.T) {
		before := untimed(k.get(t, id))
		program(t, env, "")
		s.up(t)
		program(t, env, "minReadySeconds: 7, ")
		killed(t, "up", 1)
		program(t, `image: "ours/cni:1"`, "")
		killed(t, "up", 1)
		s.up(t)
		program(t, env+`, image: "ours/cni:1"`, "")
		s.up(t)
		killed(t, "destroy", 1)
		killed(t, "destroy", 2)
		s.destroy(t)
		live := untimed(k.get(t, id))
		require.Equal(t, int64(7), at(live, "spec", "minReadySeconds"), "set by a run whose state is lost")
		unstructured.RemoveNestedField(live, "spec", "minReadySeconds")
		assert.Equal(t, before, live)
	})
}
