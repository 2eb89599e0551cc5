package chart

import (
	"context"
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Partial is what a chart makes of values of which some are not known yet, or secret.
type Partial struct {
	CRDs, Objects []PartialDocument
	Hooks         []PartialHook
	Tests         []string
	Notes         string
	// NotesUnknown and NotesSecret say that the notes depend on such values.
	NotesUnknown, NotesSecret bool
	// Incomplete means that it depends on unknown values which objects there are.
	Incomplete bool
	Warnings   []string
	// AsRendered are all documents but those of crds/, with what stands for values that are not drawn yet. They are nil if more than
	// that is not known.
	AsRendered []Document
}

// PartialDocument is an object of which parts may be unknown or secret.
type PartialDocument struct {
	Document

	// Secrets are the places that depend on secret values.
	Secrets values.Marks
	// Unknown means that nothing but its identity is known.
	Unknown bool
}

// PartialHook is a hook of which parts may be unknown or secret.
type PartialHook struct {
	PartialDocument

	Hook Hook
}

// Partly are the arguments of [Chart.RenderPartly].
type Partly struct {
	Release Release
	// Values may have unknown values; Secrets are the secret places in them.
	Values  map[string]any
	Secrets values.Marks
	// Lookup is as in [Functions]. If it returns [ErrUnknown], what the template makes is unknown.
	Lookup func(apiVersion, kind, namespace, name string) (map[string]any, error)
	// Session is that of the rendering with the real values; Draws are its options.
	Session *draws.Session
	Draws   draws.Options
}

// ErrUnknown is the answer of a lookup that cannot be made yet.
var ErrUnknown = errors.New("the objects in the cluster are not known yet")

// How many renderings find out at most what depends on unknown values, on secrets, and on drawn values, and how many bytes the
// templates write in them. A chart that writes much takes long, and not all that it decides is tried.
const (
	maxRenderings = 60
	maxCompared   = 32 << 20
)

// RenderPartly renders a chart several times, with other values in place of those that are not known, or secret, and compares:
// what differs depends on them.
//
//   - An unknown value is a placeholder of the type that the chart's default has, then another one, then an empty one.
//   - What templates decide on placeholders, by eq, gt, hasPrefix and so on, is decided the other way, in another rendering for
//     each decision. A function that makes the same of all placeholders hides what depends on them: the objects of a template
//     that calls it are unknown as a whole.
//   - A secret value, the data of a Secret that is looked up, and what was drawn are exchanged for two others one after the
//     other. That a value is there at all is no secret.
//   - What was drawn before is known; what has to be drawn yet is unknown.
//
// A template that cannot be rendered with any of the placeholders has objects that are not known, and so has one of which too
// many renderings would be necessary.
func (c *Chart) RenderPartly(ctx context.Context, in Partly) (*Partial, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, tooLong)
	defer cancel()
	p := &partly{Partly: in, chart: c, ctx: ctx, places: unknownIn(in.Values, nil)}
	first, err := p.render(variant{}, in.Session)
	if err != nil {
		return p.withoutObjects(err)
	}
	p.result = newComparison(first)
	if len(p.places) == 0 && len(first.failed) > 0 {
		return nil, p.failure(first)
	}
	if err := p.findUnknown(first); err != nil {
		return nil, err
	}
	if err := p.findSecrets(first); err != nil {
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
}

// withoutObjects is the result if the values cannot be merged or the templates cannot be parsed. If that depends on values
// that are not known yet, nothing is known.
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

// failure is why templates cannot be rendered, whatever is not known. It has the lines of the chart, not those of the texts
// that draws has rewritten.
func (p *partly) failure(seen *outcome) error {
	_, _, _, err := p.chart.outputs(p.ctx, p.Release, p.replaced(variant{}), Functions{Lookup: p.lookup(variant{}, nil)})
	if err != nil {
		return err
	}
	return seen.firstFailure()
}

// undrawn reports whether something is drawn for which no value is stored, or another one than the stored one.
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
	if err := finding.exchange(p.all(otherPlaceholder), options); err != nil {
		return err
	}
	if err := finding.conclude(p.emptyings()); err != nil {
		return err
	}
	return p.cannotRender(finding)
}

// findSecrets marks what depends on secret values, and on drawn ones.
func (p *partly) findSecrets(first *outcome) error {
	if !p.Secrets.Empty() || first.lookedUp {
		secrets := &finding{partly: p, of: onSecret, first: first, options: p.Draws}
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
	drawn := &finding{partly: p, of: onDrawn, first: first, options: p.Draws}
	for _, number := range []int{11, 12} {
		options := p.Draws
		options.Missing = draws.Exchanged(number)
		if err := drawn.exchange(variant{}, options); err != nil {
			return err
		}
	}
	return drawn.conclude(nil)
}
