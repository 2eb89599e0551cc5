package tracked

import (
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Changed returns a diff of one path.
func Changed(path string, kind p.DiffKind) p.DiffResponse {
	return p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{path: {Kind: kind}}}
}

// UpdateAbout returns an update that shows no values, only that it concerns key, which is not an input or is one that
// changes. For example, only the field ownership of the object changes, or the update only waits again.
func UpdateAbout(key string) p.DiffResponse {
	return p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{key: {Kind: p.Update, InputDiff: true}}}
}

// Detailed converts field changes to property changes. place returns the path at which the engine shows a change, and
// the kind of the change. For each path, the engine takes the left side from the outputs and the right side from the
// inputs. written returns the value of a field in the inputs.
func Detailed(
	changes []ownership.Change, written func(fieldpath.Path) (any, bool), place func(ownership.Change) (string, p.DiffKind),
	ignored IgnoredPaths,
) p.DiffResponse {
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	for _, change := range ownership.Inside(changes, written) {
		path, kind := place(change)
		if ignored.Covers(path) {
			continue
		}
		diff.HasChanges = true
		if shown, again := diff.DetailedDiff[path]; again && shown.Kind != kind {
			kind = p.Update // one item leaves, another takes its place: both sides have a value to show
		}
		diff.DetailedDiff[path] = p.PropertyDiff{Kind: kind}
	}
	return Outermost(diff)
}

// Place returns where a change can be shown in both of two trees, and the kind of the change: the engine shows live on
// the left, written on the right.
func Place(change ownership.Change, live, written Marked) (ownership.Location, p.DiffKind) {
	path := change.Path
	for _, tree := range []Marked{written, live} {
		// Inside a secret, even the names of fields are hidden.
		if depth, ok := tree.SecretDepth(path); ok && tree.HidesNames(path, depth) {
			path, change.Kind = path[:depth], ownership.Changed
		}
	}
	_, before, had := ownership.Locate(live.Tree, path)
	_, after, has := ownership.Locate(written.Tree, path)
	switch {
	case has && (!had || change.Kind == ownership.Added):
		return after, p.Add
	case had && has:
		// An item whose position differs on the other side cannot be shown alone: the engine would compare it with
		// another item.
		return after[:SharedPrefix(before, after)], p.Update
	case had:
		return before, p.Delete
	default:
		// Neither side has it as written: for example, a default that appeared.
		return nil, p.Update
	}
}

// PropertyAt converts a change at a place in the document under property name to the engine's path. If the engine
// cannot read the path of a place, PropertyAt returns a change of its container.
func PropertyAt(name string, at ownership.Location, kind p.DiffKind) (string, p.DiffKind) {
	segments := append([]property.PathSegment{property.NewSegment(name)}, Segments(at)...)
	path, whole := values.EnginePath(property.PathFromSegments(segments...))
	if !whole {
		kind = p.Update
	}
	return path, kind
}

// InputChanges compares some of the inputs as written, for cases in which the API server cannot be asked or does not
// decide.
func InputChanges(before, now property.Map, ignored IgnoredPaths, keys ...string) p.DiffResponse {
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	for path, kind := range values.Differences(only(before, keys), only(now, keys)) {
		if !ignored.Covers(path) {
			diff.DetailedDiff[path] = p.PropertyDiff{Kind: p.DiffKind(kind.String()), InputDiff: true}
		}
	}
	diff.HasChanges = len(diff.DetailedDiff) > 0
	return diff
}

func only(inputs property.Map, keys []string) property.Map {
	compared := property.Map{}
	for key, v := range inputs.All {
		if slices.Contains(keys, key) && !v.IsNull() {
			compared = compared.Set(key, v)
		}
	}
	return compared
}
