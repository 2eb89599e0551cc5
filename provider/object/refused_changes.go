package object

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// refusedChanges describes what the API server does not let the update change. A refusal may name only the spec,
// because it lists the fields that may be changed. So refusedChanges tries each change near the named places alone on
// the live object, as a dry-run. It describes a change by comparing the live value with the value in a new object,
// which gets the same defaults: the live claim templates of a StatefulSet have more fields than any manifest.
//
// It returns nothing if there are too many changes to try, or if no change is refused alone.
func (r *refusedUpdate) refusedChanges(ctx context.Context, in inputs) []string {
	t, live := r.target, r.merged.Live()
	owned, err := ownership.AllOwned(live)
	if err != nil {
		return nil
	}
	changed, places := fieldpath.NewSet(), r.places(causeFields(r.err))
	ownership.Leaves(r.merged.Fields()).Iterate(func(path fieldpath.Path) {
		path = ownership.Whole(owned, path)
		if item, gone := missingItem(live.Object, path); gone {
			path = item
		}
		if near(path, places) && r.merged.Changes(path) {
			changed.Insert(path.Copy())
		}
	})
	if changed.Size() > maxNamed {
		return nil
	}
	fresh, err := t.tryAsNew(ctx, in, live)
	if err != nil {
		return nil
	}
	var lines []string
	changed.Iterate(func(path fieldpath.Path) {
		wanted, _, _ := ownership.Locate(r.merged.Object, path)
		if _, err := t.tryContent(ctx, live, ownership.SetAt(live.Object, path, wanted)); !apierrors.IsInvalid(err) {
			return
		}
		before, _, had := ownership.Locate(live.Object, path)
		after, _, has := ownership.Locate(fresh.Object, path)
		change := ownership.Change{Path: path.Copy(), Old: before, New: after, Kind: ownership.Changed}
		switch {
		case !had:
			change.Kind = ownership.Added
		case !has:
			change.Kind = ownership.Removed
		}
		lines = append(lines, in.describe(change, state{}, in.sensitive())...)
	})
	slices.Sort(lines)
	return shortened(lines)
}

// cannotBecome refuses a change of an object that the state does not know: the program takes it over, or a run with
// another program created it. also describes the object further: "exists already, and ".
func (r *refusedUpdate) cannotBecome(in inputs, also string, changes []string) error {
	what := ""
	if len(changes) > 0 {
		what = "\n  " + strings.Join(changes, "\n  ")
	}
	who, next := "", "write what the object has into the manifest"
	if r.interrupted {
		who = fmt.Sprintf("A run of this resource with another program created it (%s), and was interrupted before the state had it.\n", made(r.merged.Live()))
		next = "run `pulumi up` once with the program of that run, which continues with the object, and then with this one"
	}
	return tracked.Refused(failure.ReasonImmutable, "%s %scannot be changed to what the manifest says. It was not touched.%s\n%s%v\n"+
		"Next: %s; or, %s",
		r.target.Ref, also, what, who, r.said(in), next, r.target.deletionByHand())
}
