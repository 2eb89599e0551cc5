package rpc_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var failing = map[string]any{"conflictPolicy": "fail"}

// contested is a Deployment of which an autoscaler and a deployer have taken fields, with other values.
func contested(t *testing.T, w world, s *session) {
	t.Helper()
	s.mustUp("create", program(w.deployment(t, "web")))
	deployment := func(spec map[string]any) map[string]any {
		return map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": map[string]any{"name": "web", "namespace": w.namespace}, "spec": spec,
		}
	}
	w.apply("autoscaler", deployment(map[string]any{"replicas": int64(5)}))
	w.apply("deployer", deployment(map[string]any{"template": map[string]any{"spec": map[string]any{
		"containers": []any{map[string]any{"name": "web", "image": "nginx:9"}},
	}}}))
}

func TestFieldsOfOthersAreTakenOpenly(t *testing.T) {
	t.Parallel()
	const labels = "manifest.metadata.labels"
	t.Run("each changed field with owner and both values, once [O31] [O34] [O35]", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web")
		contested(t, w, s)
		asked := g.watchRequests()
		in := with(t, with(t, program(w.deployment(t, "web")), "manifest.spec.replicas", 3), labels, map[string]any{"new": "yes"})
		s.mustRead()
		asked()
		s.mustDiff(in)
		assert.Equal(t, []string{"apply, dry-run", "apply by force, dry-run", "GET"}, asked())
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.warned(), "spec.replicas: 5 -> 3 (owned by autoscaler)")
		assert.Contains(t, s.warned(), webImage+`: "nginx:9" -> "nginx:1" (owned by deployer)`)
		assert.NotContains(t, s.warned(), "labels")
		assert.NotContains(t, s.warned(), "env")

		s.in(start(t, g.connection())).mustUp("update", in)
		assert.Len(t, s.process.log.warnings(), 1)
		assert.EqualValues(t, 3, w.value("Deployment", "web", "spec", "replicas"))
		assert.Equal(t, "nginx:1", containerOf(t, w, "web")["image"])
		asked()

		s.in(start(t, g.connection())).mustUp("same", in).mustUp("update", with(t, in, labels, map[string]any{"new": "no"}))
		assert.Empty(t, s.warned(), "they are ours now")
		assert.Equal(t, []string{"GET", "GET", "apply, dry-run", "apply by force"}, asked(), "nothing extra without a conflict")
	})
	t.Run("a preview of drift tells as well [O31]", func(t *testing.T) {
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web")
		contested(t, w, s)
		did, _, err := s.preview(program(w.deployment(t, "web")))
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.Contains(t, s.warned(), "spec.replicas: 5 -> 2 (owned by autoscaler)")
		assert.EqualValues(t, 5, w.value("Deployment", "web", "spec", "replicas"))
	})
	t.Run("an equal value is silent, also when we come to it [O32] [O35]", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
		w.apply("other", w.configMap("web", map[string]any{"a": "1", "c": "3"}))
		asked := g.watchRequests()
		s.mustUp("same", program(w.configMap("web", nil)))
		in := program(w.configMap("web", map[string]any{"a": "1", "b": "9", "c": "3"}))
		s.mustUp("update", in).mustUp("same", in)
		assert.Empty(t, s.warned())
		assert.NotContains(t, asked(), "apply by force, dry-run")
	})
	t.Run("neither a ConfigMap's secret value nor a Secret's is told", func(t *testing.T) {
		w := newWorld(t)
		p := start(t, inline(newUser(t)))
		hidden := program(w.configMap("web", map[string]any{"a": secret(hush + "-1"), "b": "open-1"}))
		s := p.resource(t, "web").mustUp("create", hidden)
		w.apply("other", w.configMap("web", map[string]any{"a": "taken-by-them", "b": "open-2"}))
		s.mustUp("update", program(w.configMap("web", map[string]any{"a": secret(hush + "-2"), "b": "open-3"})))
		assert.Contains(t, s.warned(), "data.a: [secret] -> [secret] (owned by other)")
		assert.Contains(t, s.warned(), `data.b: "open-2" -> "open-3" (owned by other)`)

		vault := func(value string) map[string]any {
			return map[string]any{
				"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "vault", "namespace": w.namespace},
				"stringData": map[string]any{"password": value},
			}
		}
		v := p.resource(t, "vault").mustUp("create", program(vault(hush+"-3")))
		theirs := vault("")
		delete(theirs, "stringData")
		theirs["data"] = map[string]any{"password": "dGFrZW4tYnktdGhlbQ=="}
		w.apply("other", theirs)
		v.mustUp("update", program(vault(hush+"-4")))
		assert.Contains(t, s.warned(), "data.password: [secret] -> [secret]")
		for _, text := range []string{hush, "taken-by-them"} {
			assert.Empty(t, s.where(text), text)
			assert.Empty(t, v.where(text), text)
		}
	})
}

func TestConflictPolicyFail(t *testing.T) {
	t.Parallel()
	requireListed := func(t *testing.T, err error) {
		t.Helper()
		require.ErrorContains(t, err, "spec.replicas: 5 -> 3 (owned by autoscaler)")
		assert.ErrorContains(t, err, webImage+`: "nginx:9" -> "nginx:1" (owned by deployer)`)
		assert.ErrorContains(t, err, `ignoreFields: [`)
		assert.ErrorContains(t, err, `"spec.replicas"`)
		assert.ErrorContains(t, err, `"`+webImage+`"`)
		assert.NotContains(t, err.Error(), "env")
	}
	t.Run("lists all fields at preview and up, and changes nothing [O33]", func(t *testing.T) {
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web")
		contested(t, w, s)
		s.mustRead()
		before, kept := w.get("Deployment", "web").GetResourceVersion(), s.stored
		in := with(t, program(w.deployment(t, "web"), failing), "manifest.spec.replicas", 3)
		_, _, err := s.preview(in)
		requireListed(t, err)
		_, err = s.up(in)
		requireListed(t, err)
		inputs, err := s.check(in, false)
		require.NoError(t, err)
		requireListed(t, s.update(inputs))
		assert.Equal(t, kept, s.stored)
		assert.Equal(t, before, w.get("Deployment", "web").GetResourceVersion())
	})
	t.Run("what it offers to ignore ends the conflict, and so does force [O33]", func(t *testing.T) {
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web")
		contested(t, w, s)
		in := with(t, program(w.deployment(t, "web"), failing, ignoring("spec.replicas", webImage)), "manifest.spec.minReadySeconds", 4)
		s.mustUp("update", in).mustUp("same", in)
		assert.EqualValues(t, 5, w.value("Deployment", "web", "spec", "replicas"))
		assert.Equal(t, "nginx:9", containerOf(t, w, "web")["image"])
		s.mustUp("update", program(w.deployment(t, "web"), map[string]any{"conflictPolicy": "force"}))
		assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"))
	})
	t.Run("without a conflict it updates, with an equal value of others too [O32]", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", nil), failing))
		w.apply("other", w.configMap("web", map[string]any{"a": "1"}))
		asked := g.watchRequests()
		in := program(w.configMap("web", map[string]any{"a": "1", "b": "9"}), failing)
		s.mustUp("update", in)
		assert.Equal(t, []string{"GET", "apply, dry-run", "apply"}, asked())
		assert.Equal(t, "9", w.value("ConfigMap", "web", "data", "b"))
		s.mustUp("same", in)
	})
	t.Run("drift that someone else made is theirs", func(t *testing.T) {
		w := newWorld(t)
		in := program(w.configMap("web", nil), failing)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		live := w.patch("ConfigMap", "web", map[string]any{"data": map[string]any{"a": "drift"}})
		for range 2 {
			_, err := s.up(in)
			require.ErrorContains(t, err, `data.a: "drift" -> "1" (owned by intern)`)
		}
		assert.Equal(t, live.GetResourceVersion(), w.get("ConfigMap", "web").GetResourceVersion())
	})
	t.Run("secrets are masked", func(t *testing.T) {
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", map[string]any{"a": secret(hush)})))
		w.apply("other", w.configMap("web", map[string]any{"a": "taken"}))
		_, err := s.up(program(w.configMap("web", map[string]any{"a": secret(hush + "-2")}), failing))
		require.ErrorContains(t, err, "data.a: [secret] -> [secret] (owned by other)")
		requireHidden(t, s)
	})
}

func TestValueAndOwnerDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := program(w.configMap("web", map[string]any{"a": "1", "b": "2", "c": "3"}))
	s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
	// a: another value; b: another owner with the same value, by a change and back; c: an owner beside us.
	w.patch("ConfigMap", "web", map[string]any{"data": map[string]any{"a": "drift", "b": "x"}})
	w.patch("ConfigMap", "web", map[string]any{"data": map[string]any{"b": "2"}})
	w.apply("other", w.configMap("web", map[string]any{"c": "3"}))
	t.Run("value drift and ownership drift, each once; sharing is none [O30]", func(t *testing.T) {
		assert.Equal(t, map[string]string{"manifest.data.a": "update", "manifest.data.b": "update"}, drifted(s, in))
		assert.Equal(t, "intern", s.outputs["fieldOwnership"].ObjectValue()["data.b"].StringValue())
		s.mustUp("update", in).mustUp("same", in)
		assert.Contains(t, w.ours(t, s, "ConfigMap", "web"), "f:b")
		assert.Equal(t, map[string]any{"a": "1", "b": "2", "c": "3"}, w.value("ConfigMap", "web", "data"))
	})
}

// What the API server replaces as a whole and completes by a default is in conflict with itself, as it was written.
func TestEqualValuesAreNotInDispute(t *testing.T) {
	t.Parallel()
	named := func(w world, reference m) map[string]any {
		manifest := w.deployment(t, "web")
		container := manifest["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)
		container["env"] = []any{m{"name": "POD", "valueFrom": m{"fieldRef": reference}}}
		return manifest
	}
	made := m{"fieldPath": "metadata.name"}
	t.Run("they are taken without a word, and under conflictPolicy fail [D37] [O33]", func(t *testing.T) {
		t.Parallel()
		for _, policy := range []map[string]any{nil, failing} {
			w := newWorld(t)
			w.apply("deployer", named(w, made))
			in := program(named(w, made), adopting, atOnce, policy)
			s := start(t, inline(newUser(t))).resource(t, "web")
			_, _, err := s.preview(in)
			require.NoError(t, err)
			s.mustUp("create", in).mustUp("same", in)
			assert.NotContains(t, s.warned(), "fieldRef")
			assert.NotContains(t, s.warned(), "owned by deployer")
		}
	})
	t.Run("another value is in dispute [D37] [O33]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("deployer", named(w, m{"fieldPath": "metadata.uid"}))
		_, err := start(t, inline(newUser(t))).resource(t, "web").up(program(named(w, made), adopting, atOnce, failing))
		require.ErrorContains(t, err, "fieldRef")
		require.ErrorContains(t, err, "owned by deployer")
	})
	t.Run("a value that changes before it is taken is not taken [D37]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		w.apply("deployer", named(w, made))
		byForce := func(r *http.Request) bool { return isRealApply(r) && r.URL.Query().Get("force") == "true" }
		g.next(byForce, meanwhile(func() { w.apply("deployer", named(w, m{"fieldPath": "metadata.uid"})) }))
		_, err := start(t, g.connection()).resource(t, "web").up(program(named(w, made), adopting, atOnce, failing))
		require.Error(t, err)
		assert.Equal(t, m{"apiVersion": "v1", "fieldPath": "metadata.uid"}, containerOf(t, w, "web")["env"].([]any)[0].(m)["valueFrom"].(m)["fieldRef"])
	})
}

func TestTheProvidersConflictPolicy(t *testing.T) {
	t.Parallel()
	strict := func(g *gateway) map[string]any {
		config := g.connection()
		config["conflictPolicy"] = "fail"
		return config
	}
	const ofProvider = `conflictPolicy is "fail" in the provider's configuration.`

	t.Run("fail refuses a resource that has none of its own, and force of its own wins [O33]", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		s := start(t, strict(g)).resource(t, "web")
		contested(t, w, s)
		before := w.get("Deployment", "web").GetResourceVersion()
		in := with(t, program(w.deployment(t, "web")), "manifest.spec.minReadySeconds", 4)
		_, _, err := s.preview(in)
		require.ErrorContains(t, err, ofProvider)
		require.ErrorContains(t, err, "spec.replicas: 5 -> 2 (owned by autoscaler)")
		_, err = s.up(in)
		require.ErrorContains(t, err, ofProvider)
		assert.Equal(t, before, w.get("Deployment", "web").GetResourceVersion())

		s.mustUp("update", with(t, in, "conflictPolicy", "force"))
		assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"))
	})
	t.Run("force leaves fail to a resource of its own, which is blamed then [O33]", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		config := g.connection()
		config["conflictPolicy"] = "force"
		s := start(t, config).resource(t, "web")
		contested(t, w, s)
		in := with(t, program(w.deployment(t, "web")), "manifest.spec.minReadySeconds", 4)
		_, err := s.up(with(t, in, "conflictPolicy", "fail"))
		require.ErrorContains(t, err, "spec.replicas: 5 -> 2 (owned by autoscaler)")
		assert.NotContains(t, err.Error(), "configuration")
		s.mustUp("update", in)
		assert.EqualValues(t, 2, w.value("Deployment", "web", "spec", "replicas"))
	})
	t.Run("a change of it alone is no update of any object, and asks nothing [O33]", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
		before := w.get("ConfigMap", "web").GetResourceVersion()
		for _, config := range []map[string]any{strict(g), g.connection()} {
			s.reconfigured(start(t, config))
			asked := g.watchRequests()
			s.mustUp("same", program(w.configMap("web", nil)))
			assert.Equal(t, []string{"GET"}, asked(), "the look before")
		}
		assert.Equal(t, before, w.get("ConfigMap", "web").GetResourceVersion())
	})
	t.Run("a Patch takes its fields under fail too [O33]", func(t *testing.T) {
		w, g := newWorld(t), newGateway(t)
		w.apply("owner", w.configMap("web", m{"a": "theirs"}))
		patched(t, w, start(t, strict(g)), "it").
			mustUp("create", patching(w.configMap("web", nil), setting("patch", data("a", "ours"))))
		assert.Equal(t, "ours", w.value("ConfigMap", "web", "data", "a"))
	})
}
