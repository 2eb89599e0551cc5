package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// applyResult is the result of one attempt to write the object.
type applyResult struct {
	answer *unstructured.Unstructured
	err    error
	// wrote means that the failed request was a write. The effect of a read or a dry-run is always known: none.
	wrote bool
	// uid is the uid of the object that was written onto; empty if the write was to create it.
	uid string
	// theirs are the fields that were not sent because they are left to managers.
	theirs *fieldpath.Set
}

// outcome is the result of an apply.
type outcome struct {
	target target
	state  state
	// answer is the object as the API server has returned it.
	answer *unstructured.Unstructured
	// theirs are the fields that the apply has left to managers.
	theirs *fieldpath.Set
	// leaving is the effect of an update on fields that the manifest no longer sets.
	leaving leaving
	// unconfirmed is the reason why we do not know whether the apply took effect.
	unconfirmed error
	// unresolved means that a preview could not ask the API server yet.
	unresolved bool
}

// classifyOutcome turns an attempt into its outcome: done, unknown, or an error after which nothing is saved.
func (t target) classifyOutcome(a applyResult, in inputs, hashKey, verb string) (outcome, error) {
	err, uid := a.err, a.uid
	in.leave(a.theirs)
	if err == nil {
		var s state
		if s, err = t.newState(a.answer, in, hashKey); err == nil {
			return outcome{target: t, state: s, answer: a.answer, theirs: a.theirs}, nil
		}
		uid = string(a.answer.GetUID())
	} else if !a.wrote || tracked.HadNoEffect(err) {
		return outcome{target: t}, t.Explain(verb, err, in.sensitive())
	}
	if !a.wrote {
		return outcome{target: t}, err
	}
	return outcome{target: t, state: t.unconfirmed(uid, hashKey), unconfirmed: t.Explain(verb, err, in.sensitive())}, nil
}

// unconfirmed returns the state of an apply with an unknown effect.
func (t target) unconfirmed(uid, hashKey string) state {
	return state{State: tracked.State{
		Live:    map[string]any{},
		Ref:     reference.Object{Identity: t.Identity(), UID: uid},
		Manager: t.Manager,
		HashKey: hashKey,
		Pending: true,
	}}
}

// pendingFailure reports an unconfirmed apply to the engine: it saves the state, fails the operation, and does not
// create what depends on it.
func pendingFailure(t target, cause error) (*p.InitializationFailed, error) {
	return tracked.Unfinished(failure.Errorf(failure.ReasonNotConfirmed, "%s: it is not known whether the API server applied the object.\n"+
		"Nothing needs to be repaired by hand: the state remembers it, and the next `pulumi up` continues in place.\n"+
		"Cause: %w", t.Ref, cause))
}

// sayDropped warns of the fields that the API server did not keep.
func (o outcome) sayDropped(ctx context.Context, in inputs) {
	tracked.WarnDropped(ctx, o.target.Ref, o.state.dropped, in.nameOf)
}

// unknownOutputs returns the outputs of a preview that could not ask the API server.
func (o outcome) unknownOutputs(in inputs, uid string) property.Map {
	if o.target.Ref.Name != "" {
		return unknownOutputs(o.target.Identity(), uid)
	}
	id, _ := in.identity()
	return partlyKnownOutputs(id, uid)
}

// previewResponse builds the answer to the preview of a create.
func (o outcome) previewResponse(in inputs) (p.CreateResponse, error) {
	if o.unresolved {
		return p.CreateResponse{Properties: o.unknownOutputs(in, "")}, nil
	}
	out, err := o.state.encode(in)
	if err != nil {
		return p.CreateResponse{}, err
	}
	// The API server invents a uid for every dry-run, and the revision's key is new.
	unknown := property.New(property.Computed)
	ref := out.Get(tracked.KeyResourceRef).AsMap().Set("uid", unknown).Set("revision", unknown)
	return p.CreateResponse{Properties: out.Set(tracked.KeyResourceRef, property.New(ref))}, nil
}

// createResponse builds the answer to a create.
func (o outcome) createResponse(in inputs) (p.CreateResponse, error) {
	out, err := o.state.encode(in)
	if err != nil {
		return p.CreateResponse{}, err
	}
	resp := p.CreateResponse{ID: o.state.Ref.Identity.String(), Properties: out}
	if o.unconfirmed != nil {
		resp.PartialState, err = pendingFailure(o.target, o.unconfirmed)
	}
	return resp, err
}

// updateResponse builds the answer to the engine.
func (o outcome) updateResponse(in inputs, old state) (p.UpdateResponse, error) {
	if o.unresolved {
		return p.UpdateResponse{Properties: o.unknownOutputs(in, old.Ref.UID)}, nil
	}
	o.state.Ahead = o.unconfirmed != nil
	if o.state.Ahead && !in.secrets.Empty() {
		// The engine keeps the previous inputs, which do not say which of the inputs just sent are secret.
		o.state.Secrets.Add(property.Path{})
	}
	out, err := o.state.encode(in)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	resp := p.UpdateResponse{Properties: out}
	if o.unconfirmed != nil {
		resp.PartialState, err = pendingFailure(o.target, o.unconfirmed)
	}
	return resp, err
}

// unknownOutputs returns the outputs of a preview that cannot ask the API server. It shows the identity; uid is empty
// for a new object.
func unknownOutputs(id manifest.Identity, uid string) property.Map {
	unknown := property.New(property.Computed)
	ref := reference.Object{Identity: id, UID: uid}.Encode().AsMap().Set("revision", unknown)
	if uid == "" {
		ref = ref.Set("uid", unknown)
	}
	return property.NewMap(map[string]property.Value{
		keyManifest:               unknown,
		tracked.KeyFieldOwnership: unknown,
		tracked.KeyResourceRef:    property.New(ref),
	})
}

// partlyKnownOutputs returns the same for an identity that may not be complete: what it lacks is unknown.
func partlyKnownOutputs(id manifest.Identity, uid string) property.Map {
	outputs := unknownOutputs(id, uid)
	ref := outputs.Get(tracked.KeyResourceRef).AsMap()
	for _, key := range []string{"apiVersion", "kind", "namespace", "name"} {
		if ref.Get(key).IsNull() {
			ref = ref.Set(key, property.New(property.Computed))
		}
	}
	return outputs.Set(tracked.KeyResourceRef, property.New(ref))
}
