package readiness

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// rule says when the objects of a kind are ready. Its parts are pure functions of one state of an object; the zero value
// is the rule of a kind whose objects are ready as soon as they exist.
type rule struct {
	// missing says what an object lacks until it is ready; "" when it is ready.
	missing func(object map[string]any) string
	// ignoresStatus means that missing does not look below status.
	ignoresStatus bool
	// final says why an object that is not ready never will be.
	final func(object map[string]any) terminalFailure
	// suspended says that the object is suspended, whether or not it lacks anything.
	suspended func(object map[string]any) terminalFailure
	// guessed says what a ready object was judged by, if that is no more than a guess.
	guessed func(object map[string]any) string
	// doubt says why waiting for what an object lacks may be wrong.
	doubt func(object map[string]any) Doubt
	// failWhen ends the wait as failed, even if nothing is missing.
	failWhen *ruleFailure
}

// readyCriterion holds when an object is ready by the rules of its kind.
type readyCriterion struct {
	rules    *Rules
	declared *declaredRule
}

func (readyCriterion) String() string { return "readiness" }

// readsStatus is false: whether the status is evidence depends on the rule, see missing.
func (readyCriterion) readsStatus() bool { return false }

func (c readyCriterion) missing(object map[string]any) string {
	rule := c.rule(object)
	if rule.missing == nil {
		return ""
	}
	missing := rule.missing(object)
	if behind := outdated(object); missing == "" && behind != "" && !rule.ignoresStatus {
		return c.String() + " is out of date: " + behind
	}
	return missing
}

// HasReadiness reports whether objects of a kind become ready some time after they were made. All others are ready at once.
func (r *Rules) HasReadiness(kind schema.GroupKind) bool {
	rule := readyCriterion{rules: r}.ruleOf(kind)
	return rule.missing != nil || rule.failWhen != nil
}

// rule returns the user's first rule for a kind, otherwise the built-in one, otherwise the one that its
// CustomResourceDefinition declares, otherwise that of the library. Kubernetes' own kinds that the table leaves out are ready
// at once; all others are assumed to follow the conventions.
func (c readyCriterion) rule(object map[string]any) rule { return c.ruleOf(kindOf(object)) }

func (c readyCriterion) ruleOf(kind schema.GroupKind) rule {
	if configured, found := c.rules.find(kind); found {
		return configured
	}
	if rule, found := builtIn[kind]; found {
		return rule
	}
	if kinds.OwnGroup(kind.Group) {
		return rule{}
	}
	if declared, found := c.declared.of(kind); found {
		return declared
	}
	if known, found := libraryRuleOf(kind); found {
		return known
	}
	return conventional
}

// terminalFailure says why more time would not help, and what would. It is empty if more time may help.
type terminalFailure struct {
	why, next string
	// suspended means that someone has suspended the object.
	suspended bool
}

func kindOf(object map[string]any) schema.GroupKind {
	live := unstructured.Unstructured{Object: object}
	return live.GroupVersionKind().GroupKind()
}

// Doubt says why it may be wrong to wait for the only thing that an object lacks. One state of the object cannot
// tell; a caller that can ask the cluster decides.
type Doubt int

// The doubts.
const (
	// NoDoubt means that waiting is right.
	NoDoubt Doubt = iota
	// NoStatus means that nothing has written the status of a custom kind, and perhaps nothing ever will.
	NoStatus
	// NoConsumer means that a claim has no volume, and may get one only when a pod uses it.
	NoConsumer
	// NoAnswer means that nothing is missing but an answer, for which [Options.Ask] asks.
	NoAnswer
)

// ready returns the readiness criterion, if the goal has one.
func (g *Goal) ready() (readyCriterion, bool) {
	for _, c := range g.criteria {
		if ready, is := c.(readyCriterion); is {
			return ready, true
		}
	}
	return readyCriterion{}, false
}

// final says why an object that is not ready never will be.
func (g *Goal) final(object map[string]any) terminalFailure {
	if ready, asked := g.ready(); asked {
		if rule := ready.rule(object); rule.final != nil {
			return rule.final(object)
		}
	}
	return terminalFailure{}
}

// suspended says that an object is suspended, if readiness is asked for and its rule knows.
func (g *Goal) suspended(object map[string]any) terminalFailure {
	if ready, asked := g.ready(); asked {
		if rule := ready.rule(object); rule.suspended != nil {
			return rule.suspended(object)
		}
	}
	return terminalFailure{}
}

// guessed says what a ready object was judged by, if that is no more than a guess.
func (g *Goal) guessed(object map[string]any) string {
	if ready, asked := g.ready(); asked {
		if rule := ready.rule(object); rule.guessed != nil {
			return rule.guessed(object)
		}
	}
	return ""
}

// doubt says why waiting for the readiness of an object that lacks nothing else may be wrong.
func (g *Goal) doubt(object map[string]any, missing []string) Doubt {
	ready, asked := g.ready()
	if !asked || len(missing) != 1 || missing[0] != ready.missing(object) {
		return NoDoubt
	}
	if rule := ready.rule(object); rule.doubt != nil {
		return rule.doubt(object)
	}
	return NoDoubt
}
