package object

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// drifted is a field that the program has not changed, but whose live value differs from the manifest.
type drifted struct {
	path fieldpath.Path
	// managers own the field on the live object; it is "" if the field has no owner. ours means that we are among them:
	// admission changed what we applied when it created the object.
	managers string
	ours     bool
	// live is the field's live value; has means that there is one.
	live any
	has  bool
}

// applyBesidesDrift carries out an update that the API server refuses because of drift. Either someone has changed a
// field of ours in place and it cannot be changed back, or admission changed it when the object was created. The
// program did not cause this. So it is no reason to replace the object, nor to refuse what the program did change.
//
// The whole manifest was tried before. The first attempt here leaves all drift of the managers that have changed the
// refused fields, and corrects the rest. Correcting everything except the refused fields is tried last, because that
// might be accepted and do harm: a running Job whose nodeSelector cannot be changed back would be suspended again.
//
// The apply leaves out what others have changed: it is no longer ours, so nothing is removed. What admission has
// changed is still ours, so the apply sends its live value, guarded by the version of the object that was read.
func (w *write) applyBesidesDrift(ctx context.Context, body map[string]any, refused *refusedUpdate) (answer *unstructured.Unstructured, err error) {
	if refused.base.last == nil {
		return nil, refused
	}
	conflict := cluster.RetryOnConflict(ctx, func() error {
		answer, err = w.tryBesidesDrift(ctx, body, refused)
		if !isStale(err) {
			return nil
		}
		if merged, readErr := w.merge(ctx); readErr == nil && merged != nil {
			refused.merged = merged
		}
		return err
	})
	w.busy = w.busy || conflict != nil
	return answer, err
}

// tryBesidesDrift makes one attempt on the object in the version that was read. The API server may name one field at a
// time, so the attempt also leaves the fields that it names next, as long as there are more.
func (w *write) tryBesidesDrift(ctx context.Context, body map[string]any, refused *refusedUpdate) (*unstructured.Unstructured, error) {
	drift, err := w.drift(refused)
	if err != nil || len(drift) == 0 {
		return nil, cmp.Or(err, error(refused))
	}
	live := refused.merged.Live()
	try := func(staying []drifted) (*unstructured.Unstructured, error) {
		answer, err := w.applyWithPolicy(ctx, besides(body, staying, live))
		if err == nil {
			// What admission makes of a manifest counts as applied. If we do not know what was applied, it may be
			// something else.
			w.unsettled = slices.DeleteFunc(slices.Clone(staying), func(d drifted) bool { return d.ours && d.has && refused.base.applied })
		}
		return answer, err
	}
	if refused.denied {
		// Admission does not say which field it is: leave one manager's drift after the other, then all.
		for _, staying := range append(byManagers(drift), drift) {
			if answer, err := try(staying); !refused.isRepeatedBy(err) {
				return answer, err
			}
		}
		return nil, refused
	}
	causes := causeFields(refused.err)
	for left := 0; ; {
		var same []drifted
		refused.drift, same = nearTo(drift, refused.places(causes))
		if len(same) == left {
			break
		}
		left = len(same)
		answer, err := try(same)
		if !refused.isRepeatedBy(err) {
			return answer, err
		}
		causes = append(causes, causeFields(err)...)
	}
	if len(refused.drift) > 0 {
		if answer, err := try(refused.drift); !refused.isRepeatedBy(err) {
			return answer, err
		}
	}
	return nil, refused
}

// isRepeatedBy reports whether another attempt was refused like the first one.
func (r *refusedUpdate) isRepeatedBy(err error) bool {
	reason, _ := failure.ReasonOf(err)
	return apierrors.IsInvalid(err) && !isOtherObject(err) || r.denied && reason == failure.ReasonAdmissionDenied
}

// byManagers groups drift by the managers that have caused it.
func byManagers(drift []drifted) [][]drifted {
	by := map[string][]drifted{}
	for _, d := range drift {
		by[d.managers] = append(by[d.managers], d)
	}
	var groups [][]drifted
	for _, managers := range slices.Sorted(maps.Keys(by)) {
		groups = append(groups, by[managers])
	}
	return groups
}

// nearTo returns the drift in or around the places that the API server names, and all drift of the same managers.
func nearTo(drift []drifted, places [][]string) (nearby, same []drifted) {
	for _, group := range byManagers(drift) {
		named := slices.DeleteFunc(slices.Clone(group), func(d drifted) bool { return !near(d.path, places) })
		if len(named) > 0 {
			nearby, same = append(nearby, named...), append(same, group...)
		}
	}
	return nearby, same
}

// applyBesidesDenied does the same for an update that admission denies: for example, a policy against scaling down
// denies each update of an object that someone has scaled up.
func (w *write) applyBesidesDenied(ctx context.Context, body map[string]any, denied error) (*unstructured.Unstructured, error) {
	merged, err := w.merge(ctx)
	if err != nil || merged == nil {
		return nil, denied
	}
	answer, err := w.applyBesidesDrift(ctx, body, &refusedUpdate{target: w.target, merged: merged, base: w.base(merged.Live()), err: denied, denied: true})
	if refused := (*refusedUpdate)(nil); errors.As(err, &refused) {
		return nil, denied
	}
	return answer, err
}

// drift lists the drift of the live object.
func (w *write) drift(refused *refusedUpdate) ([]drifted, error) {
	merged, live := refused.merged, refused.merged.Live()
	owners, err := ownership.NewOwnership(live)
	if err != nil {
		return nil, err
	}
	owned, err := ownership.AllOwned(live)
	if err != nil {
		return nil, err
	}
	var found []drifted
	seen := fieldpath.NewSet()
	ownership.Leaves(merged.Fields()).Iterate(func(path fieldpath.Path) {
		path = ownership.Whole(owned, path)
		wanted, _, _ := ownership.Locate(w.in.applied, path)
		is, _, has := ownership.Locate(live.Object, path)
		if w.in.ignore.Covers(path) || refused.base.hasChanged(w.in, path) || has && ownership.Equal(wanted, is) || !has && ownership.IsZero(wanted) {
			return
		}
		if item, gone := missingItem(live.Object, path); gone {
			if refused.base.hasChanged(w.in, item) {
				return // it has to be applied or refused
			}
			path = item
		}
		if seen.Has(path) {
			return
		}
		seen.Insert(path.Copy())
		managers := owners.ManagersOf(path)
		ours := slices.ContainsFunc(managers, func(manager string) bool { return slices.Contains(w.Own(), manager) })
		found = append(found, drifted{path: path.Copy(), managers: strings.Join(managers, ", "), ours: ours, live: is, has: has})
	})
	return found, nil
}

// missingItem returns the outermost list item on a path that the object does not have.
func missingItem(object map[string]any, path fieldpath.Path) (item fieldpath.Path, gone bool) {
	for n := range path {
		if _, _, has := ownership.Locate(object, path[:n+1]); !has && path[n].FieldName == nil {
			return path[:n+1], true
		}
	}
	return nil, false
}

// besides returns what an apply must send to leave the drift on the live object unchanged.
func besides(body map[string]any, staying []drifted, live *unstructured.Unstructured) map[string]any {
	var out []fieldpath.Path
	for _, d := range staying {
		if d.ours && d.has {
			body = ownership.SetAt(body, d.path, d.live)
			body = ownership.SetAt(body, versionPath, live.GetResourceVersion())
		} else {
			out = append(out, d.path)
		}
	}
	body = ownership.Without(body, out)
	for _, d := range staying {
		if d.has && !d.ours {
			body = withoutEmptied(body, d.path)
		}
	}
	return body
}

// withoutEmptied also leaves out the maps on a path that are now empty. Sending an empty map would make all of its
// content ours, and the next change by others in it would look like a run of ours whose state was lost.
func withoutEmptied(body map[string]any, path fieldpath.Path) map[string]any {
	for n := len(path) - 1; n > 0 && path[n-1].FieldName != nil; n-- {
		at, _, _ := ownership.Locate(body, path[:n])
		if around, isMap := at.(map[string]any); !isMap || len(around) > 0 {
			break
		}
		body = ownership.Without(body, []fieldpath.Path{path[:n]})
	}
	return body
}

func pathsOfDrift(drift []drifted) *fieldpath.Set {
	paths := fieldpath.NewSet()
	for _, d := range drift {
		paths.Insert(d.path)
	}
	return paths
}
