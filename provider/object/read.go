package object

import (
	"context"
	"errors"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracking"
)

// Read looks at the live object once. Without inputs and state it is an import.
func (r *kubeObject) Read(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	if req.Inputs.Len() == 0 && req.Properties.Len() == 0 {
		return r.importObject(ctx, req)
	}
	in, err := decodeInputs(req.Inputs)
	if err != nil {
		return p.ReadResponse{}, err
	}
	old, err := decodeState(req.Properties)
	if err != nil {
		return p.ReadResponse{}, err
	}
	if old.ref.identity.Name == "" {
		if old.ref.identity, err = manifest.ParseID(req.ID); err != nil {
			return p.ReadResponse{}, err
		}
	}

	r.standing.See(req.Urn, old.ref.uid, old.hashKey)
	live, t, err := r.look(ctx, req.Inputs, old.ref.identity, managerFor(req.Urn, old))
	switch {
	case failure.Gone(err):
		return p.ReadResponse{}, nil
	case err != nil:
		return r.keepUnread(ctx, req, t, in, old, err)
	}

	now, err := old.observe(t, live, in)
	switch {
	case errors.Is(err, errNotOurs):
		return p.ReadResponse{}, nil
	case errors.Is(err, errUnconfirmed):
		resp := p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}
		resp.PartialState, err = stillPending(old, err)
		return resp, err
	case err != nil:
		return p.ReadResponse{}, err
	}
	out, err := now.encode(in.written)
	if err != nil {
		return p.ReadResponse{}, err
	}
	return p.ReadResponse{ID: req.ID, Properties: out, Inputs: req.Inputs}, nil
}

var (
	// errNotOurs says that what stands in the object's place was not made by the
	// unconfirmed apply that was to make it.
	errNotOurs = errors.New("the object was made by somebody else")
	// errUnconfirmed says that a look at the object does not settle an apply.
	errUnconfirmed = errors.New("the object does not carry the field manager of this resource")
)

// stillPending tells the engine that an earlier apply is still not confirmed.
func stillPending(s state, cause error) (*p.InitializationFailed, error) {
	err := fmt.Errorf("%s: an earlier apply is still not confirmed; the next `pulumi up` applies again, in place: %w",
		s.ref.identity, cause)
	return &p.InitializationFailed{Reasons: []string{err.Error()}}, err
}

// look gets the live object.
func (r *kubeObject) look(
	ctx context.Context, in property.Map, id manifest.Identity, manager string,
) (*unstructured.Unstructured, target, error) {
	clu, err := r.source.Cluster(in)
	if err != nil {
		return nil, target{}, err
	}
	t, err := find(ctx, clu, id, manager)
	if err != nil {
		return nil, target{cluster: clu, ref: refOf(id), manager: manager}, err
	}
	live, err := clu.Get(ctx, t.ref)
	return live, t, err
}

// keepUnread answers a read that failed with what was known before. An error
// would end the whole operation, a destroy included. The mark makes the next Diff
// look for itself, with the connection of the program that runs now.
func (r *kubeObject) keepUnread(
	ctx context.Context, req p.ReadRequest, t target, in inputs, old state, cause error,
) (p.ReadResponse, error) {
	explained := cause
	if t.cluster != nil {
		explained = t.explain("read", cause, in)
	}
	r.source.WarnUnread(ctx, t.cluster, explained)
	resp := p.ReadResponse{
		ID: req.ID, Inputs: req.Inputs, Properties: req.Properties.Set(keyStale, property.New(true)),
	}
	if !old.pending {
		return resp, nil
	}
	var err error
	resp.PartialState, err = stillPending(old, errors.New("the object could not be read"))
	return resp, err
}

// observe renews the state from the live object.
func (s state) observe(t target, live *unstructured.Unstructured, in inputs) (state, error) {
	if s.pending || s.fields == nil {
		return s.confirm(t, live, in)
	}
	now := s
	now.stale = false
	applied := s.wanted()
	var err error
	if s.manager == "" {
		now.live, _, err = imported(live)
	} else {
		now.live = t.project(live, s.fields, applied)
	}
	if err != nil {
		return state{}, err
	}
	// A recreated object keeps the old uid in the state, so that the next update
	// notices. One that carries our own field manager is ours.
	if _, ours, err := ownership.Applied(live, t.manager); err != nil {
		return state{}, err
	} else if ours {
		now.ref.uid = string(live.GetUID())
	}
	if now.ownership, err = ownership.Owners(live, s.fields, t.manager); err != nil {
		return state{}, err
	}
	sources := []tracking.Marked{
		in.marked(), {Tree: s.live, Secrets: s.secrets}, {Tree: s.applied, Secrets: s.appliedSecrets},
	}
	now.secrets, now.namesSecret = tracking.SecretPlaces(now.live, s.fields, sources...)
	now.applied = nil
	if len(ownership.Compare(now.live, applied, s.fields)) > 0 {
		now.applied = applied
		now.appliedSecrets, _ = tracking.SecretPlaces(applied, s.fields, sources...)
	}
	return now, nil
}

// namesOwners reports whether an object says who owns its fields. The API server
// always does. Where a proxy has left it out, it is not known whose the object is.
func namesOwners(live *unstructured.Unstructured) bool { return len(live.GetManagedFields()) > 0 }

// confirm settles an apply whose effect was not known by looking at what we own
// now. An apply that was to make the object has made it, if it carries our field
// manager. Whether an apply onto an existing object came through cannot be seen;
// the hash is left empty, and the next update applies again, in place.
func (s state) confirm(t target, live *unstructured.Unstructured, in inputs) (state, error) {
	_, ours, err := ownership.Applied(live, t.manager)
	switch {
	case err != nil:
		return state{}, err
	case !ours && s.ref.uid == "" && namesOwners(live):
		return state{}, errNotOurs
	case !ours:
		return state{}, errUnconfirmed
	}
	hashKey := s.hashKey
	if hashKey == "" {
		hashKey = tracking.NewHashKey()
	}
	now, err := t.settle(live, in, hashKey)
	if err != nil {
		return state{}, err
	}
	if s.ref.uid != "" {
		now.hash = ""
	}
	return now, nil
}
