package object

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// versionsOf returns the names of the versions in a CustomResourceDefinition, and the one in which objects are stored.
func versionsOf(definition map[string]any) (names []string, storage string) {
	versions, _, _ := unstructured.NestedSlice(definition, "spec", "versions")
	for _, version := range versions {
		fields, _ := version.(map[string]any)
		name, _ := fields["name"].(string)
		names = append(names, name)
		if fields["storage"] == true {
			storage = name
		}
	}
	return names, storage
}

// stillStored explains how to drop a version of a CustomResourceDefinition in which objects may be stored; nil for any
// other refusal. The API server never checks whether there are any: it keeps a list in the status, which only grows.
func (r *refusedUpdate) stillStored(in inputs) error {
	named := func(field string) bool { return strings.HasPrefix(field, "status.storedVersions") }
	if !manifest.IsDefinition(r.target.Identity().GroupKind()) || !slices.ContainsFunc(causeFields(r.err), named) {
		return nil
	}
	live := r.merged.Live()
	listed, _, _ := unstructured.NestedStringSlice(live.Object, "status", "storedVersions")
	wanted, storage := versionsOf(in.applied)
	dropped := slices.DeleteFunc(slices.Clone(listed), func(version string) bool { return slices.Contains(wanted, version) })
	left := slices.DeleteFunc(slices.Clone(listed), func(version string) bool { return slices.Contains(dropped, version) })
	if len(left) == 0 {
		left = []string{storage}
	}
	status, err := json.Marshal(map[string]any{"status": map[string]any{"storedVersions": left}})
	if err != nil {
		return err
	}
	first := ""
	if _, stored := versionsOf(live.Object); !slices.Contains(wanted, stored) {
		first = fmt.Sprintf("keep %s in the manifest for now, with `storage: true` for %s alone, and run `pulumi up`. Then ", stored, storage)
	}
	resource, _ := manifest.ResourceOf(live.Object)
	return tracked.Refused(failure.ReasonInvalid, "%s: objects may still be stored in %s, which the manifest drops. It was not touched.\n%v\n"+
		"Next: %sstore the objects again, if there are any, and say that it is done:\n"+
		"  kubectl get %s.%s --all-namespaces -o json | kubectl replace -f -\n"+
		"  kubectl patch crd %s --subresource=status --type=merge -p '%s'\n"+
		"Then run `pulumi up` with this manifest. Do not delete the definition %s.",
		r.target.Ref, strings.Join(dropped, ", "), r.said(in), first, resource.Resource, resource.Group, live.GetName(), status,
		kinds.LostWith(kinds.CustomResourceDefinition))
}
