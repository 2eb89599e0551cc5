package chart

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// occupant is an object in the cluster where the release would make one of its own.
type occupant struct {
	manifest.Identity
	// manager is the field manager of the KubeObject that manages it; empty if none does.
	manager string
	// ours means that the KubeObject of the release itself has written the object, which the state has lost or a release has left on
	// purpose. young means that a recently interrupted run may have made it.
	ours, young bool
}

// maxReads is how many objects are read at a time.
const maxReads = 8

// refuseOccupied refuses to begin the install of a release whose objects exist already.
//
// An object of someone else would be refused anyway, but only after hooks have run. When the failed release is then removed, its delete
// hooks would run against the living release of someone else. Young objects of this release can be continued, just as a single KubeObject
// continues its own. Older ones belong to a release that is in use, so no install hook may run on it. If the release draws values, even
// young objects are refused: the values drawn for them are not remembered, and new ones would replace passwords in use.
//
// former is the memory of a release that was at another place; it is empty for a new release. The objects that it had there and those that
// it has left here are its own, and its values are remembered.
func (r *release) refuseOccupied(ctx context.Context, done *rendered, former memory) error {
	if r.cluster == nil || len(done.hooks) == 0 && len(done.used) == 0 {
		return nil
	}
	set, wrong := r.setOf(done)
	if len(wrong) > 0 {
		return nil // The registration says why.
	}
	mayGoOn := func(o occupant) bool { return former.exists() || len(done.used) == 0 && o.young }
	kept := map[string]bool{}
	for _, h := range done.hooks {
		kept[h.object] = kept[h.object] || h.isKept()
	}
	mayBeThere := func(o sets.Object) bool {
		return set.MayTakeOver(o) || slices.Contains(former.Own, mark(manifest.IdentityOf(o.Manifest).In(r.release.Namespace)))
	}
	isOurs := func(o sets.Object, there occupant) bool {
		return there.ours && (mayGoOn(there) || kept[o.Key] || isKeptData(o.Manifest))
	}
	return r.explainOccupied(done, r.occupants(ctx, slices.DeleteFunc(slices.Clone(set.Objects), mayBeThere), isOurs), former)
}

// occupants are what is already there in place of objects, and is not ours.
func (r *release) occupants(ctx context.Context, objects []sets.Object, isOurs func(o sets.Object, there occupant) bool) (found []occupant) {
	var mu sync.Mutex
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(maxReads)
	for _, o := range objects {
		reads.Go(func() error {
			occupied, err := r.occupantOf(ctx, manifest.IdentityOf(o.Manifest).In(r.release.Namespace), r.managerOf(o.Key))
			if err == nil && occupied != nil && !isOurs(o, *occupied) {
				mu.Lock()
				defer mu.Unlock()
				found = append(found, *occupied)
			}
			if apierrors.IsForbidden(err) {
				return nil // Other objects may be readable.
			}
			return err
		})
	}
	// If an object cannot be read, its own registration fails, and explains it.
	_ = reads.Wait()
	return found
}

// isKeptData reports whether an object outlives its release and contains no drawn value, such as a PersistentVolumeClaim.
func isKeptData(object map[string]any) bool {
	return manifest.SaysKeep(object) && manifest.IdentityOf(object).Kind != "Secret"
}

// occupantOf returns the object in the cluster where the release would make one; nil if there is none.
func (r *release) occupantOf(ctx context.Context, id manifest.Identity, manager string) (*occupant, error) {
	t, live, err := r.liveObject(ctx, id, manager)
	if live == nil {
		return nil, err
	}
	_, ours, err := ownership.Applied(live, manager)
	return &occupant{t.Identity(), tracked.KubeObjectOf(live, manager), ours, t.IsYoung(live, r.resumeWithin)}, err
}

// liveObject reads an object; nil if there is none. A kind that is not served has no objects.
func (r *release) liveObject(ctx context.Context, id manifest.Identity, manager string) (tracked.Target, *unstructured.Unstructured, error) {
	t, err := tracked.Resolve(ctx, r.cluster, id, manager)
	if err != nil {
		if notServed := (*cluster.KindNotServedError)(nil); errors.As(err, &notServed) {
			return t, nil, nil
		}
		return t, nil, err
	}
	live, err := r.cluster.Get(ctx, t.Ref)
	if failure.Gone(err) {
		return t, nil, nil
	}
	return t, live, err
}

// explainOccupied names the objects that prevent an install.
func (r *release) explainOccupied(done *rendered, found []occupant, former memory) error {
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b occupant) int { return strings.Compare(a.String(), b.String()) })
	reason := failure.ReasonAlreadyExists
	advice := "If Helm or another tool has installed the release, set `adopt: true` on the Chart. To take over single objects, such as those that an " +
		"earlier release has kept, set `adopt: true` for them in `overrides`."
	var lines []string
	for _, o := range found {
		line := "  - " + o.String()
		switch {
		case o.manager != "":
			line += ", managed by the KubeObject " + ownership.DescribeManager(o.manager)
			reason = failure.ReasonManagedElsewhere
			advice = "If the Chart " + tracked.RenameOfSet + ". If another Chart has the release, remove this one: nothing of it is there."
		case o.ours:
			line += ", which an earlier run of this Chart created"
			if reason == failure.ReasonAlreadyExists {
				advice = "The state does not have the release, so that its hooks of installs would run again. Restore the state (`pulumi stack import`), or set " +
					"`adopt: true`. "
				if len(done.used) > 0 {
					advice = "The state does not have the release, so that its random values would be drawn again, over those in use. Restore the state " +
						"(`pulumi stack import`), or set `adopt: true`: values that can be recognised in these objects are kept, and the preview names the others. "
				}
				advice += "To install it again, delete these objects (lost with them: what they own and what they hold)."
			}
		}
		lines = append(lines, line)
	}
	if former.exists() {
		advice = fmt.Sprintf("The release %q in namespace %q is as it was. Give it that name and namespace again, or another name or namespace that is free. To take over "+
			"single objects, set `adopt: true` for them in `overrides`.", former.Name, former.Namespace)
	}
	if more := len(lines) - maxNamed; more > 0 {
		lines = append(lines[:maxNamed], fmt.Sprintf("  - and %d more", more))
	}
	var sensitive []string
	if r.given.Get(keyNamespace).HasSecrets() {
		sensitive = append(sensitive, r.release.Namespace, former.Namespace)
	}
	return tracked.Refused(reason, "%s", failure.NewRedactor(sensitive).Redact(fmt.Sprintf("the release %q in namespace %q is not installed: objects of it exist "+
		"already. They were not touched, and no hook has run.\n%s\n%s", r.release.Name, r.release.Namespace, strings.Join(lines, "\n"), advice)))
}
