package patch

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracking"
)

// Diff compares what is wanted with what was patched and with what is live. While the
// patch is the one that was carried out, and the last read went well, it makes no
// request: the engine calls it serially, and again after every read.
func (r *patchResource) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	in, err := decodeInputs(req.Inputs)
	if err != nil {
		return p.DiffResponse{}, err
	}
	old, err := decodeState(req.State)
	if err != nil {
		return p.DiffResponse{}, err
	}
	r.standing.See(req.Urn, old.ref.uid, old.hashKey)
	clu, err := r.source.Cluster(req.Inputs)
	clusterUnknown := errors.Is(err, connection.ErrUnknown)
	// The engine also calls Diff right after the read that failed, with the connection of the last run. Where that cannot
	// be used any more, what is known is compared: the program that runs now may bring another one.
	if err != nil && !clusterUnknown {
		if !old.stale || !old.pending && !old.settled(in) {
			return p.DiffResponse{}, err
		}
		r.source.WarnUnread(ctx, clu, err)
	}
	r.source.WarnIfMoved(ctx, req.OldInputs, req.Inputs)
	if diff, replaced := identityDiff(req, in, old, clu); replaced {
		return diff, nil
	}
	ignored := tracking.ParseIgnored(req.IgnoreChanges)
	if old.pending {
		return changed(in.kind, p.Update), nil
	}
	if old.stale && clu != nil && !r.source.Warned(clu) {
		if old, err = r.lookAgain(ctx, req, in, old, clu); err != nil {
			return p.DiffResponse{}, err
		}
	}
	var diff p.DiffResponse
	switch {
	case old.settled(in):
		diff = old.detailedDiff(old.drift(in), in, ignored)
	case clusterUnknown || in.unknown > 0:
		diff = written(req, ignored, in.kind)
	default:
		if diff, err = r.changes(ctx, req, in, old, clu, ignored); err != nil {
			return p.DiffResponse{}, err
		}
	}
	return withWait(withForm(diff, req, in), req, old), nil
}

// changes finds out by a dry-run what a changed patch would do.
func (r *patchResource) changes(
	ctx context.Context, req p.DiffRequest, in inputs, old state, clu *cluster.Cluster, ignored tracking.IgnoredPaths,
) (p.DiffResponse, error) {
	result, err := r.patch(r.source.Listen(ctx, req.Urn, tracking.Sensitive(in.document, in.secrets, false)), request{
		urn: req.Urn, cluster: clu, in: in, old: old, preview: true,
	})
	if err != nil {
		return p.DiffResponse{}, err
	}
	if result.unresolved {
		return changed(in.kind, p.Update), nil
	}
	r.answers.keep(req.Urn, old, result)
	now := result.state
	fields := old.touched.watched().Union(now.touched.watched())
	changes := ownership.Compare(old.live, now.live, fields)
	if in.kind != keyJSONPatch {
		diff := old.detailedDiff(changes, in, ignored)
		if !diff.HasChanges && !old.touched.all().Equals(now.touched.all()) {
			// No value changes, but who has which field.
			return changed(in.kind, p.Update), nil
		}
		return diff, nil
	}
	// The places of operations say little; what was written says more.
	if len(changes) == 0 && now.touched.once.Empty() && old.touched.all().Equals(now.touched.all()) {
		return p.DiffResponse{}, nil
	}
	return written(req, ignored, in.kind), nil
}

// identityDiff reports a replacement where another object is to be patched. A new
// version of the same API group shows the same object.
func identityDiff(req p.DiffRequest, in inputs, old state, clu *cluster.Cluster) (p.DiffResponse, bool) {
	was, is := old.ref.identity, in.object
	target := req.Inputs.Get(keyTarget)
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	if was.Name == "" || !target.IsMap() {
		return diff, false
	}
	// Whether the kind has namespaces is not known here without a request, but the
	// state knows where the object is.
	switch {
	case was.Namespace == "":
		is.Namespace = ""
	case is.Namespace == "" && clu == nil:
		is.Namespace = was.Namespace // the default is not known yet
	case is.Namespace == "":
		is.Namespace = clu.Namespace()
	}
	replace := func(member string, differs bool) {
		if differs && !target.AsMap().Get(member).IsComputed() {
			diff.HasChanges = true
			diff.DetailedDiff[keyTarget+"."+member] = p.PropertyDiff{Kind: p.UpdateReplace, InputDiff: true}
		}
	}
	replace("apiVersion", was.Group() != is.Group())
	replace("kind", was.Kind != is.Kind)
	replace("namespace", was.Namespace != is.Namespace)
	replace("name", was.Name != is.Name)
	return diff, diff.HasChanges
}

// lookAgain reads the object from inside Diff, because the read before it failed. That
// used the connection of the last run; this uses that of the program that runs now.
func (r *patchResource) lookAgain(
	ctx context.Context, req p.DiffRequest, in inputs, old state, clu *cluster.Cluster,
) (state, error) {
	w := work{target: target{}, in: in, old: old}
	t, live, err := look(ctx, clu, old.ref, managerFor(req.Urn, old))
	w.target = t
	switch {
	case errors.Is(err, errGone):
		// Another object, or none: to be patched anew.
		old.hash = ""
		return old, nil
	case err != nil:
		return state{}, t.explain("read", err, in)
	}
	return w.observe(live)
}

// detailedDiff writes changes of fields as changes of properties.
func (s state) detailedDiff(changes []ownership.Change, in inputs, ignored tracking.IgnoredPaths) p.DiffResponse {
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	for _, change := range changes {
		path, kind := s.place(change, in)
		if ignored.Covers(path) {
			continue
		}
		diff.HasChanges = true
		diff.DetailedDiff[path] = p.PropertyDiff{Kind: kind}
	}
	return tracking.Outermost(diff)
}

// place returns where the engine shows a change, and as what. The left side is the
// output that has the name of the patch, the right side the input.
func (s state) place(change ownership.Change, in inputs) (string, p.DiffKind) {
	if in.kind == keyJSONPatch {
		return s.placeInOperations(change.Path), p.Update
	}
	path := change.Path
	for _, m := range []tracking.Marked{
		partOf(s.ref.identity, in.tree(), in.secrets), partOf(s.ref.identity, s.live, s.secrets),
	} {
		// Inside a secret not even the names of fields are shown.
		if depth, ok := m.SecretDepth(path); ok && m.HidesNames(path, depth) {
			path, change.Kind = path[:depth], ownership.Changed
		}
	}
	_, before, had := ownership.Locate(s.live, path)
	_, after, has := ownership.Locate(in.tree(), path)
	kind, at := p.Update, after
	switch {
	case has && !had:
		kind = p.Add
	case had && !has:
		kind, at = p.Delete, before
	case had && has:
		// An item that stands elsewhere on the other side cannot be shown alone.
		at = after[:tracking.SharedPrefix(before, after)]
	}
	segments := append([]property.PathSegment{property.NewSegment(in.kind)}, tracking.Segments(at)...)
	return values.FormatPath(property.PathFromSegments(segments...)), kind
}

// placeInOperations returns where in a JSON patch a field gets its value.
func (s state) placeInOperations(field fieldpath.Path) string {
	for i := len(s.touched.operations) - 1; i >= 0; i-- {
		path := s.touched.operations[i]
		if path == nil || len(path) > len(field) || !path.Equals(field[:len(path)]) {
			continue
		}
		at := []property.PathSegment{property.NewSegment(keyJSONPatch), property.NewSegment(i), property.NewSegment("value")}
		for _, element := range field[len(path):] {
			if element.FieldName == nil {
				break
			}
			at = append(at, property.NewSegment(*element.FieldName))
		}
		return values.FormatPath(property.PathFromSegments(at...))
	}
	return keyJSONPatch
}

// changed is a diff of one path.
func changed(path string, kind p.DiffKind) p.DiffResponse {
	return p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{path: {Kind: kind}}}
}

// written compares the patches as they are written.
func written(req p.DiffRequest, ignored tracking.IgnoredPaths, kind string) p.DiffResponse {
	only := func(in property.Map) property.Map {
		compared := property.Map{}
		for _, key := range append([]string{keyTarget}, kinds...) {
			if v, ok := in.GetOk(key); ok && !v.IsNull() {
				compared = compared.Set(key, v)
			}
		}
		return compared
	}
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	for path, kind := range values.Differences(only(req.OldInputs), only(req.Inputs)) {
		if !ignored.Covers(path) {
			diff.DetailedDiff[path] = p.PropertyDiff{Kind: p.DiffKind(kind.String()), InputDiff: true}
		}
	}
	if len(diff.DetailedDiff) == 0 && !ignored.Covers(kind) {
		// The inputs are those of an update that failed.
		return changed(kind, p.Update)
	}
	diff.HasChanges = len(diff.DetailedDiff) > 0
	return diff
}

// withForm adds that the same is said of another version of the target, or in another
// kind of patch than the one that was carried out. Neither need change a value.
func withForm(diff p.DiffResponse, req p.DiffRequest, in inputs) p.DiffResponse {
	version := func(in property.Map) property.Map {
		target := in.Get(keyTarget)
		if !target.IsMap() {
			return property.Map{}
		}
		return property.NewMap(map[string]property.Value{"apiVersion": target.AsMap().Get("apiVersion")})
	}
	if diff.DetailedDiff == nil {
		diff.DetailedDiff = map[string]p.PropertyDiff{}
	}
	if was, is := version(req.OldInputs), version(req.Inputs); was.Len() > 0 {
		for path, kind := range values.Differences(was, is) {
			diff.DetailedDiff[keyTarget+"."+path] = p.PropertyDiff{Kind: p.DiffKind(kind.String()), InputDiff: true}
		}
	}
	for _, kind := range kinds {
		if kind != in.kind && len(diff.DetailedDiff) == 0 && !req.State.Get(kind).IsNull() {
			diff.DetailedDiff[in.kind] = p.PropertyDiff{Kind: p.Update}
		}
	}
	diff.HasChanges = len(diff.DetailedDiff) > 0
	return diff
}

// withWait adds that it is to be waited again.
func withWait(diff p.DiffResponse, req p.DiffRequest, old state) p.DiffResponse {
	only := func(in property.Map) property.Map {
		return property.NewMap(map[string]property.Value{keyWaitFor: in.Get(keyWaitFor)})
	}
	if diff.DetailedDiff == nil {
		diff.DetailedDiff = map[string]p.PropertyDiff{}
	}
	for path, kind := range values.Differences(only(req.OldInputs), only(req.Inputs)) {
		diff.DetailedDiff[path] = p.PropertyDiff{Kind: p.DiffKind(kind.String()), InputDiff: true}
	}
	if len(diff.DetailedDiff) == 0 && old.pendingWait {
		diff.DetailedDiff[keyWaitFor] = p.PropertyDiff{Kind: p.Update}
	}
	diff.HasChanges = len(diff.DetailedDiff) > 0
	return diff
}
