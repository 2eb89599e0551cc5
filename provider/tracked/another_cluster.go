package tracked

import (
	"context"
	"errors"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// ElsewhereError means that an object is not in the cluster that the connection leads to, or that we do not know
// whether it is. Nothing that this cluster says about the object's name concerns the object.
type ElsewhereError struct {
	Ref cluster.Ref
	// Was is the cluster of the object, and Is the one that the connection leads to.
	Was, Is Origin
	// Certain means that the two are different clusters.
	Certain bool
}

func (e *ElsewhereError) Error() string {
	if e.Certain {
		return fmt.Sprintf("%s is in %s, and the connection leads to %s", e.Ref, e.Was, e.Is)
	}
	why, next := "the connection may not read it", "allow the verb get on this namespace, or use the former connection"
	if e.Was.ID == "" {
		why, next = "it could not be read when the object was last read",
			"use the former connection; if it may get this namespace, the next command records its uid"
	}
	return fmt.Sprintf("%s was last seen in %s and is not found in %s. Whether these are one cluster is not known: clusters are told apart by "+
		"the uid of the namespace kube-system, and %s.\n"+
		"Next: %s. %s", e.Ref, e.Was, e.Is, why, next, e.Was.howToForget())
}

// Because marks the error for [failure.ReasonOf].
func (e *ElsewhereError) Because() failure.Reason { return failure.ReasonOtherCluster }

// howToForget explains what to do about objects in a cluster that can no longer be reached.
func (o Origin) howToForget() string {
	return fmt.Sprintf("If the object's cluster is gone for good, forget what the state has in it: set the environment variable %s=%s for this "+
		"command, or the provider's forgetClusters to [%q], which a destroy reads with --run-program.", connection.ForgetVariable, o.Key(), o.Key())
}

// IsElsewhere reports whether an object is known to be in another cluster.
func IsElsewhere(err error) bool {
	elsewhere := (*ElsewhereError)(nil)
	return errors.As(err, &elsewhere) && elsewhere.Certain
}

// isUndecided reports whether we do not know if an object is in another cluster.
func isUndecided(err error) bool {
	elsewhere := (*ElsewhereError)(nil)
	return errors.As(err, &elsewhere) && !elsewhere.Certain
}

// errForgotten means that the user has declared that the object's cluster no longer exists.
var errForgotten = errors.New("its cluster is gone for good")

// IsForgotten reports whether an object went with its cluster.
func IsForgotten(err error) bool { return errors.Is(err, errForgotten) }

// IsGone reports whether an object no longer exists: the API server of its cluster said so, or the cluster itself no
// longer exists.
func IsGone(err error) bool { return failure.Gone(err) || IsForgotten(err) }

// Located interprets the result of reading the object with this uid. An object with that uid is the right one in any
// cluster. An absent object, another object of the same name, or a kind that is not served counts only in the object's
// own cluster: otherwise the error is an [ElsewhereError], or says why we could not find out.
func (o Origin) Located(
	ctx context.Context, source *connection.Source, t Target, uid string, live *unstructured.Unstructured, err error,
) error {
	switch {
	case o.IsZero():
		return err
	case err == nil && live != nil && uid != "" && uid == string(live.GetUID()):
		return nil
	case err != nil && !failure.Gone(err) && !failure.NotServed(err):
		if source.Forgets(o.Key()) && !o.answers(ctx, t, err) {
			return o.forget(ctx, source)
		}
		return err
	}
	if elsewhere := o.RequireIn(ctx, source, t); elsewhere != nil {
		return elsewhere
	}
	return err
}

// answers reports whether a cluster that was declared gone still answers, after a read has failed.
func (o Origin) answers(ctx context.Context, t Target, failed error) bool {
	if notSent := (*failure.NotSentError)(nil); t.Cluster == nil || o.ID == "" || errors.As(failed, &notSent) {
		return false
	}
	id, err := t.Cluster.ID(ctx)
	return err == nil && id == o.ID
}

// RequireIn reports why the target's cluster is not known to be the object's cluster; nil if it is.
func (o Origin) RequireIn(ctx context.Context, source *connection.Source, t Target) error {
	relation, here, err := o.relationTo(ctx, t.Cluster)
	switch {
	case err == nil && relation == same:
		return nil
	case source.Forgets(o.Key()):
		return o.forget(ctx, source)
	case err != nil:
		return fmt.Errorf("%s: it is not known whether the connection leads to its cluster: %w", t.Ref, failure.Explain(err, failure.Operation{
			Verb: "read", Subject: "Namespace kube-system, whose uid tells clusters apart", Server: t.Cluster.Server(),
		}))
	default:
		return &ElsewhereError{Ref: t.Ref, Was: o, Is: here, Certain: relation == other}
	}
}

// forget reports once what happens to the objects of a cluster that no longer exists.
func (o Origin) forget(ctx context.Context, source *connection.Source) error {
	source.WarnOnce(ctx, "forgotten "+o.Key(),
		fmt.Sprintf("%s is in forgetClusters: what the state has in it is forgotten. Nothing was deleted.", o))
	return errForgotten
}

// Moved finds out for the program's Diff whether its connection leads to a cluster other than the object's, and reports
// it. It asks the API server only if the address or the certificate authority differs. undecided means that only a read
// of the object can tell; the error says why.
func (o Origin) Moved(ctx context.Context, source *connection.Source, t Target) (moved, undecided bool, err error) {
	if t.Cluster != nil && o.Target == t.Cluster.Target() {
		return false, false, nil
	}
	return o.AskMoved(ctx, source, t)
}

// AskMoved is [Origin.Moved], and asks the API server in any case.
func (o Origin) AskMoved(ctx context.Context, source *connection.Source, t Target) (moved, undecided bool, err error) {
	if o.IsZero() || t.Cluster == nil {
		return false, false, nil
	}
	switch err := o.RequireIn(ctx, source, t); {
	case err == nil:
		return false, false, nil
	case IsElsewhere(err), IsForgotten(err):
		WarnMoved(ctx, source, err)
		return true, false, nil
	default:
		return false, isUndecided(err), err
	}
}

// WarnMoved explains once why objects are replaced although the program has not changed them, unless a read has already
// reported it.
func WarnMoved(ctx context.Context, source *connection.Source, err error) {
	if elsewhere := (*ElsewhereError)(nil); errors.As(err, &elsewhere) {
		source.WarnOnce(ctx, elsewhere.about(), fmt.Sprintf("Another cluster: objects of this stack are in %s, and the connection leads to %s. "+
			"They are created in the latter; the objects in the former are left alone.", elsewhere.Was, elsewhere.Is))
	}
}

// WarnLeft reports once where the objects are that were left alone.
func (o Origin) WarnLeft(ctx context.Context, source *connection.Source) {
	source.WarnOnce(ctx, "left "+o.Key(), fmt.Sprintf("Objects were left alone in %s, as the connection leads to another cluster. No state has them any "+
		"more: delete them there if nothing needs them (lost with them: what they own and what they hold).", o))
}

// about names the two clusters.
func (e *ElsewhereError) about() string { return "elsewhere " + e.Was.Key() + " " + e.Is.Key() }

// notChecked says that a read has met another cluster.
func (e *ElsewhereError) notChecked() string {
	return fmt.Sprintf("NOT CHECKED: objects of this stack are in %s, and the connection leads to %s, which is another cluster. "+
		"The state keeps them. `pulumi up` creates them in the latter and leaves those in the former alone; `pulumi destroy` is refused.\n"+
		"If you did not intend that, check context, host and $KUBECONFIG before you continue.", e.Was, e.Is)
}

// IsToForget reports whether the object of a state that is being deleted no longer exists because its cluster does not.
// It makes no request unless the user has declared that.
func (s State) IsToForget(ctx context.Context, source *connection.Source, inputs property.Map, id manifest.Identity) bool {
	if !source.Forgets(s.Origin.Key()) {
		return false
	}
	t, live, err := ObserveLive(ctx, source, inputs, id, s.Manager)
	return IsForgotten(s.Origin.Located(ctx, source, t, s.Ref.UID, live, err))
}

// RequireDeletable refuses a deletion that is known to concern another cluster's object. If the uid of the object is
// known, the deletion names it and so cannot harm another object; if it finds nothing, [State.ConfirmGone] confirms
// that.
func (s State) RequireDeletable(ctx context.Context, source *connection.Source, t Target) error {
	guarded := s.Ref.UID != "" && !s.Pending
	if s.Origin.IsZero() || guarded && s.Origin.Target == t.Cluster.Target() {
		return nil
	}
	err := s.Origin.RequireIn(ctx, source, t)
	if guarded && !IsElsewhere(err) {
		return nil
	}
	return RefuseDelete(err)
}

// ConfirmGone reports why an object that was not found for deletion may still exist elsewhere; nil if it is gone.
func (s State) ConfirmGone(ctx context.Context, source *connection.Source, t Target) error {
	err := s.Origin.RequireIn(ctx, source, t)
	if IsForgotten(err) {
		return nil
	}
	return RefuseDelete(err)
}

// RefuseDelete explains a deletion that would have happened in another cluster. It returns other errors unchanged.
func RefuseDelete(err error) error {
	elsewhere := (*ElsewhereError)(nil)
	if !errors.As(err, &elsewhere) || !elsewhere.Certain {
		return err
	}
	return Refused(failure.ReasonOtherCluster, "%s was not deleted: it is in %s, and the connection leads to %s, which is another cluster. Neither was touched.\n"+
		"Next: use the connection of the former; check context, host and $KUBECONFIG. %s",
		elsewhere.Ref, elsewhere.Was, elsewhere.Is, elsewhere.Was.howToForget())
}

// ElsewhereDiff returns the replacement of an object that is in a cluster other than the program's. It deletes before
// it replaces, so that the deletion, which does nothing, happens in the operation that knows why.
func ElsewhereDiff() p.DiffResponse {
	return p.DiffResponse{
		HasChanges: true, DeleteBeforeReplace: true,
		DetailedDiff: map[string]p.PropertyDiff{KeyCluster: {Kind: p.UpdateReplace}},
	}
}

// Moves remembers, for this operation, the states whose objects the program's Diff found in another cluster, so that
// the deletion before the replacement leaves those alone.
type Moves struct{ Notes Notes }

const moved = "in another cluster" // observed

// Find reports whether the program wants the object of a state in a cluster other than its current one, and records
// that. If only a read of the object can tell, it marks the state, so that Diff reads.
func (m *Moves) Find(ctx context.Context, source *connection.Source, clu *cluster.Cluster, s *State) (bool, error) {
	t := Target{Cluster: clu, Ref: RefOf(s.Ref.Identity)}
	find := s.Origin.Moved
	if s.Pending {
		find = s.Origin.AskMoved
	}
	moved, undecided, err := find(ctx, source, t)
	switch {
	case moved:
		m.Note(*s)
	case undecided && !s.Pending:
		s.Stale = true
		return false, nil
	case err != nil:
		return false, t.Explain("read", err, nil)
	}
	return moved, nil
}

// Diff returns a replacement if a read or a dry-run has found a cluster other than the object's. It returns any other
// error unchanged.
func (m *Moves) Diff(ctx context.Context, source *connection.Source, s State, err error) (p.DiffResponse, error) {
	if !IsElsewhere(err) && !IsForgotten(err) {
		return p.DiffResponse{}, err
	}
	WarnMoved(ctx, source, err)
	m.Note(s)
	return ElsewhereDiff(), nil
}

// Note records that the object of a state is in a cluster other than the program's.
func (m *Moves) Note(s State) { m.Notes.set(moved, s.observed().String(), "") }

// Forget records a Read, which is the beginning of another command.
func (m *Moves) Forget(s State) { m.Notes.forget(moved, s.observed().String()) }

// Has reports whether the object of a state is being replaced because it is in another cluster.
func (m *Moves) Has(s State) bool {
	_, noted := m.Notes.get(moved, s.observed().String())
	return noted
}
