package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drifted reads and returns what the diff against the unchanged program shows.
func drifted(s *session, in resource.PropertyMap) map[string]string {
	s.t.Helper()
	return s.mustRead().mustDiff(in)
}

// repaired proves that an up puts drift right, and that the next one has nothing to do.
func repaired(s *session, in resource.PropertyMap) {
	s.t.Helper()
	s.mustUp("update", in).mustUp("same", in)
	require.Empty(s.t, s.process.log.warnings())
}

func TestDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	data := func(change map[string]any) map[string]any { return map[string]any{"data": change} }
	configMap := func(t *testing.T, name string) (*session, resource.PropertyMap) {
		in := program(w.configMap(name, map[string]any{"a": "1", "b": "2", "app.properties": "x=1"}))
		s := p.resource(t, name)
		return s.mustUp("create", in), in
	}
	workload := func(t *testing.T, name string) (*session, resource.PropertyMap) {
		in := program(w.deployment(t, name))
		return p.resource(t, name).mustUp("create", in), in
	}
	env := func(op string, at string, item map[string]any) map[string]any {
		operation := map[string]any{"op": op, "path": "/spec/template/spec/containers/0/env/" + at}
		if item != nil {
			operation["value"] = item
		}
		return operation
	}

	t.Run("a changed field, with the live value on the left [O20] [O29]", func(t *testing.T) {
		s, in := configMap(t, "changed")
		w.patch("ConfigMap", "changed", data(map[string]any{"a": "drift"}))
		assert.Equal(t, map[string]string{"manifest.data.a": "update"}, drifted(s, in))
		assert.Equal(t, "drift", at(t, s.outputs, "manifest.data.a"))
		repaired(s, in)
		assert.Equal(t, "1", w.value("ConfigMap", "changed", "data", "a"))
	})
	t.Run("a removed field, a removed map [O20]", func(t *testing.T) {
		s, in := configMap(t, "removed")
		w.patch("ConfigMap", "removed", data(map[string]any{"b": nil}))
		assert.Equal(t, map[string]string{"manifest.data.b": "add"}, drifted(s, in))
		repaired(s, in)
		w.patch("ConfigMap", "removed", map[string]any{"data": nil})
		assert.Equal(t, map[string]string{"manifest.data": "add"}, drifted(s, in))
		repaired(s, in)
		assert.Equal(t, "2", w.value("ConfigMap", "removed", "data", "b"))
	})
	t.Run("a field that another manager took, its value the same by now [O20]", func(t *testing.T) {
		s, in := configMap(t, "taken")
		w.apply("thief", w.configMap("taken", map[string]any{"a": "9"}))
		w.apply("thief", w.configMap("taken", map[string]any{"a": "1"}))
		assert.Equal(t, map[string]string{"manifest.data.a": "update"}, drifted(s, in))
		assert.Equal(t, "thief", at(t, s.outputs, "fieldOwnership").(map[string]any)["data.a"])
		repaired(s, in)
	})
	t.Run("a field that another manager took is found also where the hash does not fit [O20] [D24]", func(t *testing.T) {
		limited := func(cpu string) resource.PropertyMap {
			quota := object(t, `{apiVersion: v1, kind: ResourceQuota, metadata: {name: unfit, namespace: %s}, spec: {hard: {cpu: "1", pods: "9"}}}`, w.namespace)
			return with(t, program(quota), "manifest.spec.hard.cpu", cpu)
		}
		s := p.resource(t, "unfit").mustUp("create", limited("1")).mustUp("same", limited("1000m"))
		thief := func(pods string) {
			w.apply("thief", object(t, `{apiVersion: v1, kind: ResourceQuota, metadata: {name: unfit, namespace: %s}, spec: {hard: {pods: "%s"}}}`, w.namespace, pods))
		}
		thief("8")
		thief("9")
		assert.Equal(t, map[string]string{"manifest.spec.hard.pods": "update"}, drifted(s, limited("1000m")))
		repaired(s, limited("1000m"))
	})
	t.Run("value and owner drift together, listed once [O30]", func(t *testing.T) {
		s, in := configMap(t, "both")
		w.apply("thief", w.configMap("both", map[string]any{"a": "9"}))
		w.patch("ConfigMap", "both", data(map[string]any{"b": "8"}))
		assert.Equal(t, map[string]string{"manifest.data.a": "update", "manifest.data.b": "update"}, drifted(s, in))
		repaired(s, in)
	})
	t.Run("keys with dots [O25]", func(t *testing.T) {
		s, in := configMap(t, "dotted")
		w.patch("ConfigMap", "dotted", data(map[string]any{"app.properties": "x=2"}))
		assert.Equal(t, map[string]string{`manifest.data["app.properties"]`: "update"}, drifted(s, in))
		repaired(s, in)
		labelled := w.configMap("dotted", map[string]any{"a": "1", "app.properties": "x=3"})
		labelled["metadata"].(map[string]any)["labels"] = map[string]any{"app.kubernetes.io/name": "web"}
		assert.Equal(t, map[string]string{
			`manifest.data["app.properties"]`: "update", "manifest.data.b": "delete", "manifest.metadata.labels": "add",
		}, s.mustDiff(program(labelled)))
		repaired(s, program(labelled))
		assert.Equal(t, "x=3", w.value("ConfigMap", "dotted", "data", "app.properties"))
	})
	t.Run("an item removed from a keyed list [O20]", func(t *testing.T) {
		s, in := workload(t, "item-removed")
		w.jsonPatch("Deployment", "item-removed", env("remove", "1", nil))
		assert.Equal(t, map[string]string{"manifest.spec.template.spec.containers[0].env[1]": "add"}, drifted(s, in))
		repaired(s, in)
	})
	t.Run("a value in an item of a list whose order changed [O20]", func(t *testing.T) {
		s, in := workload(t, "item-changed")
		w.jsonPatch("Deployment", "item-changed", env("remove", "0", nil),
			env("add", "-", map[string]any{"name": "A", "value": "drift"}))
		assert.Equal(t, map[string]string{"manifest.spec.template.spec.containers[0].env[0].value": "update"}, drifted(s, in))
		repaired(s, in)
	})
	t.Run("an item that we insert in the middle is one added item", func(t *testing.T) {
		s, in := workload(t, "item-added")
		longer := with(t, in, "manifest.spec.template.spec.containers[0].env", []any{
			map[string]any{"name": "A", "value": "1"}, map[string]any{"name": "X", "value": "new"},
			map[string]any{"name": "B", "value": "2"}, map[string]any{"name": "C", "value": "3"},
		})
		assert.Equal(t, map[string]string{"manifest.spec.template.spec.containers[0].env[1]": "add"}, s.mustDiff(longer))
		repaired(s, longer)
		assert.Equal(t, map[string]string{"manifest.spec.template.spec.containers[0].env[1]": "delete"}, s.mustDiff(in))
		repaired(s, in)
	})
	t.Run("a foreign item, sidecar or label is no drift, also on the next up [O24]", func(t *testing.T) {
		s, in := workload(t, "foreign")
		w.jsonPatch("Deployment", "foreign", env("add", "0", map[string]any{"name": "INJECTED", "value": "x"}),
			map[string]any{"op": "add", "path": "/spec/template/spec/containers/0",
				"value": map[string]any{"name": "sidecar", "image": "proxy:1"}})
		w.patch("Deployment", "foreign", map[string]any{"metadata": map[string]any{"labels": map[string]any{"theirs": "yes"}}})
		assert.Empty(t, drifted(s, in))
		s.mustUp("same", in)
		changed := with(t, in, "manifest.spec.template.spec.containers[0].image", "nginx:2")
		assert.Equal(t, map[string]string{"manifest.spec.template.spec.containers[0].image": "update"}, s.mustDiff(changed))
		repaired(s, changed)
		containers := w.value("Deployment", "foreign", "spec", "template", "spec", "containers").([]any)
		assert.Equal(t, "sidecar", containers[0].(map[string]any)["name"], "it was left alone")
	})
	t.Run("what someone puts into a map that we left empty is no drift [O24]", func(t *testing.T) {
		manifest := w.configMap("hollow", nil)
		manifest["metadata"].(map[string]any)["labels"] = map[string]any{}
		manifest["metadata"].(map[string]any)["annotations"] = map[string]any{}
		in := program(manifest)
		s := p.resource(t, "hollow").mustUp("create", in).mustUp("same", in)
		theirs := map[string]any{"labels": map[string]any{"theirs": "yes"}, "annotations": map[string]any{"theirs": "yes"}}
		w.patch("ConfigMap", "hollow", map[string]any{"metadata": theirs})
		assert.Empty(t, drifted(s, in))
		s.mustUp("same", in)
	})
	t.Run("reordered and reformatted, nothing changes", func(t *testing.T) {
		s, in := workload(t, "reordered")
		other := with(t, in, "manifest.spec.template.spec.containers[0].env", []any{
			map[string]any{"value": "1", "name": "A"}, map[string]any{"name": "B", "value": "2"},
			map[string]any{"name": "C", "value": "3", "valueFrom": nil},
		})
		s.mustUp("same", other)
	})
	t.Run("set lists are seen [O27]", func(t *testing.T) {
		manifest := w.configMap("finalized", nil)
		manifest["metadata"].(map[string]any)["finalizers"] = []any{"example.com/one", "example.com/two"}
		in := program(manifest)
		s := p.resource(t, "finalized").mustUp("create", in)
		w.patch("ConfigMap", "finalized", map[string]any{"metadata": map[string]any{"finalizers": []any{"example.com/two", "example.com/theirs"}}})
		assert.Equal(t, map[string]string{"manifest.metadata.finalizers[0]": "add"}, drifted(s, in))
		repaired(s, in)
		assert.ElementsMatch(t, []any{"example.com/one", "example.com/two", "example.com/theirs"},
			w.value("ConfigMap", "finalized", "metadata", "finalizers"))
	})
	t.Run("stringData of a Secret [O26]", func(t *testing.T) {
		manifest := object(t, "{apiVersion: v1, kind: Secret, metadata: {name: texts, namespace: %s}, stringData: {p: one, q: two}}", w.namespace)
		in := program(manifest)
		s := p.resource(t, "texts").mustUp("create", in).mustUp("same", in)
		changed := with(t, in, "manifest.stringData.p", "three")
		assert.Equal(t, map[string]string{"manifest.stringData.p": "update"}, s.mustDiff(changed))
		repaired(s, changed)
		w.patch("Secret", "texts", data(map[string]any{"p": "ZHJpZnQ="}))
		assert.Equal(t, map[string]string{"manifest.stringData.p": "update"}, drifted(s, changed))
		assert.Equal(t, "drift", at(t, s.outputs, "manifest.stringData.p"))
		repaired(s, changed)
		assert.Equal(t, "dGhyZWU=", w.value("Secret", "texts", "data", "p"))
	})
	t.Run("ignoreChanges is honoured for nested paths and dotted keys", func(t *testing.T) {
		s, in := configMap(t, "ignored")
		s.ignore = []string{`manifest.data["app.properties"]`}
		w.patch("ConfigMap", "ignored", data(map[string]any{"app.properties": "theirs"}))
		assert.Empty(t, drifted(s, in))
		w.patch("ConfigMap", "ignored", data(map[string]any{"a": "drift"}))
		assert.Equal(t, map[string]string{"manifest.data.a": "update"}, drifted(s, in))
	})
}

func TestWhatIsNotDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	for name, c := range map[string]struct {
		text string
		// same is another way to write the value at path.
		path string
		same any
	}{
		"nodePort, clusterIP and defaults are not drift [O22]": {
			text: "{apiVersion: v1, kind: Service, metadata: {name: svc, namespace: %s}, spec: {type: NodePort, selector: {a: b}, ports: [{port: 80}]}}",
			path: "manifest.spec.ports[0].protocol", same: nil,
		},
		"quantities are not drift [O23]": {
			text: `{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota, namespace: %s}, spec: {hard: {cpu: "1000m", memory: 1024Mi, pods: "10"}}}`,
			path: "manifest.spec.hard.cpu", same: "1",
		},
		"quantities of containers are not drift [O23]": {
			text: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: quantities, namespace: %s}
spec:
  selector: {matchLabels: {app: q}}
  template:
    metadata: {labels: {app: q}}
    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "0.5", memory: 2048Mi}, limits: {memory: 4294967296000m}}}]}
`,
			path: "manifest.spec.template.spec.containers[0].resources.requests.memory", same: "2Gi",
		},
		"an object without any field of its own is not drift": {
			text: "{apiVersion: v1, kind: ServiceAccount, metadata: {name: bare, namespace: %s}}",
			path: "manifest.metadata.creationTimestamp", same: nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := program(object(t, c.text, w.namespace))
			s := p.resource(t, name).mustUp("create", in).mustUp("same", in).mustUp("same", in)
			assert.Empty(t, s.mustRead().mustDiff(in))
			s.mustUp("same", with(t, in, c.path, c.same)).mustUp("same", in)
		})
	}
}
