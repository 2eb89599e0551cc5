package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// oddDefinition is a kind with fields that are no identifiers, or have the names of ours, and without a spec. more are more fields.
const oddDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: Crate, plural: crates}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            id: {type: string}
            urn: {type: string}
            k8sconnect: {type: string}
            resourceRef: {type: object, properties: {name: {type: string}}}
            "kebab-name": {type: object, properties: {"@odd": {type: integer}, "x-kubernetes-it": {type: array, items: {type: object, properties: {"$ref": {type: string}}}}}}
            free: {type: object, additionalProperties: {type: string}}
            size: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}
%[2]s`

// crates defines the kind in the shared cluster, and returns its API group and a file with the definition.
func crates(t *testing.T, k *kube, space, more string) (group, file string) {
	t.Helper()
	group = space + ".example.com"
	text := fmt.Sprintf(oddDefinition, group, more)
	id := "apiextensions.k8s.io/v1/CustomResourceDefinition/crates." + group
	k.apply(t, id, "owner", text)
	t.Cleanup(func() { k.remove(t, id) })
	k.established(t, id)
	file = filepath.Join(t.TempDir(), "crates.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return group, file
}

func TestTypedFields(t *testing.T) {
	t.Parallel()
	t.Run("with odd names keep them [K6]", func(t *testing.T) {
		t.Parallel()
		s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		group, file := crates(t, k, space, "")
		id := group + "/v1/Crate/" + space + "/it"
		s.extend(t, "crds="+file)
		program := func(odd int, ref, options string) string {
			return "resources:" + typedResource("it", group+"/v1:Crate", fmt.Sprintf(`{metadata: {name: it, namespace: %s},
      kebab__name: {x_x40_odd: %d, x__kubernetes__it: [{x_x24_ref: %s}]}, free: {x_x24_ref: kept, kebab__name: kept}, size: "1"%s}`, space, odd, ref, options))
		}
		s.program(t, "%s", program(1, "one", ""))
		s.up(t)
		assert.EqualValues(t, 1, k.value(t, id, "kebab-name", "@odd"))
		assert.Equal(t, "one", k.value(t, id, "kebab-name", "x-kubernetes-it", 0, "$ref"))
		assert.Equal(t, map[string]any{"x_x24_ref": "kept", "kebab__name": "kept"}, k.value(t, id, "free"), "keys of maps are no fields")
		s.previewEmpty(t)
		assert.Contains(t, at(s.export(t).get(t, "it").Outputs, "kebab__name"), "x_x40_odd")

		k.merge(t, id, `kebab-name: {"@odd": 2}`)
		assert.Contains(t, changedLines(s.preview(t)), "~ x_x40_odd: 2 => 1")
		s.up(t)
		s.program(t, "%s", program(7, "two", "")+"    options: {ignoreChanges: [\"kebab__name.x_x40_odd\"]}\n")
		s.up(t)
		assert.EqualValues(t, 1, k.value(t, id, "kebab-name", "@odd"), "the engine keeps what it ignores")
		assert.Equal(t, "two", k.value(t, id, "kebab-name", "x-kubernetes-it", 0, "$ref"))
		k.merge(t, id, `kebab-name: {"@odd": 3}`)
		s.previewEmpty(t)
		k.merge(t, id, `kebab-name: {"@odd": 1}`)
		s.program(t, "%s", program(1, "two", `, k8sconnect: {ignoreFields: ['["kebab-name"]["@odd"]']}`))
		s.up(t)
		k.merge(t, id, `kebab-name: {"@odd": 4}`)
		s.previewEmpty(t)
	})
	t.Run("may have the names of ours, and there may be no spec [K9]", func(t *testing.T) {
		t.Parallel()
		s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		group, file := crates(t, k, space, "")
		id := group + "/v1/Crate/" + space + "/it"
		s.extend(t, "crds="+file)
		program := func(name string) string {
			return "resources:" + typedResource("it", group+"/v1:Crate", fmt.Sprintf(
				"{metadata: {name: it, namespace: %s}, id_: mine, urn_: %s, k8sconnect_: theirs, resourceRef: {name: other}, k8sconnect: {deletionPropagation: Background}}", space, name)) +
				"outputs: {ref: \"${it.k8sconnect.resourceRef.name}\", id: \"${it.id_}\"}\n"
		}
		s.program(t, "%s", program("a"))
		s.up(t)
		s.program(t, "%s", program("b"))
		assert.Contains(t, changedLines(s.preview(t)), "~ urn_: \"a\" => \"b\"")
		s.up(t)
		assert.Equal(t, []any{"mine", "b", "theirs", "other"}, []any{k.value(t, id, "id"), k.value(t, id, "urn"), k.value(t, id, "k8sconnect"), k.value(t, id, "resourceRef", "name")})
		s.previewEmpty(t)
		s.refresh(t)
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, id)
	})
	t.Run("of secrets are secret, also in failures [K7]", func(t *testing.T) {
		t.Parallel()
		s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		s.extend(t, "kinds=v1/Secret", live(t))
		program := func(data string) string {
			return "resources:" + typedResource("it", "core/v1:Secret", "{metadata: {name: it, namespace: "+space+"}, "+data+"}")
		}
		s.program(t, "%s", program("stringData: {key: hunter2-first}"))
		out := s.preview(t) + s.up(t)
		s.program(t, "%s", program("stringData: {key: hunter2-second}"))
		out += s.preview(t) + s.up(t)
		k.merge(t, "v1/Secret/"+space+"/it", "stringData: {key: hunter2-third}")
		out += s.preview(t) + s.up(t)
		s.previewEmpty(t)
		text, err := json.Marshal(s.export(t).get(t, "it"))
		require.NoError(t, err)
		s.program(t, "%s", program("data: {key: \"hunter2 is no base64\"}"))
		refused := s.previewFails(t)
		assert.Contains(t, refused, "data.key")
		out += refused
		assert.NotContains(t, out+string(text), "hunter2")
		assert.NotContains(t, out+string(text), "aHVudGVy") // in base64
	})
	t.Run("that there are not are refused before anything is applied [K8]", func(t *testing.T) {
		t.Parallel()
		s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		s.extend(t, "kinds=v1/ConfigMap,apps/v1/Deployment", live(t))
		for what, test := range map[string]struct{ program, want string }{
			"an unknown leaf":                     {typedResource("web", "apps/v1:Deployment", "{metadata: {name: web, namespace: "+space+"}, spec: {replics: 1, selector: {}, template: {}}}"), "replics"},
			"an unknown field":                    {typedResource("web", "core/v1:ConfigMap", "{metadata: {name: web, namespace: "+space+"}, dta: {}}"), "dta"},
			"no name":                             {typedResource("web", "core/v1:ConfigMap", "{metadata: {namespace: "+space+"}}"), "name"},
			"an unknown option":                   {typedResource("web", "core/v1:ConfigMap", "{metadata: {name: web, namespace: "+space+"}, k8sconnect: {adpt: true}}"), "adpt"},
			"a kind that is not in the extension": {typedResource("web", "core/v1:Pod", "{metadata: {name: web}}"), "core/v1:Pod"},
		} {
			s.program(t, "%s", "resources:"+test.program)
			assert.Contains(t, s.previewFails(t), test.want, what)
			assert.Contains(t, s.upFails(t), test.want, what)
		}
		k.gone(t, "v1/ConfigMap/"+space+"/web")
	})
	t.Run("that are not known yet are unknown in a preview, and the update is as the preview says [K8]", func(t *testing.T) {
		t.Parallel()
		s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		s.extend(t, "kinds=v1/ConfigMap", live(t))
		s.program(t, "%s", "resources:"+typedResource("one", "core/v1:ConfigMap", "{metadata: {name: one, namespace: "+space+"}, data: {a: \"1\"}}")+
			typedResource("two", "core/v1:ConfigMap", "{metadata: {name: two, namespace: "+space+"}, data: {uid: \"${one.k8sconnect.resourceRef.uid}\", a: \"${one.data.a}\"}}")+
			"outputs: {a: \"${two.data.a}\"}\n")
		out := s.preview(t)
		assert.Contains(t, out, "[unknown]")
		s.up(t)
		uid := string(k.get(t, "v1/ConfigMap/"+space+"/one").GetUID())
		assert.Equal(t, map[string]any{"a": "1", "uid": uid}, k.value(t, "v1/ConfigMap/"+space+"/two", "data"))
		s.previewEmpty(t)
		s.destroy(t)

		// A name that is not known yet, and data that are not known at all.
		s.program(t, "%s", "resources:"+typedResource("one", "core/v1:ConfigMap", "{metadata: {name: one, namespace: "+space+"}, data: {a: \"1\"}}")+
			typedResource("two", "core/v1:ConfigMap", "{metadata: {name: \"${one.k8sconnect.resourceRef.uid}\", namespace: "+space+"}, data: \"${one.k8sconnect.resourceRef}\"}"))
		assert.Contains(t, s.preview(t), "3 to create")
		assert.Contains(t, s.up(t), "3 created")
		uid = string(k.get(t, "v1/ConfigMap/"+space+"/one").GetUID())
		assert.Equal(t, uid, k.value(t, "v1/ConfigMap/"+space+"/"+uid, "data", "uid"))
		s.previewEmpty(t)
		s.destroy(t)
	})
}

func TestTypedKindsChange(t *testing.T) {
	t.Parallel()
	t.Run("a kind is added, another one removed, and fields come and go [K4]", func(t *testing.T) {
		t.Parallel()
		s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		group, file := crates(t, k, space, "            \"new-field\": {type: string}\n")
		older := filepath.Join(t.TempDir(), "older.yaml")
		require.NoError(t, os.WriteFile(older, []byte(fmt.Sprintf(oddDefinition, group, "            \"old-field\": {type: string}\n")), 0o600))
		one := "resources:" + typedResource("map", "core/v1:ConfigMap", "{metadata: {name: it, namespace: "+space+"}, data: {a: \"1\"}}")
		two := "resources:" + typedResource("account", "core/v1:ServiceAccount", "{metadata: {name: it, namespace: "+space+"}}")
		crate := func(more string) string {
			return typedResource("it", group+"/v1:Crate", "{metadata: {name: it, namespace: "+space+"}, kebab__name: {x_x40_odd: 1}"+more+"}")
		}
		s.extend(t, "kinds=v1/ConfigMap", live(t), "crds="+older)
		s.program(t, "%s", one+crate(""))
		s.up(t)
		uid := k.get(t, group+"/v1/Crate/"+space+"/it").GetUID()
		s.extend(t, "kinds=v1/ServiceAccount", live(t), "crds="+file, "version=0.2.0")
		s.program(t, "%s", two+crate(", new__field: here"))
		s.preview(t)
		s.up(t)
		k.gone(t, "v1/ConfigMap/"+space+"/it")
		k.get(t, "v1/ServiceAccount/"+space+"/it")
		assert.Equal(t, "here", k.value(t, group+"/v1/Crate/"+space+"/it", "new-field"))
		assert.EqualValues(t, uid, k.get(t, group+"/v1/Crate/"+space+"/it").GetUID())
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("an object stays when its kind gets another version, by an alias [K4]", func(t *testing.T) {
		t.Parallel()
		s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		s.extend(t, "kinds=autoscaling/v1/HorizontalPodAutoscaler,autoscaling/v2/HorizontalPodAutoscaler", live(t))
		id := "autoscaling/v2/HorizontalPodAutoscaler/" + space + "/web"
		const spec = ", spec: {maxReplicas: %d, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}"
		object := func(version string, most int) string {
			return "resources:" + typedResource("web", "autoscaling/"+version+":HorizontalPodAutoscaler", "{metadata: {name: web, namespace: "+space+"}"+fmt.Sprintf(spec, most))
		}
		s.program(t, "%s", object("v1", 2))
		s.up(t)
		uid := k.get(t, id).GetUID()
		s.program(t, "%s", object("v2", 3)+"    options: {aliases: [{type: \"k8sconnect:autoscaling/v1:HorizontalPodAutoscaler\"}]}\n")
		assert.NotContains(t, s.preview(t), "delete")
		s.up(t)
		assert.Equal(t, uid, k.get(t, id).GetUID())
		assert.EqualValues(t, 3, k.value(t, id, "spec", "maxReplicas"))
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, id)
	})
	t.Run("an object of another kind is not imported [K5]", func(t *testing.T) {
		t.Parallel()
		s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		s.extend(t, "kinds=v1/ConfigMap,v1/Secret", live(t))
		id := "v1/ConfigMap/" + space + "/it"
		k.apply(t, id, "owner", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: "+space+"}, data: {a: '1'}}")
		program := func(kind, option string) string {
			return "resources:" + typedResource("it", "core/v1:"+kind, "{metadata: {name: it, namespace: "+space+"}, data: {a: \"1\"}}") + "    options: {" + option + ": \"" + id + "\"}\n"
		}
		s.program(t, "%s", program("Secret", "import"))
		refused := s.previewFails(t)
		assert.Contains(t, refused, "is a ConfigMap, and the type k8sconnect:core/v1:Secret is for objects of the kind Secret of v1")
		assert.Contains(t, refused, "the type k8sconnect:core/v1:ConfigMap")
		s.program(t, "%s", "resources:\n  it: {type: \"k8sconnect:core/v1:Secret\", get: {id: \""+id+"\"}}\n")
		assert.Contains(t, s.previewFails(t), "is a ConfigMap")
		s.program(t, "%s", program("ConfigMap", "import"))
		uid := k.get(t, id).GetUID()
		s.up(t)
		s.up(t)
		assert.Equal(t, uid, k.get(t, id).GetUID())
		assert.Equal(t, map[string]any{"a": "1"}, s.export(t).get(t, "it").Outputs["data"])
	})
	t.Run("a big object and an interrupted create stay typed [K10]", func(t *testing.T) {
		t.Parallel()
		k, space := kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
		made, err := engine.Extend(t.Context(), "kinds=v1/ConfigMap", live(t))
		require.NoError(t, err)
		program := func(data string) string {
			return "resources:" + typedResource("it", "core/v1:ConfigMap", "{metadata: {name: it, namespace: "+space+"}, data: {"+data+"}}")
		}
		id := "v1/ConfigMap/" + space + "/it"

		s := newStack(t)
		s.install(t, made)
		big := strings.Repeat("0123456789", 30_000)
		s.program(t, "%s", program("a: \"1\", big: \""+big+"\""))
		s.up(t)
		s.previewEmpty(t)
		assert.NotContains(t, s.export(t).get(t, "it").Inputs, "manifest")
		k.merge(t, id, "data: {a: \"2\"}")
		assert.Contains(t, s.preview(t), `a: "2" -> "1"`)
		s.up(t)
		s.program(t, "%s", program("a: \"1\""))
		s.up(t)
		assert.Equal(t, map[string]any{"a": "1"}, k.value(t, id, "data"))
		assert.Equal(t, map[string]any{"a": "1"}, s.export(t).get(t, "it").Inputs["data"])
		s.previewEmpty(t)
		s.destroy(t)

		proxy := newFaulty(t, shared.Get(t))
		s = newStack(t)
		s.install(t, made)
		s.connectAs(t, proxy.User)
		s.program(t, "%s", program("a: \"1\""))
		proxy.strike(func(r *http.Request) bool {
			return r.Method == http.MethodPatch && !strings.Contains(r.URL.RawQuery, "dryRun") && strings.HasSuffix(r.URL.Path, "/configmaps/it")
		}, lose)
		s.upFails(t)
		proxy.heal()
		failed := s.export(t).get(t, "it")
		assert.True(t, failed.pending())
		assert.NotEmpty(t, failed.InitErrors)
		assert.Equal(t, map[string]any{"a": "1"}, failed.Inputs["data"])
		assert.NotContains(t, failed.Inputs, "manifest")
		assert.NotContains(t, failed.Outputs, "manifest")
		uid := k.get(t, id).GetUID()
		s.up(t)
		assert.Equal(t, uid, k.get(t, id).GetUID())
		assert.Equal(t, map[string]any{"a": "1"}, s.export(t).get(t, "it").Outputs["data"])
		s.previewEmpty(t)
	})
	t.Run("two extensions have a kind each, and one of them the same one [K10]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), shared.Get(t).Namespace(t)
		first, err := engine.Extend(t.Context(), "kinds=v1/ConfigMap", "name=first", live(t))
		require.NoError(t, err)
		second, err := engine.Extend(t.Context(), "kinds=v1/Secret,v1/ConfigMap", "name=second", live(t))
		require.NoError(t, err)
		s.install(t, first, second)
		s.program(t, "%s", "resources:"+typedResource("map", "core/v1:ConfigMap", "{metadata: {name: it, namespace: "+space+"}, data: {a: \"1\"}}")+
			typedResource("secret", "core/v1:Secret", "{metadata: {name: it, namespace: "+space+"}, stringData: {a: \"1\"}}"))
		s.up(t)
		s.previewEmpty(t)
		s.destroy(t)
	})
}
