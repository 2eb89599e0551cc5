package rpc_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// moved gives a session another URN and keeps its state, as an alias, `pulumi state move` and `pulumi stack rename` do.
func (s *session) moved(urn resource.URN) *session {
	if urn.Stack() == s.urn.Stack() && urn.Project() == s.urn.Project() {
		s.aliases = []resource.URN{s.saved()}
	}
	s.urn = urn
	return s.in(s.process.again(s.t))
}

// TestTheManagerFollowsTheURN is about resources that were renamed, or moved to another stack.
func TestTheManagerFollowsTheURN(t *testing.T) {
	t.Parallel()
	elsewhere := resource.URN("urn:pulumi:dev::bakery::" + string(objectType) + "::web")
	urns := map[string]resource.URN{
		"an alias": urnOf("after"), "pulumi state move": elsewhere,
		"pulumi stack rename": resource.URN("urn:pulumi:prod::shop::" + string(objectType) + "::web"),
	}
	for how, urn := range urns {
		t.Run(how+" is an update that says so, and changes nothing but the name [O89] [O64]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			in := program(w.configMap("web", nil))
			s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
			former := s.managerIn()
			s.moved(urn)
			asked := g.watchRequests()
			version := w.get("ConfigMap", "web").GetResourceVersion()
			require.NoError(t, s.read())
			assert.Empty(t, s.refreshed.DetailedDiff, "a refresh has nothing to tell")
			assert.Equal(t, map[string]string{"__fieldManager": "update"}, s.mustDiff(in))
			did, outputs, err := s.preview(in)
			require.NoError(t, err)
			assert.Equal(t, "update", did)
			assert.Contains(t, s.process.log.all(), former)
			assert.Empty(t, s.warned())
			assert.Equal(t, version, w.get("ConfigMap", "web").GetResourceVersion())
			for _, request := range asked() {
				assert.NotContains(t, []string{"apply", "apply by force", "json patch"}, request, "a preview writes nothing")
			}
			s.mustUp("update", in)
			assert.NotEqual(t, former, s.managerIn())
			assert.Equal(t, []string{s.managerIn()}, w.managers("ConfigMap", "web"))
			assert.Equal(t, at(t, outputs, "__fieldManager"), s.managerIn(), "as the preview said")
			assert.Equal(t, at(t, outputs, "fieldOwnership"), at(t, s.outputs, "fieldOwnership"))
			assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "web", "data"))
			requireOneEntry(t, w, s, "ConfigMap", "web")
			s.mustUp("same", in)
			s.in(s.process.again(t)).mustUp("same", in)
		})
	}
	t.Run("what leaves the program in the same update leaves the object, and what others have stays [O89] [D48]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
		w.leave("ConfigMap", "web", map[string]any{"data": map[string]any{"nobodys": "3"}})
		s.moved(elsewhere)
		in := program(object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: %s}}", w.namespace))
		assert.Equal(t, map[string]string{"manifest.data": "delete"}, s.mustRead().mustDiff(in))
		s.mustUp("update", in)
		assert.Equal(t, map[string]any{"nobodys": "3"}, w.value("ConfigMap", "web", "data"))
		assert.Equal(t, []string{s.managerIn()}, w.managers("ConfigMap", "web"))
		assert.Empty(t, s.warned())
		s.mustUp("same", in)
	})
	t.Run("the former stack cannot write the object any more, and its delete leaves it alone [O89] [D31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.configMap("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		// The engine takes the resource out of the state that it moves it from; a backup still has it.
		without, backup := *s, *s
		s.moved(elsewhere).mustUp("update", in)
		without.stored = stored{}
		for _, more := range []map[string]any{nil, adopting} {
			without.in(start(t, inline(newUser(t))))
			did, err := without.up(program(w.configMap("web", nil), more))
			require.ErrorContains(t, err, `managed by the KubeObject "web" of bakery/dev`, did)
			require.ErrorContains(t, err, "takeOverFrom: [")
		}
		for _, program := range []resource.PropertyMap{in, program(w.configMap("web", map[string]any{"a": "9"}))} {
			backup.in(start(t, inline(newUser(t))))
			did, err := backup.up(program)
			require.ErrorContains(t, err, `managed by the KubeObject "web" of bakery/dev`, did)
		}
		require.NoError(t, backup.destroy())
		assert.Contains(t, backup.warned(), `"web" of bakery/dev`)
		s.in(s.process.again(t)).mustUp("same", in)
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	faults := map[string]func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder){
		"the lost reply": loseReply, "the lost request": loseRequest,
	}
	for what, fault := range faults {
		for which, match := range map[string]func(*http.Request) bool{"the apply": isRealApply, "the patch of the managers": isJSONPatch} {
			t.Run(what+" of "+which+" is continued [O89] [O70]", func(t *testing.T) {
				t.Parallel()
				w, g := newWorld(t), newGateway(t)
				s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
				s.moved(elsewhere)
				in := program(w.configMap("web", map[string]any{"a": "9"}))
				g.next(match, fault)
				_, err := s.up(in)
				require.Equal(t, which == "the apply", err != nil, "no value depends on the other: %v", err)
				_, err = s.in(start(t, g.connection())).up(in)
				require.NoError(t, err)
				s.in(s.process.again(t)).mustUp("same", in)
				assert.Equal(t, map[string]any{"a": "9"}, w.value("ConfigMap", "web", "data"))
				assert.Equal(t, []string{s.managerIn()}, w.managers("ConfigMap", "web"))
				assert.Contains(t, s.managerIn(), "bakery")
			})
		}
		t.Run("a create that ended with "+what+" is continued under another name [O89] [O70]", func(t *testing.T) {
			t.Parallel()
			for _, again := range []bool{true, false} {
				w, g := newWorld(t), newGateway(t)
				in := program(w.configMap("web", nil))
				s := start(t, g.connection()).resource(t, "web")
				g.next(isRealApply, fault)
				requirePending(t, s, s.create(in))
				s.moved(elsewhere)
				s.refresh = again
				did, _, err := s.preview(in)
				require.NoError(t, err)
				did2, err := s.up(in)
				require.NoError(t, err)
				assert.Equal(t, did, did2)
				assert.Equal(t, []string{s.managerIn()}, w.managers("ConfigMap", "web"))
				assert.Contains(t, s.managerIn(), "bakery")
				requireSettled(t, s)
				s.mustUp("same", in)
			}
		})
	}
	t.Run("an update that failed after the managers were changed goes on, and its destroy deletes [O89]", func(t *testing.T) {
		t.Parallel()
		for _, deletes := range []bool{true, false} {
			w, g := newWorld(t), newGateway(t)
			s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
			s.moved(elsewhere)
			in := program(w.configMap("web", map[string]any{"a": "9"}))
			g.next(isRealApply, refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "not on Fridays"))
			_, err := s.up(in)
			require.ErrorContains(t, err, "not on Fridays")
			s.in(start(t, g.connection()))
			if deletes {
				require.NoError(t, s.destroy())
				assert.False(t, w.exists("ConfigMap", "web"))
				continue
			}
			assert.Equal(t, map[string]string{"manifest.data.a": "update", "manifest.data.b": "delete"}, s.mustRead().mustDiff(in))
			s.mustUp("update", in).mustUp("same", in)
			assert.Equal(t, map[string]any{"a": "9"}, w.value("ConfigMap", "web", "data"))
			assert.Empty(t, s.warned())
		}
	})
	for _, again := range []string{"a destroy", "the former program", "the former program, and a destroy"} {
		t.Run("an update that is refused renames nothing, and leaves the object to "+again+" [O89]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			before := program(w.configMap("web", m{"a": "1"}))
			s := start(t, g.connection()).resource(t, "web").mustUp("create", before)
			former, manager := s.urn, s.managerIn()
			s.moved(elsewhere)
			g.always(isRealApply, refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "not on Fridays"))
			_, err := s.up(program(w.configMap("web", m{"a": "2"})))
			require.ErrorContains(t, err, "not on Fridays")
			assert.Equal(t, []string{manager}, w.managers("ConfigMap", "web"))
			g.heal()
			s.urn, s.aliases = former, nil
			if again != "a destroy" {
				s.in(s.process.again(t)).mustUp("same", before)
			}
			if again != "the former program" {
				require.NoError(t, s.in(s.process.again(t)).destroy())
				assert.False(t, w.exists("ConfigMap", "web"))
			}
		})
	}
	t.Run("a name that could not be changed is changed by the next update [O89]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", m{"a": "1"})))
		manager := s.managerIn()
		s.moved(elsewhere)
		g.always(isJSONPatch, refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "not on Fridays"))
		in := program(w.configMap("web", m{"a": "2"}))
		s.mustUp("update", in)
		assert.Equal(t, manager, s.managerIn())
		assert.Equal(t, "2", w.value("ConfigMap", "web", "data", "a"))
		g.heal()
		s.in(s.process.again(t)).mustUp("update", in).mustUp("same", in)
		assert.NotEqual(t, manager, s.managerIn())
		assert.Equal(t, []string{s.managerIn()}, w.managers("ConfigMap", "web"))
	})
	t.Run("and back again [O89]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.configMap("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		s.moved(elsewhere).mustUp("update", in)
		s.moved(urnOf("web")).mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []string{s.managerIn()}, w.managers("ConfigMap", "web"))
		assert.Contains(t, s.managerIn(), "shop")
	})
	t.Run("an object that others deleted is made again under the new name [O89]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.configMap("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		s.moved(elsewhere)
		s.refresh = false
		w.delete("ConfigMap", "web")
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []string{s.managerIn()}, w.managers("ConfigMap", "web"))
		assert.Contains(t, s.managerIn(), "bakery")
	})
	t.Run("a change that replaces the object replaces it under the new name [O89]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.deployment(t, "web"), atOnce))
		s.moved(elsewhere)
		in := with(t, program(w.deployment(t, "web"), atOnce), "manifest.spec.selector.matchLabels.app", "other")
		in = with(t, in, "manifest.spec.template.metadata.labels.app", "other")
		s.mustUp("replace", in).mustUp("same", in)
		assert.Equal(t, []string{s.managerIn()}, w.managers("Deployment", "web"))
		assert.Contains(t, s.managerIn(), "bakery")
	})
}

// TestTheManagerOfAPatchFollowsTheURN is the same for a Patch.
func TestTheManagerOfAPatchFollowsTheURN(t *testing.T) {
	t.Parallel()
	elsewhere := urnOfType(patchType, "renamed")
	// renamed is a Patch of an object of others that has another URN now.
	renamed := func(t *testing.T, kind string) (w world, g *gateway, s *session, target map[string]any) {
		w, g = newWorld(t), newGateway(t)
		target = w.configMap("theirs", map[string]any{"a": "1", "b": "2"})
		w.create(w.configMap("theirs", map[string]any{"a": "1", "b": "2"}))
		s = patched(t, w, start(t, g.connection()), "it").mustUp("create", patching(target, setting(kind, data("a", "ours"))))
		return w, g, s.moved(elsewhere), target
	}
	eachKind(t, "a rename is an update that says so, and changes nothing but the name [O89]", func(t *testing.T, kind string) {
		w, g, s, target := renamed(t, kind)
		former := s.managerIn()
		in := patching(target, setting(kind, data("a", "ours")))
		asked := g.watchRequests()
		require.NoError(t, s.read())
		assert.Empty(t, s.refreshed.DetailedDiff)
		assert.Equal(t, map[string]string{"__fieldManager": "update"}, s.mustDiff(in))
		did, outputs, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.Contains(t, s.process.log.all(), former)
		assert.Empty(t, s.warned())
		for _, request := range asked() {
			assert.Contains(t, []string{"GET", "apply by force, dry-run", "json patch, dry-run", "merge patch, dry-run"}, request, "a preview writes nothing")
		}
		s.mustUp("update", in)
		assert.Equal(t, patchManager(elsewhere), s.managerIn())
		assert.Equal(t, at(t, outputs, "fieldOwnership"), at(t, s.outputs, "fieldOwnership"))
		assert.Equal(t, at(t, outputs, "previousOwners"), at(t, s.outputs, "previousOwners"))
		assert.NotContains(t, managersOf(w.get("ConfigMap", "theirs")), former)
		assert.Contains(t, managersOf(w.get("ConfigMap", "theirs")), s.managerIn())
		assert.Equal(t, map[string]any{"a": "ours", "b": "2"}, w.value("ConfigMap", "theirs", "data"))
		s.mustUp("same", in)
		s.in(s.process.again(t)).mustUp("same", in)
	})
	eachKind(t, "a changed patch of a renamed resource releases what it no longer names [O89]", func(t *testing.T, kind string) {
		w, _, s, target := renamed(t, kind)
		former := s.managerIn()
		in := patching(target, setting(kind, data("b", "ours")))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, map[string]any{"a": "ours", "b": "ours"}, w.value("ConfigMap", "theirs", "data"))
		assert.NotContains(t, managersOf(w.get("ConfigMap", "theirs")), former)
		assert.Equal(t, map[string]any{"data.b": "intern"}, at(t, s.outputs, "previousOwners"))
		require.NoError(t, w.applies("other", w.configMap("theirs", map[string]any{"a": "9"})), "nobody owns it")
	})
	eachKind(t, "drift of a renamed resource is put right, and a destroy hands back [O89]", func(t *testing.T, kind string) {
		w, _, s, target := renamed(t, kind)
		in := patching(target, setting(kind, data("a", "ours")))
		w.patch("ConfigMap", "theirs", data("a", "drift"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, "ours", w.value("ConfigMap", "theirs", "data", "a"))
		s.moved(urnOfType(patchType, "again"))
		s.destroying = nil // the state has the former name
		require.NoError(t, s.destroy())
		assert.Equal(t, "ours", w.value("ConfigMap", "theirs", "data", "a"))
		assert.Equal(t, []string{"intern"}, managersOf(w.get("ConfigMap", "theirs")))
	})
	eachKind(t, "a patch whose reply was lost is continued under the new name [O89] [O70]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		target := w.configMap("theirs", map[string]any{"a": "1", "b": "2"})
		w.create(w.configMap("theirs", map[string]any{"a": "1", "b": "2"}))
		s := patched(t, w, start(t, g.connection()), "it")
		in := patching(target, setting(kind, data("a", "ours")))
		g.next(isPatching, loseReply)
		requirePatchPending(t, s, s.create(in))
		s.moved(elsewhere).mustUp("update", in).mustUp("same", in)
		assert.Equal(t, patchManager(elsewhere), s.managerIn())
		assert.ElementsMatch(t, []string{"intern", s.managerIn()}, managersOf(w.get("ConfigMap", "theirs")))
	})
}

// managersOf are the field managers of an object, each once, in its order.
func managersOf(live *unstructured.Unstructured) []string {
	var managers []string
	for _, entry := range live.GetManagedFields() {
		if !slices.Contains(managers, entry.Manager) {
			managers = append(managers, entry.Manager)
		}
	}
	return managers
}
