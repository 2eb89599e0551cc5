package object

import (
	"maps"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// detailedDiff converts field changes to property changes.
func detailedDiff(changes []ownership.Change, s state, in inputs, ignored tracked.IgnoredPaths) p.DiffResponse {
	changes = in.besideIgnored(changes)
	place := func(change ownership.Change) (string, p.DiffKind) {
		at, kind := tracked.Place(change, tracked.Marked{Tree: s.Live, Secrets: s.Secrets}, in.marked())
		return in.display(at, kind)
	}
	in.noteDifferences(changes, s, func(change ownership.Change) bool {
		path, _ := place(change)
		return ignored.Covers(path)
	})
	diff := tracked.Detailed(changes, ownership.In(in.applied), place, ignored)
	in.alsoTexts(diff)
	return diff
}

// alsoTexts shows both places that the user wrote a Secret's data in, if all of it is added or removed.
func (in inputs) alsoTexts(diff p.DiffResponse) {
	data, texts := values.JoinPath(keyManifest, "data"), values.JoinPath(keyManifest, "stringData")
	written, _ := in.written["stringData"].(map[string]any)
	if change, whole := diff.DetailedDiff[data]; whole && change.Kind != p.Update && in.isSecret() && len(written) > 0 {
		diff.DetailedDiff[texts] = change
	}
}

// besideIgnored shows the members of a map one by one if the whole map, except for its ignored parts, is added or
// removed. At the path of the map, the manifest would also show the ignored members, which are neither added nor
// removed.
func (in inputs) besideIgnored(changes []ownership.Change) []ownership.Change {
	if len(in.ignore) == 0 {
		return changes // anything else missing is empty, and the API server does not keep it
	}
	var result []ownership.Change
	for _, change := range changes {
		value := change.Old
		if change.Kind == ownership.Added {
			value = change.New
		}
		members, isMap := value.(map[string]any)
		at, _, _ := ownership.Locate(in.applied, change.Path)
		written, _ := at.(map[string]any)
		if change.Kind == ownership.Changed || !isMap || !hasOther(written, members) {
			result = append(result, change)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			member := ownership.Change{Kind: change.Kind, Path: append(change.Path.Copy(), fieldpath.PathElement{FieldName: &name})}
			if change.Kind == ownership.Added {
				member.New = members[name]
			} else {
				member.Old = members[name]
			}
			result = append(result, member)
		}
	}
	return result
}

// hasOther reports whether a map has members other than these.
func hasOther(written, members map[string]any) bool {
	for name := range written {
		if _, ok := members[name]; !ok {
			return true
		}
	}
	return false
}

// display converts a change at a place in the manifest to a property path and a kind of change, in the form in which
// the user wrote the object.
func (in inputs) display(at ownership.Location, kind p.DiffKind) (string, p.DiffKind) {
	if len(at) > 0 && at[0] == "data" && in.isSecret() && in.wroteText(at) {
		at = append(ownership.Location{"stringData"}, at[1:]...)
	}
	return tracked.PropertyAt(keyManifest, at, kind)
}

// isSecret reports whether the object is a Secret.
func (in inputs) isSecret() bool {
	id := manifest.IdentityOf(in.applied)
	return manifest.IsSecretKind(id.APIVersion, id.Kind)
}

// wroteText reports whether the user wrote this place in a Secret's data under stringData.
func (in inputs) wroteText(at ownership.Location) bool {
	written, data := in.written["data"]
	if entries, isMap := written.(map[string]any); isMap && len(entries) == 0 {
		data = false
	}
	texts, ok := in.written["stringData"].(map[string]any)
	if !ok || len(at) == 1 {
		return !data
	}
	key, _ := at[1].(string)
	_, text := texts[key]
	return text || !data
}
