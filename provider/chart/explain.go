package chart

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// mistakesError is what is wrong with what a chart has rendered.
type mistakesError struct{ wrong check.Mistakes }

func (e *mistakesError) Error() string { return e.wrong[0].Reason }

// explain says why a release cannot be rendered. The text contains no secret value in any encoding, although messages of templates may
// quote one.
func (r *release) explain(ctx context.Context, name string, err error) error {
	var wrong *mistakesError
	var schema *chart.SchemaError
	var template *chart.TemplateError
	var limit *chart.LimitError
	var lookup *lookupError
	reason := failure.ReasonInvalid
	if errors.As(err, &lookup) {
		reason, _ = failure.ReasonOf(lookup)
	} else {
		err = r.withoutSecrets(ctx, err)
	}
	switch {
	case err == nil, tracked.IsRefusal(err):
		return err
	case errors.As(err, &wrong):
		return sets.Refused("Chart", name, wrong.wrong)
	case errors.As(err, &schema):
		var mistakes check.Mistakes
		for _, problem := range schema.Problems {
			mistakes.Add(values.JoinPath(keyValues, problem.Path), problem.Reason)
		}
		return sets.Refused("Chart", name, mistakes)
	case errors.As(err, &lookup):
		return lookup.advise(reason, name, r.redact)
	case errors.As(err, &template):
		return failure.Errorf(reason, "the chart of %q cannot be rendered: %s", name, r.redact(err.Error()))
	case errors.As(err, &limit):
		return failure.Errorf(failure.ReasonChartUnusable, "the chart of %q cannot be rendered: %w", name, err)
	default:
		return fmt.Errorf("the chart of %q: %w", name, err)
	}
}

// withoutSecrets is what may be shown of an error of a rendering.
func (r *release) withoutSecrets(ctx context.Context, err error) error {
	if r.chart == nil || r.secrets.Empty() && len(r.sensitive()) == 0 {
		return err
	}
	return r.chart.Shown(ctx, chart.Partly{Release: r.release, Values: r.values, Secrets: r.secrets, Lookup: r.lookups.Lookup}, err)
}

// sensitive are the texts that nothing may show.
func (r *release) sensitive() []string {
	return slices.Concat(tracked.Sensitive(r.values, r.secrets), r.drawn, r.lookups.secretTexts())
}

// redact hides the secret values of a release in what was said while it was rendered.
func (r *release) redact(text string) string {
	return failure.NewRedactor(r.sensitive()).Redact(text)
}

// errNotDrawn says that templates draw values in this update that they did not draw when the record was updated.
func errNotDrawn(keys []string) error {
	return failure.Errorf(failure.ReasonConflict, "the chart draws values that are not remembered: %s.\nIf the command has --target, target the whole "+
		"Chart. With --run-program, a refresh or a destroy changes no record: run `pulumi up` first, or the command without it. Otherwise what its "+
		"templates look up has changed during the update: run the command again", strings.Join(keys, ", "))
}

// maxNamed is how many values a message names.
const maxNamed = 10

// named names keys of values.
func named(keys []string) string {
	if more := len(keys) - maxNamed; more > 0 {
		return strings.Join(keys[:maxNamed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(keys, ", ")
}

// explainDropped says which values are no longer kept.
func explainDropped(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return "There are too many random values whose templates are gone. The oldest are no longer kept: " + named(keys) + "."
}

// againText announces in a preview which values are replaced.
const againText = "These values will be drawn again: "

// announce says what a preview shows nowhere else: that a release is taken over, and what happens to random values.
func (d *rendered) announce(remembered memory, shown func(keys []string) []string) string {
	var texts []string
	if d.adopts {
		texts = append(texts, fmt.Sprintf("The release is taken over. If Helm has installed it, Helm's own records of it stay: Secrets "+
			"sh.helm.release.v1.%s.v* in namespace %s. Delete them when you are done with Helm: as long as they are there, `helm uninstall` would delete "+
			"the objects.", d.name.Name, d.name.Namespace))
	}
	if text := explainKept(shown(d.inherited)); text != "" {
		texts = append(texts, text)
	}
	if len(d.inherited) > 0 && !remembered.exists() && len(d.again) > 0 {
		texts = append(texts, againText+named(shown(d.again))+".")
	}
	if !remembered.exists() {
		return strings.Join(texts, " ")
	}
	var moved []string
	for _, key := range slices.Sorted(maps.Keys(d.moved)) {
		names := append(slices.Clone(shown([]string{d.moved[key]})), shown([]string{key})...)
		moved = append(moved, strings.Join(names, " -> "))
	}
	for _, one := range []struct {
		keys       []string
		text, then string
	}{
		{moved, "Random values stay with what they are for, which other templates draw now: ", "."},
		{shown(d.missing), "New random values will be drawn: ", "."},
		{shown(d.doubtful), "They are drawn, although values of before may be theirs under other names: ", ". To keep a value, set it in `values`."},
		{shown(d.again), againText, "."},
		{shown(d.kept), "Nothing uses these values any more, so they are kept for their return: ", "."},
		{shown(d.forgotten), "Nothing uses these values, and they are forgotten, because they were to be drawn again: ", "."},
	} {
		if len(one.keys) > 0 {
			texts = append(texts, one.text+named(one.keys)+one.then)
		}
	}
	return strings.Join(texts, " ")
}

// loops are the keys of loops in the key of a value.
var loops = regexp.MustCompile(`\[[^\]]*\]`)

// shown returns keys of values as they may be shown. Where values are secret, the keys of loops may be.
func (r *release) shown(keys []string) []string {
	if r.secrets.Empty() {
		return keys
	}
	var shown []string
	for _, key := range keys {
		shown = append(shown, loops.ReplaceAllString(key, "[…]"))
	}
	return slices.Compact(shown)
}
