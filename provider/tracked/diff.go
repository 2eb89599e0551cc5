package tracked

import (
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Changed is a diff of one path.
func Changed(path string, kind p.DiffKind) p.DiffResponse {
	return p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{path: {Kind: kind}}}
}

// UpdateAbout is an update of which the engine shows no values, but only that it is about key, which is no input, or one
// that changes: nothing of the object changes but who owns it, say, or it is only waited for again.
func UpdateAbout(key string) p.DiffResponse {
	return p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{key: {Kind: p.Update, InputDiff: true}}}
}

// Detailed writes changes of fields as changes of properties. place says where the engine shows a change, and as what.
// The engine takes the left side of each from the outputs and the right side from the inputs, at the same path, so each
// path is a place in both.
func Detailed(
	changes []ownership.Change, place func(ownership.Change) (string, p.DiffKind), ignored IgnoredPaths,
) p.DiffResponse {
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	for _, change := range changes {
		path, kind := place(change)
		if ignored.Covers(path) {
			continue
		}
		diff.HasChanges = true
		diff.DetailedDiff[path] = p.PropertyDiff{Kind: kind}
	}
	return Outermost(diff)
}

// Place returns where in both of two trees a change can be shown, and as what: live is what the engine shows on the
// left, written on the right.
func Place(change ownership.Change, live, written Marked) (ownership.Location, p.DiffKind) {
	path := change.Path
	for _, tree := range []Marked{written, live} {
		// Inside a secret not even the names of fields are shown.
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
		// An item that stands elsewhere on the other side cannot be shown alone: the engine would hold it against
		// another one.
		return after[:SharedPrefix(before, after)], p.Update
	case had:
		return before, p.Delete
	default:
		// On neither side as written: a default that appeared, say.
		return nil, p.Update
	}
}

// PropertyAt writes a place in the document that is the property name as the engine's path.
func PropertyAt(name string, at ownership.Location) string {
	segments := append([]property.PathSegment{property.NewSegment(name)}, Segments(at)...)
	return values.FormatPath(property.PathFromSegments(segments...))
}

// Lost lists the leaves that we have applied and no longer own, beside those whose values have changed and are listed
// already. A field that another manager has taken has drifted also if its value is the same.
func (s State) Lost(leaves []fieldpath.Path, listed []ownership.Change) []ownership.Change {
	known := fieldpath.NewSet()
	for _, change := range listed {
		known.Insert(change.Path)
	}
	var lost []ownership.Change
	for _, path := range leaves {
		owner, ok := ownership.OwnerOf(s.Ownership, path)
		if !ok || owner == s.Manager || ownership.Around(known, path) {
			continue
		}
		v, _, _ := ownership.Locate(s.Live, path)
		lost = append(lost, ownership.Change{Kind: ownership.Changed, Path: path, Old: v, New: v})
	}
	return lost
}

// The parts of an identity, as references and targets name them.
var identityParts = []string{"apiVersion", "kind", "namespace", "name"}

// IdentityDiff reports a replacement where is names another object than was. A new version of the same API group shows
// the same object. at says which property shows a part of the identity; a part for which that is "" is not known yet.
func IdentityDiff(was, is manifest.Identity, at func(part string) string, change p.PropertyDiff) (p.DiffResponse, bool) {
	change.Kind = p.UpdateReplace
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	if was.Name == "" {
		return diff, false
	}
	differs := map[string]bool{
		"apiVersion": was.Group() != is.Group(), "kind": was.Kind != is.Kind,
		"namespace": was.Namespace != is.Namespace, "name": was.Name != is.Name,
	}
	for _, part := range identityParts {
		if path := at(part); differs[part] && path != "" {
			diff.HasChanges = true
			diff.DetailedDiff[path] = change
		}
	}
	return diff, diff.HasChanges
}

// InDefaultNamespace completes an identity that names no namespace: whether its kind has namespaces is not known
// without a request, but the state knows where the object went. defaultNamespace is "" while the cluster is not known.
func InDefaultNamespace(is, was manifest.Identity, defaultNamespace string) manifest.Identity {
	switch {
	case was.Namespace == "":
		is.Namespace = ""
	case is.Namespace == "" && defaultNamespace == "":
		is.Namespace = was.Namespace
	case is.Namespace == "":
		is.Namespace = defaultNamespace
	}
	return is
}

// InputChanges compares some of the inputs as they are written, for where the API server cannot be asked or has no say.
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
