package object

import (
	"context"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// existencePrefix begins the name that the engine makes up when a program asks whether an object exists.
const existencePrefix = "__exists__"

// asksForExistence reports whether a Read answers the program's `KubeObject.exists`. The engine reads by the ID alone,
// as for an import, but here an absent object is a valid answer, not an error.
func asksForExistence(urn resource.URN) bool {
	return urn.IsValid() && strings.HasPrefix(urn.Name(), existencePrefix)
}

// exists returns outputs if the object exists. It returns none if the object does not exist, or if its kind is not
// served: then the object can be created. Any other reason why the object cannot be read is an error.
func (r *kubeObject) exists(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	id, err := manifest.ParseID(req.ID)
	if err != nil {
		return p.ReadResponse{}, failure.Because(failure.ReasonInvalid, err)
	}
	t, live, err := observeLive(ctx, r.source, property.Map{}, id, "")
	switch {
	case tracked.IsGone(err):
		return p.ReadResponse{}, nil
	case err != nil:
		return p.ReadResponse{}, t.Explain("read", err, nil)
	}
	ref := reference.Object{Identity: t.Identity(), UID: string(live.GetUID())}
	return p.ReadResponse{
		ID:         t.Identity().String(),
		Properties: property.NewMap(map[string]property.Value{tracked.KeyResourceRef: ref.Encode()}),
	}, nil
}
