package object

import (
	"cmp"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// observe updates the state from the live object.
func (s state) observe(t target, live *unstructured.Unstructured, in inputs) (state, error) {
	t = t.asOn(live) // a failed update may have renamed our field manager
	if err := in.leaveOn(live, nil, t.Own()...); err != nil {
		return state{}, err
	}
	if s.Pending || s.fields == nil {
		return s.confirm(t, live, in)
	}
	unrecorded, err := s.unrecorded(t, live)
	if err != nil {
		return state{}, err
	}
	s.fields = s.fields.Union(unrecorded)
	now, projection := s, t.project(live, s.fields, s.Wanted())
	if s.isImported() {
		if projection, _, err = imported(live); err != nil {
			return state{}, err
		}
	}
	if in.theirs != nil && !s.isImported() {
		projection = asApplied(projection, s.fields.Intersection(in.theirs), s.Wanted())
	}
	owners, err := ownership.Owners(live, s.fields, t.Manager, t.Also)
	if err != nil {
		return state{}, err
	}
	now.State, now.Stale = s.Drifted(tracked.Seen{
		Object: live, Manager: t.Manager, Live: projection, Owners: owners, Sent: s.sentBy(in),
	}, s.fields), false
	if now.unsettled, err = s.unsettled.on(live, s.HashKey); err != nil {
		return state{}, err
	}
	now.Foreign = tracked.KubeObjectOf(live, t.Own()...)
	now.kept, now.job = manifest.SaysKeep(live.Object), shortLivedOf(live, s.Wanted())
	// A recreated object keeps the old uid in the state, so that the next update notices. An object that carries our
	// own field manager is ours.
	if applied, ours, err := ownership.Applied(live, t.Manager); err != nil {
		return state{}, err
	} else if ours {
		now.Ref.UID, now.Manager = string(live.GetUID()), t.Manager
		compared, ignored := in.named.Split(applied)
		now.absent = ownership.OnlyAbsent(live.Object, compared)
		// Earlier versions of the provider did not record those that the API server has dropped.
		if dropped := ignored.Difference(stored(live, ignored)); !dropped.Empty() {
			now.ignored = dropped.Union(cmp.Or(s.ignored, fieldpath.NewSet()))
		}
	}
	sources := []tracked.Marked{
		in.marked(), {Tree: s.Live, Secrets: s.Secrets}, {Tree: s.Applied, Secrets: s.AppliedSecrets},
	}
	now.Secrets, now.NamesSecret = tracked.SecretPlaces(now.Live, s.fields, sources...)
	now.hide(unrecorded.Union(fieldpath.NewSet(now.Unsaved(s.fields)...)))
	now.ignoredSecret = s.ignoredSecret || in.namesSecret(s.ignored)
	now.AppliedSecrets, _ = tracked.SecretPlaces(now.Applied, s.fields, sources...)
	return now, nil
}

// sentBy returns what the last write sent for each field. in may belong to an earlier write: after a failed update, the
// engine keeps the previous inputs.
func (s state) sentBy(in inputs) func(fieldpath.Path) (any, bool) {
	if in.unknown > 0 || !s.Upholds(in.asked()) {
		return ownership.In(nil)
	}
	return ownership.In(in.applied)
}

// unrecorded returns the fields that a run whose state was lost has applied: the object says that we own them, but the
// state does not know them. These fields show as drift, and the next update removes or adopts them.
func (s state) unrecorded(t target, live *unstructured.Unstructured) (*fieldpath.Set, error) {
	if s.isImported() || s.Ref.UID != string(live.GetUID()) {
		return fieldpath.NewSet(), nil
	}
	known := s.fields
	if s.ignored != nil {
		known = known.Union(s.ignored)
	}
	return ownership.Unrecorded(live, ownership.AppliedBy(t.Manager), known)
}

// hide marks live values as secret if no input says whether they are.
func (s *state) hide(fields *fieldpath.Set) {
	fields.Iterate(func(path fieldpath.Path) {
		if _, at, ok := ownership.Locate(s.Live, ownership.UpToSet(path)); ok {
			s.Secrets.Add(tracked.PropertyPath(at))
		}
		s.NamesSecret = true
	})
}

// drift compares what was applied with what is live. A field that another manager has taken has drifted even if its
// value is the same.
func (s state) drift(in inputs, ignored tracked.IgnoredPaths) p.DiffResponse {
	if s.fields == nil {
		return p.DiffResponse{}
	}
	s.fields, _ = in.ignore.Split(s.fields)
	var changes []ownership.Change
	if s.Applied != nil {
		changes = ownership.Compare(in.ignore.Prune(s.Live), in.ignore.Prune(s.Applied), s.fields)
	}
	if s.Manager != "" {
		// A list that others partly manage changes ownership as a whole.
		shared := fieldpath.NewSet(in.ignore.Inside(s.fields)...)
		changes = append(changes, s.Lost(leavesOf(s.fields.Difference(shared)), changes)...)
	}
	return detailedDiff(changes, s, in, ignored)
}

// leavesOf lists the leaves of a set.
func leavesOf(fields *fieldpath.Set) []fieldpath.Path {
	var leaves []fieldpath.Path
	fields.Leaves().Iterate(func(path fieldpath.Path) { leaves = append(leaves, path.Copy()) })
	return leaves
}
