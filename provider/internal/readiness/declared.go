package readiness

import (
	"errors"
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// DeclaredBy is the annotation with which a CustomResourceDefinition declares the rule for its kind: a map in YAML or JSON with
// the expression and perhaps failWhen, as in a [UserRule].
const DeclaredBy = "k8sconnect.io/readiness"

// declaredRule is the rule that the CustomResourceDefinition of the awaited kind declares, as soon as it is known: the definition
// may be younger than the wait. Nil has none.
type declaredRule struct{ known atomic.Pointer[ruleOfKind] }

type ruleOfKind struct {
	kind schema.GroupKind
	rule rule
}

func (d *declaredRule) of(kind schema.GroupKind) (rule, bool) {
	if d == nil {
		return rule{}, false
	}
	if known := d.known.Load(); known != nil && known.kind == kind {
		return known.rule, true
	}
	return rule{}, false
}

// MayBeDeclared reports whether a rule that the CustomResourceDefinition of a kind declares would decide.
func (g *Goal) MayBeDeclared(kind schema.GroupKind) bool {
	ready, asked := g.ready()
	if !asked || ready.declared == nil || kinds.OwnGroup(kind.Group) {
		return false
	}
	_, configured := ready.rules.find(kind)
	_, builtin := builtIn[kind]
	return !configured && !builtin
}

// Declare adds the rule that the CustomResourceDefinition of a kind declares; an empty text takes it away. It may be called
// while a wait judges by the goal. If the rule cannot be used, the error says why, and there is none.
func (g *Goal) Declare(kind schema.GroupKind, text string) error {
	ready, asked := g.ready()
	if !asked || ready.declared == nil {
		return nil
	}
	ready.declared.known.Store(nil)
	if text == "" {
		return nil
	}
	var parts struct {
		Expression string `json:"expression"`
		FailWhen   string `json:"failWhen"`
	}
	if err := yaml.UnmarshalStrict([]byte(text), &parts); err != nil {
		return err
	}
	var mistakes []error
	compiled := compileRule(parts.Expression, parts.FailWhen, "the rule that its CustomResourceDefinition declares",
		func(part string, err error) { mistakes = append(mistakes, fmt.Errorf("%s: %w", part, err)) })
	if len(mistakes) > 0 {
		return errors.Join(mistakes...)
	}
	ready.declared.known.Store(&ruleOfKind{kind, compiled})
	return nil
}
