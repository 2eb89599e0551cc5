package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWithContinueOnErrorOnlyWhatDependsOnAFailureIsLeftOut has one resource each whose failure is found while the engine
// still compares.
func TestWithContinueOnErrorOnlyWhatDependsOnAFailureIsLeftOut(t *testing.T) { // [D113]
	t.Parallel()
	const reached, unreachable = "", "there"
	for name, test := range map[string]struct {
		// resource has the inputs for a first and a changed run.
		resource func(space, value string) string
		cluster  string
		says     string
	}{
		"an immutable Job": {
			resource: func(space, value string) string {
				return fmt.Sprintf(`
    type: k8sconnect:KubeObject
    properties:
      onImmutable: fail
      manifest:
        apiVersion: batch/v1
        kind: Job
        metadata: { name: failing, namespace: %s }
        spec: { suspend: true, template: { spec: { restartPolicy: Never, containers: [{ name: main, image: "image:%s" }] } } }`, space, value)
			},
			cluster: reached, says: "[Immutable]",
		},
		"a JSON patch whose test fails": {
			resource: func(space, value string) string {
				return fmt.Sprintf(`
    type: k8sconnect:Patch
    properties:
      takeOwnership: true
      target: { apiVersion: v1, kind: ConfigMap, namespace: %s, name: theirs }
      jsonPatch: [{ op: test, path: /data/k, value: %s }, { op: add, path: /data/new, value: %s }]`, space, value, value)
			},
			cluster: reached, says: "[PatchNotApplicable]",
		},
		"a changed object in a cluster that cannot be reached": {
			resource: func(space, value string) string {
				return fmt.Sprintf(`
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: failing, namespace: %s }, data: { k: %s } } }
    options: { provider: "${there}" }`, space, value)
			},
			cluster: unreachable, says: "[ClusterUnreachable]",
		},
		"an unchanged object in a cluster that cannot be reached": {
			resource: func(space, _ string) string {
				return fmt.Sprintf(`
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: failing, namespace: %s } } }
    options: { provider: "${there}" }`, space)
			},
			cluster: unreachable, says: "[ClusterUnreachable]",
		},
		"an unchanged Wait in a cluster that cannot be reached": {
			resource: func(space, _ string) string {
				return fmt.Sprintf(`
    type: k8sconnect:Wait
    properties: { resourceRef: { apiVersion: v1, kind: ConfigMap, namespace: %s, name: theirs }, waitFor: { fieldValue: { data.k: one } } }
    options: { provider: "${there}" }`, space)
			},
			cluster: unreachable, says: "[ClusterUnreachable]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := shared.Get(t)
			k, space, s := kubeOf(t, c), c.Namespace(t), newStack(t)
			k.create(t, "v1/ConfigMap/"+space+"/theirs", "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: "+space+"}, data: {k: one}}")
			declare := func(value, of string) {
				object := func(name string) string {
					return "{ manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: " + name + ", namespace: " + space + " }, data: { k: " + of + " } } }"
				}
				s.program(t, `
resources:
  there: { type: "pulumi:providers:k8sconnect", properties: { kubeconfig: { fn::readFile: ./there } } }
  failing:%s
  dependent: { type: "k8sconnect:KubeObject", properties: %s, options: { dependsOn: ["${failing}"] } }
  first: { type: "k8sconnect:KubeObject", properties: %s }
  second: { type: "k8sconnect:KubeObject", properties: %s, options: { dependsOn: ["${first}"] } }
  third: { type: "k8sconnect:KubeObject", properties: %s, options: { dependsOn: ["${second}"] } }
  other: { type: "k8sconnect:KubeObject", properties: %s, options: { dependsOn: ["${third}"] } }
`, test.resource(space, value), object("dependent"), object("first"), object("second"), object("third"), object("other"))
			}
			value := func(name string) any { return k.value(t, "v1/ConfigMap/"+space+"/"+name, "data", "k") }
			s.file(t, "there", string(c.Kubeconfig()))
			declare("one", "one")
			s.up(t)
			before := s.export(t).get(t, "failing")

			if test.cluster == unreachable {
				s.file(t, "there", strings.ReplaceAll(string(c.Kubeconfig()), c.RESTConfig().Host, "https://127.0.0.1:1"))
			}
			declare("two", "two")
			assert.Contains(t, s.previewFails(t), test.says, "a preview hides no error")
			assert.Contains(t, s.runFails(t, "up", "--yes", "--continue-on-error"), test.says)
			assert.Equal(t, "one", value("other"), "an update ends with its preview")
			out := s.upFails(t, "--continue-on-error")
			_, diagnostics, _ := strings.Cut(out, "Diagnostics:")
			assert.Equal(t, 1, strings.Count(diagnostics, test.says), out)
			assert.Equal(t, "two", value("other"))
			require.Equal(t, "one", value("dependent"))
			after := s.export(t).get(t, "failing")
			assert.Equal(t, before.ID, after.ID)
			assert.Equal(t, before.Inputs, after.Inputs)
			assert.Equal(t, before.Outputs["resourceRef"], after.Outputs["resourceRef"], "the failure changes nothing of its resource")

			if test.cluster == unreachable {
				s.file(t, "there", string(c.Kubeconfig()))
			} else {
				declare("one", "two")
			}
			s.up(t)
			assert.Equal(t, "two", value("dependent"))
			s.previewEmpty(t)
		})
	}
}

func TestWithContinueOnErrorTheOtherObjectsOfASetAreUpdated(t *testing.T) { // [D113]
	t.Parallel()
	c := shared.Get(t)
	k, space, s := kubeOf(t, c), c.Namespace(t), newStack(t)
	declare := func(image, of string) {
		s.program(t, `
resources:
  set:
    type: k8sconnect:Manifests
    properties:
      namespace: %s
      onImmutable: fail
      manifests:
        - apiVersion: batch/v1
          kind: Job
          metadata: { name: fixed }
          spec: { suspend: true, template: { spec: { restartPolicy: Never, containers: [{ name: main, image: "image:%s" }] } } }
        - { apiVersion: v1, kind: ConfigMap, metadata: { name: inside }, data: { k: %s } }
  other:
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: other, namespace: %s }, data: { k: %s } } }
`, space, image, of, space, of)
	}
	value := func(name string) any { return k.value(t, "v1/ConfigMap/"+space+"/"+name, "data", "k") }
	declare("one", "one")
	s.up(t)
	uid := k.get(t, "batch/v1/Job/"+space+"/fixed").GetUID()
	declare("two", "two")
	assert.Contains(t, s.upFails(t, "--continue-on-error"), "[Immutable]")
	assert.Equal(t, []any{"two", "two"}, []any{value("inside"), value("other")})
	declare("one", "three")
	s.up(t)
	assert.Equal(t, []any{"three", "three"}, []any{value("inside"), value("other")})
	assert.Equal(t, uid, k.get(t, "batch/v1/Job/"+space+"/fixed").GetUID())
	s.previewEmpty(t)
	s.destroy(t)
}

// TestAnErrorWhileOneIsComparedDeletesNothing has an engine that would replace the resource, because its last wait has failed, and
// begin with what depends on it.
func TestAnErrorWhileOneIsComparedDeletesNothing(t *testing.T) { // [D113]
	t.Parallel()
	c := shared.Get(t)
	k, space, s := kubeOf(t, c), c.Namespace(t), newStack(t)
	theirs, dependent := "v1/ConfigMap/"+space+"/theirs", "v1/ConfigMap/"+space+"/dependent"
	k.create(t, theirs, "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: "+space+"}, data: {k: one, ready: 'yes'}}")
	declare := func(options, test, value string) {
		s.program(t, `
resources:
  patch:
    type: k8sconnect:Patch
    options: { %s }
    properties:
      takeOwnership: true
      target: { apiVersion: v1, kind: ConfigMap, namespace: %s, name: theirs }
      jsonPatch: [{ op: test, path: /data/k, value: %s }, { op: add, path: /data/new, value: %s }]
      waitFor: { timeout: 2s, fieldValue: { data.ready: 'yes' } }
  dependent:
    type: k8sconnect:KubeObject
    options: { replaceOnChanges: ["*"] }
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: { name: dependent, namespace: %s }
        data: { uid: "${patch.resourceRef.uid}" }
`, options, space, test, value, space)
	}
	declare("", "one", "one")
	s.up(t)
	uid := k.get(t, dependent).GetUID()
	k.merge(t, theirs, "{data: {ready: 'no'}}")
	declare("", "one", "two")
	s.upFails(t)
	require.True(t, s.export(t).get(t, "patch").waits())

	declare(`replaceOnChanges: ["*"], deleteBeforeReplace: true`, "another", "two")
	for _, flags := range [][]string{nil, {"--continue-on-error"}} {
		assert.Contains(t, s.upFails(t, flags...), "[PatchNotApplicable]")
		assert.Equal(t, uid, k.get(t, dependent).GetUID())
		assert.Equal(t, "two", k.value(t, theirs, "data", "new"))
	}
	s.destroy(t)
}

func TestAnErrorThatWaitsForTheUpdateNeverReplaces(t *testing.T) { // [D113]
	t.Parallel()
	c := shared.Get(t)
	k, space, s := kubeOf(t, c), c.Namespace(t), newStack(t)
	job := "batch/v1/Job/" + space + "/fixed"
	declare := func(image string) {
		s.program(t, `
resources:
  fixed:
    type: k8sconnect:KubeObject
    options: { replaceOnChanges: ["*"], deleteBeforeReplace: true }
    properties:
      onImmutable: fail
      manifest:
        apiVersion: batch/v1
        kind: Job
        metadata: { name: fixed, namespace: %s }
        spec: { suspend: true, template: { spec: { restartPolicy: Never, containers: [{ name: main, image: "%s" }] } } }
`, space, image)
	}
	declare("image:1")
	s.up(t)
	uid := k.get(t, job).GetUID()
	declare("image:2")
	for _, flags := range [][]string{nil, {"--continue-on-error"}} {
		assert.Contains(t, s.previewFails(t), "[Immutable]")
		assert.Contains(t, s.upFails(t, flags...), "[Immutable]")
		assert.Equal(t, uid, k.get(t, job).GetUID())
	}
	s.destroy(t)
	k.gone(t, job)
}
