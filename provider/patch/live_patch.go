package patch

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// livePatch returns the output with the same name as the patch: the patch with live values. The engine takes the left
// side of a detailed diff from it, and the right side from the input at the same path.
func (s state) livePatch(in inputs) (property.Value, error) {
	switch in.kind {
	case keyPatch:
		return values.ToProperty(s.Live, s.Secrets)
	case keyJSONPatch:
		return values.ToProperty(s.liveOperations(in), in.liveSecrets(s.touched))
	default:
		return values.ToProperty(liveTree(in.document, s.Live), in.liveSecrets(s.touched))
	}
}

// liveTree returns a merge patch with live values: for everything that it sets or removes, the current value, or null
// if there is none.
func liveTree(document, live any) any {
	tree, ok := document.(map[string]any)
	if !ok || len(tree) == 0 {
		return live
	}
	object, _ := live.(map[string]any)
	echo := make(map[string]any, len(tree))
	for key, v := range tree {
		echo[key] = liveTree(v, object[key])
	}
	return echo
}

// liveOperations returns a JSON patch with live values for the fields that are watched.
func (s state) liveOperations(in inputs) any {
	list, ok := values.DeepCopy(in.document).([]any)
	if !ok {
		return in.document
	}
	for _, i := range s.gone() {
		if i >= len(list) {
			continue
		}
		if operation, ok := list[i].(map[string]any); ok {
			operation["value"] = nil
		}
	}
	for i, path := range s.touched.operations {
		if path == nil || i >= len(list) {
			continue
		}
		if operation, ok := list[i].(map[string]any); ok {
			operation["value"], _, _ = ownership.Locate(s.Live, path)
		}
	}
	return list
}
