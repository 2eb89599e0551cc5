package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// awsNode is a DaemonSet as EKS installs it.
func (w world) awsNode(t testing.TB) map[string]any {
	t.Helper()
	return object(t, `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: aws-node, namespace: %s}
spec:
  selector: {matchLabels: {k8s-app: aws-node}}
  template:
    metadata: {labels: {k8s-app: aws-node}}
    spec:
      initContainers:
      - {name: aws-vpc-cni-init, image: amazon-k8s-cni-init:v1}
      containers:
      - name: aws-node
        image: amazon-k8s-cni:v1
        env:
        - {name: AWS_VPC_K8S_CNI_LOGLEVEL, value: DEBUG}
        - {name: ENABLE_PREFIX_DELEGATION, value: "false"}
        - {name: WARM_ENI_TARGET, value: "1"}
      - name: aws-eks-nodeagent
        image: aws-network-policy-agent:v1
`, w.namespace)
}

// env is a patch of variables of the container aws-node.
func env(namesAndValues ...any) map[string]any {
	var variables []any
	for i := 0; i < len(namesAndValues); i += 2 {
		variables = append(variables, m{"name": namesAndValues[i], "value": namesAndValues[i+1]})
	}
	return m{"patch": m{"spec": m{"template": m{"spec": m{"containers": []any{m{"name": "aws-node", "env": variables}}}}}}}
}

func TestAVariableOfAwsNode(t *testing.T) {
	t.Parallel()
	const (
		variable = "spec.template.spec.containers[name=aws-node].env[name=ENABLE_PREFIX_DELEGATION].value"
		shown    = "patch.spec.template.spec.containers[0].env[0].value"
	)
	t.Run("is patched by name, and changed later [P9]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.awsNode(t))
		s := patched(t, w, start(t, inline(newUser(t))), "cni")
		in := patching(w.awsNode(t), env("ENABLE_PREFIX_DELEGATION", "true", "HTTP_PROXY", "http://proxy:8080"))
		s.previewed("create", in)
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.warned(), "will take from eks: "+variable+`: "false" -> "true"`)
		assert.NotContains(t, s.warned(), "HTTP_PROXY")
		s.mustUp("create", in).mustUp("same", in)
		want := map[string]string{
			"AWS_VPC_K8S_CNI_LOGLEVEL": "DEBUG", "ENABLE_PREFIX_DELEGATION": "true", "WARM_ENI_TARGET": "1", "HTTP_PROXY": "http://proxy:8080",
		}
		assert.Equal(t, want, environment(t, w, "DaemonSet", "aws-node"))
		own := patchManager(s.urn)
		proxy := "spec.template.spec.containers[name=aws-node].env[name=HTTP_PROXY]"
		assert.Equal(t, own, owner(t, s, "fieldOwnership", variable))
		assert.Equal(t, own, owner(t, s, "fieldOwnership", proxy+".value"))
		assert.Nil(t, owner(t, s, "fieldOwnership", "spec.template.spec.containers[name=aws-node].name"), "the key selects")
		assert.Equal(t, m{variable: "eks"}, at(t, s.outputs, "previousOwners"))
		assert.Equal(t, "aws-node", at(t, s.outputs, "managedFields.spec.template.spec.containers[0].name"))
		assert.Equal(t, "true", at(t, s.outputs, "managedFields.spec.template.spec.containers[0].env[0].value"))

		after := patching(w.awsNode(t), env("ENABLE_PREFIX_DELEGATION", "maybe", "HTTP_PROXY", "http://proxy:8080"))
		assert.Equal(t, map[string]string{shown: "update"}, s.mustDiff(after), "one value, not the list")
		s.mustUp("update", after).mustUp("same", after)
		want["ENABLE_PREFIX_DELEGATION"] = "maybe"
		assert.Equal(t, want, environment(t, w, "DaemonSet", "aws-node"))
		require.NoError(t, s.destroy())
		assert.Equal(t, want, environment(t, w, "DaemonSet", "aws-node"))
	})
	t.Run("is the same one when others put theirs before it [P9] [P16]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.awsNode(t))
		in := patching(w.awsNode(t), env("WARM_ENI_TARGET", "5"))
		s := patched(t, w, start(t, inline(newUser(t))), "cni").mustUp("create", in)
		w.jsonPatch("DaemonSet", "aws-node",
			m{"op": "add", "path": "/spec/template/spec/containers/0/env/0", "value": m{"name": "FOREIGN", "value": "1"}},
			m{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "amazon-k8s-cni:v2"},
			m{"op": "add", "path": "/spec/template/spec/containers/0", "value": m{"name": "sidecar", "image": "x"}})
		assert.Empty(t, drifted(s, in))
		w.jsonPatch("DaemonSet", "aws-node", m{"op": "replace", "path": "/spec/template/spec/containers/1/env/3/value", "value": "0"})
		assert.Equal(t, map[string]string{shown: "update"}, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		w.jsonPatch("DaemonSet", "aws-node", m{"op": "remove", "path": "/spec/template/spec/containers/1/env/3"})
		assert.NotEmpty(t, drifted(s, in), "a variable that was removed")
		s.mustUp("update", in).mustUp("same", in)
	})
	t.Run("dropped from the patch keeps its value, and the others stay [P24] [P9]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.awsNode(t))
		s := patched(t, w, start(t, inline(newUser(t))), "cni")
		s.mustUp("create", patching(w.awsNode(t), env("ENABLE_PREFIX_DELEGATION", "true", "WARM_ENI_TARGET", "5", "NEW", "1")))
		less := patching(w.awsNode(t), env("WARM_ENI_TARGET", "5"))
		s.previewed("update", less)
		s.mustUp("update", less).mustUp("same", less)
		assert.Equal(t, map[string]string{
			"AWS_VPC_K8S_CNI_LOGLEVEL": "DEBUG", "ENABLE_PREFIX_DELEGATION": "true", "WARM_ENI_TARGET": "5", "NEW": "1",
		}, environment(t, w, "DaemonSet", "aws-node"))
		owned := w.ownedBy(s, "DaemonSet", "aws-node")
		assert.NotContains(t, owned, "ENABLE_PREFIX_DELEGATION")
		assert.NotContains(t, owned, "NEW")
		assert.Contains(t, owned, "WARM_ENI_TARGET")
		require.NoError(t, w.applies("eks", withEnv(w.awsNode(t), "ENABLE_PREFIX_DELEGATION", "again", "WARM_ENI_TARGET", "5")), "what was dropped is theirs again")
	})
	t.Run("by JSON patch is found by its key afterwards [P9] [P12]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.awsNode(t))
		in := patching(w.awsNode(t), m{"jsonPatch": []any{
			m{"op": "replace", "path": "/spec/template/spec/containers/0/env/2/value", "value": "5"},
		}})
		s := patched(t, w, start(t, inline(newUser(t))), "cni").mustUp("create", in).mustUp("same", in)
		const warm = "spec.template.spec.containers[name=aws-node].env[name=WARM_ENI_TARGET].value"
		assert.Equal(t, m{warm: "eks"}, at(t, s.outputs, "previousOwners"))
		assert.Equal(t, m{warm: patchManager(s.urn)}, at(t, s.outputs, "fieldOwnership"))
		w.jsonPatch("DaemonSet", "aws-node",
			m{"op": "add", "path": "/spec/template/spec/containers/0/env/0", "value": m{"name": "FOREIGN", "value": "1"}},
			m{"op": "add", "path": "/spec/template/spec/containers/0", "value": m{"name": "sidecar", "image": "x"}})
		assert.Empty(t, drifted(s, in), "it stands elsewhere now")
		w.jsonPatch("DaemonSet", "aws-node", m{"op": "replace", "path": "/spec/template/spec/containers/1/env/3/value", "value": "0"})
		assert.Equal(t, map[string]string{"jsonPatch[0].value": "update"}, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		containers := w.value("DaemonSet", "aws-node", "spec", "template", "spec", "containers").([]any)
		variables := containers[1].(m)["env"].([]any)
		assert.Equal(t, m{"name": "WARM_ENI_TARGET", "value": "5"}, variables[3])
		assert.Equal(t, m{"name": "FOREIGN", "value": "1"}, variables[0])
		assert.Equal(t, m{"name": "sidecar", "image": "x"}, only(containers[0].(m), "name", "image", "env"))
	})
}

// only is a map with these keys alone.
func only(object map[string]any, keys ...string) map[string]any {
	kept := m{}
	for _, key := range keys {
		if value, ok := object[key]; ok {
			kept[key] = value
		}
	}
	return kept
}

func TestPatchesOfLists(t *testing.T) {
	t.Parallel()
	eachKind(t, "an array of values, whole [P10]", func(t *testing.T, kind string) {
		w := newWorld(t)
		defineBox(t)
		w.create(w.box("it", m{"list": []any{"a", "b"}, "other": []any{"z"}}))
		in := patching(w.box("it", nil), setting(kind, m{"spec": m{"list": []any{"x", "y", "z"}}}))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, m{"list": []any{"x", "y", "z"}, "other": []any{"z"}}, w.value("Box", "it", "spec"))
		assert.Equal(t, m{"spec.list": "intern"}, at(t, s.outputs, "previousOwners"))
		w.patch("Box", "it", m{"spec": m{"other": []any{}}})
		assert.Empty(t, drifted(s, in))
		w.patch("Box", "it", m{"spec": m{"list": []any{"x", "drift", "z"}}})
		assert.NotEmpty(t, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		shorter := patching(w.box("it", nil), setting(kind, m{"spec": m{"list": []any{"x"}}}))
		s.mustUp("update", shorter).mustUp("same", shorter)
		assert.Equal(t, []any{"x"}, w.value("Box", "it", "spec", "list"))
	})
	eachKind(t, "an array of objects [P10]", func(t *testing.T, kind string) {
		w := newWorld(t)
		defineBox(t)
		w.create(w.box("it", m{"things": []any{m{"a": "1", "n": int64(1)}}}))
		in := patching(w.box("it", nil), setting(kind, m{"spec": m{"things": []any{m{"a": "9", "deep": m{"b": []any{1, 2}}}, m{"a": "10"}}}}))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, []any{m{"a": "9", "deep": m{"b": []any{int64(1), int64(2)}}}, m{"a": "10"}}, w.value("Box", "it", "spec", "things"))
		w.jsonPatch("Box", "it", m{"op": "replace", "path": "/spec/things/0/deep/b/1", "value": 3})
		assert.NotEmpty(t, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
	})
	eachKind(t, "a deep path [P10]", func(t *testing.T, kind string) {
		w := newWorld(t)
		defineBox(t)
		nest := func(leaf any) any {
			for range 12 {
				leaf = m{"below": leaf}
			}
			return leaf
		}
		w.create(w.box("it", nest(m{"leaf": "1", "beside": "2"})))
		in := patching(w.box("it", nil), setting(kind, m{"spec": nest(m{"leaf": "9"})}))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, nest(m{"leaf": "9", "beside": "2"}), w.value("Box", "it", "spec"))
		assert.Len(t, at(t, s.outputs, "fieldOwnership"), 1)
		require.NoError(t, s.destroy())
	})
	t.Run("a keyed list whole, by merge patch [P10]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		defineBox(t)
		w.create(w.box("it", m{"items": []any{m{"name": "a", "v": "1"}, m{"name": "b", "v": "2"}}}))
		in := patching(w.box("it", nil), m{"mergePatch": m{"spec": m{"items": []any{m{"name": "b", "v": "9"}, m{"name": "c", "v": "3"}}}}})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, []any{m{"name": "b", "v": "9"}, m{"name": "c", "v": "3"}}, w.value("Box", "it", "spec", "items"), "a merge patch replaces lists")
		w.jsonPatch("Box", "it", m{"op": "replace", "path": "/spec/items/0/v", "value": "drift"})
		assert.NotEmpty(t, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		require.NoError(t, s.destroy())
	})
	t.Run("a keyed list of others, whole, by merge patch: from whom it is taken, and what is kept of it [P10] [P22] [P23] [P24]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.deployment(t, "it"))
		containers := []any{m{"name": "web", "image": "nginx:9"}}
		spec := func(fields m) resource.PropertyMap {
			fields["template"] = m{"spec": m{"containers": containers}}
			return patching(w.deployment(t, "it"), m{"mergePatch": m{"spec": fields}})
		}
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		s.previewed("create", spec(m{"replicas": 5}))
		assert.Contains(t, s.warned(), "will take from eks: spec.replicas: 2 -> 5")
		assert.Contains(t, s.warned(), "will take from eks: spec.template.spec.containers")
		s.mustUp("create", spec(m{"replicas": 5})).mustUp("same", spec(m{"replicas": 5}))
		previous, _ := at(t, s.outputs, "previousOwners").(m)
		assert.Len(t, previous, 2)
		for path, manager := range previous {
			assert.Equal(t, "eks", manager, path)
		}
		s.mustUp("update", spec(m{})).mustUp("same", spec(m{}))
		owned := w.ownedBy(s, "Deployment", "it")
		assert.Contains(t, owned, `"f:image"`)
		assert.NotContains(t, owned, "f:replicas")
		w.jsonPatch("Deployment", "it", operation("replace", "/spec/template/spec/containers/0/image", "drift"))
		assert.NotEmpty(t, drifted(s, spec(m{})))
		s.mustUp("update", spec(m{})).mustUp("same", spec(m{}))
		assert.Equal(t, "nginx:9", containerOf(t, w, "it")["image"])
		require.NoError(t, s.destroy())
	})
	t.Run("a set list, merged by patch [P10]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{
			"name": "it", "namespace": w.namespace, "finalizers": []any{"example.com/a"},
		}})
		t.Cleanup(func() {
			world{lasting{t}, w.client, w.namespace}.patch("ConfigMap", "it", m{"metadata": m{"finalizers": nil}})
		})
		in := patching(w.configMap("it", nil), m{"patch": m{"metadata": m{"finalizers": []any{"example.com/b"}}}})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in).mustUp("same", in)
		assert.ElementsMatch(t, []any{"example.com/a", "example.com/b"}, w.value("ConfigMap", "it", "metadata", "finalizers"))
		w.patch("ConfigMap", "it", m{"metadata": m{"finalizers": []any{"example.com/a"}}})
		assert.NotEmpty(t, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		require.NoError(t, s.destroy())
		assert.ElementsMatch(t, []any{"example.com/a", "example.com/b"}, w.value("ConfigMap", "it", "metadata", "finalizers"))
	})
	eachKind(t, "a key with a slash, a tilde and dots [P14]", func(t *testing.T, kind string) {
		w := newWorld(t)
		target := w.configMap("it", nil)
		target["metadata"].(m)["annotations"] = m{"app.kubernetes.io/name": "1", "odd": "2"}
		w.apply("eks", target)
		defineBox(t)
		w.create(w.box("it", m{"a~b/c.d": "1", "list": m{"x/y": "2"}}))
		in := patching(target, setting(kind, m{"metadata": m{"annotations": m{"app.kubernetes.io/name": "9", "example.com/new": "1"}}}))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		s.previewed("create", in)
		assert.Contains(t, s.warned(), `will take from eks: metadata.annotations["app.kubernetes.io/name"]: "1" -> "9"`)
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, m{"app.kubernetes.io/name": "9", "example.com/new": "1", "odd": "2"}, w.value("ConfigMap", "it", "metadata", "annotations"))
		assert.Equal(t, m{`metadata.annotations["app.kubernetes.io/name"]`: "eks"}, at(t, s.outputs, "previousOwners"))
		w.patch("ConfigMap", "it", m{"metadata": m{"annotations": m{"app.kubernetes.io/name": "drift"}}})
		shown := map[string]string{
			"patch":      `patch.metadata.annotations["app.kubernetes.io/name"]`,
			"mergePatch": `mergePatch.metadata.annotations["app.kubernetes.io/name"]`, "jsonPatch": "jsonPatch[0].value",
		}[kind]
		assert.Equal(t, map[string]string{shown: "update"}, drifted(s, in))
		s.mustUp("update", in)
		require.NoError(t, s.destroy())

		odd := patching(w.box("it", nil), setting(kind, m{"spec": m{"a~b/c.d": "9", "list": m{"x/y": "10"}}}))
		s = patched(t, w, s.process, "odd").mustUp("create", odd).mustUp("same", odd)
		assert.Equal(t, m{"a~b/c.d": "9", "list": m{"x/y": "10"}}, w.value("Box", "it", "spec"))
		w.patch("Box", "it", m{"spec": m{"a~b/c.d": "drift"}})
		assert.Len(t, drifted(s, odd), 1)
		s.mustUp("update", odd).mustUp("same", odd)
		assert.Equal(t, plain(odd[resource.PropertyKey(kind)]), plain(s.outputs[resource.PropertyKey(kind)]))
	})
}

// withEnv is a workload whose first container has other values of its variables.
func withEnv(workload map[string]any, namesAndValues ...string) map[string]any {
	container := workload["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)
	for i := 0; i < len(namesAndValues); i += 2 {
		for _, variable := range container["env"].([]any) {
			if variable.(m)["name"] == namesAndValues[i] {
				variable.(m)["value"] = namesAndValues[i+1]
			}
		}
	}
	return workload
}
