package readiness

import (
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// UserRule is a readiness rule as a user writes it.
type UserRule struct {
	// Kinds are the kinds that the rule applies to: "Pod", "Deployment.apps", or "*.cert-manager.io" for all of a
	// group.
	Kinds []string
	// Expression is a CEL expression over object that is true when the object is ready.
	Expression string
	// FailWhen is a CEL expression over object that ends the wait as failed. It may be empty.
	FailWhen string
}

// The names of the parts of a rule, as problems name them.
const (
	NameKinds = "kinds"
	anyKind   = "*"
)

// Rules are compiled rules of the user. Nil has none. They are safe for concurrent use.
type Rules struct{ rules []userRule }

type userRule struct {
	kinds kinds.Selection
	rule  rule
}

// RuleProblem is a part of a rule that cannot be used.
type RuleProblem struct {
	// Rule is its index.
	Rule int
	// Part is the name of the part.
	Part string
	// Reason says what is wrong.
	Reason string
}

// CompileRules compiles rules. If there are problems, there are no rules.
func CompileRules(texts []UserRule) (*Rules, []RuleProblem) {
	rules, problems := &Rules{}, []RuleProblem(nil)
	for i, text := range texts {
		refuse := func(part string, err error) { problems = append(problems, RuleProblem{i, part, err.Error()}) }
		compiled := userRule{}
		if len(text.Kinds) == 0 {
			refuse(NameKinds, errors.New("name the kinds that the rule is for, such as Deployment.apps or *.cert-manager.io"))
		}
		for _, name := range text.Kinds {
			kind, err := kinds.ParseSelection(name)
			if err != nil {
				refuse(NameKinds, err)
			}
			compiled.kinds = append(compiled.kinds, kind...)
		}
		compiled.rule = compileRule(text.Expression, text.FailWhen, "the provider's readiness rule for "+strings.Join(text.Kinds, ", "), refuse)
		rules.rules = append(rules.rules, compiled)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return rules, nil
}

// compileRule compiles the expressions of the rule that a failure calls by this name.
func compileRule(ready, failWhen, name string, refuse func(part string, err error)) (compiled rule) {
	if expression, err := parseExpression(ready); ready == "" {
		refuse(NameExpression, errors.New("say when an object is ready, as a CEL expression over object"))
	} else if err != nil {
		refuse(NameExpression, err)
	} else {
		compiled.missing = expressionCriterion{expression}.missing
		compiled.ignoresStatus = !expression.readsStatus()
	}
	if failWhen != "" {
		expression, err := parseExpression(failWhen)
		if err != nil {
			refuse(NameFailWhen, err)
		}
		compiled.failWhen = &ruleFailure{expression, name}
	}
	return compiled
}

// find returns the first rule for a kind.
func (r *Rules) find(kind schema.GroupKind) (rule, bool) {
	if r == nil {
		return rule{}, false
	}
	for _, candidate := range r.rules {
		if candidate.kinds.Has(kind) {
			return candidate.rule, true
		}
	}
	return rule{}, false
}

// ruleFailure is the failWhen of the rule of this name.
type ruleFailure struct {
	*expression
	rule string
}

// By returns the goal, with readiness judged by the user's rules first, and then by the rule that [Goal.Declare] adds.
func (g *Goal) By(rules *Rules) *Goal {
	if g == nil {
		return nil
	}
	with := *g
	with.criteria = slices.Clone(g.criteria)
	for i, c := range with.criteria {
		if _, ready := c.(readyCriterion); ready {
			with.criteria[i] = readyCriterion{rules: rules, declared: &declaredRule{}}
		}
	}
	return &with
}
