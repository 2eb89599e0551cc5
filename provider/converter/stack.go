package converter

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// findInStack looks up the objects of the other provider, kubernetes, in the state that `pulumi stack export` has
// written.
func findInStack(ctx context.Context, clu *cluster.Cluster, args arguments) (selection, error) {
	content, err := os.ReadFile(args.name)
	if err != nil {
		return selection{}, failure.Because(failure.ReasonInvalid, err)
	}
	named, others, err := objectsInStack(content)
	if err != nil {
		return selection{}, failure.Errorf(failure.ReasonInvalid, "%s is not what `pulumi stack export` writes: %w", args.name, err)
	}
	sorted, err := findNamed(ctx, clu, args, identified(named), "")
	if err != nil {
		return selection{}, err
	}
	if len(others) > 0 {
		sorted.notes = append(sorted.notes, "Left out, because they are not single objects: "+strings.Join(others, ", ")+".")
	}
	return sorted.found(args, nil)
}

// objectsInStack reads a state. It returns the objects, and the URNs of resources of the other provider that are none: a
// Helm release, a patch.
func objectsInStack(content []byte) (named []manifest.Identity, others []string, err error) {
	var export struct {
		Deployment *struct {
			Resources []struct {
				URN      string         `json:"urn"`
				Custom   bool           `json:"custom"`
				Type     string         `json:"type"`
				Delete   bool           `json:"delete"`
				External bool           `json:"external"`
				Outputs  map[string]any `json:"outputs"`
			} `json:"resources"`
		} `json:"deployment"`
	}
	if err := json.Unmarshal(content, &export); err != nil {
		return nil, nil, err
	}
	if export.Deployment == nil {
		return nil, nil, failure.Errorf(failure.ReasonInvalid, "it has no deployment")
	}
	for _, r := range export.Deployment.Resources {
		if !r.Custom || r.Delete || r.External || !strings.HasPrefix(r.Type, "kubernetes:") {
			continue
		}
		id := manifest.IdentityOf(r.Outputs)
		if id.APIVersion == "" || id.Kind == "" || id.Name == "" || strings.HasSuffix(r.Type, "Patch") || strings.HasPrefix(r.Type, "kubernetes:helm.sh/") {
			others = append(others, r.URN)
			continue
		}
		if !slices.Contains(named, id) {
			named = append(named, id)
		}
	}
	return named, others, nil
}
