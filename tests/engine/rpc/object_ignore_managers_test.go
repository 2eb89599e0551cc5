package rpc_test

import (
	"maps"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leavingTo is the ignoreManagers input.
func leavingTo(managers ...any) m { return m{"ignoreManagers": managers} }

// scaleAs applies replicas as a manager with a name; without them, the manager gives them up.
func (w world) scaleAs(manager string, replicas int64) {
	spec := m{}
	if replicas > 0 {
		spec["replicas"] = replicas
	}
	w.apply(manager, m{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": m{"name": "web", "namespace": w.namespace}, "spec": spec})
}

// replicas are those of the live object.
func (w world) replicas() any { return w.value("Deployment", "web", "spec", "replicas") }

const (
	firstImage   = "manifest.spec.template.spec.containers[0].image"
	replicasPath = "manifest.spec.replicas"
)

func TestFieldsOfIgnoredManagers(t *testing.T) {
	t.Parallel()
	// begin is a Deployment with two replicas, of which an autoscaler makes five.
	begin := func(t *testing.T) (w world, s *session, in resource.PropertyMap) {
		w = newWorld(t)
		in = program(w.deployment(t, "web"), leavingTo("autoscaler", "never-seen"))
		s = start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in).mustUp("same", in)
		assert.EqualValues(t, 2, w.replicas())
		w.scaleAs("autoscaler", 5)
		return w, s, in
	}
	next := func(t *testing.T, s *session) *session { return s.in(s.process.again(t)) }

	t.Run("are no drift, and the state does not follow them [O91]", func(t *testing.T) {
		t.Parallel()
		w, s, in := begin(t)
		assert.Empty(t, kinds(t, s.mustRead().refreshed))
		saved := s.outputs.Copy()
		assert.EqualValues(t, 2, at(t, s.outputs, replicasPath), "as it was applied")
		assert.Equal(t, "autoscaler", at(t, s.outputs, "fieldOwnership").(map[string]any)["spec.replicas"])
		w.scaleAs("autoscaler", 7)
		assert.Empty(t, kinds(t, s.mustRead().refreshed))
		assert.Equal(t, saved, s.outputs)
		next(t, s).mustUp("same", in)
		assert.EqualValues(t, 7, w.replicas())
		assert.Empty(t, s.warned())
	})
	t.Run("are not sent by an update of something else [O91]", func(t *testing.T) {
		t.Parallel()
		w, s, in := begin(t)
		changed := with(t, in, firstImage, "nginx:2")
		assert.Equal(t, map[string]string{firstImage: "update"}, s.mustRead().mustDiff(changed))
		next(t, s).mustUp("update", changed)
		assert.EqualValues(t, 5, w.replicas())
		assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:replicas")
		assert.Empty(t, s.warned())
		w.scaleAs("autoscaler", 6)
		next(t, s).mustUp("same", changed).mustUp("update", with(t, changed, firstImage, "nginx:3"))
		assert.EqualValues(t, 6, w.replicas())
	})
	t.Run("nor by an update of the drift beside them [O91]", func(t *testing.T) {
		t.Parallel()
		w, s, in := begin(t)
		w.jsonPatch("Deployment", "web", m{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:9"})
		assert.Equal(t, map[string]string{firstImage: "update"}, s.mustRead().mustDiff(in))
		next(t, s).mustUp("update", in).mustUp("same", in)
		assert.EqualValues(t, 5, w.replicas())
		assert.Equal(t, "nginx:1", containerOf(t, w, "web")["image"])
	})
	t.Run("may be named when they have drifted already [O91]", func(t *testing.T) {
		t.Parallel()
		w, s, in := begin(t)
		unnamed := program(in["manifest"])
		s.inputs = s.inputs.Copy()
		delete(s.inputs, "ignoreManagers")
		assert.Equal(t, map[string]string{replicasPath: "update"}, s.mustRead().mustDiff(unnamed))
		next(t, s).mustUp("same", in)
		next(t, s).mustUp("same", in).mustUp("update", with(t, in, firstImage, "nginx:2"))
		assert.EqualValues(t, 5, w.replicas())
	})
	t.Run("in items of lists, with what is ours beside them [O91]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.inNamespace(t, container("resources: {limits: {cpu: 1, memory: 1Gi}}")), leavingTo("vpa-updater"))
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
		w.apply("vpa-updater", object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: it, namespace: %s}, spec: {template: {spec: {containers: [
			{name: web, resources: {limits: {cpu: 2}}}]}}}}`, w.namespace))
		limits := func() any { return containerOf(t, w, "it")["resources"].(m)["limits"] }
		next(t, s).mustUp("same", in)
		changed := program(w.inNamespace(t, container("resources: {limits: {cpu: 1, memory: 2Gi}}")), leavingTo("vpa-updater"))
		next(t, s).mustUp("update", changed).mustUp("same", changed)
		assert.Equal(t, m{"cpu": "2", "memory": "2Gi"}, limits())
		without := program(w.inNamespace(t, container("")), leavingTo("vpa-updater"))
		next(t, s).mustUp("update", without).mustUp("same", without)
		assert.Equal(t, m{"cpu": "2"}, limits(), "the program has removed ours")
	})
	t.Run("are ours as long as we own them, too [O91]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.deployment(t, "web"), leavingTo("autoscaler"))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		w.scaleAs("autoscaler", 2)
		next(t, s).mustUp("same", in).mustUp("update", with(t, in, firstImage, "nginx:2"))
		assert.Contains(t, w.ours(t, s, "Deployment", "web"), "f:replicas")
		w.scaleAs("autoscaler", 0)
		next(t, s).mustUp("same", with(t, in, firstImage, "nginx:2"))
		assert.EqualValues(t, 2, w.replicas(), "it does not fall with the other owner")
	})
	t.Run("and what the program changes is shown and applied [O92]", func(t *testing.T) {
		t.Parallel()
		w, s, in := begin(t)
		changed := with(t, in, replicasPath, 3)
		assert.Equal(t, map[string]string{replicasPath: "update"}, s.mustRead().mustDiff(changed))
		next(t, s).mustUp("update", changed)
		assert.Contains(t, s.warned(), "spec.replicas: 5 -> 3 (owned by autoscaler)")
		assert.EqualValues(t, 3, w.replicas())
		w.scaleAs("autoscaler", 8)
		next(t, s).mustUp("same", changed).mustUp("update", with(t, changed, firstImage, "nginx:2"))
		assert.EqualValues(t, 8, w.replicas())
	})
	t.Run("also together with other changes, and where it is refused first [O92]", func(t *testing.T) {
		t.Parallel()
		w, s, in := begin(t)
		changed := with(t, with(t, in, replicasPath, 3), firstImage, "nginx:2")
		refused := changed.Copy()
		refused["conflictPolicy"] = resource.NewProperty("fail")
		_, err := s.up(refused)
		require.ErrorContains(t, err, "spec.replicas: 5 -> 3 (owned by autoscaler)")
		assert.EqualValues(t, 5, w.replicas())
		assert.Equal(t, map[string]string{replicasPath: "update", firstImage: "update"}, s.mustRead().mustDiff(changed))
		next(t, s).mustUp("update", changed).mustUp("same", changed)
		assert.EqualValues(t, 3, w.replicas())
	})
	t.Run("also where the program begins to set the field [O92]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		manifest := w.deployment(t, "web")
		delete(manifest["spec"].(m), "replicas")
		without, in := program(manifest, leavingTo("autoscaler")), program(w.deployment(t, "web"), leavingTo("autoscaler"))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", without)
		w.scaleAs("autoscaler", 5)
		next(t, s).mustUp("same", without).mustUp("update", in)
		assert.Contains(t, s.warned(), "spec.replicas: 5 -> 2 (owned by autoscaler)")
		assert.EqualValues(t, 2, w.replicas())
	})
	t.Run("are drift again when the manager gives them up [O93]", func(t *testing.T) {
		t.Parallel()
		for _, updated := range []bool{false, true} {
			w, s, in := begin(t)
			next(t, s).mustUp("same", in)
			if updated {
				in = with(t, in, firstImage, "nginx:2")
				s.mustUp("update", in)
			}
			w.scaleAs("autoscaler", 0)
			assert.EqualValues(t, 1, w.replicas(), "the default")
			next(t, s)
			assert.Equal(t, map[string]string{replicasPath: "update"}, s.mustRead().mustDiff(in))
			assert.EqualValues(t, 1, at(t, s.outputs, replicasPath), "the live value")
			s.mustUp("update", in).mustUp("same", in)
			assert.EqualValues(t, 2, w.replicas())
		}
	})
	t.Run("are drift again when another manager takes them [O93]", func(t *testing.T) {
		t.Parallel()
		w, s, in := begin(t)
		next(t, s).mustUp("same", in)
		w.scaleAs("stranger", 9)
		assert.Equal(t, map[string]string{replicasPath: "update"}, s.mustRead().mustDiff(in))
		_, _, err := next(t, s).preview(in)
		require.NoError(t, err)
		assert.Contains(t, s.warned(), "spec.replicas: 9 -> 2 (owned by stranger)")
		next(t, s).mustUp("update", in)
		assert.EqualValues(t, 2, w.replicas())
	})
	t.Run("are drift again when the program does not name the manager any more [O93]", func(t *testing.T) {
		t.Parallel()
		for what, change := range map[string]func(t *testing.T, in resource.PropertyMap) resource.PropertyMap{
			"alone": func(_ *testing.T, in resource.PropertyMap) resource.PropertyMap { return in },
			"with something beside it": func(t *testing.T, in resource.PropertyMap) resource.PropertyMap {
				return with(t, in, firstImage, "nginx:2")
			},
		} {
			w, s, in := begin(t)
			next(t, s).mustUp("same", in)
			unnamed := change(t, program(in["manifest"], leavingTo("never-seen")))
			assert.Contains(t, s.mustRead().mustDiff(unnamed), replicasPath, what)
			_, _, err := next(t, s).preview(unnamed)
			require.NoError(t, err)
			assert.Contains(t, s.warned(), "spec.replicas: 5 -> 2 (owned by autoscaler)", what)
			next(t, s).mustUp("update", unnamed).mustUp("same", unnamed)
			assert.EqualValues(t, 2, w.replicas(), what)
		}
	})
	t.Run("of an object that is adopted or imported stay theirs [O94]", func(t *testing.T) {
		t.Parallel()
		for what, begin := range map[string]func(s *session, in resource.PropertyMap){
			"adopted": func(s *session, in resource.PropertyMap) { s.mustUp("create", in) },
			"imported": func(s *session, in resource.PropertyMap) {
				require.NoError(s.t, s.importID("apps/v1/Deployment/"+at(s.t, in, "manifest.metadata.namespace").(string)+"/web"))
				s.mustUp("same", in) // as after every import, the first update is the first apply
			},
		} {
			w := newWorld(t)
			made := w.deployment(t, "web")
			w.apply("deployer", made)
			w.scaleAs("autoscaler", 5)
			in := program(w.deployment(t, "web"), leavingTo("autoscaler"), adopting)
			s := start(t, inline(newUser(t))).resource(t, "web")
			begin(s, in)
			assert.EqualValues(t, 5, w.replicas(), what)
			next(t, s).mustUp("same", in).mustUp("update", with(t, in, firstImage, "nginx:2"))
			assert.EqualValues(t, 5, w.replicas(), what)
			assert.NotContains(t, s.warned(), "replicas", what)
			w.scaleAs("autoscaler", 0)
			next(t, s).mustUp("update", with(t, in, firstImage, "nginx:2"))
			assert.EqualValues(t, 2, w.replicas(), what)
		}
	})
	t.Run("are left to a client-side applier as well, whose other fields are taken over [O94]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.kubectlCreate(w.configMap("web", m{"a": "theirs", "b": "theirs"}))
		in := program(w.configMap("web", m{"a": "ours"}), leavingTo("kubectl-client-side-apply"), adopting)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, m{"a": "theirs", "b": "theirs"}, w.value("ConfigMap", "web", "data"))
		next(t, s).mustUp("update", with(t, in, "manifest.data.c", "new"))
		assert.Equal(t, m{"a": "theirs", "b": "theirs", "c": "new"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("are no conflict [O91]", func(t *testing.T) {
		t.Parallel()
		w, s, in := begin(t)
		in = with(t, in, firstImage, "nginx:2")
		in["conflictPolicy"] = resource.NewProperty("fail")
		next(t, s).mustUp("update", in)
		assert.EqualValues(t, 5, w.replicas())
	})
	t.Run("stay theirs when the object is made again, and get their value then [O94]", func(t *testing.T) {
		t.Parallel()
		w, s, in := begin(t)
		next(t, s).mustUp("same", in)
		w.delete("Deployment", "web")
		next(t, s).mustUp("create", in)
		assert.EqualValues(t, 2, w.replicas(), "the initial value")
	})
	t.Run("are not known to a preview in which the managers are unknown [O91]", func(t *testing.T) {
		t.Parallel()
		w, s, in := begin(t)
		next(t, s).mustUp("same", in)
		unknown := in.Copy()
		unknown["ignoreManagers"] = resource.MakeComputed(resource.NewProperty(""))
		did, _, err := s.preview(unknown)
		require.NoError(t, err)
		assert.Contains(t, []string{"same", "update"}, did)
		assert.EqualValues(t, 5, w.replicas())
	})
	t.Run("of a Secret are hidden like all its values [O91]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		made := m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "web", "namespace": w.namespace}, "stringData": m{"a": hush, "b": "x"}}
		config := inline(newUser(t))
		config["ignore"] = rules(t, m{"kinds": []any{"Secret"}, "managers": []any{"injector"}})
		in := program(made)
		s := start(t, config).resource(t, "web").mustUp("create", in)
		w.apply("injector", m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "web", "namespace": w.namespace}, "data": m{"a": "aW5qZWN0ZWQ="}})
		next(t, s).mustUp("same", in).mustUp("update", with(t, in, "manifest.stringData.b", "y"))
		assert.Equal(t, m{"a": "aW5qZWN0ZWQ=", "b": "eQ=="}, w.value("Secret", "web", "data"))
		assert.Contains(t, s.process.log.all(), "data.a: [secret] instead of [secret] (owned by injector)")
		assert.Empty(t, s.where(hush))
	})
}

func TestManagersThatCannotBeIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := start(t, inline(newUser(t))).resource(t, "web")
	const own = "k8sconnect-shop.dev.web-270f6824"
	for name, want := range map[any]string{
		"":                                      "must be a string that is not empty",
		7:                                       "must be a string that is not empty",
		own:                                     "is the field manager of this resource",
		"k8sconnect-other.dev.web-01234567":     "is the field manager of another resource of this provider",
		"k8sconnect-patch-other.dev.x-01234567": "is the field manager of another resource of this provider",
		"released-by-k8sconnect":                "stands for fields without an owner",
		"vpa-*":                                 "full names of the field managers, without *",
		"helm":                                  "takeOverFrom names the same field manager",
	} {
		_, err := s.check(program(w.configMap("web", nil), leavingTo("fine", name), m{"takeOverFrom": []any{"helm"}}), true)
		require.ErrorContains(t, err, want, "[O95]")
		require.ErrorContains(t, err, "ignoreManagers[1]")
	}
	_, err := s.check(program(w.configMap("web", nil), m{"ignoreManagers": "one"}), true)
	require.ErrorContains(t, err, "The value must be a list of field managers.", "[O95]")
}

func TestTheProvidersSettingIgnore(t *testing.T) {
	t.Parallel()
	const hidden = "the provider's setting ignore leaves these fields as they are:\n  "
	deployments := func(more m) m {
		rule := m{"kinds": []any{"Deployment.apps"}}
		maps.Copy(rule, more)
		return rule
	}
	byManager := deployments(m{"managers": []any{"autoscaler"}})
	byField := deployments(m{"fields": []any{"spec.replicas"}})
	for what, c := range map[string]struct {
		rules []m
		want  string
	}{
		"by a manager":                   {[]m{byManager}, "same"},
		"by a field":                     {[]m{byField}, "same"},
		"by all rules together":          {[]m{deployments(m{"managers": []any{"other"}}), byManager}, "same"},
		"not of another kind":            {[]m{{"kinds": []any{"StatefulSet.apps"}, "managers": []any{"autoscaler"}}}, "update"},
		"not of another namespace":       {[]m{deployments(m{"managers": []any{"autoscaler"}, "namespaces": []any{"elsewhere"}})}, "update"},
		"not another manager":            {[]m{deployments(m{"managers": []any{"other"}})}, "update"},
		"in this namespace, all of apps": {[]m{{"kinds": []any{"*.apps"}, "managers": []any{"autoscaler"}, "namespaces": []any{"NAMESPACE"}}}, "same"},
	} {
		t.Run(what+" [O96]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if namespaces, ok := c.rules[0]["namespaces"].([]any); ok && namespaces[0] == "NAMESPACE" {
				namespaces[0] = w.namespace
			}
			config := inline(newUser(t))
			config["ignore"] = rules(t, c.rules...)
			in := program(w.deployment(t, "web"))
			s := start(t, config).resource(t, "web").mustUp("create", in)
			w.scaleAs("autoscaler", 5)
			s.in(s.process.again(t)).mustUp(c.want, in)
			if c.want == "update" {
				assert.NotContains(t, s.process.log.all(), hidden)
				return
			}
			assert.EqualValues(t, 5, w.replicas())
			assert.Contains(t, s.process.log.all(), hidden+"spec.replicas: 5 instead of 2 (owned by autoscaler)")
			s.in(s.process.again(t)).mustUp("update", with(t, in, firstImage, "nginx:2"))
			assert.EqualValues(t, 5, w.replicas())
			w.scaleAs("autoscaler", 2)
			s.in(s.process.again(t)).mustUp("same", with(t, in, firstImage, "nginx:2"))
			assert.NotContains(t, s.process.log.all(), hidden, "nothing is hidden")
		})
	}
	t.Run("is silent about what the program says itself [O96]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		config := inline(newUser(t))
		config["ignore"] = rules(t, byManager)
		in := program(w.deployment(t, "web"), leavingTo("autoscaler"))
		s := start(t, config).resource(t, "web").mustUp("create", in)
		w.scaleAs("autoscaler", 5)
		s.in(s.process.again(t)).mustUp("same", in)
		assert.NotContains(t, s.process.log.all(), hidden)
	})
	t.Run("leaves what it names as it was, when it begins and when it ends [O96]", func(t *testing.T) {
		t.Parallel()
		for what, rule := range map[string]m{"by a manager": byManager, "by a field": byField} {
			w := newWorld(t)
			config := inline(newUser(t))
			in := program(w.deployment(t, "web"))
			s := start(t, config).resource(t, "web").mustUp("create", in)
			w.scaleAs("autoscaler", 5)
			config["ignore"] = rules(t, rule)
			s.reconfigured(start(t, config)).mustUp("same", in)
			in = with(t, in, firstImage, "nginx:2")
			s.in(start(t, config)).mustUp("update", in).mustUp("same", in)
			assert.EqualValues(t, 5, w.replicas(), what)
			delete(config, "ignore")
			in = with(t, in, firstImage, "nginx:3")
			s.reconfigured(start(t, config)).mustUp("update", in).mustUp("same", in)
			assert.EqualValues(t, 2, w.replicas(), what)
		}
	})
	for wrong, want := range map[string]string{
		`"x"`:                              "ignore: The value must be a list of rules such as",
		`["x"]`:                            "ignore[0]: The value must be a rule such as",
		`[{}]`:                             "ignore[0].kinds: Name the kinds that the rule is for",
		`[{"kinds": ["Deployment.apps"]}]`: "ignore[0]: Name what the rule ignores, in fields or in managers.",
		`[{"kinds": ["apps/v1"], "managers": ["x"]}]`:                     `ignore[0].kinds[0]: "apps/v1" is not a kind`,
		`[{"kinds": ["*"], "managers": ["x"]}]`:                           `ignore[0].kinds[0]: "*" is not a kind`,
		`[{"kinds": "Pod", "managers": ["x"]}]`:                           "ignore[0].kinds: The value must be a list of texts.",
		`[{"kinds": ["Pod"], "fields": ["spec[0]"]}]`:                     "ignore[0].fields[0]: ",
		`[{"kinds": ["Pod"], "managers": ["k8sconnect-a.b.c-01234567"]}]`: "ignore[0].managers[0]: This is the field manager of another resource",
		`[{"kinds": ["Pod"], "managers": ["x"], "paths": ["spec"]}]`:      `ignore[0].paths: There is no "paths" in a rule.`,
	} {
		t.Run("refuses "+wrong+" [O96]", func(t *testing.T) {
			t.Parallel()
			_, failures := startUnconfigured(t).checkConfig(t, m{"ignore": wrong})
			require.NotEmpty(t, failures)
			assert.Contains(t, string(failures[0].Property)+": "+failures[0].Reason, want)
		})
	}
}
