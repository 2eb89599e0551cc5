package readiness

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// libraryFiles are the rules for the kinds of well-known operators, one file per operator.
//
//go:embed library/*.yaml
var libraryFiles embed.FS

// operatorRules is one file of the library.
type operatorRules struct {
	Operator string `json:"operator"`
	// Version is the version of the operator that the rules are written for.
	Version string `json:"version"`
	// Sources are the pages that describe the status.
	Sources []string      `json:"sources"`
	Rules   []libraryRule `json:"rules"`
}

// libraryRule says when the objects of some kinds are ready. Everything that it asks for must hold.
type libraryRule struct {
	// Groups are API groups, or "*.example.org" for all below example.org.
	Groups []string `json:"groups"`
	// Kinds are the kinds in these groups; "*" stands for all that no other rule names.
	Kinds      []string `json:"kinds"`
	APIVersion string   `json:"apiVersion"`
	// Exists means that an object is ready as soon as it exists.
	Exists bool `json:"exists"`
	// Conventional asks for what the conventions of custom kinds ask for.
	Conventional bool `json:"conventional"`
	// Conditions must hold: "Ready" or "Ready=False".
	Conditions []string `json:"conditions"`
	// Ready is a CEL expression over object.
	Ready string `json:"ready"`
	// Shows are the fields that a report names while an object is not ready, and Messages those that explain it.
	Shows    []string `json:"shows"`
	Messages []string `json:"messages"`
	// Failed is a CEL expression over object: true if an object that is not ready will not become so by itself.
	Failed string `json:"failed"`
	// Suspended is a CEL expression over object, beside the fields and annotations that suspend an object by convention.
	Suspended string `json:"suspended"`

	compiled func() (rule, error)
}

// library reads the rules. A test proves that all of them can be read and compiled.
var library = sync.OnceValues(func() ([]operatorRules, error) {
	names, err := fs.Glob(libraryFiles, "library/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []operatorRules
	for _, name := range names {
		text, err := libraryFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var rules operatorRules
		if err := yaml.UnmarshalStrict(text, &rules); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range rules.Rules {
			// Compiling takes longer than reading, and a program uses few of the kinds.
			rules.Rules[i].compiled = sync.OnceValues(rules.Rules[i].compile)
		}
		all = append(all, rules)
	}
	return all, nil
})

// libraryRuleOf returns the rule of the library for a kind.
func libraryRuleOf(kind schema.GroupKind) (rule, bool) {
	found := findInLibrary(kind)
	if found == nil {
		return rule{}, false
	}
	compiled, err := found.compiled()
	return compiled, err == nil
}

// findInLibrary returns the rule that fits a kind best: one that names the kind, and then one that names the group.
func findInLibrary(kind schema.GroupKind) *libraryRule {
	files, _ := library()
	var best *libraryRule
	most := 0
	for f := range files {
		for r := range files[f].Rules {
			if fit := files[f].Rules[r].fit(kind); fit > most {
				most, best = fit, &files[f].Rules[r]
			}
		}
	}
	return best
}

// fit says how well a rule fits a kind; 0 means that it does not.
func (l *libraryRule) fit(kind schema.GroupKind) int {
	byKind, byGroup := 0, 0
	switch {
	case slices.Contains(l.Kinds, kind.Kind):
		byKind = 2
	case slices.Contains(l.Kinds, anyKind):
		byKind = 1
	}
	for _, group := range l.Groups {
		below, isPattern := strings.CutPrefix(group, anyKind)
		switch {
		case group == kind.Group:
			byGroup = 2
		case isPattern && strings.HasSuffix(kind.Group, below):
			byGroup = max(byGroup, 1)
		}
	}
	if byKind == 0 || byGroup == 0 {
		return 0
	}
	return 2*byKind + byGroup
}

// compile makes the rule that judges objects.
func (l *libraryRule) compile() (rule, error) {
	judge := libraryJudge{conventional: l.Conventional}
	if l.Exists {
		return rule{}, nil // Like a CronJob, it is ready although it may be suspended.
	}
	for _, paths := range []struct {
		texts []string
		into  *[]Path
	}{{l.Shows, &judge.shows}, {l.Messages, &judge.messages}} {
		for _, text := range paths.texts {
			path, err := ParsePath(text)
			if err != nil {
				return rule{}, err
			}
			*paths.into = append(*paths.into, path)
		}
	}
	for _, text := range l.Conditions {
		condition, err := parseCondition(text)
		if err != nil {
			return rule{}, err
		}
		judge.conditions = append(judge.conditions, condition)
	}
	for _, part := range []struct {
		text string
		into **expression
	}{{l.Ready, &judge.ready}, {l.Failed, &judge.failed}, {l.Suspended, &judge.suspended}} {
		if part.text == "" {
			continue
		}
		compiled, err := parseExpression(part.text)
		if err != nil {
			return rule{}, err
		}
		*part.into = compiled
	}
	if !l.Conventional && judge.ready == nil && len(judge.conditions) == 0 {
		return rule{}, errors.New("it does not say when an object is ready")
	}
	return rule{missing: judge.missing, final: judge.final, suspended: judge.isSuspended}, nil
}

// libraryJudge is a compiled rule of the library.
type libraryJudge struct {
	conventional             bool
	conditions               []conditionCriterion
	ready, failed, suspended *expression
	shows, messages          []Path
}

// missing says what an object lacks, with the messages that explain it.
func (j libraryJudge) missing(object map[string]any) string {
	missing := j.lacking(object)
	if missing == "" {
		return ""
	}
	for _, path := range j.messages {
		for _, node := range path.selected(object) {
			if message := textOf(node.Node); !isEmpty(node.Node) && !strings.Contains(missing, message) {
				missing += ": " + message
			}
		}
	}
	return missing
}

func (j libraryJudge) lacking(object map[string]any) string {
	for _, condition := range j.conditions {
		if missing := condition.missing(object); missing != "" {
			// Some operators have a condition of its own for the opposite.
			if not := failedCondition(object, "Not"+condition.kind, "True", ""); not != "" {
				return not
			}
			return missing
		}
	}
	if j.ready != nil && !holds(j.ready, object) {
		return j.shown(object)
	}
	if j.conventional {
		return judgeConventions(object).missing
	}
	return ""
}

// shown quotes the fields that say how an object is.
func (j libraryJudge) shown(object map[string]any) string {
	var parts []string
	for _, path := range j.shows {
		for _, node := range path.selected(object) {
			if !isEmpty(node.Node) {
				parts = append(parts, fmt.Sprintf("%s is %s", path, textOf(node.Node)))
			}
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case isUnwritten(object["status"]):
		return "no status yet"
	case len(j.messages) > 0:
		return "not ready"
	default:
		return j.ready.text + " is false"
	}
}

func (j libraryJudge) final(object map[string]any) terminalFailure {
	if stalled := failedCondition(object, "Stalled", "True", ""); stalled != "" {
		return because(stalled, "correct what the condition says")
	}
	if j.failed == nil || !holds(j.failed, object) {
		return terminalFailure{}
	}
	return because(j.missing(object), "correct what it says")
}

func (j libraryJudge) isSuspended(object map[string]any) terminalFailure {
	if isSchedule(object) {
		return terminalFailure{}
	}
	if by, next := switchedOff(object); by != "" {
		return suspension(fmt.Sprintf("it is suspended (%s), so its controller leaves it alone", by), next)
	}
	if j.suspended == nil || !holds(j.suspended, object) {
		return terminalFailure{}
	}
	why := "it is suspended"
	if missing := j.missing(object); missing != "" {
		why += ": " + missing
	}
	return suspension(why, "resume it")
}

// holds reports whether an expression is true. It is not while a field that it reads is missing.
func holds(e *expression, object map[string]any) bool {
	is, err := e.evaluate(object)
	return err == nil && is
}
