package rpc_test

import (
	"encoding/json"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rules is the provider's setting as the engine hands it over, which is JSON text.
func rules(t testing.TB, rules ...m) string {
	t.Helper()
	text, err := json.Marshal(rules)
	require.NoError(t, err)
	return string(text)
}

func TestTheUserSaysWhenAKindIsReady(t *testing.T) {
	t.Parallel()
	phase := func(kinds ...any) m {
		return m{"kinds": kinds, "expression": "object.status.phase == 'Good'", "failWhen": "object.status.phase == 'Bad'"}
	}
	exists := func(kinds ...any) m { return m{"kinds": kinds, "expression": "true"} }
	service := func(t *testing.T, w world) m {
		return object(t, `{apiVersion: v1, kind: Service, metadata: {name: it, namespace: %s}, spec: {type: LoadBalancer, ports: [{port: 80}]}}`, w.namespace)
	}
	gauge := func(t *testing.T, w world) m { return w.custom(t, "Gauge") }
	for what, c := range map[string]struct {
		rules          []m
		object         func(t *testing.T, w world) m
		before, status string
		missing        string
	}{
		"by its kind":              {[]m{phase("Gauge." + gaugeGroup)}, gauge, "{phase: New}", "{phase: Good}", "object.status.phase == 'Good' is false"},
		"by its group":             {[]m{exists("Gauge.example.org"), phase("*."+gaugeGroup, "Pod")}, gauge, "{phase: New}", "{phase: Good}", "object.status.phase == 'Good' is false"},
		"by the first rule for it": {[]m{phase("*." + gaugeGroup), exists("Gauge." + gaugeGroup)}, gauge, "{phase: New}", "{phase: Good}", "object.status.phase == 'Good' is false"},
		"in place of what is built in": {
			[]m{{"kinds": []any{"Service"}, "expression": "object.status.loadBalancer.ingress.exists(i, i.ip.startsWith('203.'))"}},
			service, "{loadBalancer: {ingress: [{ip: 198.51.100.1}]}}", "{loadBalancer: {ingress: [{ip: 203.0.113.7}]}}", "is false",
		},
	} {
		t.Run(what+" [W32]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			manifest := c.object(t, w)
			w.create(manifest)
			kind, _ := manifest["kind"].(string)
			w.report(kind, "it", object(t, "%s", c.before))
			config := inline(newUser(t))
			start(t, config).wait(t, "without").mustUp("create", waiting(refTo(manifest), until("ready", true, longTime)))

			config["readiness"] = rules(t, c.rules...)
			p := start(t, config)
			looked, _ := failedWait(t, p.wait(t, "looked"), refTo(manifest), m{"ready": true})
			assert.Contains(t, looks(t, looked), c.missing)
			patch := patching(manifest, setting("mergePatch", m{"metadata": m{"labels": m{"a": "b"}}}), m{"waitFor": until("ready", true, shortTime)})
			patched := patched(t, w, p, "it")
			assert.Contains(t, requirePatchWaits(t, patched, patched.create(patch)), "readiness")
			patched.mustRead()
			require.NotEmpty(t, patched.initErrors)

			s := p.wait(t, "followed")
			done := w.begin("it", func() error { return s.create(waiting(refTo(manifest), until("ready", true, longTime))) })
			w.report(kind, "it", object(t, "%s", c.status))
			require.NoError(t, ended(t, done))
			assert.Empty(t, looks(t, looked))
			patched.mustUp("same", patch)
			requirePatched(t, patched)
		})
	}
	t.Run("and when it has failed [W32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.custom(t, "Gauge"))
		w.report("Gauge", "it", m{"phase": "Bad"})
		config := inline(newUser(t))
		config["readiness"] = rules(t, phase("*."+gaugeGroup))
		s := start(t, config).wait(t, "it")
		text := requireWaitPending(t, s, s.create(waiting(refTo(w.custom(t, "Gauge")), until("ready", true, longTime))))
		assert.Contains(t, text, "failWhen of the provider's readiness rule for *."+gaugeGroup+" is true: object.status.phase == 'Bad'")
	})
	t.Run("for kinds that are always ready otherwise [W32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		config := inline(newUser(t))
		config["readiness"] = rules(t, m{"kinds": []any{"ConfigMap"}, "expression": "object.data.a == '2'"})
		s := start(t, config).wait(t, "it")
		done := w.begin("it", func() error { return s.create(waiting(refTo(w.configMap("it", nil)), until("ready", true, longTime))) })
		w.patch("ConfigMap", "it", data("a", "2"))
		require.NoError(t, ended(t, done))
	})
}

func TestABrokenRuleIsAFailureOfTheProvidersCheck(t *testing.T) {
	t.Parallel()
	p := startUnconfigured(t)
	for what, c := range map[string]struct {
		setting      any
		path, reason string
	}{
		"an expression that cannot be read": {rules(t, m{"kinds": []any{"Pod"}, "expression": "object."}), "readiness[0].expression", "Syntax error"},
		"an expression of a number":         {rules(t, m{"kinds": []any{"Pod"}, "expression": "1"}), "readiness[0].expression", "true or false"},
		"the second of two": {
			rules(t, m{"kinds": []any{"Pod"}, "expression": "true"}, m{"kinds": []any{"Pod"}, "expression": "true", "failWhen": "nobody"}),
			"readiness[1].failWhen", "nobody",
		},
		"no expression":        {rules(t, m{"kinds": []any{"Pod"}}), "readiness[0].expression", "say when an object is ready"},
		"no kinds":             {rules(t, m{"expression": "true"}), "readiness[0].kinds", "name the kinds"},
		"all kinds":            {rules(t, m{"kinds": []any{"*"}, "expression": "true"}), "readiness[0].kinds", "is not a kind"},
		"a kind of a version":  {rules(t, m{"kinds": []any{"Deployment.v1.apps"}, "expression": "true"}), "readiness[0].kinds", "names a version"},
		"a text as kinds":      {rules(t, m{"kinds": "Pod", "expression": "true"}), "readiness[0].kinds", "list of texts"},
		"a truth as text":      {rules(t, m{"kinds": []any{"Pod"}, "expression": true}), "readiness[0].expression", "must be a text"},
		"a part that is none":  {rules(t, m{"kind": "Pod", "kinds": []any{"Pod"}, "expression": "true"}), "readiness[0].kind", "There is no"},
		"a rule that is none":  {`["Pod"]`, "readiness[0]", "must be a rule"},
		"a setting of no list": {"Pod", "readiness", "must be a list of rules"},
		"a map":                {m{"Pod": "true"}, "readiness", "must be a list of rules"},
		"a list without JSON":  {[]any{m{"kinds": []any{"Pod"}, "expression": "object."}}, "readiness[0].expression", "Syntax error"},
		"a secret": {
			rules(t, m{"kinds": []any{"Pod"}, "expression": m{sig.Key: sig.Secret, "value": "true"}}), "readiness", "must not be secret",
		},
	} {
		t.Run(what+" [W32]", func(t *testing.T) {
			_, failures := p.checkConfig(t, map[string]any{"readiness": c.setting})
			require.Len(t, failures, 1)
			path, reason := named(t, failures[0])
			assert.Equal(t, c.path, path)
			assert.Contains(t, reason, c.reason)
		})
	}
	for what, setting := range map[string]any{
		"rules":            rules(t, m{"kinds": []any{"*.cert-manager.io", "Pod"}, "expression": "object.status.ready", "failWhen": "false"}),
		"no rules":         "[]",
		"something unsaid": resource.MakeComputed(resource.NewProperty("")),
		"a rule with an unknown part": []any{
			map[string]any{"kinds": []any{"Pod"}, "expression": resource.MakeComputed(resource.NewProperty(""))},
		},
	} {
		t.Run(what+" pass [W32]", func(t *testing.T) {
			_, failures := p.checkConfig(t, map[string]any{"readiness": setting})
			assert.Empty(t, failures)
		})
	}
}
