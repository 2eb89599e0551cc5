package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// resumeOwnCreate continues with an object that carries our field manager although the state does not know it: an
// earlier run created it, and was killed or lost the reply. If its content is what we want now, that is silent. If not,
// the program has changed since, and the object is updated.
//
// This applies only to young objects. The field manager is derived from project, stack and name, which another backend
// may use as well, and an object that its stack created long ago must not be shared with it. An object that outlives
// its resource is the exception: an earlier resource of this name left it on purpose, at any time, and no resource
// deletes it.
func (t target) resumeOwnCreate(ctx context.Context, in inputs, live *unstructured.Unstructured, c creation) applyResult {
	answer, err := t.apply(ctx, in.applied, cluster.ApplyOptions{UID: live.GetUID(), DryRun: true, Force: true})
	if ignoreInvalid(err) != nil {
		return applyResult{err: err}
	}
	if err == nil {
		same, err := t.hasApplied(in, live, answer)
		switch {
		case err != nil:
			return applyResult{err: err}
		case same:
			return applyResult{answer: live}
		}
	}
	result := t.applyToUntracked(ctx, in, live, c)
	if refused := (*refusedUpdate)(nil); !errors.As(result.err, &refused) {
		p.GetLogger(ctx).Warningf("%s exists: an earlier run of this resource created it (%s), with other content, and did "+
			"not finish. It is updated in place.", t.Ref, made(live))
	}
	return result
}

// refuseOld refuses an object of ours that is too old to come from a recent interrupted run.
func (t target) refuseOld(live *unstructured.Unstructured, resumeWithin time.Duration) error {
	return tracked.Refused(failure.ReasonAlreadyExists, "%s already exists. This resource, or one of the same name in a stack of the same project and name, "+
		"created it (%s), and the state does not have it. It was not touched.\n%s\n"+
		"Objects that an interrupted run of this stack created are continued for %s, the provider's setting resumeWithin.",
		t.Ref, made(live), t.waysIn(), resumeWithin)
}

// hasApplied reports whether an apply with this answer changed nothing that we own, including the order of lists.
func (t target) hasApplied(in inputs, live, answer *unstructured.Unstructured) (bool, error) {
	fields, _, err := ownership.Applied(live, t.Manager)
	if err != nil {
		return false, err
	}
	wanted, _, err := ownership.Applied(answer, t.Manager)
	if err != nil {
		return false, err
	}
	before, after := t.project(live, fields, in.applied), t.project(answer, wanted, in.applied)
	return fields.Equals(wanted) && len(ownership.Compare(before, after, wanted)) == 0 &&
		len(ownership.Reordered(live.Object, answer.Object, wanted)) == 0, nil
}

func made(live *unstructured.Unstructured) string {
	created := live.GetCreationTimestamp()
	if created.IsZero() {
		return "at a time that it does not say"
	}
	return fmt.Sprintf("at %s", created.UTC().Format(time.RFC3339))
}

// isUnconfirmed reports whether a read of the object left the effect of an apply open.
func isUnconfirmed(err error) bool {
	return errors.Is(err, errNotOurs) || errors.Is(err, errUnconfirmed)
}

// stillPending tells the engine that an earlier apply is still unconfirmed.
func stillPending(s state, cause error) (*p.InitializationFailed, error) {
	return tracked.Unfinished(failure.Errorf(failure.ReasonNotConfirmed, "%s: an earlier apply is still unconfirmed; the next `pulumi up` applies again, in place: %w",
		s.Ref.Identity, cause))
}

// confirm settles an apply with an unknown effect by looking at what we own now. An apply that was to create the object
// did so if the object carries our field manager. For an existing object, we cannot see whether the apply took effect;
// the hash stays empty, and the next update applies again, in place.
func (s state) confirm(t target, live *unstructured.Unstructured, in inputs) (state, error) {
	_, ours, err := ownership.Applied(live, t.Manager)
	switch {
	case err != nil:
		return state{}, err
	case !ours && s.Ref.UID == "" && tracked.NamesOwners(live):
		return state{}, errNotOurs
	case !ours:
		return state{}, errUnconfirmed
	}
	hashKey := s.HashKey
	if hashKey == "" {
		hashKey = tracked.NewHashKey()
	}
	now, err := t.newState(live, in, hashKey)
	if err != nil {
		return state{}, err
	}
	now.left, now.leftSecret = s.left, s.leftSecret
	if s.Secrets.IsSecret(property.Path{}) {
		now.Secrets.Add(property.Path{})
		now.NamesSecret = true
	}
	now.Ref.Revision = cmp.Or(s.Ref.Revision, now.Ref.Revision)
	if s.Ref.UID != "" || s.Ahead || !contains(now.Live, in.sent()) {
		now.Hash = ""
	}
	return now, nil
}

// contains reports whether a projection contains everything wanted, exactly as written. If not, others may have
// changed the object before anyone saw the result of the apply, and what is live now is not what was applied.
func contains(projection, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		members, ok := projection.(map[string]any)
		ok = ok || len(wanted) == 0 // an empty map is not kept
		for key, v := range wanted {
			ok = ok && contains(members[key], v)
		}
		return ok
	case []any:
		items, ok := projection.([]any)
		ok = (ok || len(wanted) == 0) && len(items) == len(wanted)
		for i, v := range wanted {
			ok = ok && contains(items[i], v)
		}
		return ok
	default:
		return ownership.Equal(projection, wanted)
	}
}
