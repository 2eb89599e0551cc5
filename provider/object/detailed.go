package object

import (
	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// detailedDiff writes changes of fields as changes of properties.
func detailedDiff(changes []ownership.Change, s state, in inputs, ignored tracked.IgnoredPaths) p.DiffResponse {
	return tracked.Detailed(changes, func(change ownership.Change) (string, p.DiffKind) {
		at, kind := tracked.Place(change, tracked.Marked{Tree: s.Live, Secrets: s.Secrets}, in.marked())
		return in.display(at), kind
	}, ignored)
}

// display writes a place in the manifest as a property path, in the way that the
// user wrote the object.
func (in inputs) display(at ownership.Location) string {
	if len(at) > 0 && at[0] == "data" && in.isSecret() && in.wroteText(at) {
		at = append(ownership.Location{"stringData"}, at[1:]...)
	}
	return tracked.PropertyAt(keyManifest, at)
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
