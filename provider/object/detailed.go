package object

import (
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracking"
)

// detailedDiff writes changes of fields as changes of properties. The engine
// takes the left side of each from the output manifest and the right side from
// the input manifest, at the same path, so each path is a place in both.
func detailedDiff(changes []ownership.Change, s state, in inputs, ignored tracking.IgnoredPaths) p.DiffResponse {
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

// place returns where the engine shows a change, and as what.
func (s state) place(change ownership.Change, in inputs) (string, p.DiffKind) {
	path := change.Path
	for _, m := range []tracking.Marked{in.marked(), {Tree: s.live, Secrets: s.secrets}} {
		// Inside a secret not even the names of fields are shown.
		if depth, ok := m.SecretDepth(path); ok && m.HidesNames(path, depth) {
			path, change.Kind = path[:depth], ownership.Changed
		}
	}
	_, before, had := ownership.Locate(s.live, path)
	_, after, has := ownership.Locate(in.applied, path)
	kind, at := p.Update, after
	switch {
	case change.Kind == ownership.Added && has:
		kind = p.Add
	case !has && had:
		kind, at = p.Delete, before
	case had && has:
		// An item that stands elsewhere on the other side cannot be shown alone: the
		// engine would hold it against another one.
		at = after[:tracking.SharedPrefix(before, after)]
	case !has:
		// On neither side as written: a default that appeared, say.
		at = nil
	}
	return s.display(at, in), kind
}

// display writes a place in the manifest as a property path, in the way that the
// user wrote the object.
func (s state) display(at ownership.Location, in inputs) string {
	if len(at) > 0 && at[0] == "data" && in.isSecret() && in.wroteText(at) {
		at = append(ownership.Location{"stringData"}, at[1:]...)
	}
	segments := append([]property.PathSegment{property.NewSegment(keyManifest)}, tracking.Segments(at)...)
	return values.FormatPath(property.PathFromSegments(segments...))
}

// isSecret reports whether the object is a Secret.
func (in inputs) isSecret() bool {
	id := manifest.IdentityOf(in.applied)
	return manifest.IsSecretKind(id.APIVersion, id.Kind)
}

// wroteText reports whether the user wrote what is at a place in a Secret's data
// under stringData.
func (in inputs) wroteText(at ownership.Location) bool {
	_, data := in.written["data"]
	texts, ok := in.written["stringData"].(map[string]any)
	if !ok || len(at) == 1 {
		return !data
	}
	key, _ := at[1].(string)
	_, text := texts[key]
	return text || !data
}

// lost lists the applied fields that this resource no longer owns, beside those
// whose values have changed and are listed already.
func (s state) lost(listed []ownership.Change) []ownership.Change {
	var lost []ownership.Change
	known := fieldpath.NewSet()
	for _, change := range listed {
		known.Insert(change.Path)
	}
	s.fields.Leaves().Iterate(func(path fieldpath.Path) {
		owner, ok := ownership.OwnerOf(s.ownership, path)
		if !ok || owner == s.manager {
			return
		}
		for n := 1; n <= len(path); n++ {
			if known.Has(path[:n]) {
				return
			}
		}
		v, _, _ := ownership.Locate(s.live, path)
		lost = append(lost, ownership.Change{Kind: ownership.Changed, Path: path.Copy(), Old: v, New: v})
	})
	return lost
}
