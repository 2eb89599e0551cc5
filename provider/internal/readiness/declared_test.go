package readiness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var widget = schema.GroupKind{Group: "acme.io", Kind: "Widget"}

func TestADeclaredRule(t *testing.T) {
	const text = "expression: object.status.level == 'high'\nfailWhen: object.status.level == 'leaking'\n"
	judge := func(t *testing.T, goal *Goal, kind, object string) Verdict {
		t.Helper()
		return goal.Judge(&unstructured.Unstructured{Object: manifest(t, "acme.io/v1", kind, object)})
	}
	const low = `{status: {level: low, conditions: [{type: Ready, status: "True"}]}}`
	t.Run("decides before the conventions [R40]", func(t *testing.T) {
		goal := compile(t, ready).By(nil)
		assert.True(t, judge(t, goal, "Widget", low).Holds)
		require.NoError(t, goal.Declare(widget, text))
		assert.Equal(t, []string{"object.status.level == 'high' is false"}, judge(t, goal, "Widget", low).Missing)
		assert.Empty(t, judge(t, goal, "Widget", `{status: {level: high, phase: Failed}}`).Guessed)
		assert.True(t, judge(t, goal, "Widget", `{status: {level: high, phase: Failed}}`).Holds)
		assert.Equal(t, "failWhen of the rule that its CustomResourceDefinition declares is true: object.status.level == 'leaking'",
			judge(t, goal, "Widget", `{status: {level: leaking}}`).Failed)
		assert.Equal(t, NoDoubt, judge(t, goal, "Widget", `{}`).Doubt, "there is a status to come")
		assert.True(t, judge(t, goal, "Gadget", low).Holds, "it is for its own kind")
	})
	t.Run("is gone with its annotation, or with one that is no rule [R43]", func(t *testing.T) {
		goal := compile(t, ready).By(nil)
		for _, after := range []string{"", "expression: object.", "[]", "{}", "{expression: 'true', failWhen: nobody}"} {
			require.NoError(t, goal.Declare(widget, text))
			require.False(t, judge(t, goal, "Widget", low).Holds)
			assert.Equal(t, after != "", goal.Declare(widget, after) != nil, after)
			assert.True(t, judge(t, goal, "Widget", low).Holds, after)
		}
	})
	t.Run("is looked for where it would decide [R42]", func(t *testing.T) {
		deployment, certificate := schema.GroupKind{Group: "apps", Kind: "Deployment"}, schema.GroupKind{Group: "cert-manager.io", Kind: "Certificate"}
		goal := compile(t, ready).By(rulesOf(t, UserRule{Kinds: []string{"Gadget.acme.io"}, Expression: "true"}))
		assert.True(t, goal.MayBeDeclared(widget))
		assert.True(t, goal.MayBeDeclared(certificate), "its owner knows it better than the library")
		assert.False(t, goal.MayBeDeclared(schema.GroupKind{Group: "acme.io", Kind: "Gadget"}))
		assert.False(t, goal.MayBeDeclared(deployment))
		assert.False(t, goal.MayBeDeclared(schema.GroupKind{Kind: "ConfigMap"}))
		assert.False(t, compile(t, Criteria{Condition: "Ready"}).By(nil).MayBeDeclared(widget))
		assert.NoError(t, compile(t, Criteria{Condition: "Ready"}).Declare(widget, "nonsense"), "nobody asks")
	})
}

func FuzzDeclare(f *testing.F) {
	f.Add("expression: object.status.phase == 'Ready'\nfailWhen: has(object.status.error)")
	f.Add(`{"expression": "true"}`)
	f.Add("- expression")
	f.Fuzz(func(t *testing.T, text string) {
		goal := compile(t, ready).By(nil)
		err := goal.Declare(widget, text)
		verdict := goal.Judge(&unstructured.Unstructured{Object: manifest(t, "acme.io/v1", "Widget", `{status: {phase: Failed}}`)})
		if err != nil && verdict.Holds {
			t.Fatal("a rule that cannot be used has decided")
		}
	})
}
