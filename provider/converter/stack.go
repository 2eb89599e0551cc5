package converter

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

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
	found, err := objectsInStack(content)
	if err != nil {
		return selection{}, failure.Errorf(failure.ReasonInvalid, "%s is not what `pulumi stack export` writes: %w", args.name, err)
	}
	sorted, err := findNamed(ctx, clu, args, found.objects, "")
	if err != nil {
		return selection{}, err
	}
	sorted.notes = found.notes()
	return sorted.found(args, nil)
}

// stackState is what a state has of the other provider.
type stackState struct {
	objects  []wanted
	releases []stateRelease
	others   []string // the URNs of resources that are no objects, such as patches
}

// notes say what in the state is not looked up as an object.
func (s stackState) notes() []string {
	var notes []string
	for _, release := range s.releases {
		notes = append(notes, release.note())
	}
	if len(s.others) > 0 {
		notes = append(notes, "Left out, because they are not single objects: "+strings.Join(s.others, ", ")+".")
	}
	return notes
}

// stackResource is a resource in a state.
type stackResource struct {
	URN      string         `json:"urn"`
	Custom   bool           `json:"custom"`
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Delete   bool           `json:"delete"`
	External bool           `json:"external"`
	Outputs  map[string]any `json:"outputs"`
}

// objectsInStack reads a state.
func objectsInStack(content []byte) (stackState, error) {
	var export struct {
		Deployment *struct {
			Resources []stackResource `json:"resources"`
		} `json:"deployment"`
	}
	var found stackState
	if err := json.Unmarshal(content, &export); err != nil {
		return found, err
	}
	if export.Deployment == nil {
		return found, failure.Errorf(failure.ReasonInvalid, "it has no deployment")
	}
	for _, r := range export.Deployment.Resources {
		if r.Custom && !r.Delete && !r.External && strings.HasPrefix(r.Type, "kubernetes:") {
			found.add(r)
		}
	}
	return found, nil
}

// add sorts one resource.
func (s *stackState) add(r stackResource) {
	namespace, name := r.place()
	switch object := r.object(); {
	case r.Type == "kubernetes:helm.sh/v3:Release" && namespace != "" && name != "":
		s.releases = append(s.releases, stateRelease{r.URN, name, namespace})
	case object.APIVersion == "" || object.Kind == "" || object.Name == "" || strings.HasSuffix(r.Type, "Patch") || strings.HasPrefix(r.Type, "kubernetes:helm.sh/"):
		s.others = append(s.others, r.URN)
	case !slices.Contains(s.objects, object):
		s.objects = append(s.objects, object)
	}
}

// object reads which object a resource is. Where the state has its name or namespace as a secret, the ID has them.
func (r stackResource) object() wanted {
	object := wanted{Identity: manifest.IdentityOf(r.Outputs)}
	metadata, _ := r.Outputs["metadata"].(map[string]any)
	object.uid = types.UID(textAt(metadata, "uid"))
	if namespace, name := r.place(); name != "" && (object.Name == "" || object.Namespace == "") {
		object.Namespace, object.Name = namespace, name
	}
	return object
}

// place reads the ID of a resource: the name, or namespace/name.
func (r stackResource) place() (namespace, name string) {
	namespace, name, namespaced := strings.Cut(r.ID, "/")
	if !namespaced {
		return "", r.ID
	}
	return namespace, name
}
