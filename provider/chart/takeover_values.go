package chart

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
)

// inherited is what a release that is taken over, as a whole or in single objects, already has in the cluster.
type inherited struct {
	// values are used as if they had been drawn before. kept are the keys of the values that were found.
	values draws.Values
	kept   []string
	// lost are the fields whose values change. changed are the fields that change because they are computed again from values that are
	// kept.
	lost, changed []string
	// unsought means that the chart cannot be rendered with placeholders, so that values could not be looked for.
	unsought bool
}

// over returns the remembered values, replaced and completed by these.
func (i inherited) over(remembered draws.Values) draws.Values {
	if len(i.values) == 0 {
		return remembered
	}
	all := maps.Clone(remembered)
	if all == nil {
		all = draws.Values{}
	}
	maps.Copy(all, i.values)
	return all
}

const (
	// maxSearches bounds how often values are looked for: each time values are found, templates may draw others, and each time a found
	// value proves wrong, others may depend on it.
	maxSearches = 16
	// maxProbes bounds how many values are exchanged one by one, to find out whether any field depends on them.
	maxProbes = 100
)

// inheriting looks in the objects that a release takes over for the values that its templates would draw.
//
// A value is taken if its call could have drawn it and if a rendering with it gives each field that shows it the text that the cluster has.
// To find out which fields depend on which values, it compares renderings with different placeholders.
type inheriting struct {
	release *release
	memory  memory
	cluster neighbours
	now     time.Time

	// found are values by their keys. A certificate may lack its private key: a field that needs the key then differs from the cluster.
	found draws.Values
	// wrong are the keys of values that were found but cannot be used.
	wrong map[string]bool
	// hidden are placeholders for values that no field shows but found values are made of. In a preview, they stay.
	hidden draws.Values
	// shown are the fields that show a found value.
	shown map[string]map[field]bool
	// first, base and other are renderings: first has no found value; base and other differ in every value that is still looked for.
	first, base, other *view
	probes             int
}

// inheritIfTakenOver finds the values that the templates of a release would draw in the objects that it takes over; none if it takes over
// nothing. missing says what the other values become.
//
// After that, the found values are remembered. So an object that cannot be read now is an error, and is never treated as absent.
func (r *release) inheritIfTakenOver(ctx context.Context, remembered memory, missing draws.Missing) (inherited, error) {
	if remembered.isInstalled() || !sets.TakesOver(r.given) || r.cluster == nil || r.chart == nil || len(r.unknown) > 0 || values.HasUnknown(r.values) {
		return inherited{}, nil
	}
	r.lookups.begin(ctx, remembered)
	found, err := newInheriting(r, remembered).run(ctx, missing)
	if errors.Is(err, errUnrendered) {
		return inherited{unsought: true}, nil // If it cannot be rendered at all, the rendering itself says why.
	}
	return found, err
}

func newInheriting(r *release, remembered memory) *inheriting {
	return &inheriting{
		release: r, memory: remembered, now: time.Now(), found: draws.Values{}, wrong: map[string]bool{}, shown: map[string]map[field]bool{},
		cluster: neighbours{release: r, remembered: remembered.exists(), live: map[manifest.Identity]*neighbour{}},
	}
}

func (in *inheriting) run(ctx context.Context, missing draws.Missing) (inherited, error) {
	if err := in.search(ctx); err != nil {
		return inherited{}, err
	}
	return in.result(ctx, missing)
}

// errUnrendered means that templates cannot be rendered while values are looked for.
var errUnrendered = errors.New("the chart cannot be rendered")

// search finds values until there are no more and none of them is wrong.
func (in *inheriting) search(ctx context.Context) error {
	for range maxSearches {
		if err := in.look(ctx); err != nil {
			return err
		}
		more, err := in.find(ctx)
		if err != nil {
			return err
		}
		if more {
			continue
		}
		wrong, err := in.judge(ctx)
		if err != nil {
			return err
		}
		if len(wrong) == 0 {
			if wrong, err = in.unusable(ctx); err != nil {
				return err
			}
		}
		if len(wrong) == 0 {
			return nil
		}
		in.reject(wrong)
	}
	in.reject(slices.Collect(maps.Keys(in.found)))
	return in.look(ctx)
}

func (in *inheriting) reject(keys []string) {
	for _, key := range keys {
		in.wrong[key] = true
		delete(in.found, key)
	}
}

// look renders with the values that are found so far.
func (in *inheriting) look(ctx context.Context) (err error) {
	if in.base, err = in.view(ctx, draws.Options{Missing: draws.Apart(0)}); err != nil {
		return err
	}
	if in.first == nil {
		in.first = in.base
	}
	in.other, err = in.view(ctx, draws.Options{Missing: draws.Apart(1)})
	return err
}

// find finds values for placeholders, and reports whether it found any.
func (in *inheriting) find(ctx context.Context) (more bool, err error) {
	wanted := in.base.session.Wanted()
	places := map[string][]sight{}
	for _, at := range in.base.differing(in.other) {
		shape, same := in.shapeAt(at)
		if len(shape.Parts()) == 0 || !same {
			continue
		}
		one, err := in.cluster.at(ctx, at, in.base)
		if err != nil {
			return false, err
		}
		for _, part := range shape.Parts() {
			places[part.Key] = append(places[part.Key], sight{field: at, shape: shape, live: one})
		}
	}
	for _, w := range wanted {
		if in.wrong[w.Key] {
			continue
		}
		if value, is := valueIn(w, places[w.Key]); is {
			in.found[w.Key], more = value, true
			in.shown[w.Key] = map[field]bool{}
			for _, one := range places[w.Key] {
				in.shown[w.Key][one.field] = true
			}
		}
	}
	return more, nil
}

// sight is a field that shows values, and its text in the cluster.
type sight struct {
	field
	shape draws.Shape
	live  liveField
}

// valueIn is the value that all places in the cluster show, if at least one of them is in an object that the release takes over.
func valueIn(w draws.Wanted, places []sight) (value draws.Value, is bool) {
	var shown []draws.Shown
	taken := false
	for _, one := range places {
		switch {
		case one.live.role == foreign:
			return value, false
		case one.live.role == absent || !one.live.is:
			continue
		}
		found, same := one.shape.In(one.live.text)
		if !same {
			return value, false
		}
		shown, taken = append(shown, found...), taken || one.live.role == source
	}
	if !taken {
		return value, false
	}
	return w.From(shown)
}

// shapeAt is the shape of a field with the values that are still looked for, and whether both renderings give it the same shape.
func (in *inheriting) shapeAt(at field) (draws.Shape, bool) {
	shape := draws.ShapeOf(in.base.text(at), in.base.session.Wanted())
	both, same := shape.With(draws.ShapeOf(in.other.text(at), in.other.session.Wanted()))
	if !same {
		return shape, false
	}
	return both, true
}

// judge returns the keys of found values that are wrong: a field that shows the value does not match its text in the cluster.
func (in *inheriting) judge(ctx context.Context) (wrong []string, err error) {
	for _, key := range slices.Sorted(maps.Keys(in.found)) {
		for at := range in.shown[key] {
			live, err := in.cluster.at(ctx, at, in.base)
			if err != nil {
				return nil, err
			}
			shape, same := in.shapeAt(at)
			if !same || live.role == absent || !live.is || !in.base.has(at) {
				continue
			}
			if _, is := shape.In(live.text); !is {
				wrong = append(wrong, key)
				break
			}
		}
	}
	return wrong, nil
}

// unusable returns the keys of found values that cannot be kept because other values are not known: certificates whose private key is
// needed, and values that are made of a value that changes, such as the hash of a password.
func (in *inheriting) unusable(ctx context.Context) (wrong []string, err error) {
	wrong = in.base.session.Unsigned()
	for _, key := range in.base.session.Keyless() {
		differs, _, err := in.exchange(ctx, key)
		if err != nil {
			return nil, err
		}
		if differs {
			wrong = append(wrong, key)
		}
	}
	in.hidden = draws.Values{}
	depending := in.foundOf(in.base.session.Depending(in.other.session))
	if len(wrong) > 0 || len(depending) == 0 {
		return wrong, nil
	}
	for _, w := range in.base.session.Wanted() {
		differs, exchanged, err := in.exchange(ctx, w.Key)
		switch {
		case err != nil:
			return nil, err
		case differs && exchanged == nil:
			return depending, nil
		case differs:
			wrong = append(wrong, in.foundOf(in.base.session.Depending(exchanged.session))...)
		default:
			in.hidden[w.Key] = w.Placeholder()
		}
	}
	return wrong, nil
}

// foundOf are the keys among these whose values are found.
func (in *inheriting) foundOf(keys []string) (found []string) {
	for _, key := range keys {
		if _, is := in.found[key]; is {
			found = append(found, key)
		}
	}
	return found
}

// exchange reports whether any field depends on a value that is not known. exchanged is nil once the limit of attempts is reached.
func (in *inheriting) exchange(ctx context.Context, key string) (differs bool, exchanged *view, err error) {
	if in.probes++; in.probes > maxProbes {
		return true, nil, nil
	}
	if exchanged, err = in.view(ctx, draws.Options{Missing: draws.Apart(0), Other: key}); err != nil {
		return false, nil, err
	}
	return !in.base.equals(exchanged), exchanged, nil
}

// result are the found values with the values that they depend on, and the messages about the others.
func (in *inheriting) result(ctx context.Context, missing draws.Missing) (inherited, error) {
	lost, changed, err := in.losses(ctx)
	if err != nil || len(in.found) == 0 {
		return inherited{lost: lost, changed: changed}, err
	}
	options := draws.Options{Missing: missing, Inherited: maps.Clone(in.found)}
	for key, placeholder := range in.hidden {
		if _, stored := in.memory.Draws[key]; missing != draws.Draw && !stored {
			options.Inherited[key] = placeholder
		}
	}
	if in.memory.exists() {
		options.Stored, options.Former = in.memory.Draws, in.memory.Former
	}
	final, err := in.view(ctx, options)
	if errors.Is(err, errUnrendered) && len(in.base.session.Keyless()) > 0 { // A function wants the private key.
		in.reject(in.base.session.Keyless())
		return in.run(ctx, missing)
	}
	if err != nil {
		return inherited{}, err
	}
	used := final.session.Used()
	if in.memory.exists() {
		maps.DeleteFunc(used, func(key string, _ draws.Value) bool {
			_, isFound := in.found[key]
			_, isHidden := in.hidden[key]
			return !isFound && !isHidden
		})
	}
	return inherited{values: used, kept: slices.Sorted(maps.Keys(in.found)), lost: lost, changed: changed}, nil
}

// view renders with the found values.
func (in *inheriting) view(ctx context.Context, options draws.Options) (*view, error) {
	options.Now = in.now
	if options.Inherited == nil {
		options.Inherited = in.found
	}
	r := in.release
	for range maxSettlings {
		session := draws.NewSession(options)
		whole, err := r.chart.Render(ctx, r.release, r.values, chart.Functions{Lookup: r.lookups.Lookup, Draws: session})
		switch lookup := (*lookupError)(nil); {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.As(err, &lookup):
			return nil, err
		case err != nil:
			return nil, errUnrendered
		}
		done, err := r.objectsAndHooks(asPartial(whole), in.memory)
		if err != nil {
			return nil, errUnrendered
		}
		if !in.memory.isAdopted() && r.lookups.separate(r.own(done), r.takenOver(done, in.memory)) {
			continue
		}
		set, wrong := r.setOf(done)
		if len(wrong) > 0 {
			return nil, errUnrendered
		}
		return viewOf(session, set), nil
	}
	return nil, errUnrendered
}
