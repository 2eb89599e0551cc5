package object

import (
	"context"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// takes reports whether the program takes over from managers that it named neither in the last run nor in the last
// update.
func (in inputs) takes(old state, saved property.Map) bool {
	named := in.takeOver.String()
	return len(in.takeOver) > 0 && (old.Foreign != "" || old.takenOver != named ||
		tracked.DecodeTakeOver(saved.Get(keyTakeOverFrom)).String() != named)
}

// handsOver reports whether fields of others become ours before an update's apply: those of the managers that the
// program names and, at the first update of an imported object, those of client-side appliers.
func (in inputs) handsOver(old state) bool { return in.taking || old.Manager == "" }

// deciding returns a function that decides about each entry on an object during a takeover: the fields that moves
// selects become ours. Ignored fields would become solely ours, and the apply would remove them, so they stay with
// the other manager, like the rest. The entry of another KubeObject continues under an unowned manager name, so that
// the other KubeObject is no longer on the object.
func (t target) deciding(
	in inputs, live *unstructured.Unstructured, moves func(owned *fieldpath.Set) *fieldpath.Set,
) func(metav1.ManagedFieldsEntry, *fieldpath.Set) ownership.Handover {
	return func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) ownership.Handover {
		var decided ownership.Handover
		if !t.isNamed(in, entry) && !ownership.IsNobody(entry.Manager) {
			return decided
		}
		if ownership.Foreign(entry.Manager, t.Manager) {
			decided.Rest = ownership.LeftManager
		}
		if entry.APIVersion == live.GetAPIVersion() { // another version may have other fields
			decided.Moved = moves(owned)
		}
		return decided
	}
}

// isNamed reports whether the program takes over from the manager of an entry.
func (t target) isNamed(in inputs, entry metav1.ManagedFieldsEntry) bool {
	return ownership.SetsFields(entry) && !slices.Contains(t.Own(), entry.Manager) && in.takeOver.Names(entry.Manager)
}

// prepare moves handed-over fields to us before the apply of an update.
func (t target) prepare(ctx context.Context, in inputs, old state, uid types.UID) error {
	if old.Manager == "" {
		if err := t.migrate(ctx, in, uid); err != nil {
			return err
		}
		if len(in.ignore) > 0 {
			if err := t.releaseIgnored(ctx, in, uid); err != nil {
				return err
			}
		}
	}
	if !in.taking {
		return nil
	}
	if err := t.handOver(ctx, in, old, uid); err != nil {
		return err
	}
	return t.claimLeft(ctx, in, old.left, uid)
}

// predict returns the answer to an update's dry-run as if others had handed over first, and reports what they hand
// over.
func (t target) predict(
	ctx context.Context, in inputs, old state, answer *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	if in.taking {
		live, err := t.Cluster.Get(ctx, t.Ref)
		if err != nil {
			return nil, err
		}
		if err := t.sayTaking(ctx, in, old, live, answer); err != nil {
			return nil, err
		}
	}
	return t.asHandedOver(in, old, answer)
}

// handOver moves to us what the named managers own among the fields that the manifest sets or that we ever applied.
// It runs before the apply, so that the apply removes what the manifest no longer sets and has no conflicts.
func (t target) handOver(ctx context.Context, in inputs, old state, uid types.UID) error {
	answer, err := t.apply(ctx, in.sent(), cluster.ApplyOptions{UID: uid, DryRun: true, Force: true})
	if apierrors.IsInvalid(err) && !isOtherObject(err) {
		answer, err = t.applyDespiteDefaults(ctx, in, old.Wanted(), in.sent(), uid, true, nil, err)
	}
	if err != nil {
		return err
	}
	sent, _, err := ownership.Applied(answer, t.Manager)
	if err != nil {
		return err
	}
	wanted := ownership.Shared(in.wantedOf(sent, old))
	return t.edit(ctx, in, uid, func(live *unstructured.Unstructured) ([]byte, error) {
		return ownership.HandOver(live, t.Manager, t.deciding(in, live, wanted))
	})
}

// claimLeft makes ours what left the manifest earlier and no longer has an owner, such as the value of a variable
// when another manager owned its name: without this, a takeover would leave fragments behind.
func (t target) claimLeft(ctx context.Context, in inputs, left *fieldpath.Set, uid types.UID) error {
	if left == nil || left.Empty() {
		return nil
	}
	return t.edit(ctx, in, uid, func(live *unstructured.Unstructured) ([]byte, error) {
		owners, err := ownership.NewOwnership(live)
		if err != nil {
			return nil, err
		}
		var unowned []fieldpath.Path
		for _, path := range leavesOf(left) {
			if _, _, found := ownership.Locate(live.Object, path); found && len(owners.Of(path)) == 0 {
				unowned = append(unowned, path)
			}
		}
		if len(unowned) == 0 {
			return nil, nil
		}
		return ownership.Claim(live, t.Manager, unowned)
	})
}

// asHandedOver returns the answer to the dry-run of an update as if others had handed over first: dry-runs do not
// chain, so what the update would remove is still there. Ownership is as it will be after the update.
func (t target) asHandedOver(in inputs, old state, answer *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	sent, applied, err := ownership.Applied(answer, t.Manager)
	if err != nil || !applied {
		return answer, err
	}
	handed := answer.DeepCopy()
	if old.Manager == "" {
		if err := csaupgrade.UpgradeManagedFields(handed, clientSideAppliers(answer), t.Manager); err != nil {
			return nil, err
		}
	}
	if in.taking {
		if handed, err = ownership.HandedOver(handed, t.Manager, t.deciding(in, handed, ownership.Shared(in.wantedOf(sent, old)))); err != nil {
			return nil, err
		}
	}
	return ownership.AsApplied(handed, t.Manager, sent)
}

// wantedOf returns what is taken over: what the manifest sets, what we have applied, and what left the manifest
// earlier. It excludes ignored fields: they would become solely ours, and the apply would remove them.
func (in inputs) wantedOf(sent *fieldpath.Set, old state) *fieldpath.Set {
	wanted, _ := in.ignore.Split(unionOf(sent, old.fields, old.left, old.ignored))
	return wanted
}

func unionOf(sets ...*fieldpath.Set) *fieldpath.Set {
	union := fieldpath.NewSet()
	for _, fields := range sets {
		if fields != nil {
			union = union.Union(fields)
		}
	}
	return union
}

// sayTaking reports in a preview which fields of others on the live object become ours, and which stay theirs.
func (t target) sayTaking(ctx context.Context, in inputs, old state, live, answer *unstructured.Unstructured) error {
	sent, _, err := ownership.Applied(answer, t.Manager)
	if err != nil {
		return err
	}
	wanted, hide := in.wantedOf(sent, old), old.hidesNames() || in.namesSecret(sent)
	var lines []string
	for _, entry := range live.GetManagedFields() {
		if !t.isNamed(in, entry) {
			continue
		}
		owned, err := ownership.EntryFields(entry)
		if err != nil {
			return err
		}
		moved := t.deciding(in, live, ownership.Shared(wanted))(entry, owned).Moved
		line := entry.Manager + ": nothing"
		if names := fieldNames(moved, hide); len(names) > 0 {
			line = entry.Manager + ": " + strings.Join(names, ", ")
		}
		rest := owned
		if moved != nil {
			rest = owned.Difference(moved)
		}
		if names := fieldNames(rest, hide); len(names) > 0 {
			keeps := "it keeps "
			if ownership.Foreign(entry.Manager, t.Manager) {
				keeps = "nobody has from then on "
			}
			line += "; " + keeps + strings.Join(names, ", ")
		}
		lines = append(lines, "takes over from "+line)
	}
	if len(lines) > 0 {
		p.GetLogger(ctx).Infof("%s: the update %s", t.Ref, strings.Join(lines, "\n  and "))
	}
	return nil
}

// maxNamed is how many fields a message names.
const maxNamed = 20

// fieldNames names the leaves of a set for a message.
func fieldNames(fields *fieldpath.Set, hide bool) []string {
	if fields == nil {
		return nil
	}
	var names []string
	ownership.Leaves(fields).Iterate(func(path fieldpath.Path) { names = append(names, ownership.Format(path)) })
	if hide && len(names) > 0 {
		return []string{"[secret]"}
	}
	slices.Sort(names)
	return shortened(names)
}

// shortened cuts a list for a message.
func shortened(lines []string) []string {
	if len(lines) <= maxNamed {
		return lines
	}
	return append(lines[:maxNamed:maxNamed], fmt.Sprintf("and %d more", len(lines)-maxNamed))
}

// warnReturned names the managers that own fields of ours again after a takeover. We do not take over again unless
// the program names them again: every update would fight a permanent applier.
func (t target) warnReturned(ctx context.Context, in inputs, old state, live *unstructured.Unstructured) error {
	if old.takenOver == "" || old.takenOver != in.takeOver.String() || old.fields == nil {
		return nil
	}
	for _, entry := range live.GetManagedFields() {
		if !t.isNamed(in, entry) || entry.APIVersion != live.GetAPIVersion() {
			continue
		}
		owned, err := ownership.EntryFields(entry)
		if err != nil {
			return err
		}
		names := fieldNames(owned.Intersection(old.fields), old.hidesNames())
		if len(names) == 0 {
			continue
		}
		p.GetLogger(ctx).Warningf("%s: %s was taken over and owns fields of this resource again: %s\n"+
			"A field that leaves the manifest stays while it does. Stop whatever still applies the object. To take its fields over again, run "+
			"`pulumi up` once without its name in takeOverFrom, and once with it.", t.Ref, entry.Manager, strings.Join(names, ", "))
	}
	return nil
}

// reclaim takes what we have applied from the entries that stand for nobody. If it fails, the next apply tries again.
func (t target) reclaim(ctx context.Context, in inputs, answer *unstructured.Unstructured) {
	if body, err := ownership.Reclaim(answer, t.Manager); err != nil || body == nil {
		return
	}
	err := t.edit(ctx, in, answer.GetUID(), func(live *unstructured.Unstructured) ([]byte, error) {
		return ownership.Reclaim(live, t.Manager)
	})
	if err != nil {
		p.GetLogger(ctx).Debugf("%s: nobody's entries still have fields of this resource: %v", t.Ref, err)
	}
}
