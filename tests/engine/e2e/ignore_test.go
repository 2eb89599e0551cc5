package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// scale writes replicas as the controller of a HorizontalPodAutoscaler does.
func scale(t testing.TB, c *cluster.Cluster, namespace, name string, replicas int32) {
	t.Helper()
	_, err := c.Client().AppsV1().Deployments(namespace).UpdateScale(t.Context(), name, &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec:       autoscalingv1.ScaleSpec{Replicas: replicas},
	}, metav1.UpdateOptions{FieldManager: "kube-controller-manager"})
	require.NoError(t, err)
}

// replicasDuring are all values that replicas of a Deployment had while something ran, in order
// and without repetitions.
func replicasDuring(t testing.TB, c *cluster.Cluster, k *kube, namespace, name string, run func()) []int32 {
	t.Helper()
	client := c.Client().AppsV1().Deployments(namespace)
	now, err := client.Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	seen := []int32{*now.Spec.Replicas}
	watch, err := client.Watch(t.Context(), metav1.ListOptions{
		FieldSelector: "metadata.name=" + name, ResourceVersion: now.ResourceVersion,
	})
	require.NoError(t, err)
	defer watch.Stop()
	run()
	// A mark of our own ends the story.
	mark := now.ResourceVersion
	k.merge(t, "apps/v1/Deployment/"+namespace+"/"+name, `{metadata: {labels: {test/mark: "`+mark+`"}}}`)
	for event := range watch.ResultChan() {
		deployment, ok := event.Object.(*appsv1.Deployment)
		require.True(t, ok, "%s: %v", event.Type, event.Object)
		if last := *deployment.Spec.Replicas; last != seen[len(seen)-1] {
			seen = append(seen, last)
		}
		if deployment.Labels["test/mark"] == mark {
			return seen
		}
	}
	t.Fatal("the watch ended early")
	return nil
}

func TestIgnoreFromTheStart(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "apps/v1/Deployment/" + space + "/web"
	declare := func(t *testing.T, replicas int, image string) {
		s.declare(t, fmt.Sprintf(smallDeployment, space, "web", replicas, "web", image, "", ""), "ignoreFields: [spec.replicas]", "")
	}
	image := func(t *testing.T) any {
		return k.value(t, id, "spec", "template", "spec", "containers", 0, "image")
	}

	step(t, "an ignored field has its initial value [O36]", func(t *testing.T) {
		declare(t, 3, "nginx:1")
		s.up(t)
		assert.Equal(t, int64(3), k.value(t, id, "spec", "replicas"))
		assert.Nil(t, at(s.export(t).get(t, "object").Outputs, "manifest", "spec", "replicas"), "it is not watched over")
		s.previewEmpty(t)
	})
	step(t, "scaled by an autoscaler, it is no drift [O36]", func(t *testing.T) {
		scale(t, c, space, "web", 7)
		s.previewEmpty(t)
		s.up(t, "--expect-no-changes")
		assert.Equal(t, int64(7), k.value(t, id, "spec", "replicas"))
	})
	step(t, "an update of the image never lets it jump [O36]", func(t *testing.T) {
		declare(t, 3, "nginx:2")
		out := s.preview(t)
		assert.Equal(t, []string{`~ image: "nginx:1" => "nginx:2"`}, changedLines(out), out)
		assert.NotContains(t, out, "warning: Deployment")
		assert.Equal(t, []int32{7}, replicasDuring(t, c, k, space, "web", func() { s.up(t) }))
		assert.Equal(t, "nginx:2", image(t))
		s.previewEmpty(t)
		s.previewEmpty(t)
	})
	step(t, "another initial value in the program changes nothing [O36]", func(t *testing.T) {
		declare(t, 5, "nginx:2")
		s.previewEmpty(t)
		assert.Equal(t, []int32{7}, replicasDuring(t, c, k, space, "web", func() { s.up(t) }))
	})
	step(t, "written again and again it is never drift [O39]", func(t *testing.T) {
		for _, replicas := range []int32{2, 9, 4} {
			scale(t, c, space, "web", replicas)
			s.previewEmpty(t)
			s.up(t, "--expect-no-changes")
			s.refresh(t)
			s.previewEmpty(t)
			assert.Equal(t, int64(replicas), k.value(t, id, "spec", "replicas"))
		}
	})
	step(t, "nor in an update of the drift beside it [O39]", func(t *testing.T) {
		k.jsonPatch(t, id, `[{op: replace, path: /spec/template/spec/containers/0/image, value: "nginx:wrong"}]`)
		scale(t, c, space, "web", 8)
		assert.Equal(t, []string{`~ image: "nginx:wrong" => "nginx:2"`}, changedLines(s.preview(t)))
		assert.Equal(t, []int32{8}, replicasDuring(t, c, k, space, "web", func() { s.up(t) }))
		assert.Equal(t, "nginx:2", image(t))
	})
}

func TestIgnoreLater(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	const ignore = "ignoreFields: [spec.replicas]"

	for _, variant := range []struct {
		name, image string
		scaled      bool
	}{
		{"alone", "nginx:1", false}, {"together with a new image", "nginx:2", false},
		{"after someone has scaled", "nginx:1", true}, {"after someone has scaled, with a new image", "nginx:2", true},
	} {
		t.Run("a field that is ignored from now on keeps its value: "+variant.name+" [O37]", func(t *testing.T) {
			t.Parallel()
			s, space := newStack(t), c.Namespace(t)
			id := "apps/v1/Deployment/" + space + "/web"
			declare := func(image, properties string) {
				s.declare(t, fmt.Sprintf(smallDeployment, space, "web", 3, "web", image, "", ""), properties, "")
			}
			declare("nginx:1", "")
			s.up(t)
			before, live := k.get(t, id), int32(3)
			if variant.scaled {
				scale(t, c, space, "web", 6)
				live = 6
			}
			declare(variant.image, ignore)
			s.preview(t)
			assert.Equal(t, []int32{live}, replicasDuring(t, c, k, space, "web", func() { s.up(t) }))
			if variant.image == "nginx:1" && !variant.scaled {
				assert.Equal(t, before.GetGeneration(), k.get(t, id).GetGeneration())
			}
			s.previewEmpty(t)
			scale(t, c, space, "web", 9)
			s.previewEmpty(t)

			declare(variant.image, "")
			out := s.preview(t)
			assert.Equal(t, []string{"+ replicas: 3"}, changedLines(out), out)
			s.up(t)
			assert.Equal(t, int64(3), k.value(t, id, "spec", "replicas"), "it is ours again")
			s.previewEmpty(t)
			scale(t, c, space, "web", 5)
			assert.Equal(t, []string{"~ replicas: 5 => 3"}, changedLines(s.preview(t)))
		})
	}
}

func TestIgnorePaths(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "apps/v1/Deployment/" + space + "/web"
	declare := func(t *testing.T, ignore string) {
		s.program(t, replaceAll(workload, "      manifest:\n", "      ignoreFields: ["+ignore+"]\n      manifest:\n"), space)
	}
	declare(t, `'metadata.annotations["example.com/note"]', "metadata.labels.tier", "spec.template.spec.containers[name=main].env[name=A].value",
        "spec.template.spec.containers[?(@.name=='side')].image"`)
	s.up(t)
	disturb := func(t *testing.T) {
		k.apply(t, id, "others", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {tier: back}, annotations: {example.com/note: other}},
spec: {template: {spec: {containers: [{name: main, env: [{name: A, value: other}]}, {name: side, image: "busybox:other"}]}}}}`)
	}

	step(t, "paths with predicates, brackets and dots really match [O38]", func(t *testing.T) {
		disturb(t)
		s.previewEmpty(t)
		s.up(t, "--expect-no-changes")
		k.merge(t, id, `{metadata: {labels: {team: red}}}`)
		assert.Equal(t, []string{`~ team: "red" => "blue"`}, changedLines(s.preview(t)))
		s.up(t)
		assert.Equal(t, map[string]string{"team": "blue", "tier": "back"}, k.get(t, id).GetLabels())
		s.previewEmpty(t)
	})
	step(t, "only what is removed from the list is reclaimed [O37]", func(t *testing.T) {
		declare(t, `'metadata.annotations["example.com/note"]', "spec.template.spec.containers[*].image", "spec.template.spec.containers[name=main].env[name=A].value"`)
		out := s.preview(t)
		assert.Equal(t, []string{`+ tier: "front"`}, changedLines(out), out)
		s.up(t)
		live := k.get(t, id)
		assert.Equal(t, "front", live.GetLabels()["tier"])
		assert.Equal(t, "other", live.GetAnnotations()["example.com/note"])
		assert.Equal(t, "busybox:other", at(live.Object, "spec", "template", "spec", "containers", 1, "image"))
		assert.Equal(t, "nginx:1.29", at(live.Object, "spec", "template", "spec", "containers", 0, "image"), "released with its value")
		assert.Equal(t, "other", at(live.Object, "spec", "template", "spec", "containers", 0, "env", 0, "value"))
		s.previewEmpty(t)
	})
	step(t, "a path that cannot be parsed is refused at its place [O41]", func(t *testing.T) {
		before := k.get(t, id).GetGeneration()
		declare(t, `"spec.template[", spec.replicas`)
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, "ignoreFields[0]")
			assert.NotContains(t, out, "ignoreFields[1]")
		}
		assert.Equal(t, before, k.get(t, id).GetGeneration())
	})
}

func TestIgnoreChangesOfAManifestInYAML(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	for _, path := range []string{"manifest", "yaml", "manifest.data", "manifest.data.a"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s, space := newStack(t), c.Namespace(t)
			declare := func(form, v string) {
				s.program(t, `
resources:
  object:
    type: k8sconnect:KubeObject
    properties:
      %s
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: it, namespace: %s}
        data: {a: "%s", b: "%s"}
    options: {ignoreChanges: ["%s"]}
`, form, space, v, v, path)
			}
			values := func() any { return k.value(t, "v1/ConfigMap/"+space+"/it", "data") }
			declare("yaml: |", "1")
			s.up(t)
			s.previewEmpty(t)
			declare("yaml: |", "2")
			if strings.Contains(path, ".") {
				want := "ignoreChanges names " + path + ", and Pulumi cannot keep a part of a manifest that the program has as text in yaml"
				assert.Contains(t, s.previewFails(t), want)
				assert.Contains(t, s.upFails(t), want)
			} else {
				s.previewEmpty(t)
				s.up(t, "--expect-no-changes")
			}
			assert.Equal(t, map[string]any{"a": "1", "b": "1"}, values(), "what is ignored is not applied")
			if path == "yaml" {
				return // the program has none any more
			}
			declare("manifest:", "2")
			s.up(t)
			want := map[string]any{"a": "1", "b": "1"}
			if path == "manifest.data.a" {
				want["b"] = "2"
			}
			assert.Equal(t, want, values(), "the same object as a manifest")
		})
	}
}
