package readiness

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnExpressionIsWaitedForUntilItIsTrue(t *testing.T) {
	for name, c := range map[string]struct{ expression, missing string }{
		"it is true":                          {`object.status.phase == "Running"`, ""},
		"it is false":                         {`object.status.phase == "Bound"`, "is false"},
		"whole numbers":                       {`object.status.replicas == 0 && object.metadata.generation > 2`, ""},
		"fractions and whole numbers compare": {`object.status.ratio < 1 && object.status.replicas < 0.5`, ""},
		"a boolean field itself":              {`!object.status.ready`, ""},
		"null":                                {`object.status.nothing == null`, ""},
		"lists are searched":                  {`object.status.conditions.exists(c, c.type == "Ready" && c.status == "False")`, ""},
		"a name that is no identifier":        {`object.metadata.annotations["app.kubernetes.io/name"] == "web"`, ""},
		"has says whether a field is there":   {`!has(object.status.missing) && has(object.status.phase)`, ""},
		"optional fields":                     {`object.?status.?missing.?deeper.orValue(7) == 7`, ""},
		"optional fields that are there":      {`object.?status.?phase == optional.of("Running")`, ""},
		"functions for texts":                 {`object.metadata.name.upperAscii() == "WEB" && object.metadata.name.matches("^w")`, ""},
		"functions for lists":                 {`object.spec.ports.map(p, p.port).sort() == [80, 443] && [[1], [2]].flatten() == [1, 2]`, ""},
		"functions for sets":                  {`sets.contains(object.spec.ports.map(p, p.name), ["https"])`, ""},
		"functions for numbers":               {`math.greatest(object.spec.ports.map(p, p.port)) == 443`, ""},
		"times":                               {`timestamp("2024-01-01T00:00:00Z") + duration("1h") < timestamp("2024-01-02T00:00:00Z")`, ""},
		"a field that is missing is not yet":  {`object.status.missing == "x"`, "no such key: missing"},
		"so is the parent of one":             {`object.missing.deeper.still == "x"`, "no such key: missing"},
		"either side of an or is enough":      {`object.status.missing == "x" || object.status.phase == "Running"`, ""},
		"an item that is missing is not yet":  {`object.status.conditions[7].status == "True"`, "index out of bounds: 7"},
		"a text is not true":                  {`object.status.phase`, "it gives string and not true or false"},
		"null is not true":                    {`object.status.nothing`, "it gives null_type and not true or false"},
		"a comparison of what has no order":   {`object.status.phase > 3`, "no such overload"},
	} {
		t.Run(name+" [W8]", func(t *testing.T) {
			verdict := judge(t, Criteria{Expression: c.expression}, sample())
			assert.Equal(t, c.missing == "", verdict.Holds)
			assert.Empty(t, verdict.Failed)
			if c.missing != "" {
				require.Len(t, verdict.Missing, 1)
				assert.Contains(t, verdict.Missing[0], c.expression)
				assert.Contains(t, verdict.Missing[0], c.missing)
			}
		})
	}
}

func TestAnExpressionThatCannotBeReadSaysWhere(t *testing.T) {
	for expression, why := range map[string][]string{
		`object.status.phase == `: {"at 1:24: Syntax error"},
		`object.spec.replicas == 1 + "a"`: {`at 1:27: found no matching overload for '_+_' applied to '(int, string)'`,
			"\n | object.spec.replicas == 1 + \"a\"\n | ..........................^"},
		"object.status.ready &&\n  objekt.status.ready": {"at 2:3: undeclared reference to 'objekt'"},
		`self.ready || oldSelf.ready`:                   {"at 1:1: undeclared reference to 'self'", "\nat 1:15: undeclared reference to 'oldSelf'"},
		`object.status.phase.upper() == "X"`:            {"undeclared reference to 'upper'"},
		`now() > object.metadata.creationTimestamp`:     {"undeclared reference to 'now'"},
		`1 + 1`:                {"the expression gives int and not true or false"},
		`size(object)`:         {"the expression gives int and not true or false"},
		`object.?status.ready`: {"the expression gives optional_type(dyn) and not true or false"},
		` `:                    {"Syntax error"},
	} {
		for name, criteria := range map[string]Criteria{
			NameExpression: {Expression: expression}, NameFailWhen: {FailWhen: expression, Condition: "Ready"},
		} {
			t.Run(name+" "+expression+" [W8]", func(t *testing.T) {
				_, problems := Compile(criteria)
				require.Len(t, problems, 1)
				assert.Equal(t, name, problems[0].Criterion)
				for _, part := range why {
					assert.Contains(t, problems[0].Reason, part)
				}
				assert.NotContains(t, problems[0].Reason, "ERROR")
			})
		}
	}
}

func TestAnExpressionThatTakesTooLongEnds(t *testing.T) {
	long := list{}
	for i := range 10_000 {
		long = append(long, object{"name": fmt.Sprint("item-", i), "ready": true})
	}
	live := object{"status": object{"items": long}}

	t.Run("each with each of a long list is too much [W8]", func(t *testing.T) {
		const all = `object.status.items.all(a, object.status.items.all(b, object.status.items.all(c, a.ready && b.ready && c.ready)))`
		began := time.Now()
		assertVerdict(t, Criteria{Expression: all}, live, all+": evaluating it takes longer than 5s")
		assert.Less(t, time.Since(began), 4*evaluationLimit)
	})
	t.Run("each of a long list is not [W8]", func(t *testing.T) {
		assertVerdict(t, Criteria{Expression: `object.status.items.all(a, a.ready && a.name.startsWith("item-"))`}, live)
	})
}

func TestFailWhenEndsTheWait(t *testing.T) {
	for name, c := range map[string]struct{ failWhen, failed string }{
		"it is true":                          {`object.status.phase == "Running"`, `failWhen is true: object.status.phase == "Running"`},
		"it is false":                         {`object.status.phase == "Lost"`, ""},
		"the field it reads is not there":     {`object.status.missing == "x"`, ""},
		"it gives neither true nor false":     {`object.status.phase`, ""},
		"an optional field that is not there": {`object.?status.?missing.orValue("x") == "x"`, `failWhen is true: object.?status.?missing.orValue("x") == "x"`},
	} {
		t.Run(name+" [W14]", func(t *testing.T) {
			verdict := judge(t, Criteria{Field: "status.later", FailWhen: c.failWhen}, sample())
			assert.Equal(t, c.failed, verdict.Failed)
			assert.False(t, verdict.Holds)

			verdict = judge(t, Criteria{Deleted: true, FailWhen: c.failWhen}, sample())
			assert.Equal(t, c.failed, verdict.Failed, "while waiting for deletion, too")
			assert.False(t, verdict.Holds)

			verdict = judge(t, Criteria{Field: "status.phase", FailWhen: c.failWhen}, sample())
			assert.Equal(t, c.failed, verdict.Failed, "even if what is waited for is there")
			assert.Equal(t, c.failed == "", verdict.Holds)
		})
	}
}
