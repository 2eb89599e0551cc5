package rpc_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// restores makes a Patch put back what was there before.
var restores = m{"onDestroy": "restore"}

// whole is all of an object that a restored one has in common with the one before the patch.
func whole(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	entries := object.GetManagedFields()
	for i := range entries {
		entries[i].Time = nil
	}
	slices.SortFunc(entries, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Or(cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Subresource, b.Subresource))
	})
	object.SetManagedFields(entries)
	object.SetResourceVersion("")
	object.SetGeneration(0)
	return object.Object
}

func TestAPatchThatRestores(t *testing.T) {
	t.Parallel()
	const container = "/spec/template/spec/containers/0"
	env := func(value string) m { return m{"name": "X", "value": value} }
	workload := func(w world) m {
		d := withArgs(w.deployment(w.t, "it"), "--a", "--b", "--c")
		d["metadata"].(m)["annotations"] = m{"kept": "1", "old": "1"}
		c := d["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)
		c["env"] = []any{env("1"), m{"name": "Y", "value": "2"}}
		return d
	}
	for name, patch := range map[string]m{
		"a variable, by patch":               inPod(m{"containers": []any{m{"name": "web", "env": []any{env("9"), m{"name": "new", "value": "1"}}}}}),
		"a variable, by jsonPatch":           {"jsonPatch": []any{operation("replace", container+"/env/0/value", "9")}},
		"a list as a whole, by mergePatch":   {"mergePatch": m{"spec": m{"template": m{"spec": m{"containers": []any{m{"name": "web", "image": "other:2"}}}}}}},
		"a number and a label":               {"patch": m{"metadata": m{"labels": m{"x": "1"}}, "spec": m{"replicas": 0, "revisionHistoryLimit": 3}}},
		"arguments, by patch":                inPod(m{"containers": []any{m{"name": "web", "args": []any{"--z"}}}}),
		"an argument, by its position":       {"jsonPatch": []any{operation("replace", container+"/args/1", "--z")}},
		"an argument that is removed":        {"jsonPatch": []any{m{"op": "remove", "path": container + "/args/1"}}},
		"arguments added and removed":        {"jsonPatch": []any{operation("add", container+"/args/-", "--z"), m{"op": "remove", "path": container + "/args/0"}}},
		"a variable that is removed":         {"jsonPatch": []any{m{"op": "remove", "path": container + "/env/0"}}},
		"annotations that are removed":       {"mergePatch": m{"metadata": m{"annotations": nil}}},
		"an annotation that is removed":      {"mergePatch": m{"metadata": m{"annotations": m{"old": nil, "new": "1"}}}},
		"annotations that are replaced":      {"jsonPatch": []any{operation("replace", "/metadata/annotations", m{"kept": "1", "new": "2"})}},
		"a container that is replaced":       {"jsonPatch": []any{operation("replace", container, m{"name": "other", "image": "other:1"})}},
		"what was moved":                     {"jsonPatch": []any{operation("move", "/metadata/annotations/moved", "/metadata/annotations/old")}},
		"what was moved onto something else": {"jsonPatch": []any{operation("move", "/metadata/annotations/kept", "/metadata/annotations/old")}},
		"what was copied":                    {"jsonPatch": []any{operation("copy", "/metadata/annotations/kept", "/metadata/annotations/old"), operation("copy", "/metadata/annotations/new", "/metadata/annotations/old")}},
	} {
		t.Run("the object is as it was before, with its owners: "+name+" [P33]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.apply("owner", workload(w))
			w.patch("Deployment", "it", m{"metadata": m{"labels": m{"of": "intern"}}})
			before := w.get("Deployment", "it")
			in := patching(w.deployment(t, "it"), patch, restores)
			if merge, is := patch["mergePatch"].(m); is {
				in = patching(w.deployment(t, "it"), m{"mergePatch": asJSON(merge)}, restores)
			}
			s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in).mustUp("same", in)
			require.NotEqual(t, substanceOf(before), substanceOf(w.get("Deployment", "it")))
			assert.Empty(t, destroyed(t, w, s, "Deployment"))
			assert.Equal(t, whole(before), whole(w.get("Deployment", "it")))
		})
	}
	eachKind(t, "what has its value by others since stays, with a warning that says why [P34]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", m{"a": "1", "b": "2", "c": "3"}))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "8", "c", "3", "new", "1", "more", "1")), restores)
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		w.patch("ConfigMap", "it", m{"data": m{"a": "theirs", "new": "theirs"}})
		warnings := destroyed(t, w, s, "ConfigMap")
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], `these values stay in the object, although onDestroy is "restore"`)
		assert.Contains(t, warnings[0], "data.a: it, or a part of it, is owned by intern")
		assert.Contains(t, warnings[0], "data.new: it, or a part of it, is owned by intern")
		assert.NotContains(t, warnings[0], "data.b")
		assert.Contains(t, s.process.log.all(), "these fields have got back what was there before the Patch: data.b")
		assert.Equal(t, m{"a": "theirs", "b": "2", "c": "3", "new": "theirs"}, w.value("ConfigMap", "it", "data"))
		events := w.events("PatchReleased")
		require.Len(t, events, 1)
		assert.Contains(t, events[0].Object["message"], "; and put back: data.b; and removed: data.more")
	})
	eachKind(t, "what others removed since stays removed, with a warning [P34]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")), restores)
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		w.patch("ConfigMap", "it", m{"data": m{"a": nil}})
		warnings := destroyed(t, w, s, "ConfigMap")
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "data.a: it was removed since this Patch set it")
		assert.Equal(t, m{"b": "2"}, w.value("ConfigMap", "it", "data"))
	})
	eachKind(t, "the first value counts, not an earlier one of this Patch, unless others have set another since [P35]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		before := w.get("ConfigMap", "it")
		on := func(values ...any) resource.PropertyMap {
			return patching(w.configMap("it", nil), setting(kind, data(values...)), restores)
		}
		s := removing(t, w, start(t, inline(newUser(t))))
		s.mustUp("create", on("a", "8", "b", "2")).mustUp("update", on("a", "9", "b", "3")).mustUp("update", on("a", "10", "b", "4")).mustRead()
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, whole(before), whole(w.get("ConfigMap", "it")))

		s.in(start(t, inline(newUser(t)))).mustUp("create", on("a", "8"))
		w.apply("eks", w.configMap("it", m{"a": "newer", "b": "2"}))
		s.mustUp("update", on("a", "8"))
		require.Equal(t, "8", w.value("ConfigMap", "it", "data", "a"))
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, "newer", w.value("ConfigMap", "it", "data", "a"))
		require.NoError(t, w.applies("eks", w.configMap("it", nil)))
	})
	eachKind(t, "a field that leaves the patch is restored with the update, and the preview says so [P36]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		before := w.get("ConfigMap", "it")
		on := func(values ...any) resource.PropertyMap {
			return patching(w.configMap("it", nil), setting(kind, data(values...)), restores)
		}
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", on("a", "8", "b", "9", "new", "1", "late", "1"))
		w.patch("ConfigMap", "it", m{"data": m{"late": "theirs"}})
		s.in(s.process.again(t)).mustRead()
		version := w.version("ConfigMap", "it")
		s.previewed("update", on("a", "8"))
		assert.Equal(t, version, w.version("ConfigMap", "it"))
		said := func() {
			said := s.process.log.all()
			assert.Contains(t, said, "They get back what was there before it: data.b")
			assert.Contains(t, said, "They are removed: data.new")
			assert.Contains(t, said, "data.late: it, or a part of it, is owned by intern")
		}
		said()
		s.in(s.process.again(t)).mustUp("update", on("a", "8"))
		said()
		assert.Equal(t, m{"a": "8", "b": "2", "late": "theirs"}, w.value("ConfigMap", "it", "data"))
		s.mustUp("same", on("a", "8"))
		w.patch("ConfigMap", "it", m{"data": m{"late": nil}})
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		after := whole(w.get("ConfigMap", "it"))
		assert.Equal(t, whole(before), after)
	})
	eachKind(t, "turned on later: what was not recorded stays, and the update says so; turned off, nothing is recorded [P37]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		on := func(more m, values ...any) resource.PropertyMap {
			return patching(w.configMap("it", nil), setting(kind, data(values...)), more)
		}
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", on(m{}, "a", "9", "new", "1"))
		plainState := s.outputs.Copy()
		assert.NotContains(t, plainState, resource.PropertyKey("__formerValues"))
		version := w.version("ConfigMap", "it")
		s.in(s.process.again(t)).previewed("update", on(restores, "a", "9", "new", "1"))
		s.mustUp("update", on(restores, "a", "9", "new", "1"))
		assert.Equal(t, version, w.version("ConfigMap", "it"))
		assert.Contains(t, strings.Join(s.process.log.warnings(), ""), `so a destroy leaves them as they are, although onDestroy is "restore": data.a`)
		assert.NotContains(t, strings.Join(s.process.log.warnings(), ""), "data.new")
		s.in(s.process.again(t)).mustUp("update", on(restores, "a", "9", "b", "7", "new", "1"))
		assert.NotContains(t, s.process.log.all(), "nothing records")
		warnings := destroyed(t, w, s, "ConfigMap")
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "data.a: it is not recorded what was there before")
		assert.Equal(t, m{"a": "9", "b": "2"}, w.value("ConfigMap", "it", "data"))

		s.in(start(t, inline(newUser(t)))).mustUp("create", on(restores, "b", "8"))
		assert.Contains(t, s.outputs, resource.PropertyKey("__formerValues"))
		s.mustUp("update", on(m{}, "b", "8"))
		assert.NotContains(t, s.outputs, resource.PropertyKey("__formerValues"))
		require.NoError(t, s.destroy())
		assert.Equal(t, m{"a": "9", "b": "8"}, w.value("ConfigMap", "it", "data"))
	})
	eachKind(t, "a reply that was lost changes nothing about what is restored [P38]", func(t *testing.T, kind string) {
		for _, lose := range []func(w world, g *gateway, s *session, in resource.PropertyMap){
			func(_ world, g *gateway, s *session, in resource.PropertyMap) {
				g.next(isPatching, loseReply)
				requirePatchPending(t, s, s.create(in))
			},
			func(w world, g *gateway, s *session, in resource.PropertyMap) {
				s.mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "7")), restores))
				g.next(isPatching, loseReply)
				_, err := s.up(in)
				requirePatchPending(t, s, err)
			},
			func(_ world, g *gateway, s *session, in resource.PropertyMap) {
				g.next(isPatching, loseRequest)
				requirePatchPending(t, s, s.create(in))
			},
		} {
			for _, continues := range []bool{true, false} {
				w, g := newWorld(t), newGateway(t)
				w.apply("eks", w.configMap("it", nil))
				before := w.get("ConfigMap", "it")
				in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "2", "new", "1")), restores)
				s := removing(t, w, start(t, g.connection()))
				lose(w, g, s, in)
				if continues {
					s.in(start(t, inline(newUser(t)))).mustUp("update", in).mustUp("same", in)
					assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
				} else {
					destroyed(t, w, s, "ConfigMap")
				}
				after := w.get("ConfigMap", "it")
				left := maps.Clone(after.Object["data"].(m))
				if !continues {
					delete(left, "new") // it is not known what was left there
				}
				assert.Equal(t, before.Object["data"], left)
				if continues {
					assert.Equal(t, whole(before), whole(after))
				}
			}
		}
	})
	t.Run("a destroy that is interrupted between its two requests is finished by the next one [P38]", func(t *testing.T) {
		t.Parallel()
		for _, fails := range []int{1, 2} {
			w, g := newWorld(t), newGateway(t)
			w.apply("eks", w.configMap("it", nil))
			before := w.get("ConfigMap", "it")
			in := patching(w.configMap("it", nil), setting("patch", data("a", "9", "new", "1")), restores)
			s := removing(t, w, start(t, g.connection())).mustUp("create", in)
			for range fails - 1 {
				g.next(isApply, pass)
			}
			g.next(isApply, loseReply)
			require.Error(t, s.destroy())
			assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
			assert.Equal(t, whole(before), whole(w.get("ConfigMap", "it")))
		}
	})
	t.Run("an owner whose only field was taken has it again, and one that went since does not [P33]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.configMap("it", m{"a": "1", "b": "2", "c": "3"}))
		w.patch("ConfigMap", "it", m{"data": m{"a": "edited"}})
		before := w.get("ConfigMap", "it")
		in := patching(w.configMap("it", nil), setting("patch", data("a", "9")), restores)
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, whole(before), whole(w.get("ConfigMap", "it")))

		s.in(start(t, inline(newUser(t)))).mustUp("create", patching(w.configMap("it", nil), setting("patch", data("b", "9")), restores))
		live := w.get("ConfigMap", "it")
		w.jsonPatch("ConfigMap", "it", operation("replace", "/metadata/managedFields", slices.DeleteFunc(
			live.Object["metadata"].(m)["managedFields"].([]any), func(entry any) bool { return entry.(m)["manager"] == "eks" })))
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, "2", w.value("ConfigMap", "it", "data", "b"))
		for _, entry := range w.get("ConfigMap", "it").GetManagedFields() {
			assert.NotEqual(t, "eks", entry.Manager)
		}
	})
	t.Run("positions of a list that has changed otherwise are left, with a warning [P34]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", workload(w))
		in := patching(w.deployment(t, "it"), restores, m{"jsonPatch": []any{operation("replace", container+"/args/1", "--z"), operation("add", container+"/args/-", "--new")}})
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		w.jsonPatch("Deployment", "it", operation("add", container+"/args/0", "--first"))
		warnings := destroyed(t, w, s, "Deployment")
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "args: ")
		assert.Equal(t, []any{"--first", "--a", "--z", "--c", "--new"}, containerOf(t, w, "it")["args"])
	})
	t.Run("what was moved comes back as a whole or not at all [P34]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", workload(w))
		in := patching(w.deployment(t, "it"), restores, m{"jsonPatch": []any{operation("move", "/metadata/annotations/moved", "/metadata/annotations/old")}})
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		w.patch("Deployment", "it", m{"metadata": m{"annotations": m{"moved": "theirs"}}})
		require.Len(t, destroyed(t, w, s, "Deployment"), 1)
		assert.Equal(t, map[string]string{"kept": "1", "moved": "theirs"}, w.get("Deployment", "it").GetAnnotations())
	})
	t.Run("a field that the patch removes, and others set again, gets back what they have set [P35]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), m{"mergePatch": `{"data": {"a": null}}`}, restores)
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		w.patch("ConfigMap", "it", m{"data": m{"a": "theirs"}})
		s.mustRead().mustUp("update", in)
		require.Equal(t, m{"b": "2"}, w.value("ConfigMap", "it", "data"))
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, m{"a": "theirs", "b": "2"}, w.value("ConfigMap", "it", "data"))
	})
	t.Run("an object of the same name that is another one, or none, has nothing to be restored [P34]", func(t *testing.T) {
		t.Parallel()
		for _, again := range []bool{true, false} {
			w := newWorld(t)
			w.apply("eks", w.configMap("it", nil))
			in := patching(w.configMap("it", nil), setting("patch", data("a", "9")), restores)
			s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
			w.delete("ConfigMap", "it")
			if again {
				w.apply("eks", w.configMap("it", m{"a": "9", "b": "2"}))
			}
			require.NoError(t, s.destroy())
			assert.Empty(t, s.process.log.warnings())
			if again {
				assert.Equal(t, m{"a": "9", "b": "2"}, w.value("ConfigMap", "it", "data"))
			}
		}
	})
	t.Run("what the API server refuses stays, with what it says [P34]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		d := workload(w)
		d["spec"].(m)["strategy"] = m{"type": "RollingUpdate", "rollingUpdate": m{"maxSurge": 1}}
		w.apply("owner", d)
		in := patching(w.deployment(t, "it"), restores, m{"jsonPatch": []any{operation("replace", "/spec/strategy", m{"type": "Recreate"})}})
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		w.patch("Deployment", "it", m{"spec": m{"minReadySeconds": 1}})
		assert.Empty(t, destroyed(t, w, s, "Deployment"))
		assert.Equal(t, "RollingUpdate", w.value("Deployment", "it", "spec", "strategy", "type"))
	})
	t.Run("values that are too large are not recorded, which the update says once [P39]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		big := strings.Repeat("x", 900<<10)
		w.apply("eks", w.configMap("it", m{"a": "1", "b": "2", "big": big}))
		on := func(b string) resource.PropertyMap {
			return patching(w.configMap("it", nil), setting("patch", data("big", "small", "b", b)), restores)
		}
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", on("8"))
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.process.log.warnings()[0], "too large to be recorded: a Patch records 64 KiB in all")
		assert.Contains(t, s.process.log.warnings()[0], "data.big")
		assert.NotContains(t, s.process.log.warnings()[0], "data.b,")
		assert.Less(t, len(asJSON(plain(resource.NewObjectProperty(s.outputs)))), 10<<10)
		s.in(s.process.again(t)).mustUp("update", on("9"))
		assert.Empty(t, s.process.log.warnings())
		warnings := destroyed(t, w, s, "ConfigMap")
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "data.big: its earlier value was too large to be recorded")
		assert.Equal(t, m{"a": "1", "b": "2", "big": "small"}, w.value("ConfigMap", "it", "data"))
	})
	eachKind(t, "the former values of a Secret, or beside a secret of the program, are secret in the state and in no message [P40]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "it", "namespace": w.namespace}, "data": m{"a": "aHVzaC1vZi1vdGhlcnM="}})
		before := w.get("Secret", "it")
		on := func(v any) resource.PropertyMap {
			return patching(m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "it", "namespace": w.namespace}},
				setting(kind, m{"data": m{"a": v}}), restores)
		}
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", on(secret("bmV3"))).mustUp("update", on(secret("bmV3ZXI=")))
		assert.NotContains(t, clear(s.outputs), "aHVzaC1vZi1vdGhlcnM=")
		assert.True(t, s.outputs["__formerValues"].IsSecret())
		assert.Empty(t, destroyed(t, w, s, "Secret"))
		assert.NotContains(t, s.process.log.all(), "aHVzaC1vZi1vdGhlcnM=")
		assert.Equal(t, whole(before), whole(w.get("Secret", "it")))
	})
	eachKind(t, "a state that was lost restores nothing, and says so [P38]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")), restores)
		lost := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		s := removing(t, w, start(t, inline(newUser(t))))
		s.urn = lost.urn
		lost.id = ""
		s.mustUp("create", in)
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.process.log.warnings()[0], "nothing records what was in these fields before this Patch has set them")
		require.Len(t, destroyed(t, w, s, "ConfigMap"), 1)
		assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
	})
}
