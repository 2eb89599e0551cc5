package readiness

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Criteria say what to wait for. All that are set must hold at once.
type Criteria struct {
	// Field is a path that must have a value: neither null nor an empty text, list or map.
	Field string
	// FieldValue maps paths to the values that they must have, as text.
	FieldValue map[string]string
	// Condition is a status condition such as "Ready", "Ready=False" or "Ready=Unknown".
	Condition string
	// Ready waits until the object is ready by the rules of its kind.
	Ready bool
	// Rollout waits until all pods of a Deployment, StatefulSet or DaemonSet are new and ready.
	Rollout bool
	// Expression is a CEL expression over object that must be true.
	Expression string
	// HTTP waits until the object answers a request.
	HTTP *HTTP
	// Deleted waits until the object is gone.
	Deleted bool
	// FailWhen is a CEL expression over object that ends the wait as failed.
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
	NameHTTP       = "http"
	NameDeleted    = "deleted"
	NameFailWhen   = "failWhen"
)

// Problem is a criterion that cannot be used.
type Problem struct {
	// Criterion is its name; empty if it is about all of them.
	Criterion string
	// Key is the path, for a FieldValue.
	Key string
	// Reason says what is wrong.
	Reason string
}

// criterion is one condition that must hold.
type criterion interface {
	fmt.Stringer
	// missing says what an object lacks until the criterion holds; "" when it holds.
	missing(object map[string]any) string
	// readsStatus reports whether the criterion may look below status and lets [outdated] decide whether that is
	// evidence.
	readsStatus() bool
}

// Goal is a set of compiled criteria. It is safe for concurrent use.
type Goal struct {
	criteria []criterion
	paths    []Path
	deleted  bool
	failWhen *expression
}

// Compile compiles criteria. If there are problems, there is no goal.
func Compile(c Criteria) (*Goal, []Problem) {
	made := compilation{goal: &Goal{deleted: c.Deleted}}
	made.fields(c)
	made.states(c)
	made.failure(c.FailWhen)
	switch {
	case !made.asked && !c.Deleted:
		made.refuse("", "", "Say what to wait for: at least one of field, fieldValue, condition, "+
			"ready, rollout, expression, http and deleted.")
	case made.asked && c.Deleted:
		made.refuse(NameDeleted, "", "An object that is gone has no fields and conditions to wait for.")
	}
	if len(made.problems) > 0 {
		return nil, made.problems
	}
	return made.goal, nil
}

// compilation is a goal that is being made.
type compilation struct {
	goal     *Goal
	problems []Problem
	// asked means that something else than deletion is waited for.
	asked bool
}

func (c *compilation) refuse(criterion, key, reason string) {
	c.problems = append(c.problems, Problem{criterion, key, reason})
}

// add adds a criterion, unless it cannot be used.
func (c *compilation) add(name, key string, parsed criterion, err error) {
	c.asked = true
	if err != nil {
		c.refuse(name, key, err.Error())
		return
	}
	c.goal.criteria = append(c.goal.criteria, parsed)
}

// fields adds what is about fields, whose values can be extracted.
func (c *compilation) fields(from Criteria) {
	parse := func(text string) (Path, error) {
		path, err := ParsePath(text)
		if err == nil {
			c.goal.paths = append(c.goal.paths, path)
		}
		return path, err
	}
	if from.Field != "" {
		path, err := parse(from.Field)
		c.add(NameField, "", fieldCriterion{path}, err)
	}
	for _, key := range slices.Sorted(maps.Keys(from.FieldValue)) {
		path, err := parse(key)
		c.add(NameFieldValue, key, valueCriterion{path, from.FieldValue[key]}, err)
	}
}

// states adds what is about the object as a whole.
func (c *compilation) states(from Criteria) {
	if from.Condition != "" {
		condition, err := parseCondition(from.Condition)
		c.add(NameCondition, "", condition, err)
	}
	if from.Ready {
		c.add(NameReady, "", readyCriterion{}, nil)
	}
	if from.Rollout {
		c.add(NameRollout, "", rolloutCriterion{}, nil)
	}
	if from.Expression != "" {
		expression, err := parseExpression(from.Expression)
		c.add(NameExpression, "", expressionCriterion{expression}, err)
	}
	if from.HTTP != nil {
		c.add(NameHTTP, "", httpCriterion{*from.HTTP}, nil)
	}
}

func (c *compilation) failure(text string) {
	if text == "" {
		return
	}
	expression, err := parseExpression(text)
	if err != nil {
		c.refuse(NameFailWhen, "", err.Error())
	}
	c.goal.failWhen = expression
}

// String describes the goal in one line.
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

// ForDeletion reports whether the goal is the object's absence.
func (g *Goal) ForDeletion() bool { return g.deleted }

// WaitsForStatus reports whether the goal depends on something that a controller writes into the status.
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
	// Holds means that the goal is reached.
	Holds bool
	// Failed says why the goal can never be reached.
	Failed string
	// Next says what would help then, if that is known.
	Next string
	// Suspended means that it failed because someone has suspended the object.
	Suspended bool
	// Guessed says what the object was judged by, if that it is ready is no more than a guess.
	Guessed string
	// Missing says what is not yet as required, one line each.
	Missing []string
	// Doubt says why waiting may be wrong, if the object itself does not tell.
	Doubt Doubt
}

// Judge evaluates one state of an object; nil means that it does not exist. An object that is being deleted is ready
// for nothing but its deletion, and an [outdated] status counts neither for the goal nor against it. If the goal is an answer,
// it never holds: only asking tells.
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
	asked, asks := g.HTTP()
	unanswered := asks && len(verdict.Missing) == 0
	if unanswered {
		verdict.Missing = []string{httpCriterion{asked}.unanswered()}
	}
	verdict.Holds = len(verdict.Missing) == 0
	switch final := g.finally(live.Object, verdict.Holds, behind); {
	case terminating:
	case final.why != "":
		verdict.Holds, verdict.Failed, verdict.Next, verdict.Suspended = false, final.why, final.next, final.suspended
	case unanswered:
		verdict.Doubt = NoAnswer
	case verdict.Holds:
		verdict.Guessed = g.guessed(live.Object)
	case behind == "":
		verdict.Doubt = g.doubt(live.Object, verdict.Missing)
	}
	return verdict
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

// Extract returns the fields that the goal waits for, with the structure around them; nil if there are none.
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
