package readiness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func rulesOf(t testing.TB, texts ...UserRule) *Rules {
	t.Helper()
	rules, problems := CompileRules(texts)
	require.Empty(t, problems)
	return rules
}

func TestRulesOfTheUser(t *testing.T) {
	phase := func(kinds ...string) UserRule {
		return UserRule{Kinds: kinds, Expression: "object.status.phase == 'Good'", FailWhen: "object.status.phase == 'Bad'"}
	}
	exists := func(kinds ...string) UserRule { return UserRule{Kinds: kinds, Expression: "true"} }
	const isFalse = "object.status.phase == 'Good' is false"
	for name, c := range map[string]struct {
		rules                    []UserRule
		apiVersion, kind, object string

		missing, failed string
		doubt           Doubt
	}{
		"a kind of a group":              {[]UserRule{phase("Widget.acme.io")}, "acme.io/v1", "Widget", `{status: {phase: New}}`, isFalse, "", 0},
		"in every version":               {[]UserRule{phase("Widget.acme.io")}, "acme.io/v2beta1", "Widget", `{status: {phase: New}}`, isFalse, "", 0},
		"that is ready":                  {[]UserRule{phase("Widget.acme.io")}, "acme.io/v1", "Widget", `{status: {phase: Good, conditions: [{type: Ready, status: "False"}]}}`, "", "", 0},
		"that has failed":                {[]UserRule{phase("Widget.acme.io")}, "acme.io/v1", "Widget", `{status: {phase: Bad}}`, "", "failWhen of the provider's readiness rule for Widget.acme.io is true: object.status.phase == 'Bad'", 0},
		"without a status, no doubt":     {[]UserRule{phase("Widget.acme.io")}, "acme.io/v1", "Widget", `{}`, "object.status.phase == 'Good': no such key: status", "", 0},
		"case does not matter":           {[]UserRule{phase("widget.acme.io")}, "acme.io/v1", "Widget", `{status: {phase: New}}`, isFalse, "", 0},
		"another kind of the group":      {[]UserRule{phase("Widget.acme.io")}, "acme.io/v1", "Gadget", `{status: {phase: New}}`, "", "", 0},
		"the kind of another group":      {[]UserRule{phase("Widget.acme.io")}, "acme.org/v1", "Widget", `{status: {phase: New}}`, "", "", 0},
		"all kinds of a group":           {[]UserRule{phase("*.acme.io")}, "acme.io/v1", "Gadget", `{status: {phase: New}}`, isFalse, "", 0},
		"and not those of a subgroup":    {[]UserRule{phase("*.acme.io")}, "sub.acme.io/v1", "Gadget", `{status: {phase: New}}`, "", "", 0},
		"one of several kinds":           {[]UserRule{phase("Pod", "*.acme.io")}, "acme.io/v1", "Gadget", `{status: {phase: New}}`, isFalse, "", 0},
		"the first rule that matches":    {[]UserRule{exists("Widget.acme.io"), phase("*.acme.io")}, "acme.io/v1", "Widget", `{status: {phase: New}}`, "", "", 0},
		"and not the second":             {[]UserRule{phase("*.acme.io"), exists("Widget.acme.io")}, "acme.io/v1", "Widget", `{status: {phase: New}}`, isFalse, "", 0},
		"a built-in kind":                {[]UserRule{exists("Ingress.networking.k8s.io")}, "networking.k8s.io/v1", "Ingress", `{}`, "", "", 0},
		"a kind of the core group":       {[]UserRule{exists("PersistentVolumeClaim")}, "v1", "PersistentVolumeClaim", `{status: {phase: Pending}}`, "", "", 0},
		"a kind that is always ready":    {[]UserRule{{Kinds: []string{"ConfigMap"}, Expression: "has(object.data)"}}, "v1", "ConfigMap", `{}`, "has(object.data) is false", "", 0},
		"what is behind is no evidence":  {[]UserRule{phase("Widget.acme.io")}, "acme.io/v1", "Widget", `{status: {observedGeneration: 1, phase: Good}}`, "readiness is out of date: the status is about generation 1, the object is at 2", "", 0},
		"nor of failure":                 {[]UserRule{phase("Widget.acme.io")}, "acme.io/v1", "Widget", `{status: {observedGeneration: 1, phase: Bad}}`, isFalse, "", 0},
		"but where it is not looked at":  {[]UserRule{{Kinds: []string{"Widget.acme.io"}, Expression: "object.spec.a == 1"}}, "acme.io/v1", "Widget", `{spec: {a: 1}, status: {observedGeneration: 1}}`, "", "", 0},
		"failure is what the rule says":  {[]UserRule{{Kinds: []string{"Widget.acme.io"}, Expression: "true", FailWhen: "object.spec.a == 1"}}, "acme.io/v1", "Widget", `{spec: {a: 1}, status: {observedGeneration: 1}}`, "", "failWhen of the provider's readiness rule for Widget.acme.io is true: object.spec.a == 1", 0},
		"a rule for a kind has no other": {[]UserRule{exists("Widget.acme.io")}, "acme.io/v1", "Widget", `{status: {conditions: [{type: Stalled, status: "True"}]}}`, "", "", 0},
	} {
		t.Run(name+" [W32]", func(t *testing.T) {
			live := &unstructured.Unstructured{Object: manifest(t, c.apiVersion, c.kind, c.object)}
			verdict := compile(t, ready).By(rulesOf(t, c.rules...)).Judge(live)
			verdict.Guessed = ""
			var missing []string
			if c.missing != "" {
				missing = []string{c.missing}
			}
			assert.Equal(t, Verdict{Holds: c.missing == "" && c.failed == "", Missing: missing, Failed: c.failed, Doubt: c.doubt}, verdict)
			assert.True(t, compile(t, Criteria{Expression: "true"}).By(rulesOf(t, c.rules...)).Judge(live).Holds, "rules are for readiness alone")
		})
	}
	t.Run("leave the goal alone that they are given to", func(t *testing.T) {
		goal, live := compile(t, ready), &unstructured.Unstructured{Object: manifest(t, "acme.io/v1", "Widget", `{status: {phase: New}}`)}
		assert.False(t, goal.By(rulesOf(t, phase("*.acme.io"))).Judge(live).Holds)
		assert.True(t, goal.Judge(live).Holds)
		assert.True(t, goal.By(nil).Judge(live).Holds)
		assert.Nil(t, (*Goal)(nil).By(nil))
	})
}

func TestABrokenRuleIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		rule         UserRule
		part, reason string
	}{
		"no kinds":                  {UserRule{Expression: "true"}, "kinds", "name the kinds"},
		"all kinds":                 {UserRule{Kinds: []string{"*"}, Expression: "true"}, "kinds", `"*" is not a kind`},
		"a part of a group":         {UserRule{Kinds: []string{"*.*.io"}, Expression: "true"}, "kinds", `"*.*.io" is not a kind`},
		"an apiVersion":             {UserRule{Kinds: []string{"apps/v1"}, Expression: "true"}, "kinds", `"apps/v1" is not a kind`},
		"an empty kind":             {UserRule{Kinds: []string{""}, Expression: "true"}, "kinds", `"" is not a kind`},
		"a version":                 {UserRule{Kinds: []string{"Deployment.v1.apps"}, Expression: "true"}, "kinds", "names a version"},
		"no expression":             {UserRule{Kinds: []string{"Pod"}}, "expression", "say when an object is ready"},
		"an expression of a number": {UserRule{Kinds: []string{"Pod"}, Expression: "1"}, "expression", "true or false"},
		"a broken expression":       {UserRule{Kinds: []string{"Pod"}, Expression: "object."}, "expression", "Syntax error"},
		"a broken failWhen":         {UserRule{Kinds: []string{"Pod"}, Expression: "true", FailWhen: "nobody"}, "failWhen", "nobody"},
	} {
		t.Run(name+" [W32]", func(t *testing.T) {
			rules, problems := CompileRules([]UserRule{{Kinds: []string{"Node"}, Expression: "true"}, c.rule})
			assert.Nil(t, rules)
			require.Len(t, problems, 1)
			assert.Equal(t, 1, problems[0].Rule)
			assert.Equal(t, c.part, problems[0].Part)
			assert.Contains(t, problems[0].Reason, c.reason)
		})
	}
}
