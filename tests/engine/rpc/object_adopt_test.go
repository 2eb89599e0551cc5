package rpc_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var adopting = map[string]any{"adopt": true}

// kubectlCreate makes an object as kubectl apply did before server-side apply.
func (w world) kubectlCreate(manifest map[string]any) *unstructured.Unstructured {
	w.t.Helper()
	text, err := json.Marshal(manifest)
	require.NoError(w.t, err)
	object := &unstructured.Unstructured{Object: manifest}
	object = object.DeepCopy()
	object.SetAnnotations(map[string]string{"kubectl.kubernetes.io/last-applied-configuration": string(text)})
	created, err := w.objects(object.GetKind()).Create(w.t.Context(), object, metav1.CreateOptions{FieldManager: "kubectl-client-side-apply"})
	require.NoError(w.t, err)
	return created
}

func TestAdopt(t *testing.T) {
	t.Parallel()
	t.Run("an object of kubectl: same uid, its fields are ours, what is not wanted goes [O11]", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		live := w.kubectlCreate(w.configMap("web", map[string]any{"a": "old", "b": "2", "gone": "yes"}))
		asked := g.watchRequests()
		in := program(w.configMap("web", nil), adopting)
		s := start(t, g.connection()).resource(t, "web")
		did, outputs, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "create", did)
		assert.Equal(t, "1", at(t, outputs, "manifest.data.a"))
		assert.Contains(t, s.process.log.all(), "will be adopted")
		assert.Contains(t, s.warned(), `data.a: "old" -> "1" (owned by kubectl-client-side-apply)`)
		assert.Regexp(t, `kubectl-client-side-apply applied these fields and the manifest does not set them\. `+
			`Adopting the object removes them or .*:\n  data.gone: "yes" -> nothing\z`, s.warned())
		assert.Equal(t, live.GetResourceVersion(), w.get("ConfigMap", "web").GetResourceVersion())
		for _, request := range asked() {
			assert.NotContains(t, []string{"apply", "apply by force", "json patch"}, request, "a preview writes nothing")
		}

		s.in(start(t, g.connection())).mustUp("create", in)
		assert.EqualValues(t, live.GetUID(), at(t, s.outputs, "resourceRef.uid"))
		assert.EqualValues(t, live.GetUID(), w.get("ConfigMap", "web").GetUID())
		assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "web", "data"))
		managers := w.get("ConfigMap", "web").GetManagedFields()
		require.Len(t, managers, 1)
		assert.Equal(t, at(t, s.outputs, "__fieldManager"), managers[0].Manager)
		s.mustUp("same", in).mustUp("same", program(w.configMap("web", nil)))
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	t.Run("an object of anybody else keeps what the manifest does not have [O11]", func(t *testing.T) {
		w := newWorld(t)
		live := w.create(w.configMap("web", map[string]any{"a": "old", "theirs": "yes"}))
		in := program(w.configMap("web", nil), adopting)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		assert.EqualValues(t, live.GetUID(), at(t, s.outputs, "resourceRef.uid"))
		assert.Equal(t, map[string]any{"a": "1", "b": "2", "theirs": "yes"}, w.value("ConfigMap", "web", "data"))
		s.mustUp("same", in)
	})
	t.Run("ignored fields keep their values at the adoption too, whoever owns them [O11] [O36]", func(t *testing.T) {
		for _, scaled := range []bool{false, true} {
			w := newWorld(t)
			manifest := w.deployment(t, "web")
			w.kubectlCreate(with(t, program(manifest), "manifest.spec.replicas", 6)["manifest"].Mappable().(map[string]any))
			want := 6
			if scaled {
				w.scale("web", 7)
				want = 7
			}
			in := program(manifest, adopting, ignoring("spec.replicas", webImage))
			s := start(t, inline(newUser(t))).resource(t, "web")
			_, _, err := s.preview(in)
			require.NoError(t, err)
			assert.Empty(t, s.warned())
			s.mustUp("create", in).mustUp("same", in)
			assert.EqualValues(t, want, w.value("Deployment", "web", "spec", "replicas"))
			assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:replicas")
			s.mustUp("update", with(t, in, "manifest.spec.minReadySeconds", 3))
			assert.EqualValues(t, want, w.value("Deployment", "web", "spec", "replicas"))
			assert.Equal(t, "nginx:1", containerOf(t, w, "web")["image"])
		}
	})
	t.Run("what is ignored and not in the manifest stays, and is not announced as lost [O11] [O36]", func(t *testing.T) {
		w := newWorld(t)
		w.kubectlCreate(w.configMap("web", map[string]any{"theirs": "yes"}))
		in := program(w.configMap("web", nil), adopting, ignoring("data.theirs"))
		s := start(t, inline(newUser(t))).resource(t, "web")
		_, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Empty(t, s.warned())
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, "yes", w.value("ConfigMap", "web", "data", "theirs"))
	})
	t.Run("nothing there to adopt is an ordinary create [O11]", func(t *testing.T) {
		w := newWorld(t)
		in := program(w.configMap("web", nil), adopting)
		start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in).mustUp("same", in)
	})
	t.Run("an object of another resource is refused and untouched [O9]", func(t *testing.T) {
		w := newWorld(t)
		p := start(t, inline(newUser(t)))
		first := p.resource(t, "first").mustUp("create", program(w.configMap("web", nil)))
		before := w.get("ConfigMap", "web").GetResourceVersion()
		s := p.resource(t, "second")
		in := program(w.configMap("web", map[string]any{"a": "9"}), adopting)
		_, _, err := s.preview(in)
		require.ErrorContains(t, err, `managed by the KubeObject "first" of shop/dev`)
		require.ErrorContains(t, s.create(in), `managed by the KubeObject "first" of shop/dev`)
		assert.Equal(t, stored{}, s.stored)
		assert.Equal(t, before, w.get("ConfigMap", "web").GetResourceVersion())
		first.mustUp("same", program(w.configMap("web", nil)))
	})
	t.Run("an object that does not say who owns its fields is said to have no owner [D116]", func(t *testing.T) {
		w := newWorld(t)
		w.create(w.configMap("web", map[string]any{"a": "old"}))
		w.jsonPatch("ConfigMap", "web", map[string]any{"op": "replace", "path": "/metadata/managedFields", "value": []any{map[string]any{}}})
		require.Empty(t, w.get("ConfigMap", "web").GetManagedFields())
		s := start(t, inline(newUser(t))).resource(t, "web")
		_, _, err := s.preview(program(w.configMap("web", nil), adopting))
		require.NoError(t, err)
		assert.Contains(t, s.warned(), `data.a: "old" -> "1" (owned by nobody)`)
		require.ErrorContains(t, s.create(program(w.configMap("web", nil), adopting, failing)), `data.a: "old" -> "1" (owned by nobody)`)
	})
	t.Run("conflictPolicy fail adopts nothing that others own with other values [O11] [O33]", func(t *testing.T) {
		w := newWorld(t)
		live := w.create(w.configMap("web", map[string]any{"a": "old"}))
		s := start(t, inline(newUser(t))).resource(t, "web")
		require.ErrorContains(t, s.create(program(w.configMap("web", nil), adopting, failing)), `data.a: "old" -> "1" (owned by intern)`)
		assert.Equal(t, stored{}, s.stored)
		assert.Equal(t, live.GetResourceVersion(), w.get("ConfigMap", "web").GetResourceVersion())
	})
}

func TestAnUnconfirmedAdoptionIsContinued(t *testing.T) {
	t.Parallel()
	faults := map[string]func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder){
		"lost reply": loseReply, "lost request": loseRequest, "half a reply": halveReply,
	}
	makers := map[string]func(world) *unstructured.Unstructured{
		"of kubectl": func(w world) *unstructured.Unstructured {
			return w.kubectlCreate(w.configMap("web", map[string]any{"a": "old"}))
		},
		"of someone": func(w world) *unstructured.Unstructured {
			return w.create(w.configMap("web", map[string]any{"a": "old"}))
		},
	}
	isTakeover := func(r *http.Request) bool { return isRealApply(r) && r.URL.Query().Get("force") == "true" }
	for request, match := range map[string]func(*http.Request) bool{"migration": isJSONPatch, "apply": isTakeover} {
		for what, fault := range faults {
			for whose, make := range makers {
				if request == "migration" && whose != "of kubectl" {
					continue
				}
				for _, again := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s of the %s, object %s, read again %v [O11] [O70]", what, request, whose, again), func(t *testing.T) {
						t.Parallel()
						w, g := newWorld(t), newGateway(t)
						uid := make(w).GetUID()
						in := program(w.configMap("web", nil), adopting)
						s := start(t, g.connection()).resource(t, "web")
						seen := 0
						g.next(func(r *http.Request) bool {
							if !match(r) {
								return false
							}
							seen++
							// The first forced apply is the one that must find nothing.
							return request == "migration" || seen == 2
						}, fault)
						require.Error(t, s.create(in))
						s.in(start(t, g.connection()))
						if !again {
							s.refresh = false
						}
						did, err := s.up(in)
						require.NoError(t, err, did)
						assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "web", "data"))
						assert.Equal(t, uid, w.get("ConfigMap", "web").GetUID())
						requireSettled(t, s)
						assert.EqualValues(t, uid, at(t, s.outputs, "resourceRef.uid"))
						s.mustUp("same", in)
					})
				}
			}
		}
	}
}

func TestDestroyAfterAnUnconfirmedAdoption(t *testing.T) {
	t.Parallel()
	for what, fault := range map[string]func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder){
		"lost reply": loseReply, "lost request": loseRequest,
	} {
		t.Run(what+": only what became ours is deleted [O61]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			w.create(w.configMap("web", map[string]any{"a": "old"}))
			s := start(t, g.connection()).resource(t, "web")
			seen := 0
			g.next(func(r *http.Request) bool {
				if isRealApply(r) {
					seen++
				}
				return seen == 2
			}, fault)
			requirePending(t, s, s.create(program(w.configMap("web", nil), adopting)))
			require.NoError(t, s.in(start(t, g.connection())).destroy())
			assert.Equal(t, what == "lost request", w.exists("ConfigMap", "web"))
		})
	}
}
