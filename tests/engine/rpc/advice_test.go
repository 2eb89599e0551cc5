package rpc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// disown removes what a manager owns on an object, and leaves the values.
func (w world) disown(kind, name, manager string) {
	w.t.Helper()
	entries := w.get(kind, name).GetManagedFields()
	for i, entry := range slices.Backward(entries) {
		if entry.Manager == manager {
			w.jsonPatch(kind, name, m{"op": "remove", "path": fmt.Sprintf("/metadata/managedFields/%d", i)})
		}
	}
}

// sortedValues are the values of a ConfigMap's data and annotation, each once.
func sortedValues(w world, name string) []string {
	live := w.get("ConfigMap", name)
	values := map[string]bool{live.GetAnnotations()["a.b/c"]: true}
	for _, value := range w.value("ConfigMap", name, "data").(m) {
		values[value.(string)] = true
	}
	return slices.Sorted(maps.Keys(values))
}

// TestWhatMessagesAdviseHelps carries out what a message says to do, from the state in which it says it.
func TestWhatMessagesAdviseHelps(t *testing.T) {
	t.Parallel()
	t.Run("delete by hand: of an object that others have made immutable", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
		w.patch("ConfigMap", "web", m{"immutable": true})
		in := program(w.configMap("web", m{"a": "changed"}))
		_, err := s.up(in)
		require.ErrorContains(t, err, "its field immutable is true")
		require.ErrorContains(t, err, "undo the change; or, if the object may be deleted, delete it by hand")
		s.mustUp("same", program(w.configMap("web", nil)))
		w.delete("ConfigMap", "web")
		s.mustUp("create", in).mustUp("same", in)
	})
	t.Run("delete by hand: of an object of which nothing proves that a replacement would help", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(definitionOf(t, w.group(), "Anchor", "{type: object}"))
		s := start(t, inline(newUser(t))).resource(t, "anchors").mustUp("create", in)
		name := "anchors." + w.group()
		awaitEstablished(t, w.client, name)
		changed := with(t, in, "manifest.spec.scope", "Cluster")
		_, err := s.up(changed)
		require.ErrorContains(t, err, "nothing proves that a replacement would help")
		require.ErrorContains(t, err, "delete it by hand (lost with it: ")
		s.mustUp("same", in)
		require.NoError(t, w.client.Resource(definitions).Delete(t.Context(), name, metav1.DeleteOptions{}))
		eventually(t, func() bool {
			_, err := w.client.Resource(definitions).Get(t.Context(), name, metav1.GetOptions{})
			return apierrors.IsNotFound(err)
		}, "the definition is gone")
		s.mustUp("create", changed).mustUp("same", changed)
	})
	t.Run("remove the annotation in a separate up, then make the change", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := func(restart string) m {
			return object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: once, namespace: %s}, spec: {suspend: true, template: {spec:
				{restartPolicy: %s, containers: [{name: run, image: "busybox:1"}]}}}}`, w.namespace, restart)
		}
		s := start(t, inline(newUser(t))).resource(t, "once").mustUp("create", program(annotated(job("Never"), "keep"), atOnce))
		_, err := s.up(program(annotated(job("OnFailure"), "keep"), atOnce))
		require.ErrorContains(t, err, "remove the annotation in a separate `pulumi up`, then make the change")
		uid := w.get("Job", "once").GetUID()
		s.mustUp("update", program(job("Never"), atOnce))
		s.mustUp("replace", program(job("OnFailure"), atOnce))
		assert.NotEqual(t, uid, w.get("Job", "once").GetUID())
	})
	t.Run("write fields into the manifest for one up, and take them out in the next", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.configMap("web", m{"a": "1", "b": "2"}))
		both, one := program(w.configMap("web", m{"a": "1", "b": "2"}), adopting), program(w.configMap("web", m{"a": "1"}))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", both).mustUp("update", one)
		w.disown("ConfigMap", "web", "helm")
		one = with(t, one, "manifest.data.c", "3")
		s.in(s.process.again(t)).mustUp("update", one)
		require.Contains(t, s.told("stay on the object without an owner: data.b"), "write them into the manifest for one `pulumi up`, and take them out in the next")
		s.mustUp("update", both).mustUp("update", one).mustUp("same", one)
		assert.Equal(t, m{"a": "1", "c": "3"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("adopt what cannot be imported, with each item of a list once", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		twice := w.deployment(t, "web")
		container := twice["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)
		container["env"] = append(container["env"].([]any), m{"name": "A", "value": "again"})
		w.create(twice)
		s := start(t, inline(newUser(t))).resource(t, "web")
		require.ErrorContains(t, s.importID("apps/v1/Deployment/"+w.namespace+"/web"), "write it into the program, each item of a list once, with `adopt: true`")
		in := program(w.deployment(t, "web"), adopting)
		s.mustUp("create", in).mustUp("same", in)
	})
	t.Run("a contradiction with the field of another: set it in this manifest, or have its owner remove it", func(t *testing.T) {
		t.Parallel()
		for way, goOn := range map[string]func(w world) (resources string){
			"set the field in this manifest": func(world) string { return "limits: {cpu: 1}, requests: {cpu: 1}" },
			"have its owner remove it": func(w world) string {
				w.jsonPatch("Deployment", "it", m{"op": "remove", "path": "/spec/template/spec/containers/0/resources"})
				return "limits: {cpu: 1}"
			},
		} {
			w := newWorld(t)
			in := func(resources string) resource.PropertyMap {
				return program(w.inNamespace(t, container("resources: {"+resources+"}")), atOnce)
			}
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in(""))
			w.jsonPatch("Deployment", "it", m{"op": "add", "path": "/spec/template/spec/containers/0/resources", "value": m{"requests": m{"cpu": "2"}}})
			_, err := s.up(in("limits: {cpu: 1}"))
			require.ErrorContains(t, err, way)
			after := in(goOn(w))
			s.mustUp("update", after).mustUp("same", after)
		}
	})
	t.Run("a contradiction with an ignored field: take it out of ignoreFields, or change it where it is managed", func(t *testing.T) {
		t.Parallel()
		for _, taken := range []bool{true, false} {
			w := newWorld(t)
			ignored := ignoring("spec.template.spec.containers[name=web].resources.requests")
			in := func(resources string, more m) resource.PropertyMap {
				return program(w.inNamespace(t, container("resources: {"+resources+"}")), atOnce, more)
			}
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in("requests: {cpu: 2}", nil))
			s.mustUp("update", in("requests: {cpu: 2}", ignored))
			_, err := s.up(in("limits: {cpu: 1}", ignored))
			require.ErrorContains(t, err, "set the field in this manifest and take it out of ignoreFields, or change it where it is managed")
			after := in("limits: {cpu: 1}, requests: {cpu: 1}", nil)
			if !taken {
				w.jsonPatch("Deployment", "it", m{"op": "replace", "path": "/spec/template/spec/containers/0/resources/requests/cpu", "value": "1"})
				after = in("limits: {cpu: 1}", ignored)
			}
			s.mustUp("update", after).mustUp("same", after)
		}
	})
	t.Run("correct a path that selects nothing", func(t *testing.T) {
		t.Parallel()
		for path, advised := range map[string]string{
			"metadata.annotations.a.b/c":    "A key with dots is written in brackets: ",
			"manifest.data.a":               "begins in the object: ",
			`manifest.data["app.settings"]`: "begins in the object: ",
		} {
			w := newWorld(t)
			made := func(value string) m {
				made := w.configMap("web", m{"a": value, "app.settings": value, "other": value})
				made["metadata"].(m)["annotations"] = m{"a.b/c": value}
				return made
			}
			s := start(t, inline(newUser(t))).resource(t, "web")
			did, err := s.up(program(made("1"), ignoring(path)))
			text := s.process.log.all()
			if refused, is := errors.AsType[invalid](err); is {
				did, text = "", refused.failures[0].Reason
			}
			_, rest, found := strings.Cut(text, advised)
			require.True(t, found, text)
			var meant string
			require.NoError(t, json.NewDecoder(strings.NewReader(rest)).Decode(&meant), text)
			want := map[string]string{"": "create", "create": "update"}[did]
			s.in(s.process.again(t)).mustUp(want, program(made("1"), ignoring(meant)))
			s.mustUp("update", program(made("2"), ignoring(meant)))
			assert.NotContains(t, s.process.log.all(), "selects nothing")
			assert.Len(t, sortedValues(w, "web"), 2, "one value stays: %v", w.get("ConfigMap", "web"))
		}
	})
	t.Run("remove a field by a patch, in either of the two ways", func(t *testing.T) {
		t.Parallel()
		for kind, removes := range map[string]any{
			"mergePatch": m{"data": m{"a": nil}}, "jsonPatch": []any{m{"op": "remove", "path": "/data/a"}},
		} {
			w := newWorld(t)
			target := w.create(w.configMap("theirs", nil)).Object
			s := patchIn(t, start(t, inline(newUser(t))), "ours")
			for _, refused := range []m{{"data": m{"a": nil}}, {"data": m{"a": "1", "$patch": "delete"}}} {
				_, err := s.check(patching(target, m{"patch": refused}), false)
				require.ErrorContains(t, err, "use mergePatch with null")
				require.ErrorContains(t, err, "jsonPatch with the operation remove")
			}
			s.mustUp("create", patching(target, m{kind: removes}))
			assert.Equal(t, m{"b": "2"}, w.value("ConfigMap", "theirs", "data"), kind)
		}
	})
	t.Run("set onImmutable for a namespace that has changed", func(t *testing.T) {
		t.Parallel()
		w, there := newWorld(t), newWorld(t)
		claim := w.claim(t)
		delete(claim["metadata"].(m), "namespace")
		user := newUser(t)
		s := start(t, merged(inline(user), m{"namespace": w.namespace})).resource(t, "it").mustUp("create", program(claim, atOnce))
		w.patch("PersistentVolumeClaim", "it", m{"metadata": m{"finalizers": nil}}) // nobody looks after it here
		s.reconfigured(start(t, merged(inline(user), m{"namespace": there.namespace}))).mustUp("same", program(claim, atOnce))
		require.Contains(t, s.warned(), `set onImmutable to "replace"`)
		s.mustUp("replace", program(claim, atOnce, onImmutable("replace")))
		assert.False(t, w.exists("PersistentVolumeClaim", "it"))
		assert.True(t, there.exists("PersistentVolumeClaim", "it"))
	})
	t.Run("set forceDestroy for a Task that fails at the end, and delete it then", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		in := func(more m) m { return merged(m{"manifest": w.job("bye", "fails:1"), "runOn": []any{"delete"}}, more) }
		s := w.start().task(t, "bye").mustUp("create", resource.NewPropertyMapFromMap(in(nil)))
		require.ErrorContains(t, s.destroy(), "set forceDestroy, run `pulumi up`, and delete it then")
		s.mustUp("update", resource.NewPropertyMapFromMap(in(m{"forceDestroy": true})))
		require.NoError(t, s.destroy())
	})
	t.Run("set forceDestroy for a release whose delete hook fails, and delete it then", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().releaseHooks(t, "pre-delete").mustUp("create", deleteHooks(nil, hookStep(w.job("bye", "fails:1"))))
		require.ErrorContains(t, s.destroy(), "set forceDestroy, run `pulumi up`, and delete it then")
		s.mustUp("update", deleteHooks(m{"forceDestroy": true}, hookStep(w.job("bye", "fails:1"))))
		require.NoError(t, s.destroy())
	})
}
