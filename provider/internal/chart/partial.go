package chart

import (
	"context"
	"errors"
	"maps"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Partial is the result of rendering a chart with values that are partly secret or not known yet.
type Partial struct {
	CRDs, Objects []PartialDocument
	Hooks         []PartialHook
	Tests         []string
	Notes         string
	// NotesUnknown and NotesSecret say that the notes depend on such values.
	NotesUnknown, NotesSecret bool
	// Incomplete means that unknown values decide which objects there are.
	Incomplete bool
	Warnings   []string
	// AsRendered are all documents except those from crds/, with placeholders for values that are not drawn yet. It is nil if other values
	// are unknown, too.
	AsRendered []Document
}

// PartialDocument is an object that may be partly unknown or secret.
type PartialDocument struct {
	Document

	// Secrets are the places that depend on secret values.
	Secrets values.Marks
	// Unknown means that only the object's identity is known.
	Unknown bool
}

// PartialHook is a hook that may be partly unknown or secret.
type PartialHook struct {
	PartialDocument

	Hook Hook
}

// Partly are the arguments of [Chart.RenderPartly].
type Partly struct {
	Release Release
	// Values may contain unknown values. Secrets are the secret places in them.
	Values  map[string]any
	Secrets values.Marks
	// Lookup is as in [Functions]. If it returns [ErrUnknown], the output of the template is unknown.
	Lookup func(apiVersion, kind, namespace, name string) (map[string]any, error)
	// Session belongs to the rendering with the real values. Draws are its options.
	Session *draws.Session
	Draws   draws.Options
}

// ErrUnknown is the answer of a lookup that cannot be made yet.
var ErrUnknown = errors.New("the objects in the cluster are not known yet")

// The limits for each search for what depends on unknown, secret or drawn values: the number of renderings, and the bytes that the
// templates write in them. A chart that writes much takes long, so not all of its decisions are tried.
const (
	maxRenderings = 60
	maxCompared   = 32 << 20
)

// RenderPartly renders a chart. If something is unknown, secret or drawn, it renders the chart several times more, each time with other
// values in place of these. Whatever differs between the renderings depends on them.
//
//   - An unknown value is replaced by a placeholder of the type of the chart's default, then by another placeholder, then by an empty
//     value.
//   - If a template decides based on a placeholder, by eq, gt, hasPrefix and so on, a further rendering inverts the decision, one rendering
//     for each decision. If a function returns the same for all placeholders, it hides what depends on them: all objects of a template that
//     calls it are unknown.
//   - Secret values, the data of looked-up Secrets, and drawn values are exchanged twice, for different values each time. The existence of
//     a value is not secret.
//   - Values that were drawn before are known. Values that must still be drawn are unknown.
//   - Where only drawn values and looked-up Secrets are exchanged, only the templates that use any are rendered again.
//
// The objects of a template are unknown if it cannot be rendered with any of the placeholders, or if too many renderings would be
// necessary.
func (c *Chart) RenderPartly(ctx context.Context, in Partly) (*Partial, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, tooLong)
	defer cancel()
	p := &partly{Partly: in, chart: c, ctx: ctx, places: unknownIn(in.Values, nil)}
	first, err := p.first()
	if err != nil {
		return p.withoutObjects(err)
	}
	if len(p.places) == 0 && len(first.failed) > 0 {
		return nil, p.failure(first)
	}
	err = p.find(first)
	if errors.Is(err, errSpread) {
		first.reach.spread = true
		if err = p.note(first); err == nil {
			err = p.find(first)
		}
	}
	if err != nil {
		return nil, err
	}
	partial := p.result.partial()
	if len(p.places) == 0 && len(first.undecided) == 0 {
		partial.AsRendered = first.Documents()
	}
	return partial, nil
}

// partly is one call of RenderPartly.
type partly struct {
	Partly

	chart    *Chart
	ctx      context.Context
	places   unknownPlaces
	defaults map[string]any // see [partly.defaultAt]
	result   *comparison
	// observed means that renderings note the calls of functions, which takes a third of their time.
	observed bool
}

// first is the rendering with the real values. If nothing is known to be unknown or secret, the calls of functions are noted only once it has
// turned out that something is drawn or looked up, and only in the templates that use it.
func (p *partly) first() (*outcome, error) {
	p.observed = len(p.places) > 0 || !p.Secrets.Empty()
	first, err := p.render(variant{}, p.Session)
	if err != nil || p.observed || !first.lookedUp && len(p.Session.Used())+len(p.Session.Missing()) == 0 {
		return first, err
	}
	return first, p.note(first)
}

// note notes the calls of functions in the templates that can depend on drawn values and Secrets.
func (p *partly) note(first *outcome) error {
	p.observed, p.result = true, nil
	again, err := p.render(variant{only: first.reach.only()}, draws.NewSession(p.Draws))
	if err != nil {
		return err
	}
	first.calls = again.calls
	return nil
}

// find marks what depends on unknown, secret and drawn values.
func (p *partly) find(first *outcome) error {
	p.result = newComparison(first)
	if err := p.findUnknown(first); err != nil {
		return err
	}
	return p.findSecrets(first)
}

// render renders a variant. It returns an error only if the reason is not in single templates.
func (p *partly) render(v variant, session *draws.Session) (*outcome, error) {
	given := p.replaced(v)
	made := &outcome{
		failed: map[string]*TemplateError{}, unreadable: map[string]string{}, undecided: map[string]bool{}, calls: &calls{seen: map[call]*seen{}},
	}
	made.calls.exchanged, made.calls.forgiving = p.exchangedTexts(given), len(p.places) > 0
	e := newExecution(p.ctx)
	e.failed = made.failed
	if p.observed {
		e.observe = made.calls.observer(e, v.otherwise)
	}
	e.only = v.only
	looking := p.lookup(v, func() {
		made.lookedUp = true
		e.reach.use(e.file)
	})
	lookup := func(apiVersion, kind, namespace, name string) (map[string]any, error) {
		found, err := looking(apiVersion, kind, namespace, name)
		if errors.Is(err, ErrUnknown) {
			made.undecided[e.file] = true
			return map[string]any{}, nil
		}
		return found, err
	}
	how := preparing{unknown: p.places, unchecked: p.result != nil}
	prepared, texts, err := p.chart.execute(e, p.Release, given, how, Functions{Draws: session, Lookup: lookup})
	if err != nil {
		return nil, err
	}
	made.texts, made.written, made.reach = texts, e.written, e.reach
	if p.result != nil && v.only != nil {
		made.keep(p.result.first, v.only)
	}
	for _, crd := range prepared.chart.CRDObjects() {
		made.crds = append(made.crds, crd.Filename)
	}
	release, same := p.Release, map[string]string{}
	if p.result != nil {
		release.SkipCRDs, same = true, p.result.first.texts // which do not depend on values
	}
	return made, made.readObjects(p.chart, prepared, release, same)
}

// readObjects reads the objects of templates whose output differs from the first rendering. A template with unreadable output counts as not
// rendered.
func (o *outcome) readObjects(chart *Chart, prepared *prepared, release Release, same map[string]string) error {
	outputs := map[string]string{}
	for file, text := range o.texts {
		if before, there := same[file]; !there || before != text || isNotes(file) {
			outputs[file] = text
		}
	}
	collected, err := chart.collect(prepared.chart, maps.Clone(outputs), release, prepared.warnings)
	if err != nil {
		for file, text := range outputs {
			if _, err := chart.collect(prepared.chart, map[string]string{file: text}, release, nil); err != nil {
				o.failed[file], o.unreadable[file] = asTemplateError(file, err), text
				delete(outputs, file)
				delete(o.texts, file)
			}
		}
		collected, err = chart.collect(prepared.chart, outputs, release, prepared.warnings)
	}
	o.Rendered = collected
	return err
}

// withoutObjects is the result if the values cannot be merged or the templates cannot be parsed. If that depends on unknown values, nothing
// is known.
func (p *partly) withoutObjects(failed error) (*Partial, error) {
	if len(p.places) == 0 || p.ctx.Err() != nil {
		return nil, failed
	}
	if _, again := p.render(p.emptied(), draws.NewSession(p.Draws)); again != nil && again.Error() == failed.Error() {
		return nil, again
	}
	return &Partial{Incomplete: true, NotesUnknown: true, Warnings: []string{
		"Which objects there are is known only after the apply: the chart cannot be rendered with values that are not known yet.",
	}}, nil
}

// failure returns the error of templates that cannot be rendered, whatever the unknown values are. It has the lines of the chart, not the
// lines of the texts that draws has rewritten.
func (p *partly) failure(seen *outcome) error {
	_, _, _, err := p.chart.outputs(p.ctx, p.Release, p.replaced(variant{}), Functions{Lookup: p.lookup(variant{}, nil)})
	if err != nil {
		return err
	}
	return seen.firstFailure()
}

// undrawn reports whether a value must be drawn because none is stored, or because the stored one is replaced.
func (p *partly) undrawn() bool {
	return len(p.Session.Missing())+len(p.Session.Rotated())+len(p.Session.Renewed()) > 0
}

// findUnknown marks what depends on unknown values.
func (p *partly) findUnknown(first *outcome) error {
	undrawn := p.undrawn()
	if len(p.places) == 0 && !undrawn {
		return nil
	}
	options := p.Draws
	if undrawn {
		options.Missing = draws.Placeholder(1)
	}
	finding := &finding{partly: p, of: onUnknown, first: first, options: p.Draws}
	if len(p.places) == 0 {
		finding.only = first.reach.only()
	}
	if err := finding.exchange(p.all(otherPlaceholder), options); err != nil {
		return err
	}
	if err := finding.conclude(p.emptyings()); err != nil {
		return err
	}
	return p.cannotRender(finding)
}

// findSecrets marks what depends on secret and drawn values.
func (p *partly) findSecrets(first *outcome) error {
	if !p.Secrets.Empty() || first.lookedUp {
		secrets := &finding{partly: p, of: onSecret, first: first, options: p.Draws}
		if p.Secrets.Empty() {
			secrets.only = first.reach.only()
		}
		for _, number := range []int{1, 2} {
			if err := secrets.exchange(variant{secrets: number}, p.Draws); err != nil {
				return err
			}
		}
		if err := secrets.conclude(nil); err != nil {
			return err
		}
	}
	if len(p.Session.Used())+len(p.Session.Missing()) == 0 {
		return nil
	}
	drawn := &finding{partly: p, of: onDrawn, first: first, options: p.Draws, only: first.reach.only()}
	for _, number := range []int{11, 12} {
		options := p.Draws
		options.Missing = draws.Exchanged(number)
		if err := drawn.exchange(variant{}, options); err != nil {
			return err
		}
	}
	return drawn.conclude(nil)
}
