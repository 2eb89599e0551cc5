package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// explicitProvider is a program that has a provider of its own, for the cluster of a file.
const explicitProvider = "resources:\n  one: {type: \"pulumi:providers:k8sconnect\", properties: {kubeconfig: {fn::readFile: ./cluster}}}\n"

// byOne are the options of a resource that uses it.
const byOne = "provider: \"${one}\""

// TestTheTwoHalvesOfAReplacementHaveTwoProviders is about resources that get another provider, or whose provider gets another
// configuration: one process reads and deletes, another one compares and creates.
func TestTheTwoHalvesOfAReplacementHaveTwoProviders(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	options := func(all string) string { return "    options: {" + all + "}\n" }

	for _, how := range []string{"--replace", "replaceWith"} {
		t.Run("an object is not deleted under the resource that replaces its own: "+how, func(t *testing.T) {
			t.Parallel()
			s, space := newStack(t), c.Namespace(t)
			s.file(t, "cluster", string(c.Kubeconfig()))
			program := func(other, all string) string {
				return explicitProvider + configMapResource("other", other, space, `{a: "1"}`) + configMapResource("object", "same", space, `{a: "1"}`) + all
			}
			s.program(t, "%s", program("other", ""))
			s.up(t)
			id := "v1/ConfigMap/" + space + "/same"
			uid := k.get(t, id).GetUID()
			up := []string{"up", "--yes", "--skip-preview"}
			if how == "--replace" {
				s.program(t, "%s", program("other", options(byOne)))
				up = append(up, how, s.export(t).get(t, "object").URN)
			} else {
				s.program(t, "%s", program("other2", options(byOne+", replaceWith: [\"${other}\"]")))
			}
			r := s.exec(t, up...)
			assert.NotEqual(t, 0, r.code)
			assert.Contains(t, r.String(), "the old object still exists and has the same name")
			assert.Equal(t, uid, k.get(t, id).GetUID())
		})
	}
	t.Run("a replacement deletes as the program says [D102]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		s.file(t, "cluster", string(c.Kubeconfig()))
		program := func(app, more string) string {
			return explicitProvider + fmt.Sprintf(`
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: %[1]s}
        spec: {replicas: 1, selector: {matchLabels: {app: %[2]s}}, template: {metadata: {labels: {app: %[2]s}}, spec: {containers: [{name: main, image: "nginx:1"}]}}}
%[3]s`, space, app, more)
		}
		replicaSets := func() int {
			client, _ := k.must(t, "apps/v1/ReplicaSet/"+space+"/any")
			all, err := client.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			return len(all.Items)
		}
		s.program(t, "%s", program("a", ""))
		s.up(t)
		eventually(t, "its replica set is there", func() bool { return replicaSets() == 1 })
		s.program(t, "%s", program("b", "      deletionPropagation: Orphan\n"+options(byOne)))
		s.up(t)
		eventually(t, "the new one has its own", func() bool { return replicaSets() == 2 })
		s.previewEmpty(t)
	})
	t.Run("with adopt, what still exists is not replaced", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		s.file(t, "cluster", string(c.Kubeconfig()))
		program := func(value, more string) string {
			return explicitProvider + configMapResource("object", "same", space, `{a: "`+value+`"}`) + "      adopt: true\n" +
				options("replaceOnChanges: [manifest.data.a]"+more)
		}
		s.program(t, "%s", program("1", ""))
		s.up(t)
		id := "v1/ConfigMap/" + space + "/same"
		uid := k.get(t, id).GetUID()
		s.program(t, "%s", program("2", ", "+byOne))
		r := s.exec(t, "up", "--yes", "--skip-preview")
		assert.NotEqual(t, 0, r.code)
		assert.Contains(t, r.String(), "deleteBeforeReplace")
		assert.Equal(t, uid, k.get(t, id).GetUID())
	})
	t.Run("an object goes from one resource to another", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		s.file(t, "cluster", string(c.Kubeconfig()))
		s.program(t, "%s", explicitProvider+configMapResource("object", "same", space, `{a: "1"}`))
		s.up(t)
		id := "v1/ConfigMap/" + space + "/same"
		before := k.get(t, id)
		s.program(t, "%s", explicitProvider+configMapResource("after", "same", space, `{a: "1"}`)+
			fmt.Sprintf("      takeOverFrom: [%q]\n", before.GetManagedFields()[0].Manager)+options(byOne))
		s.up(t)
		assert.Equal(t, before.GetUID(), k.get(t, id).GetUID())
		s.previewEmpty(t)
	})
	t.Run("a Patch keeps its fields, and removes from its former target what it has added [P31]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		s.file(t, "cluster", string(c.Kubeconfig()))
		for _, name := range []string{"it", "other"} {
			k.apply(t, "v1/ConfigMap/"+space+"/"+name, "owner", "{apiVersion: v1, kind: ConfigMap, metadata: {name: "+name+", namespace: "+space+"}, data: {a: '1'}}")
		}
		program := func(target, more string) string {
			return explicitProvider + fmt.Sprintf(`
  patch:
    type: k8sconnect:Patch
    properties:
      target: {apiVersion: v1, kind: ConfigMap, name: %s, namespace: %s}
      patch: {data: {new: "1"}}
      takeOwnership: true
%s`, target, space, more)
		}
		s.program(t, "%s", program("it", ""))
		s.up(t)
		s.program(t, "%s", program("other", "      onDestroy: remove\n"+options(byOne)))
		s.up(t)
		assert.NotContains(t, k.value(t, "v1/ConfigMap/"+space+"/it", "data"), "new")
		s.program(t, "%s", program("other", "      onDestroy: remove\n"))
		s.run(t, "up", "--yes", "--skip-preview", "--replace", s.export(t).get(t, "patch").URN)
		assert.Contains(t, k.value(t, "v1/ConfigMap/"+space+"/other", "data"), "new")
		s.previewEmpty(t)
	})
	for name, more := range map[string]string{"": "", ", with adopt": "      adopt: true\n"} {
		t.Run("an immutable object is replaced although the credentials have changed"+name, func(t *testing.T) {
			t.Parallel()
			s, space := newStack(t), c.Namespace(t)
			s.nowhere(t)
			program := func(value string) string {
				return fmt.Sprintf(`
resources:
  object:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, immutable: true, metadata: {name: same, namespace: %s}, data: {a: "%s"}}
      onImmutable: replace
%s`, space, value, more)
			}
			s.config(t, "k8sconnect:kubeconfig", string(c.Kubeconfig()), "--secret")
			s.program(t, "%s", program("1"))
			s.up(t)
			s.config(t, "k8sconnect:kubeconfig", string(c.Kubeconfig())+"\n# another token\n", "--secret")
			s.program(t, "%s", program("2"))
			assert.NotContains(t, s.preview(t), "retainOnDelete")
			s.up(t)
			assert.Equal(t, "2", k.value(t, "v1/ConfigMap/"+space+"/same", "data", "a"))
		})
	}
}

func TestAnObjectInAnotherClusterIsLeftAloneAlsoByItsFormerProvider(t *testing.T) { // [D8]
	t.Parallel()
	one, two := shared.Get(t), cluster.ForTest(t, cluster.Options{})
	inOne, inTwo, s := kubeOf(t, one), kubeOf(t, two), newStack(t)
	s.nowhere(t)
	space := one.Namespace(t)
	inTwo.apply(t, "v1/Namespace/"+space, "test", "{apiVersion: v1, kind: Namespace, metadata: {name: "+space+"}}")
	s.file(t, "cluster", string(one.Kubeconfig()))
	s.file(t, "two", string(two.Kubeconfig()))
	program := func(provider string) string {
		return explicitProvider + "  two: {type: \"pulumi:providers:k8sconnect\", properties: {kubeconfig: {fn::readFile: ./two}}}\n" +
			configMapResource("object", "same", space, `{a: "1"}`) + "    options: {provider: \"${" + provider + "}\"}\n"
	}
	s.program(t, "%s", program("one"))
	s.up(t)
	s.program(t, "%s", program("two"))
	s.up(t)
	id := "v1/ConfigMap/" + space + "/same"
	assert.NotNil(t, inOne.find(t, id), "it was said that it is left alone")
	assert.NotNil(t, inTwo.find(t, id))
	s.previewEmpty(t)
}
