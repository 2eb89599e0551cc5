package chart

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// taint is what a part of an object depends on.
type taint int

const (
	onUnknown taint = iota // values that are not known yet
	onSecret               // secret values
	onDrawn                // values that were drawn at random
)

// finding finds out what depends on values of one kind. The first rendering is the actual one.
type finding struct {
	*partly

	of      taint
	first   *outcome
	options draws.Options   // for renderings that draw the same values as the first one
	only    map[string]bool // the templates that can depend on these values; nil if any can

	exchanged []*outcome // renderings in which all values of the kind are replaced
	further   []*outcome // renderings of more variants
	rendered  int        // renderings so far
	written   int        // bytes in them
}

// errSpread means that a template has told others what it has used, but only in a variant. The search starts over, in all templates.
var errSpread = errors.New("any template can depend on the exchanged values")

// compare renders a variant and marks what differs. It returns nil if the variant cannot be rendered.
func (f *finding) compare(v variant, options draws.Options) (*outcome, error) {
	if f.rendered++; f.rendered > maxRenderings || f.written > maxCompared {
		return nil, nil
	}
	v.only = f.only
	other, err := f.render(v, draws.NewSession(options))
	switch {
	case err == nil && v.only != nil && other.reach.spread:
		return nil, errSpread
	case f.ctx.Err() != nil:
		return nil, context.Cause(f.ctx)
	case err != nil:
		return nil, nil
	}
	f.written += other.written
	f.result.mark(f.of, other)
	return other, nil
}

// exchange compares with a rendering in which all values of the kind are replaced.
func (f *finding) exchange(v variant, options draws.Options) error {
	other, err := f.compare(v, options)
	if other != nil {
		f.exchanged = append(f.exchanged, other)
	}
	return err
}

// conclude compares with more variants, and with renderings in which the decisions of templates are inverted.
func (f *finding) conclude(more []variant) error {
	f.unseen()
	for _, v := range more {
		other, err := f.compare(v, f.options)
		if err != nil {
			return err
		}
		f.further = append(f.further, other)
	}
	depending := f.depending()
	if err := f.sameError(depending); err != nil {
		return err
	}
	f.hiding(depending)
	if err := f.decideOtherwise(depending); err != nil {
		return err
	}
	for i, other := range f.further {
		if other != nil {
			if err := f.decideFurther(more[i], other, depending); err != nil {
				return err
			}
		}
	}
	return nil
}

// unseen marks templates that no rendering with exchanged values can render: it is not known what depends on these values.
func (f *finding) unseen() {
	for _, file := range slices.Sorted(maps.Keys(f.first.texts)) {
		shown := func(other *outcome) bool { return other.failed[file] == nil }
		if !slices.ContainsFunc(f.exchanged, shown) {
			if f.result.whole(f.of, file) && f.of == onUnknown {
				f.result.warn(file, "it cannot be rendered with each of several values")
			}
		}
	}
}

// depending are the function calls whose arguments depend on the exchanged values, in order.
func (f *finding) depending() []call {
	return slices.DeleteFunc(slices.Clone(f.first.calls.order), func(made call) bool {
		if !slices.ContainsFunc(f.first.calls.seen[made].files, f.reaches) {
			return true
		}
		return !slices.ContainsFunc(f.exchanged, func(other *outcome) bool { return other.calls.seen[made] == nil })
	})
}

// reaches reports whether a template can depend on the exchanged values.
func (f *finding) reaches(file string) bool { return f.only == nil || f.only[file] }

// sameError returns an error if a comparison has failed on known values only: the chart cannot be rendered.
func (f *finding) sameError(depending []call) error {
	for made, seen := range f.first.calls.seen {
		if seen.failed && !slices.Contains(depending, made) {
			return f.failure(f.first)
		}
	}
	return nil
}

// hiding marks the templates that call a function whose result is the same for all the exchanged values.
func (f *finding) hiding(depending []call) {
	for _, made := range depending {
		if noted := f.first.calls.seen[made]; !noted.decides && f.sameOfAll(made, noted) {
			f.hides(made, noted)
		}
	}
}

func (f *finding) hides(made call, noted *seen) {
	for _, file := range noted.files {
		if f.reaches(file) && f.result.whole(f.of, file) && f.of == onUnknown {
			f.result.warn(file, fmt.Sprintf("%s makes the same of all values%s", made.function, f.chart.lineOf(file, made.function)))
		}
	}
}

// sameOfAll reports whether the function's result is the same in all renderings with other values.
func (f *finding) sameOfAll(made call, noted *seen) bool {
	shows := func(other *outcome) bool {
		any := false
		for _, theirs := range other.calls.order {
			if theirs.function != made.function || f.first.calls.seen[theirs] != nil {
				continue
			}
			if other.calls.seen[theirs].result == noted.result {
				return false
			}
			any = true
		}
		return any || !noted.hides // the rendering may not have reached the call
	}
	return len(f.exchanged) > 0 && !slices.ContainsFunc(f.exchanged, shows)
}

// decideOtherwise compares with renderings in which decisions of templates are inverted: all together, each one alone, and further
// decisions that are made only then.
func (f *finding) decideOtherwise(depending []call) error {
	var decisions []call
	for _, made := range depending {
		if f.first.calls.seen[made].decides {
			decisions = append(decisions, made)
		}
	}
	if len(decisions) > 1 {
		if _, err := f.compare(variant{otherwise: callSet(decisions...)}, f.options); err != nil {
			return err
		}
	}
	for _, decision := range decisions {
		if err := f.decide(decision); err != nil {
			return err
		}
	}
	return nil
}

// decide compares with a rendering in which one decision is inverted.
func (f *finding) decide(decision call) error {
	other, err := f.compare(variant{otherwise: callSet(decision)}, f.options)
	if err != nil {
		return err
	}
	if other == nil {
		f.tooMany(decision, f.first.calls.seen[decision])
		return nil
	}
	return f.decideFurther(variant{otherwise: callSet(decision)}, other, nil)
}

// decideFurther compares with renderings of a variant in which the decisions that are made only there are inverted. If there are renderings
// left, it then inverts the decisions from elsewhere, too.
func (f *finding) decideFurther(v variant, other *outcome, elsewhere []call) error {
	for _, further := range f.onlyIn(other) {
		noted := other.calls.seen[further]
		if !noted.decides {
			if noted.hides {
				f.hides(further, noted)
			}
			continue
		}
		more, err := f.compare(v.with(further), f.options)
		if err != nil {
			return err
		}
		if more == nil {
			f.tooMany(further, noted)
		}
	}
	for _, decision := range elsewhere {
		if noted := other.calls.seen[decision]; noted != nil && noted.decides {
			if _, err := f.compare(v.with(decision), f.options); err != nil {
				return err
			}
		}
	}
	return nil
}

// onlyIn are the calls of a rendering that neither the first rendering nor one with exchanged values has made.
func (f *finding) onlyIn(other *outcome) []call {
	return slices.DeleteFunc(slices.Clone(other.calls.order), func(made call) bool {
		known := func(one *outcome) bool { return one.calls.seen[made] != nil }
		return known(f.first) || slices.ContainsFunc(f.exchanged, known)
	})
}

// tooMany marks the templates with a decision that cannot be tried, because no rendering is left.
func (f *finding) tooMany(decision call, noted *seen) {
	for _, file := range noted.files {
		if f.reaches(file) && f.result.whole(f.of, file) && f.of == onUnknown {
			f.result.warn(file, "it decides more than can be tried"+f.chart.lineOf(file, decision.function))
		}
	}
}

// cannotRender marks templates that cannot be rendered with placeholders. If the placeholders are not the reason, it returns an error.
func (p *partly) cannotRender(f *finding) error {
	for _, file := range slices.Sorted(maps.Keys(f.first.failed)) {
		failed := f.first.failed[file]
		same := func(other *outcome) bool {
			theirs := other.failed[file]
			return theirs != nil && theirs.Line == failed.Line && theirs.Message == failed.Message &&
				other.unreadable[file] == f.first.unreadable[file]
		}
		depends := slices.ContainsFunc(f.depending(), func(made call) bool { return slices.Contains(f.first.calls.seen[made].files, file) })
		// If a boolean is false or a text empty, the template may not be rendered at all.
		renders := func(other *outcome) bool { return other != nil && other.failed[file] == nil }
		if !depends && len(f.exchanged) > 0 && !slices.ContainsFunc(f.exchanged, func(o *outcome) bool { return !same(o) }) &&
			!slices.ContainsFunc(f.further, renders) && !p.result.adopted[file] {
			return p.failure(f.first)
		}
		p.result.whole(onUnknown, file)
		p.result.warn(file, "it cannot be rendered with values that are not known yet")
	}
	return nil
}
