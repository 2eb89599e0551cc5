package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// declared is one resource of a program: its manifest, further properties and resource options,
// all in flow style.
func declared(resource, manifest, properties, options string) string {
	return fmt.Sprintf(`
  %s:
    type: k8sconnect:KubeObject
    properties: {manifest: %s, %s}
    options: {%s}
`, resource, manifest, properties, options)
}

// declare makes a program of one resource, which is called object.
func (s *stack) declare(t testing.TB, manifest, properties, options string) {
	t.Helper()
	s.program(t, "resources:\n"+declared("object", manifest, properties, options))
}

const (
	frozenConfigMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: frozen, namespace: %s}, immutable: true, data: {a: "%s"}}`
	smallDeployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: %[2]s, namespace: %[1]s}, spec: {replicas: %[3]d,
      selector: {matchLabels: {app: %[4]s}}, template: {metadata: {labels: {app: %[4]s}}, spec: {containers: [{name: main, image: "%[5]s"%[6]s}]%[7]s}}}}`
)

func TestOtherObject(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	space, other := c.Namespace(t), c.Namespace(t)
	const manifest = "{apiVersion: v1, kind: %s, metadata: {name: %s, namespace: %s}}"
	for _, change := range []struct{ name, from, to, fromID, toID string }{
		{
			"another kind", fmt.Sprintf(manifest, "ConfigMap", "kind", space), fmt.Sprintf(manifest, "ServiceAccount", "kind", space),
			"v1/ConfigMap/" + space + "/kind", "v1/ServiceAccount/" + space + "/kind",
		}, {
			"another name", fmt.Sprintf(manifest, "ConfigMap", "one", space), fmt.Sprintf(manifest, "ConfigMap", "two", space),
			"v1/ConfigMap/" + space + "/one", "v1/ConfigMap/" + space + "/two",
		}, {
			"another namespace", fmt.Sprintf(manifest, "ConfigMap", "moved", space), fmt.Sprintf(manifest, "ConfigMap", "moved", other),
			"v1/ConfigMap/" + space + "/moved", "v1/ConfigMap/" + other + "/moved",
		},
	} {
		t.Run(change.name+" replaces, and the old object goes [O42]", func(t *testing.T) {
			t.Parallel()
			s := newStack(t)
			s.declare(t, change.from, "", "")
			s.up(t)
			before := k.get(t, change.fromID).GetUID()
			s.declare(t, change.to, "", "")
			assert.Contains(t, s.preview(t), "+-1 to replace")
			assert.Equal(t, before, k.get(t, change.fromID).GetUID(), "a preview writes nothing")
			k.gone(t, change.toID)
			s.up(t)
			k.gone(t, change.fromID)
			r := s.export(t).get(t, "object")
			assert.Equal(t, change.toID, r.ID)
			assert.Equal(t, string(k.get(t, change.toID).GetUID()), r.uid())
			s.previewEmpty(t)
		})
	}

	t.Run("only another version of the same group is an update in place [O43]", func(t *testing.T) {
		t.Parallel()
		s, id := newStack(t), "autoscaling/v2/HorizontalPodAutoscaler/"+space+"/web"
		const scaler = `{apiVersion: autoscaling/%s, kind: HorizontalPodAutoscaler, metadata: {name: web, namespace: %s},
      spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`
		s.declare(t, fmt.Sprintf(scaler, "v1", space), "", "")
		s.up(t)
		before := k.get(t, id).GetUID()
		s.declare(t, fmt.Sprintf(scaler, "v2", space), "", "")
		assert.NotContains(t, s.preview(t), "replace")
		s.up(t)
		assert.Equal(t, before, k.get(t, id).GetUID())
		s.previewEmpty(t)
	})
}

func TestImmutable(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	job := func(image string) string {
		return fmt.Sprintf(`{apiVersion: batch/v1, kind: Job, metadata: {name: job, namespace: %s}, spec: {template: {spec:
      {restartPolicy: Never, containers: [{name: main, image: "%s"}]}}}}`, space, image)
	}
	service := func(address string) string {
		return fmt.Sprintf(`{apiVersion: v1, kind: Service, metadata: {name: service, namespace: %s}, spec: {clusterIP: %s,
      selector: {app: web}, ports: [{port: 80}]}}`, space, address)
	}
	for _, change := range []struct {
		name, from, to, id string
		path               []any
		want               any
		changed            []string
	}{
		{
			"the template of a Job", job("busybox:1"), job("busybox:2"), "batch/v1/Job/" + space + "/job",
			[]any{"spec", "template", "spec", "containers", 0, "image"}, "busybox:2",
			[]string{`~ image: "busybox:1" => "busybox:2"`},
		}, {
			"the clusterIP of a Service", service("None"), service("10.96.77.77"), "v1/Service/" + space + "/service",
			[]any{"spec", "clusterIP"}, "10.96.77.77",
			[]string{`~ clusterIP: "None" => "10.96.77.77"`},
		}, {
			"the data of an immutable ConfigMap", fmt.Sprintf(frozenConfigMap, space, "1"), fmt.Sprintf(frozenConfigMap, space, "2"),
			"v1/ConfigMap/" + space + "/frozen", []any{"data", "a"}, "2",
			[]string{`~ a: "1" => "2"`},
		}, {
			"the selector of a Deployment", fmt.Sprintf(smallDeployment, space, "chosen", 1, "one", "nginx:1", "", ""),
			fmt.Sprintf(smallDeployment, space, "chosen", 1, "two", "nginx:1", "", ""),
			"apps/v1/Deployment/" + space + "/chosen", []any{"spec", "selector", "matchLabels", "app"}, "two",
			[]string{`~ app: "one" => "two"`, `~ app: "one" => "two"`},
		}, {
			"a selector together with what can be changed [O45]", fmt.Sprintf(smallDeployment, space, "both", 1, "one", "nginx:1", "", ""),
			fmt.Sprintf(smallDeployment, space, "both", 2, "two", "nginx:2", "", ""),
			"apps/v1/Deployment/" + space + "/both", []any{"spec", "replicas"}, int64(2),
			[]string{`~ replicas: 1 => 2`, `~ app: "one" => "two"`, `~ app: "one" => "two"`, `~ image: "nginx:1" => "nginx:2"`},
		},
	} {
		t.Run(change.name+" cannot be changed in place: one replacement [O44]", func(t *testing.T) {
			t.Parallel()
			s := newStack(t)
			s.declare(t, change.from, "", "")
			s.up(t)
			before := k.get(t, change.id).GetUID()
			s.declare(t, change.to, "", "")
			out := s.preview(t)
			assert.Contains(t, out, "+-1 to replace")
			assert.ElementsMatch(t, change.changed, changedInReplacement(out), out)
			assert.Equal(t, before, k.get(t, change.id).GetUID(), "a preview writes nothing")
			out = s.up(t)
			assert.Contains(t, out, "+-1 replaced")
			live := k.get(t, change.id)
			assert.NotEqual(t, before, live.GetUID())
			assert.Equal(t, change.want, at(live.Object, change.path...))
			assert.Equal(t, string(live.GetUID()), s.export(t).get(t, "object").uid())
			s.previewEmpty(t)
			s.destroy(t)
			k.gone(t, change.id)
		})
	}
}

// changedInReplacement are the changed leaves of a replacement, which the preview may show in
// each of its steps, without the outputs.
func changedInReplacement(diff string) []string {
	var lines []string
	for _, operation := range operations(diff) {
		if operation.name == "replace" {
			lines = append(lines, changedLines(operation.text)...)
		}
	}
	return lines
}

func TestUnchangeable(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)

	for _, invalid := range []struct{ name, container, pod, says string }{
		{"forbidden", "", ", activeDeadlineSeconds: 5", "activeDeadlineSeconds"},
		{"quantity", ", resources: {requests: {cpu: lots}}", "", "quantit"},
	} {
		t.Run("an invalid manifest never replaces: "+invalid.name+" [O46]", func(t *testing.T) {
			t.Parallel()
			s, id := newStack(t), "apps/v1/Deployment/"+space+"/"+invalid.name
			s.declare(t, fmt.Sprintf(smallDeployment, space, invalid.name, 1, "web", "nginx:1", "", ""), "", "")
			s.up(t)
			before := k.get(t, id)
			s.declare(t, fmt.Sprintf(smallDeployment, space, invalid.name, 2, "web", "nginx:1", invalid.container, invalid.pod), "", "")
			for _, out := range []string{s.previewFails(t), s.upFails(t)} {
				assert.Contains(t, out, invalid.says)
				assert.NotContains(t, out, "replac")
				assert.NotContains(t, out, "onImmutable")
			}
			live := k.get(t, id)
			assert.Equal(t, before.GetUID(), live.GetUID())
			assert.Equal(t, before.GetGeneration(), live.GetGeneration())
			assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "object").uid())
			s.declare(t, fmt.Sprintf(smallDeployment, space, invalid.name, 1, "web", "nginx:1", "", ""), "", "")
			s.previewEmpty(t)
		})
	}

	for _, unobtainable := range []struct{ name, first, then, says, other string }{
		{"an address that is none", "clusterIP: None, selector: {app: web}, ports: [{port: 80}]", "clusterIP: 192.0.2.1, selector: {app: web}, ports: [{port: 80}]", "clusterIP", ""},
		{
			"an address of another Service", "clusterIP: None, selector: {app: web}, ports: [{port: 80}]", "clusterIP: 10.96.88.88, selector: {app: web}, ports: [{port: 80}]",
			"10.96.88.88 belongs to Service", "clusterIP: 10.96.88.88, ports: [{port: 80}]",
		},
		{
			"a port of another Service", "type: NodePort, ports: [{port: 80, nodePort: 31711}]",
			"type: NodePort, ports: [{port: 80, nodePort: 31712}]", "31712", "type: NodePort, ports: [{port: 80, nodePort: 31712}]",
		},
	} {
		t.Run("a Service is not deleted for "+unobtainable.name+" [O46]", func(t *testing.T) {
			t.Parallel()
			s, space := newStack(t), c.Namespace(t)
			id, other := "v1/Service/"+space+"/service", "v1/Service/"+space+"/other"
			const service = `{apiVersion: v1, kind: Service, metadata: {name: service, namespace: %s}, spec: {%s}}`
			s.declare(t, fmt.Sprintf(service, space, unobtainable.first), "", "")
			s.up(t)
			if unobtainable.other != "" {
				k.apply(t, other, "test", `{apiVersion: v1, kind: Service, metadata: {name: other}, spec: {`+unobtainable.other+`}}`)
			}
			before := k.get(t, id)
			s.declare(t, fmt.Sprintf(service, space, unobtainable.then), "", "")
			assert.Contains(t, s.upFails(t), unobtainable.says)
			live := k.get(t, id)
			assert.Equal(t, before.GetUID(), live.GetUID())
			assert.Equal(t, before.GetResourceVersion(), live.GetResourceVersion())
			assert.Nil(t, live.GetDeletionTimestamp())
			assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "object").uid())
			assert.Contains(t, s.previewFails(t), unobtainable.says)
		})
	}

	t.Run("a claim for storage is not replaced unless onImmutable says so [O47]", func(t *testing.T) {
		t.Parallel()
		s, id := newStack(t), "v1/PersistentVolumeClaim/"+space+"/data"
		claim := func(size string) string {
			return fmt.Sprintf(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: %s},
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: %s}}}}`, space, size)
		}
		s.declare(t, claim("10Gi"), "", "")
		s.up(t)
		before := k.get(t, id)
		s.declare(t, claim("1Gi"), "", "")
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, "onImmutable")
			assert.Contains(t, out, "not touched")
		}
		live := k.get(t, id)
		assert.Equal(t, before.GetResourceVersion(), live.GetResourceVersion())
		assert.Nil(t, live.GetDeletionTimestamp())
		assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "object").uid())

		s.declare(t, claim("1Gi"), "onImmutable: replace", "")
		assert.Contains(t, s.preview(t), "+-1 to replace")
		s.up(t)
		live = k.get(t, id)
		assert.NotEqual(t, before.GetUID(), live.GetUID())
		assert.Equal(t, "1Gi", at(live.Object, "spec", "resources", "requests", "storage"))
		s.previewEmpty(t)
	})

	t.Run("onImmutable fail holds for every kind [O47]", func(t *testing.T) {
		t.Parallel()
		space := c.Namespace(t)
		s, id := newStack(t), "v1/ConfigMap/"+space+"/frozen"
		s.declare(t, fmt.Sprintf(frozenConfigMap, space, "1"), "onImmutable: fail", "")
		s.up(t)
		before := k.get(t, id)
		s.declare(t, fmt.Sprintf(frozenConfigMap, space, "2"), "onImmutable: fail", "")
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, "onImmutable")
			assert.Contains(t, out, "data")
		}
		assert.Equal(t, before.GetResourceVersion(), k.get(t, id).GetResourceVersion())
	})

	t.Run("protect forbids the replacement and the deletion [O48]", func(t *testing.T) {
		t.Parallel()
		space := c.Namespace(t)
		s, id := newStack(t), "v1/ConfigMap/"+space+"/frozen"
		s.declare(t, fmt.Sprintf(frozenConfigMap, space, "1"), "", "protect: true")
		s.up(t)
		before := k.get(t, id)
		s.declare(t, fmt.Sprintf(frozenConfigMap, space, "2"), "", "protect: true")
		assert.Contains(t, s.previewFails(t), "protect")
		assert.Contains(t, s.upFails(t), "protect")
		assert.Contains(t, s.runFails(t, "destroy", "--yes", "--skip-preview"), "protect")
		assert.Equal(t, before.GetResourceVersion(), k.get(t, id).GetResourceVersion())
		assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "object").uid())
	})

	t.Run("retainOnDelete keeps the object in a destroy and in a replacement by another name [O48]", func(t *testing.T) {
		t.Parallel()
		s := newStack(t)
		one, two := "v1/ConfigMap/"+space+"/retained-one", "v1/ConfigMap/"+space+"/retained-two"
		s.program(t, configMap("object", "retained-one", space, "retainOnDelete: true"))
		s.up(t)
		s.program(t, configMap("object", "retained-two", space, "retainOnDelete: true"))
		s.up(t)
		assert.Nil(t, k.get(t, one).GetDeletionTimestamp())
		s.destroy(t)
		assert.Nil(t, k.get(t, two).GetDeletionTimestamp())
		assert.Empty(t, s.export(t).resources)
	})

	t.Run("retainOnDelete keeps the object also where its name is wanted for another one [O48]", func(t *testing.T) {
		t.Parallel()
		space := c.Namespace(t)
		s, id := newStack(t), "v1/ConfigMap/"+space+"/frozen"
		s.declare(t, fmt.Sprintf(frozenConfigMap, space, "1"), "", "retainOnDelete: true")
		s.up(t)
		before := k.get(t, id)
		s.declare(t, fmt.Sprintf(frozenConfigMap, space, "2"), "", "retainOnDelete: true")
		assert.Contains(t, s.upFails(t), "the old object still exists and has the same name")
		assert.Equal(t, before.GetResourceVersion(), k.get(t, id).GetResourceVersion())
	})

	for name, way := range map[string]struct {
		manifest, options string
		prepare           func(k *kube, id string)
		says              string
		kept              bool
	}{
		"taken back and adopted": {"1", "retainOnDelete: true", func(*kube, string) {}, "will be adopted", true},
		"deleted by hand":        {"2", "retainOnDelete: true", func(k *kube, id string) { k.delete(t, id) }, "", false},
	} {
		t.Run("what such a replacement left is "+name+" [D58] [O48]", func(t *testing.T) {
			t.Parallel()
			k, space := kubeOf(t, c), c.Namespace(t)
			s, id := newStack(t), "v1/ConfigMap/"+space+"/frozen"
			s.declare(t, fmt.Sprintf(frozenConfigMap, space, "1"), "", "retainOnDelete: true")
			s.up(t)
			before := k.get(t, id)
			changed := fmt.Sprintf(frozenConfigMap, space, "2")
			s.declare(t, changed, "", "retainOnDelete: true")
			assert.Contains(t, s.upFails(t), "take the change back and set `adopt: true`")
			assert.Contains(t, s.preview(t), "the update will fail", "of the second update, the preview knows")
			assert.Contains(t, s.upFails(t), "the old object still exists and has the same name")

			way.prepare(k, id)
			adopt := ""
			if way.kept {
				adopt = "adopt: true"
			}
			s.declare(t, fmt.Sprintf(frozenConfigMap, space, way.manifest), adopt, way.options)
			assert.Contains(t, s.preview(t), way.says)
			s.up(t)
			assert.Equal(t, way.kept, before.GetUID() == k.get(t, id).GetUID())
			s.previewEmpty(t)
			s.declare(t, fmt.Sprintf(frozenConfigMap, space, way.manifest), "", way.options)
			s.up(t)
			s.previewEmpty(t)
			s.destroy(t)
			assert.Nil(t, k.get(t, id).GetDeletionTimestamp(), "it is retained")
		})
	}
}
