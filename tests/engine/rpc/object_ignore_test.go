package rpc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ignoring is the ignoreFields input.
func ignoring(paths ...any) map[string]any { return map[string]any{"ignoreFields": paths} }

// scale is what an autoscaler does.
func (w world) scale(name string, replicas int) {
	w.patch("Deployment", name, map[string]any{"spec": map[string]any{"replicas": replicas}})
}

const webImage = "spec.template.spec.containers[name=web].image"

func TestIgnoredFieldsAreReleased(t *testing.T) {
	t.Parallel()
	const newImage = "manifest.spec.template.spec.containers[0].image"

	t.Run("once, before the first apply without them; the value stays", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		asked := g.watchRequests()
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.deployment(t, "web")))
		assert.Contains(t, w.ours(t, s, "Deployment", "web"), "f:replicas")
		asked()
		in := program(w.deployment(t, "web"), ignoring("spec.replicas"))
		assert.Equal(t, map[string]string{"ignoreFields": "update"}, s.mustDiff(in))
		asked()
		s.mustUp("update", in)
		assert.Equal(t, []string{"GET", "apply, dry-run", "GET", "json patch", "apply by force"}, asked())
		assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:replicas")
		assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"))
		assert.Nil(t, at(t, s.outputs, "manifest.spec.replicas"))
		assert.Nil(t, at(t, s.outputs, "__ignoredFields"))

		s.mustUp("same", in)
		asked()
		s.mustUp("update", with(t, in, newImage, "nginx:2"))
		assert.Equal(t, []string{"GET", "apply, dry-run", "apply by force"}, asked())
		assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"))
	})
	t.Run("created with the value, released at the first update", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		asked := g.watchRequests()
		in := program(w.deployment(t, "web"), ignoring("spec.replicas"))
		s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
		assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"), "the initial value")
		s.mustUp("same", in)
		asked()
		in = with(t, in, newImage, "nginx:2")
		s.mustUp("update", in)
		assert.Equal(t, []string{"GET", "apply, dry-run", "GET", "json patch", "apply by force"}, asked())
		assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"), "it never jumps")
		assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:replicas")
		s.mustUp("same", in)
		s.mustUp("same", with(t, in, "manifest.spec.replicas", 9))
	})
	t.Run("a required field fails neither the dry-run nor the update", func(t *testing.T) {
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.deployment(t, "web")))
		w.jsonPatch("Deployment", "web", map[string]any{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:9"})
		in := with(t, program(w.deployment(t, "web"), ignoring(webImage)), "manifest.spec.replicas", 3)
		assert.Equal(t, map[string]string{"manifest.spec.replicas": "update"}, s.mustRead().mustDiff(in))
		s.mustUp("update", in)
		assert.Equal(t, "nginx:9", containerOf(t, w, "web")["image"])
		assert.EqualValues(t, 3, w.value("Deployment", "web", "spec", "replicas"))
		s.mustUp("same", in).mustUp("update", with(t, in, "manifest.spec.replicas", 4))
		assert.Equal(t, "nginx:9", containerOf(t, w, "web")["image"])
		assert.Empty(t, s.warned())
	})
	t.Run("a required field that only we own", func(t *testing.T) {
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.deployment(t, "web")))
		s.mustUp("update", program(w.deployment(t, "web"), ignoring(webImage)))
		assert.Equal(t, "nginx:1", containerOf(t, w, "web")["image"])
		assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:image")
	})
	t.Run("taken out of the manifest and ignored at once, the value stays [O36]", func(t *testing.T) {
		for _, scaled := range []int{0, 7} {
			w := newWorld(t)
			s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.deployment(t, "web")))
			want := 2
			if scaled > 0 {
				w.scale("web", scaled)
				want = scaled
			}
			manifest := w.deployment(t, "web")
			delete(manifest["spec"].(map[string]any), "replicas")
			in := program(manifest, ignoring("spec.replicas"))
			s.mustUp("update", in).mustUp("same", in)
			assert.EqualValues(t, want, w.value("Deployment", "web", "spec", "replicas"))
			assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:replicas")
			s.mustUp("update", with(t, in, newImage, "nginx:2"))
			assert.EqualValues(t, want, w.value("Deployment", "web", "spec", "replicas"))
		}
	})
	t.Run("an object that changes in between is looked at again", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		asked := g.watchRequests()
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.deployment(t, "web")))
		asked()
		g.next(isJSONPatch, meanwhile(func() {
			w.patch("Deployment", "web", map[string]any{"metadata": map[string]any{"labels": map[string]any{"busy": "yes"}}})
		}))
		s.mustUp("update", program(w.deployment(t, "web"), ignoring("spec.replicas")))
		assert.Equal(t, []string{"GET", "apply, dry-run", "GET", "json patch", "GET", "json patch", "apply by force"}, asked())
		assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"))
		assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:replicas")
		assert.Equal(t, "yes", w.value("Deployment", "web", "metadata", "labels", "busy"))
	})
	faults := map[string]func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder){
		"lost reply": loseReply, "lost request": loseRequest,
	}
	for request, match := range map[string]func(*http.Request) bool{"release": isJSONPatch, "apply": isRealApply} {
		for what, fault := range faults {
			t.Run(fmt.Sprintf("%s of the %s: the next up goes on", what, request), func(t *testing.T) {
				t.Parallel()
				w, g := newWorld(t), newGateway(t)
				s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.deployment(t, "web")))
				in := with(t, program(w.deployment(t, "web"), ignoring("spec.replicas")), newImage, "nginx:2")
				g.next(match, fault)
				did, err := s.up(in)
				require.Error(t, err)
				assert.Equal(t, "update", did)
				assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"))
				s.in(start(t, g.connection())).mustUp("update", in).mustUp("same", in)
				requireSettled(t, s)
				assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"))
				assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:replicas")
				assert.Equal(t, "nginx:2", containerOf(t, w, "web")["image"])
			})
		}
	}
	t.Run("after an import there is nothing to release, and the value stays", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		w.create(w.deployment(t, "web"))
		w.scale("web", 7)
		asked := g.watchRequests()
		s := start(t, g.connection()).resource(t, "web")
		require.NoError(t, s.importID("apps/v1/Deployment/"+w.namespace+"/web"))
		in := with(t, program(w.deployment(t, "web"), ignoring("spec.replicas")), newImage, "nginx:2")
		s.mustUp("update", in)
		assert.NotContains(t, asked(), "json patch")
		assert.EqualValues(t, 7, w.value("Deployment", "web", "spec", "replicas"))
		assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:replicas")
		s.mustUp("same", in)
	})
}

// containerOf is the first container of a live Deployment.
func containerOf(t testing.TB, w world, name string) map[string]any {
	t.Helper()
	containers, _ := w.value("Deployment", name, "spec", "template", "spec", "containers").([]any)
	require.NotEmpty(t, containers)
	container, _ := containers[0].(map[string]any)
	return container
}

func TestIgnoredFieldsAsInputs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))

	t.Run("what cannot be parsed is refused by its place [O41]", func(t *testing.T) {
		for _, path := range []any{"", "spec..replicas", "spec.containers[name=web", "spec.containers[?(@.name=='web']", ".", "a[", 7} {
			_, err := p.resource(t, "bad").check(program(w.configMap("bad", nil), ignoring("data.a", path)), true)
			var failed invalid
			require.ErrorAs(t, err, &failed, "%v", path)
			require.Len(t, failed.failures, 1, "%v", path)
			assert.Regexp(t, `^ignoreFields\[1\]: `, failed.failures[0].Reason, "%v: %v", path, failed)
		}
	})
	t.Run("a path that selects nothing is no error", func(t *testing.T) {
		in := program(w.configMap("identity", nil), ignoring("metadata.labels"))
		p.resource(t, "identity").mustUp("create", in).mustUp("same", in)
	})
	for what, unknownPaths := range map[string]any{"the list": unknown(), "an item": []any{"data.a", unknown()}} {
		t.Run(what+" is unknown at preview [O40]", func(t *testing.T) {
			in := program(w.configMap("unknown", nil))
			s := p.resource(t, "unknown")
			did, outputs, err := s.preview(program(w.configMap("unknown", nil), map[string]any{"ignoreFields": unknownPaths}))
			require.NoError(t, err)
			assert.Equal(t, "create", did)
			assert.Equal(t, unknownText, at(t, outputs, "manifest"))
			s.mustUp("create", in)
			defer func() { require.NoError(t, s.destroy()) }()
			version := w.get("ConfigMap", "unknown").GetResourceVersion()
			did, _, err = s.preview(program(w.configMap("unknown", nil), map[string]any{"ignoreFields": unknownPaths}))
			require.NoError(t, err)
			assert.Equal(t, "update", did, "which fields are ignored may change although the manifest does not")
			did, outputs, err = s.preview(program(w.configMap("unknown", map[string]any{"a": "9"}), map[string]any{"ignoreFields": unknownPaths}))
			require.NoError(t, err)
			assert.Equal(t, "update", did)
			assert.Equal(t, unknownText, at(t, outputs, "manifest"))
			assert.Equal(t, version, w.get("ConfigMap", "unknown").GetResourceVersion())
			s.mustUp("update", program(w.configMap("unknown", nil), ignoring("data.a")))
		})
	}
}

func TestPathsThatSelectNothingAreNamed(t *testing.T) {
	t.Parallel()
	t.Run("a key whose dots were taken for steps is refused, with the path that was meant [D44]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		labelled := with(t, program(w.configMap("it", nil)), "manifest.metadata.labels", m{"app.kubernetes.io/name": "it"})
		in := with(t, labelled, "ignoreFields", []any{"metadata.labels.app.kubernetes.io/name"})
		_, err := start(t, inline(newUser(t))).resource(t, "it").check(in, false)
		requireProblems(t, err, problem{"ignoreFields[0]", `"metadata.labels[\"app.kubernetes.io/name\"]"`})
	})
	t.Run("what is neither in the manifest nor in the object is a warning, in preview and up, once the program says it [D44]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.deployment(t, "web"), atOnce, ignoring("spec.replicas")))
		assert.Empty(t, s.warned())
		in := program(w.deployment(t, "web"), atOnce, ignoring("spec.replica", "spec.replicas", "spec.progressDeadlineSeconds"))
		const warning = `ignoreFields "spec.replica" selects nothing`
		_, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Contains(t, s.warned(), warning)
		s.in(start(t, inline(newUser(t)))).mustUp("same", in)
		assert.Contains(t, s.warned(), warning)
		assert.NotContains(t, s.warned(), "progressDeadlineSeconds", "the live object has it")
		s.in(start(t, inline(newUser(t)))).mustUp("same", in)
		assert.NotContains(t, s.warned(), warning)
	})
}
