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

// drifted is a field that the program has not changed, and that the live object has otherwise than the manifest.
type drifted struct {
	path fieldpath.Path
	// managers own the field on the live object; "" if nobody does. ours means that we do: admission has changed what we
	// applied when it made the object.
	managers string
	ours     bool
	// live is its value there, if it has one.
	live any
	has  bool
}

// applyBesidesDrift carries out an update that the API server refuses because of drift: somebody has changed a field of
// ours in place, and it cannot be changed back, or admission has changed it when the object was made. The program has
// nothing to do with it, so it is neither a reason to replace the object nor one to refuse what the program did change.
//
// The whole manifest was tried before. Then all drift of the managers that have changed what was refused stays, and the
// rest is put right. To put everything right but what was refused could be accepted and do harm: a running Job whose
// nodeSelector cannot be changed back would be suspended again. That is tried last.
//
// What others have changed is left out of the apply: it is not ours any more, so nothing is removed. What admission has
// changed is still ours, so the live value is sent, onto the object as it was read.
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

// tryBesidesDrift is one attempt on the object as it was read. The API server may name one field at a time, so what it names
// next is added, as long as there is more to leave.
func (w *write) tryBesidesDrift(ctx context.Context, body map[string]any, refused *refusedUpdate) (*unstructured.Unstructured, error) {
	drift, err := w.drift(refused)
	if err != nil || len(drift) == 0 {
		return nil, cmp.Or(err, error(refused))
	}
	live := refused.merged.Live()
	try := func(staying []drifted) (*unstructured.Unstructured, error) {
		answer, err := w.applyWithPolicy(ctx, w.in, besides(body, staying, live), w.uid, w.preview)
		if err == nil {
			// What admission makes of a manifest counts as applied. Without knowing what was applied, it may be something else.
			w.unsettled = slices.DeleteFunc(slices.Clone(staying), func(d drifted) bool { return d.ours && d.has && refused.base.applied })
		}
		return answer, err
	}
	if refused.denied {
		// It is not said which field it is: one manager's drift after the other, then all.
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

// isRepeatedBy reports whether another attempt was refused as the first one.
func (r *refusedUpdate) isRepeatedBy(err error) bool {
	reason, _ := failure.ReasonOf(err)
	return apierrors.IsInvalid(err) && !isOtherObject(err) || r.denied && reason == failure.ReasonAdmissionDenied
}

// byManagers sorts drift by who has caused it.
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

// applyBesidesDenied does the same for an update that admission denies: a policy against scaling down denies each update of an
// object that somebody has scaled up.
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

// besides returns what an apply sends to leave drift as it is on the live object.
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

// withoutEmptied leaves out, too, what a path leads through and is empty now. To send that would make all of it ours, and so what
// others change in it next would be taken for a run of ours whose state was lost.
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
