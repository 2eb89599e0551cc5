package readiness

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Criteria say what is waited for. All that are set must hold at once.
type Criteria struct {
	// Field is a path that must have a value: neither null nor an empty text, list or map.
	Field string
	// FieldValue are paths and the values that they must have, as text.
	FieldValue map[string]string
	// Condition is a status condition such as "Ready", "Ready=False" or "Ready=Unknown".
	Condition string
	// Ready waits until the object is ready by the rules of its kind.
	Ready bool
	// Rollout waits until all pods of a Deployment, StatefulSet or DaemonSet are new and ready.
	Rollout bool
	// Expression is a CEL expression over object that must be true.
	Expression string
	// Deleted waits until the object is gone.
	Deleted bool
	// FailWhen is a CEL expression over object that ends the waiting as failed.
	FailWhen string
}

// The names of the criteria, as problems name them.
const (
	NameField      = "field"
	NameFieldValue = "fieldValue"
	NameCondition  = "condition"
	NameReady      = "ready"
	NameRollout    = "rollout"
	NameExpression = "expression"
	NameDeleted    = "deleted"
	NameFailWhen   = "failWhen"
)

// Problem is a criterion that cannot be used.
type Problem struct {
	// Criterion is its name; empty if it is about all of them.
	Criterion string
	// Key is the path, of a FieldValue.
	Key string
	// Reason says what is wrong.
	Reason string
}

// criterion is one thing that must hold.
type criterion interface {
	fmt.Stringer
	// missing says what is missing in an object until the criterion holds; "" when it does.
	missing(object map[string]any) string
	// readsStatus reports whether the criterion may look below status and leaves it to
	// [outdated] whether that is evidence.
	readsStatus() bool
}

// Goal is a set of criteria made ready to be evaluated. It is safe for concurrent use.
type Goal struct {
	criteria []criterion
	paths    []Path
	deleted  bool
	failWhen *expression
}

// Compile reads criteria. If there are problems, there is no goal.
func Compile(c Criteria) (*Goal, []Problem) {
	g, problems := &Goal{deleted: c.Deleted}, []Problem(nil)
	refuse := func(criterion, key string, err error) {
		problems = append(problems, Problem{criterion, key, err.Error()})
	}
	if c.Field != "" {
		if path, err := ParsePath(c.Field); err != nil {
			refuse(NameField, "", err)
		} else {
			g.criteria, g.paths = append(g.criteria, fieldCriterion{path}), append(g.paths, path)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.FieldValue)) {
		if path, err := ParsePath(key); err != nil {
			refuse(NameFieldValue, key, err)
		} else {
			g.criteria, g.paths = append(g.criteria, valueCriterion{path, c.FieldValue[key]}), append(g.paths, path)
		}
	}
	if c.Condition != "" {
		if condition, err := parseCondition(c.Condition); err != nil {
			refuse(NameCondition, "", err)
		} else {
			g.criteria = append(g.criteria, condition)
		}
	}
	if c.Ready {
		g.criteria = append(g.criteria, readyCriterion{})
	}
	if c.Rollout {
		g.criteria = append(g.criteria, rolloutCriterion{})
	}
	if c.Expression != "" {
		if expression, err := parseExpression(c.Expression); err != nil {
			refuse(NameExpression, "", err)
		} else {
			g.criteria = append(g.criteria, expressionCriterion{expression})
		}
	}
	if c.FailWhen != "" {
		var err error
		if g.failWhen, err = parseExpression(c.FailWhen); err != nil {
			refuse(NameFailWhen, "", err)
		}
	}
	switch others := c.Field != "" || len(c.FieldValue) > 0 || c.Condition != "" || c.Ready || c.Rollout || c.Expression != ""; {
	case !others && !c.Deleted:
		problems = append(problems, Problem{Reason: "Say what to wait for: at least one of field, fieldValue, condition, " +
			"ready, rollout, expression and deleted."})
	case others && c.Deleted:
		problems = append(problems, Problem{NameDeleted, "", "An object that is gone has no fields and conditions to wait for."})
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return g, nil
}

// String says what is waited for, in one line.
func (g *Goal) String() string {
	if g.deleted {
		return "deletion"
	}
	texts := make([]string, len(g.criteria))
	for i, c := range g.criteria {
		texts[i] = c.String()
	}
	return strings.Join(texts, " and ")
}

// ForDeletion reports whether it is the object's absence that is waited for.
func (g *Goal) ForDeletion() bool { return g.deleted }

// WaitsForStatus reports whether what is waited for is something that a controller writes
// into the status.
func (g *Goal) WaitsForStatus() bool {
	return slices.ContainsFunc(g.criteria, func(c criterion) bool {
		switch c.(type) {
		case conditionCriterion, readyCriterion:
			return true
		default:
			return c.readsStatus()
		}
	})
}

// Verdict is what one state of an object means for a goal.
type Verdict struct {
	// Holds says that everything is as it should be.
	Holds bool
	// Failed says why it never will be.
	Failed string
	// Next says what would help then, where that is known.
	Next string
	// Missing says what is not as it should be yet, a line each.
	Missing []string
	// Doubt says why it may be wrong to wait for it, where the object itself does not tell.
	Doubt Doubt
}

// Judge evaluates one state of an object; nil says that it is not there. What is being
// deleted is ready for nothing but its deletion, and what a status says that is
// [outdated] counts neither for the goal nor against it.
func (g *Goal) Judge(live *unstructured.Unstructured) Verdict {
	if live == nil {
		return Verdict{Holds: g.deleted, Missing: g.unlessDeleted("it does not exist yet")}
	}
	behind := outdated(live.Object)
	if failed := g.failsWhen(live.Object, behind); failed != "" {
		return Verdict{Failed: failed}
	}
	if g.deleted {
		return Verdict{Missing: []string{stillThere(live)}}
	}
	terminating := live.GetDeletionTimestamp() != nil
	var verdict Verdict
	if terminating {
		verdict.Missing = append(verdict.Missing, stillThere(live))
	}
	for _, c := range g.criteria {
		if missing := shortfall(c, live.Object, behind); missing != "" {
			verdict.Missing = append(verdict.Missing, missing)
		}
	}
	verdict.Holds = len(verdict.Missing) == 0
	if !verdict.Holds && !terminating && behind == "" {
		final := cmp.Or(terminalFailure{why: terminallyFailed(live.Object)}, g.final(live.Object))
		verdict.Failed, verdict.Next = final.why, final.next
		if verdict.Failed == "" {
			verdict.Doubt = g.doubt(live.Object, verdict.Missing)
		}
	}
	return verdict
}

// failsWhen says which expression ends the waiting as failed; else "".
func (g *Goal) failsWhen(object map[string]any, behind string) string {
	// Fields that an expression reads may not be there yet; then it is not true.
	isTrue := func(e *expression) bool {
		if behind != "" && e.readsStatus() {
			return false
		}
		failed, err := e.evaluate(object)
		return err == nil && failed
	}
	if g.failWhen != nil && isTrue(g.failWhen) {
		return "failWhen is true: " + g.failWhen.text
	}
	if ready, asked := g.ready(); asked {
		if failure := ready.rule(object).failWhen; failure != nil && isTrue(failure.expression) {
			return fmt.Sprintf("failWhen of the provider's readiness rule for %s is true: %s", failure.kinds, failure.text)
		}
	}
	return ""
}

func (g *Goal) unlessDeleted(missing string) []string {
	if g.deleted {
		return nil
	}
	return []string{missing}
}

func stillThere(live *unstructured.Unstructured) string {
	switch {
	case live.GetDeletionTimestamp() == nil:
		return "it is still there, and nobody has deleted it"
	case len(live.GetFinalizers()) > 0:
		return "it is being deleted and held by the finalizers " + strings.Join(live.GetFinalizers(), ", ")
	default:
		return "it is being deleted"
	}
}

// Extract gives the fields that are waited for, with the structure around them; nil
// if none are.
func (g *Goal) Extract(live *unstructured.Unstructured) map[string]any {
	if len(g.paths) == 0 || live == nil {
		return nil
	}
	var e extract
	for _, path := range g.paths {
		e.add(live.Object, path)
	}
	fields, _ := e.tree().(map[string]any)
	return fields
}
