package patch

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Create patches the target for the first time.
func (r *patchResource) Create(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	in, err := decodeProgram(req.Properties)
	if err != nil {
		return p.CreateResponse{}, err
	}
	r.source.Remember(in.sensitive())
	clu, err := r.source.Cluster(req.Properties)
	asked := request{
		urn: req.Urn, cluster: clu, in: in, old: state{State: tracked.State{HashKey: tracked.NewHashKey()}, touched: nothing()}, preview: req.DryRun,
	}
	if unknown, err := asked.isUnknown(ctx, err); unknown || err != nil {
		return p.CreateResponse{Properties: unknownOutputs(in, in.object, "")}, err
	}
	result, err := r.patch(ctx, asked)
	if err != nil {
		return p.CreateResponse{}, err
	}
	result.sayDropped(ctx)
	result.sayUnrecorded(ctx)
	result.sayLeft(ctx)
	if result.unresolved {
		return p.CreateResponse{Properties: unknownOutputs(in, result.target.Identity(), "")}, nil
	}
	if req.DryRun {
		out, err := result.state.encode(in)
		if err != nil {
			return p.CreateResponse{}, err
		}
		// The real run creates a new revision key.
		ref := out.Get(tracked.KeyResourceRef).AsMap().Set("revision", property.New(property.Computed))
		return p.CreateResponse{Properties: out.Set(tracked.KeyResourceRef, property.New(ref))}, nil
	}
	result.state.Origin = tracked.OriginOf(ctx, clu)
	resp := p.CreateResponse{ID: result.target.Identity().String()}
	r.guard.Observe(req.Urn, result.state.Ref.UID, result.state.HashKey)
	result, unfinished := r.finish(ctx, result, in)
	resp.Properties, resp.PartialState, err = result.saved(in, unfinished)
	return resp, err
}

// request is one call for a patch.
type request struct {
	urn     resource.URN
	cluster *cluster.Cluster
	in      inputs
	old     state
	preview bool
}

// patch carries a request out.
func (r *patchResource) patch(ctx context.Context, req request) (outcome, error) {
	if req.preview {
		ctx = r.source.ForwardWarnings(ctx, req.urn, req.in.sensitive())
	} else {
		ctx = tracked.Writing(ctx, r.source, req.urn, req.in.sensitive())
	}
	w := run{in: req.in, old: req.old, urn: req.urn, preview: req.preview, claims: &r.claims, source: r.source}
	if w.old.HashKey == "" {
		w.old.HashKey = tracked.NewHashKey()
	}
	var err error
	manager, former := req.old.ForUpdate(managerOf(req.urn))
	w.target, err = find(ctx, req.cluster, req.in.object, manager)
	w.target.Also = former
	switch {
	case failure.Gone(err), failure.NotServed(err):
		return w.targetMissing(ctx, err)
	case err != nil:
		return outcome{target: w.target}, w.target.Explain("patch", err, req.in.sensitive())
	}
	return w.runInOneVersion(ctx)
}

// isUnknown reports whether a preview cannot ask the API server yet. clusterErr is the reason if there is no cluster.
func (r request) isUnknown(ctx context.Context, clusterErr error) (bool, error) {
	switch {
	case clusterErr != nil && !errors.Is(clusterErr, connection.ErrUnknown):
		return false, clusterErr
	case clusterErr == nil && r.in.unknown == 0:
		return false, nil
	case !r.preview:
		return true, p.InternalErrorf("the engine asked for a patch with unknown values")
	case r.in.unknown > 0:
		unknown := r.in.unknownPaths()
		p.GetLogger(ctx).Infof("%d value(s) of the resource are known only after the apply: %s", len(unknown), tracked.Named(unknown))
	}
	return true, nil
}

// unknownOutputs returns the outputs of a preview that could not ask the API server. uid is empty if it is unknown,
// too.
func unknownOutputs(in inputs, id manifest.Identity, uid string) property.Map {
	unknown := property.New(property.Computed)
	ref := reference.Object{Identity: id, UID: uid}.Encode().AsMap().Set("revision", unknown)
	for _, member := range []string{"apiVersion", "kind", "name", "uid"} {
		if ref.Get(member).IsNull() {
			ref = ref.Set(member, unknown)
		}
	}
	return property.NewMap(map[string]property.Value{
		keyManagedFields: unknown, tracked.KeyFieldOwnership: unknown, keyPreviousOwners: unknown, in.kind: unknown,
		tracked.KeyResourceRef: property.New(ref),
	})
}

// saved builds the answer to the engine. Even if the resource is not finished, the state is saved; cause is the reason.
func (o outcome) saved(in inputs, cause error) (property.Map, *p.InitializationFailed, error) {
	out, err := o.state.encode(in)
	if err != nil || cause == nil {
		return out, nil, err
	}
	failed, cause := tracked.Unfinished(cause)
	return out, failed, cause
}
