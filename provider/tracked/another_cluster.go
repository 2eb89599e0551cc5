package tracked

import (
	"context"
	"errors"
	"fmt"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// ElsewhereError says that an object is not in the cluster that the connection leads to, or that it is not known whether
// it is. What such a cluster says of the object's name is about another object.
type ElsewhereError struct {
	Ref cluster.Ref
	// Was is where the object is, and Is where the connection leads.
	Was, Is Origin
	// Certain says that the two are different clusters.
	Certain bool
}

func (e *ElsewhereError) Error() string {
	if e.Certain {
		return fmt.Sprintf("%s is in %s, and the connection leads to %s", e.Ref, e.Was, e.Is)
	}
	why, next := "the connection may not read it", "allow the verb get on this namespace, or use the connection of before"
	if e.Was.ID == "" {
		why, next = "it could not be read when the object was last seen",
			"use the connection of before; where it is allowed to get this namespace, the next command remembers its uid"
	}
	return fmt.Sprintf("%s was last seen in %s and is not found in %s. Whether these are one cluster is not known: clusters are told apart by "+
		"the uid of the namespace kube-system, and %s.\n"+
		"Next: %s. %s", e.Ref, e.Was, e.Is, why, next, e.Was.howToForget())
}

// Because marks the error for [failure.ReasonOf].
func (e *ElsewhereError) Because() failure.Reason { return failure.ReasonOtherCluster }

// howToForget says what to do about objects in a cluster that nobody can reach any more.
func (o Origin) howToForget() string {
	return fmt.Sprintf("If the former cluster is gone for good, forget what the state has in it: set the environment variable %s=%s for this "+
		"command, or the provider's forgetClusters to [%q], which a destroy reads with --run-program.", connection.ForgetVariable, o.Key(), o.Key())
}

// IsElsewhere reports whether an object is known to be in another cluster.
func IsElsewhere(err error) bool {
	elsewhere := (*ElsewhereError)(nil)
	return errors.As(err, &elsewhere) && elsewhere.Certain
}

// isUndecided reports whether it is not known if an object is in another cluster.
func isUndecided(err error) bool {
	elsewhere := (*ElsewhereError)(nil)
	return errors.As(err, &elsewhere) && !elsewhere.Certain
}

// errForgotten says that an object is in a cluster that is gone for good, as the user has said.
var errForgotten = errors.New("its cluster is gone for good")

// IsForgotten reports whether an object went with its cluster.
func IsForgotten(err error) bool { return errors.Is(err, errForgotten) }

// IsGone reports whether an object is not there any more: the API server of its cluster has said so, or its cluster is
// gone for good.
func IsGone(err error) bool { return failure.Gone(err) || IsForgotten(err) }

// Located settles what a look at the object with this uid came to. The object with that uid is the one that was looked
// for, wherever it is. An absence, and another object of its name, are what they seem only in the object's own cluster:
// else the error is an [ElsewhereError], or says why that could not be found out.
func (o Origin) Located(
	ctx context.Context, source *connection.Source, t Target, uid string, live *unstructured.Unstructured, err error,
) error {
	switch {
	case o.IsZero():
		return err
	case err == nil && live != nil && uid != "" && uid == string(live.GetUID()):
		return nil
	case err != nil && !failure.Gone(err):
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

// answers reports whether a cluster that is said to be gone answers all the same, after a look has failed.
func (o Origin) answers(ctx context.Context, t Target, failed error) bool {
	if notSent := (*failure.NotSentError)(nil); t.Cluster == nil || o.ID == "" || errors.As(failed, &notSent) {
		return false
	}
	id, err := t.Cluster.ID(ctx)
	return err == nil && id == o.ID
}

// RequireIn reports why the target's cluster is not known to be the one that the object is in; nil if it is.
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

// forget says once what becomes of the objects of a cluster that is gone for good.
func (o Origin) forget(ctx context.Context, source *connection.Source) error {
	source.WarnOnce(ctx, "forgotten "+o.Key(),
		fmt.Sprintf("%s is in forgetClusters: what the state has in it is forgotten. Nothing was deleted.", o))
	return errForgotten
}

// Moved finds out for the program's Diff whether its connection leads to another cluster than the object is in, and says
// so. It asks the API server only where the address or the certificate authority is another one, or where it must.
// undecided says that only a look at the object can tell; the error says why.
func (o Origin) Moved(ctx context.Context, source *connection.Source, t Target, must bool) (moved, undecided bool, err error) {
	if o.IsZero() || t.Cluster == nil || !must && o.Target == t.Cluster.Target() {
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

// WarnMoved says once why objects are replaced that nobody has changed, unless a read has said it.
func WarnMoved(ctx context.Context, source *connection.Source, err error) {
	if elsewhere := (*ElsewhereError)(nil); errors.As(err, &elsewhere) {
		source.WarnOnce(ctx, elsewhere.about(), fmt.Sprintf("Another cluster: objects of this stack are in %s, and the connection leads to %s. "+
			"They are created in the latter, and those in the former are left alone.", elsewhere.Was, elsewhere.Is))
	}
}

// WarnLeft says once where the objects are that were left alone.
func (o Origin) WarnLeft(ctx context.Context, source *connection.Source) {
	source.WarnOnce(ctx, "left "+o.Key(), fmt.Sprintf("Objects were left alone in %s, as the connection leads to another cluster. No state has them any "+
		"more: delete them there if nothing needs them.", o))
}

// about names the two clusters.
func (e *ElsewhereError) about() string { return "elsewhere " + e.Was.Key() + " " + e.Is.Key() }

// notChecked says that a read has met another cluster.
func (e *ElsewhereError) notChecked() string {
	return fmt.Sprintf("NOT CHECKED: objects of this stack are in %s, and the connection leads to %s, which is another cluster. "+
		"The state keeps them. `pulumi up` creates them in the latter and leaves those in the former alone; `pulumi destroy` is refused.\n"+
		"If that is not meant, check context, host and $KUBECONFIG before you go on.", e.Was, e.Is)
}

// IsToForget reports whether the object of a state, which is to be deleted, went with its cluster. It asks nothing unless
// the user has said so of the cluster.
func (s State) IsToForget(ctx context.Context, source *connection.Source, inputs property.Map, id manifest.Identity) bool {
	if !source.Forgets(s.Origin.Key()) {
		return false
	}
	t, live, err := ObserveLive(ctx, source, inputs, id, s.Manager)
	return IsForgotten(s.Origin.Located(ctx, source, t, s.Ref.UID, live, err))
}

// RequireDeletable refuses a deletion that is known to be about another cluster's object. Where the uid of the object is
// known, the deletion names it and so cannot harm another object; what it does not find is confirmed by [State.ConfirmGone].
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

// ConfirmGone reports why an object that was to be deleted, and was not there, may still be elsewhere; nil if it is gone.
func (s State) ConfirmGone(ctx context.Context, source *connection.Source, t Target) error {
	err := s.Origin.RequireIn(ctx, source, t)
	if IsForgotten(err) {
		return nil
	}
	return RefuseDelete(err)
}

// RefuseDelete explains a deletion that would have happened in another cluster. Other errors stay as they are.
func RefuseDelete(err error) error {
	elsewhere := (*ElsewhereError)(nil)
	if !errors.As(err, &elsewhere) || !elsewhere.Certain {
		return err
	}
	return Refused(failure.ReasonOtherCluster, "%s was not deleted: it is in %s, and the connection leads to %s, which is another cluster. Neither was touched.\n"+
		"Next: use the connection of the former; check context, host and $KUBECONFIG. %s",
		elsewhere.Ref, elsewhere.Was, elsewhere.Is, elsewhere.Was.howToForget())
}

// ElsewhereDiff is the replacement of an object that is in another cluster than the program's. It is deleted before it is
// replaced, so that its deletion, which does nothing, comes in the process that knows why.
func ElsewhereDiff() p.DiffResponse {
	return p.DiffResponse{
		HasChanges: true, DeleteBeforeReplace: true,
		DetailedDiff: map[string]p.PropertyDiff{KeyCluster: {Kind: p.UpdateReplace}},
	}
}

// Moves remembers, for this process, of which states the program's Diff has found that their objects are in another
// cluster, so that the deletion before the replacement leaves those alone. Its zero value is ready for use, also by
// several goroutines.
type Moves struct{ byURN sync.Map } // resource.URN -> observed

// Find reports whether the program wants the object of a state in another cluster than it is in, and notes it. Where that
// cannot be told without a look at the object, the state is marked, so that Diff looks.
func (m *Moves) Find(ctx context.Context, source *connection.Source, clu *cluster.Cluster, urn resource.URN, s *State) (bool, error) {
	t := Target{Cluster: clu, Ref: RefOf(s.Ref.Identity)}
	moved, undecided, err := s.Origin.Moved(ctx, source, t, s.Pending)
	switch {
	case moved:
		m.Note(urn, *s)
	case undecided && !s.Pending:
		s.Stale = true
		return false, nil
	case err != nil:
		return false, t.Explain("read", err, nil)
	}
	return moved, nil
}

// Diff makes a replacement of a look or a dry-run that has found another cluster than that of the object. Any other error
// stays one.
func (m *Moves) Diff(ctx context.Context, source *connection.Source, urn resource.URN, s State, err error) (p.DiffResponse, error) {
	if !IsElsewhere(err) && !IsForgotten(err) {
		return p.DiffResponse{}, err
	}
	WarnMoved(ctx, source, err)
	m.Note(urn, s)
	return ElsewhereDiff(), nil
}

// Note notes that the object of a state is in another cluster than the program's.
func (m *Moves) Note(urn resource.URN, s State) { m.byURN.Store(urn, observed{s.Ref.UID, s.HashKey}) }

// Forget notes a Read, with which another command begins.
func (m *Moves) Forget(urn resource.URN) { m.byURN.Delete(urn) }

// Has reports whether the object of a state is being replaced because it is in another cluster.
func (m *Moves) Has(urn resource.URN, s State) bool {
	noted, ok := m.byURN.Load(urn)
	return ok && noted == observed{s.Ref.UID, s.HashKey}
}
