package tracked

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// DeletionTarget is the object of a resource that is deleted.
type DeletionTarget struct {
	Target

	// Forgotten means that there is no cluster in which anything is to be done: it is permanently gone, as the program has declared,
	// or the object was left in it when the connection began to lead to another one.
	Forgotten bool
	// Missing means that the object is not there. It may still exist elsewhere, see [State.ConfirmGone].
	Missing bool
}

// FindToDelete finds the object that a Delete is about, in the cluster that the state names. own is the field manager of the resource. With
// an error, the target explains it.
func (s State) FindToDelete(ctx context.Context, source *connection.Source, moves *Moves, req p.DeleteRequest, own string) (DeletionTarget, error) {
	id, err := s.IdentityIn(req.ID)
	if err != nil {
		return DeletionTarget{}, err
	}
	if moves.Has(s) {
		s.Origin.WarnLeft(ctx, source)
		return DeletionTarget{Forgotten: true}, nil
	}
	if s.IsToForget(ctx, source, req.OldInputs, id) {
		return DeletionTarget{Forgotten: true}, nil
	}
	clu, err := source.Cluster(req.OldInputs)
	if err != nil {
		return DeletionTarget{}, err
	}
	d := DeletionTarget{Target: Target{Cluster: clu, Ref: RefOf(id)}}
	if err := s.RequireDeletable(ctx, source, d.Target); err != nil {
		return d, err
	}
	manager, next := s.OnObject(own)
	d.Target, err = Find(ctx, clu, id, manager)
	d.Also = next
	if failure.Gone(err) {
		d.Missing, err = true, nil
	}
	return d, err
}
