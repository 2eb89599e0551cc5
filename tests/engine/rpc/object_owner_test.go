package rpc_test

import (
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// bakery is a KubeObject of another project.
func (p *process) bakery(t testing.TB, name string) *session {
	return &session{t: t, process: p, urn: bakeryURNOf(name)}
}

func bakeryURNOf(name string) resource.URN {
	return resource.URN("urn:pulumi:dev::bakery::" + string(objectType) + "::" + name)
}

// managers are the field managers of an object that own something by apply.
func (w world) managers(kind, name string) []string {
	w.t.Helper()
	var managers []string
	for _, entry := range w.get(kind, name).GetManagedFields() {
		if entry.Operation == metav1.ManagedFieldsOperationApply {
			managers = append(managers, entry.Manager)
		}
	}
	return managers
}

// managerIn is the field manager of a session.
func (s *session) managerIn() string { return fmt.Sprint(at(s.t, s.outputs, "__fieldManager")) }

// TestWhoseObjectIsIt is about objects that another KubeObject manages, by whatever path they came into the state.
func TestWhoseObjectIsIt(t *testing.T) {
	t.Parallel()
	// stolen is an object that shop manages and that bakery has imported.
	stolen := func(t *testing.T) (w world, owner, thief *session, in resource.PropertyMap) {
		t.Helper()
		w = newWorld(t)
		in = program(w.configMap("web", nil))
		owner = start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		thief = start(t, inline(newUser(t))).bakery(t, "stolen")
		require.NoError(t, thief.importID("v1/ConfigMap/"+w.namespace+"/web"))
		return w, owner, thief, in
	}

	t.Run("an import of what another stack manages goes through, with a warning that says whose it is [D31] [O83]", func(t *testing.T) {
		_, owner, thief, _ := stolen(t)
		require.NotEmpty(t, thief.id)
		require.Len(t, thief.process.log.warnings(), 1)
		assert.Contains(t, thief.process.log.warnings()[0], `"web" of shop/dev`)
		assert.Contains(t, thief.process.log.warnings()[0], "takeOverFrom")
		assert.Contains(t, thief.process.log.warnings()[0], owner.managerIn())
	})
	t.Run("every write to it is refused, and a delete leaves it alone [D31] [O83]", func(t *testing.T) {
		w, owner, thief, in := stolen(t)
		before := w.get("ConfigMap", "web").GetResourceVersion()
		changed := program(w.configMap("web", map[string]any{"a": "stolen"}))
		_, _, err := thief.preview(changed)
		require.ErrorContains(t, err, `managed by the KubeObject "web" of shop/dev`, "at preview already")
		did, err := thief.up(changed)
		require.ErrorContains(t, err, `managed by the KubeObject "web" of shop/dev`, did)
		assert.ErrorContains(t, err, `takeOverFrom: ["`+owner.managerIn()+`"]`)
		inputs, err := thief.check(changed, false)
		require.NoError(t, err)
		require.ErrorContains(t, thief.update(inputs), "managed by the KubeObject", "also where no Diff has looked")
		replaced := program(w.configMap("other", nil))
		for _, remove := range deletions {
			other := *thief
			other.process = start(t, inline(newUser(t)))
			require.NoError(t, remove(&other))
			assert.Contains(t, other.warned(), `"web" of shop/dev`)
		}
		assert.Equal(t, before, w.get("ConfigMap", "web").GetResourceVersion())
		thief.mustUp("replace", replaced)
		assert.Equal(t, before, w.get("ConfigMap", "web").GetResourceVersion(), "a replacement leaves it alone, too")
		owner.mustUp("same", in)
	})
	t.Run("drift of it is not put right by who does not manage it [D31] [O83]", func(t *testing.T) {
		w, _, thief, _ := stolen(t)
		imported := resource.PropertyMap{"manifest": thief.inputs["manifest"]}
		w.patch("ConfigMap", "web", map[string]any{"data": map[string]any{"a": "drifted"}})
		before := w.get("ConfigMap", "web").GetResourceVersion()
		did, err := thief.up(imported)
		require.ErrorContains(t, err, `managed by the KubeObject "web" of shop/dev`, did)
		assert.Equal(t, before, w.get("ConfigMap", "web").GetResourceVersion())
	})
	for _, conflicting := range []bool{false, true} {
		t.Run(fmt.Sprintf("the former owner is refused and told who has it, its delete leaves it alone and releases its own entry, values differ: %t [D31] [O83]", conflicting), func(t *testing.T) {
			w := newWorld(t)
			in := program(w.configMap("web", nil))
			former := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
			values := map[string]any{"c": "3"}
			if conflicting {
				values["a"] = "theirs"
			}
			w.apply("k8sconnect-bakery.dev.web-01234567", w.configMap("web", values))
			did, err := former.up(program(w.configMap("web", map[string]any{"a": "9"})))
			require.ErrorContains(t, err, `managed by the KubeObject "web" of bakery/dev`, did)
			require.NoError(t, former.destroy())
			assert.Contains(t, former.warned(), `"web" of bakery/dev`)
			assert.Equal(t, []string{"k8sconnect-bakery.dev.web-01234567"}, w.managers("ConfigMap", "web"))
			assert.Equal(t, "2", w.value("ConfigMap", "web", "data", "b"), "what was ours keeps its value")
		})
	}
	t.Run("without a read before it, a delete looks whose the object is [D31] [O83]", func(t *testing.T) {
		w := newWorld(t)
		in := program(w.configMap("web", nil))
		former := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		w.apply("k8sconnect-bakery.dev.web-01234567", w.configMap("web", nil))
		former.in(start(t, inline(newUser(t))))
		require.NoError(t, former.remove())
		assert.Contains(t, former.warned(), `"web" of bakery/dev`)
		assert.Equal(t, []string{"k8sconnect-bakery.dev.web-01234567"}, w.managers("ConfigMap", "web"))
	})
	t.Run("an adoption and a create that is continued ask, too [D31] [O83]", func(t *testing.T) {
		w, owner, _, _ := stolen(t)
		s := owner.process.bakery(t, "adopter")
		require.ErrorContains(t, s.create(program(w.configMap("web", nil), adopting)), `managed by the KubeObject "web" of shop/dev`)
		// The owner has lost its state, and another stack is on the object.
		w.apply("k8sconnect-bakery.dev.web-01234567", w.configMap("web", nil))
		owner.stored = stored{}
		owner.in(start(t, inline(newUser(t))))
		for _, in := range []resource.PropertyMap{program(w.configMap("web", nil)), program(w.configMap("web", nil), adopting)} {
			require.ErrorContains(t, owner.create(in), `managed by the KubeObject "web" of bakery/dev`)
		}
	})
	t.Run("of two resources of one stack, one deletes the object [D31]", func(t *testing.T) {
		w := newWorld(t)
		w.create(w.configMap("web", nil))
		p := start(t, inline(newUser(t)))
		first, second := p.resource(t, "first"), p.resource(t, "second")
		for _, s := range []*session{first, second} {
			require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/web"))
		}
		for _, s := range []*session{first, second} {
			s.in(p).mustRead()
		}
		require.NoError(t, second.remove())
		assert.True(t, w.exists("ConfigMap", "web"), "the other resource has it still")
		assert.Contains(t, second.warned(), `"first"`)
		first.mustUp("update", program(w.configMap("web", map[string]any{"a": "9"})))
		require.NoError(t, first.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	t.Run("of two resources of one stack, the second to write is refused [D31] [O83]", func(t *testing.T) {
		w := newWorld(t)
		w.create(w.configMap("web", nil))
		p := start(t, inline(newUser(t)))
		first, second := p.resource(t, "first"), p.resource(t, "second")
		for _, s := range []*session{first, second} {
			require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/web"))
		}
		first.mustUp("update", program(w.configMap("web", map[string]any{"a": "9"})))
		_, err := second.up(program(w.configMap("web", map[string]any{"a": "8"})))
		require.ErrorContains(t, err, `managed by the KubeObject "first" of shop/dev`)
	})
	t.Run("an import by a version that is not served gets the ID of one that is, and says so [D31]", func(t *testing.T) {
		w := newWorld(t)
		p := start(t, inline(newUser(t)))
		in := program(w.deployment(t, "web"))
		p.resource(t, "web").mustUp("create", in)
		s := p.resource(t, "again")
		require.NoError(t, s.importID("apps/v2/Deployment/"+w.namespace+"/web"))
		assert.Equal(t, "apps/v1/Deployment/"+w.namespace+"/web", string(s.id))
		assert.Equal(t, "apps/v1", at(t, s.inputs, "manifest.apiVersion"))
		assert.Contains(t, s.warned(), "apps/v2 is not served")
	})
}

// TestTakeOverFrom is about managers that the program names: what they own of the manifest becomes ours.
func TestTakeOverFrom(t *testing.T) {
	t.Parallel()
	from := func(managers ...any) map[string]any { return map[string]any{"takeOverFrom": managers} }
	t.Run("another stack's object becomes ours, its next update is refused, and its delete leaves the object alone [D31] [O82] [O83]", func(t *testing.T) {
		for _, how := range []string{"create", "import"} {
			w := newWorld(t)
			in := program(w.configMap("web", nil))
			former := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
			next := start(t, inline(newUser(t))).bakery(t, how)
			if how == "import" {
				require.NoError(t, next.importID("v1/ConfigMap/"+w.namespace+"/web"))
			}
			mine := program(w.configMap("web", map[string]any{"a": "mine"}), from(former.managerIn()))
			uid := w.value("ConfigMap", "web", "metadata", "uid")
			_, _, err := next.preview(mine)
			require.NoError(t, err)
			_, err = next.up(mine)
			require.NoError(t, err)
			assert.Equal(t, uid, at(t, next.outputs, "resourceRef.uid"))
			assert.Contains(t, w.managers("ConfigMap", "web"), next.managerIn())
			assert.NotContains(t, w.managers("ConfigMap", "web"), former.managerIn())
			if how == "create" {
				assert.Equal(t, "2", w.value("ConfigMap", "web", "data", "b"), "what this manifest does not set stays")
			} else {
				assert.Nil(t, w.value("ConfigMap", "web", "data", "b"), "what leaves the imported manifest goes")
			}
			next.mustUp("same", mine)
			_, err = former.up(in)
			require.ErrorContains(t, err, `managed by the KubeObject "`+how+`" of bakery/dev`)
			require.NoError(t, former.destroy())
			assert.True(t, w.exists("ConfigMap", "web"))
		}
	})
	t.Run("what helm and kubectl own of the manifest is ours, and leaves with it [D32] [O82]", func(t *testing.T) {
		w := newWorld(t)
		for _, manager := range []string{"helm", "kubectl-edit"} {
			w.apply(manager, w.configMap("web", map[string]any{"a": "1", "b": "2", "theirs": "3"}))
		}
		both := program(w.configMap("web", nil), adopting)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", both)
		taking := program(w.configMap("web", nil), from("helm", "kubectl"))
		did, _, err := s.preview(taking)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		s.mustUp("update", taking).mustUp("same", taking)
		s.mustUp("update", program(w.configMap("web", map[string]any{"a": "1"}), from("helm", "kubectl")))
		assert.Equal(t, map[string]any{"a": "1", "theirs": "3"}, w.value("ConfigMap", "web", "data"))
	})
}
