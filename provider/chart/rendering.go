package chart

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// release is a chart with everything that its rendering needs.
type release struct {
	inputs

	// chart is nil while it is not known.
	chart    *chart.Chart
	given    property.Map
	timeouts sets.Timeouts
	lookups  *lookups
	// cluster is nil if the connection is not known yet, or cannot be used.
	cluster *cluster.Cluster
	// managerOf returns the field manager of a child by its key.
	managerOf func(key string) string
	// staysIn says that the release stays in its namespace although the default namespace has changed; otherwise it is empty. keepsName
	// means that the release does not have the name of its resource, although the program gives it none.
	staysIn   string
	keepsName bool
	// preview means that this is a preview, and no update.
	preview bool
	// resumeWithin is the maximum age of an object that an interrupted run has made.
	resumeWithin time.Duration
	// drawn are the texts of the values that the last rendering has drawn or used again.
	drawn []string
}

// rendered is what a release consists of.
type rendered struct {
	documents sets.Documents
	hooks     []hook
	// crds are the keys of the definitions in the crds folders.
	crds     map[string]bool
	notes    pulumi.Input
	warnings []string
	// removed says which defaults of the chart the program removes.
	removed string
	// used are the values that were drawn or used again, former the values that were not. missing are the keys without a value, again the
	// keys whose values are drawn again.
	used           draws.Values
	former         draws.Former
	missing, again []string
	// moved are the former keys of values that have moved to their places. doubtful are the keys without a value for which a former value
	// may exist. kept are values that nothing uses any longer. forgotten are unused values that do not come back, and dropped the excess
	// ones.
	moved                              map[string]string
	doubtful, kept, forgotten, dropped []string
	// inherited are the keys of values that were found in the objects that are taken over.
	inherited []string
	// adopts means that this run takes the release over. name is that release.
	adopts bool
	name   chart.Release
}

// maxSettlings bounds how often a release is rendered to find out which of the objects that templates look up are its own.
const maxSettlings = 5

var errUnsettled = errors.New("the chart looks up objects of its own, and has others each time it is rendered")

// draw renders, draws the values that are not stored, and returns the memory after that.
func (r *release) draw(ctx context.Context, before memory, rotate []string) (memory, error) {
	former := before
	before, moves := before.placed(r)
	found, err := r.inheritIfTakenOver(ctx, before, draws.Draw)
	if err != nil {
		return memory{}, err
	}
	options := draws.Options{
		Stored: found.over(before.Draws), Former: before.Former, Rotate: before.toRotate(rotate), Now: time.Now(), Source: r.chart.Source(),
	}
	done, err := r.settled(ctx, before, options, func(session *draws.Session) (*chart.Partial, error) {
		whole, err := r.chart.Render(ctx, r.release, r.values, chart.Functions{Lookup: r.lookups.Lookup, Draws: session})
		return asPartial(whole), err
	})
	if err != nil {
		return memory{}, err
	}
	switch {
	case before.exists() && !moves:
	case !r.adopt:
		if err := r.refuseOccupied(ctx, done, former); err != nil {
			return memory{}, err
		}
	case r.cluster == nil && len(done.used) > 0:
		return memory{}, tracked.Refused(failure.ReasonInvalidConfiguration, "the release %q is not taken over: its cluster cannot be asked which random values "+
			"the release has, and others would replace them.\nNext: correct the connection, and run the command again.", r.release.Name)
	}
	return r.memoryAfter(before, done, rotate, found)
}

// asPartial is a rendering in which everything is known. Its callers do not ask what in it is secret.
func asPartial(whole *chart.Rendered) *chart.Partial {
	if whole == nil {
		return nil
	}
	partial := &chart.Partial{AsRendered: whole.Documents()}
	for _, crd := range whole.CRDs {
		partial.CRDs = append(partial.CRDs, chart.PartialDocument{Document: crd})
	}
	for _, object := range whole.Objects {
		partial.Objects = append(partial.Objects, chart.PartialDocument{Document: object})
	}
	for _, h := range whole.Hooks {
		partial.Hooks = append(partial.Hooks, chart.PartialHook{PartialDocument: chart.PartialDocument{Document: h.Document}, Hook: h})
	}
	return partial
}

// render renders with what is remembered. In a preview, everything that depends on a value that is not drawn yet is unknown.
func (r *release) render(ctx context.Context, remembered memory) (*rendered, error) {
	if r.chart == nil || len(r.unknown) > 0 {
		return &rendered{documents: sets.Documents{Input: keyChart, Incomplete: true}, notes: pulumi.UnsafeUnknownOutput(nil)}, nil
	}
	var found inherited
	var err error
	if r.preview { // In an update, the record remembers them already.
		found, err = r.inheritIfTakenOver(ctx, remembered, draws.Placeholder(0))
	}
	if err != nil {
		return nil, err
	}
	options := draws.Options{
		Stored: found.over(remembered.Draws), Former: remembered.Former, Rotate: remembered.toRotate(r.rotate), Now: time.Now(), Missing: draws.Placeholder(0),
		Source: r.chart.Source(),
	}
	in := chart.Partly{Release: r.release, Values: r.values, Lookup: r.lookups.Lookup}
	if !r.whole() {
		in.Secrets = r.secrets
	}
	done, err := r.settled(ctx, remembered, options, func(session *draws.Session) (*chart.Partial, error) {
		in.Session, in.Draws = session, session.Options()
		return r.chart.RenderPartly(ctx, in)
	})
	if err != nil {
		return nil, err
	}
	done.warnings = append(done.warnings, found.warnings(len(done.used)+len(done.missing) > 0)...)
	done.inherited = found.kept
	return done, nil
}

// whole reports whether all values are secret. Then all objects are.
func (r *release) whole() bool { return r.secrets.IsSecret(property.Path{}) }

// settled renders until the values of call sites that have moved are found, and the objects of the release itself are hidden.
func (r *release) settled(
	ctx context.Context, remembered memory, options draws.Options, render func(*draws.Session) (*chart.Partial, error),
) (*rendered, error) {
	r.lookups.begin(ctx, remembered)
	session := draws.NewSession(options)
	defer func() {
		for _, value := range session.Used() {
			r.drawn = append(r.drawn, value.Text, value.PrivateKey)
		}
	}()
	for range maxSettlings {
		partial, err := render(session)
		if err != nil {
			return nil, err
		}
		for moved := r.again(session, partial); moved != nil; moved = r.again(session, partial) {
			session = moved
			if partial, err = render(session); err != nil {
				return nil, err
			}
		}
		done, err := r.objectsAndHooks(partial, remembered)
		if err != nil {
			return nil, err
		}
		if !remembered.isAdopted() && r.lookups.separate(r.own(done), r.takenOver(done, remembered)) {
			session = session.Restart()
			continue
		}
		done.finish(session)
		done.adopts, done.name = r.adopt && !remembered.exists(), r.release
		return done, nil
	}
	return nil, errUnsettled
}

// again is the session for another rendering, in which values have moved to their places.
func (r *release) again(session *draws.Session, partial *chart.Partial) *draws.Session {
	texts := chart.TextsOf(r.release, partial.AsRendered)
	if partial.AsRendered == nil {
		return session.AgainInPart(texts)
	}
	return session.Again(texts)
}

// drawn are the keys of values that are drawn, for the first time or again.
func (d *rendered) drawn() []string { return slices.Concat(d.missing, d.again) }

// finish notes what a session has drawn.
func (d *rendered) finish(session *draws.Session) {
	d.used, d.former, d.missing = session.Used(), session.Former(), session.Missing()
	d.moved, d.doubtful, d.kept, d.forgotten, d.dropped = session.Moved(), session.Doubtful(), session.Kept(), session.Forgotten(), session.Dropped()
	d.again = slices.Sorted(slices.Values(append(session.Renewed(), session.Rotated()...)))
	for _, pattern := range session.Unmatched() {
		d.warnings = append(d.warnings, fmt.Sprintf("rotate: %q names no value that the chart draws.", pattern))
	}
}

// takenOver are the objects that an override adopts while the release is being installed.
func (r *release) takenOver(done *rendered, remembered memory) (ids []manifest.Identity) {
	if remembered.isInstalled() || !sets.Adopts(r.given) {
		return nil
	}
	set, _ := r.setOf(done) // The registration says what is wrong.
	for _, o := range set.Objects {
		if o.IsAdopted() {
			id := manifest.IdentityOf(o.Manifest)
			ids = append(ids, id, id.In(r.release.Namespace))
		}
	}
	return ids
}

// own are the objects of the release, including the objects of hooks.
func (r *release) own(done *rendered) (ids []manifest.Identity) {
	for _, o := range done.documents.Found {
		id := manifest.IdentityOf(o.Object)
		ids = append(ids, id, id.In(r.release.Namespace))
	}
	return ids
}
