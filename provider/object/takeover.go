package object

import (
	"context"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

// handsOver reports whether fields of other managers become ours before an update's apply. This applies to the managers
// that the program names and, at the first update of an imported object, to client-side appliers.
func (in inputs) handsOver(old state) bool { return in.taking || old.isImported() }

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

// handOver returns the edit that moves fields of the named managers to us: the fields that the manifest sets, or that
// we ever applied. The apply then removes what the manifest no longer sets, and has no conflicts. A dry-run of the
// apply shows which fields the manifest sets.
func (w *write) handOver(ctx context.Context) (ownership.Edit, error) {
	try := *w
	try.preview = true
	body := try.body(nil)
	if w.makesItems() {
		live, err := w.Cluster.Get(ctx, w.Ref)
		if err != nil {
			return nil, err
		}
		if body, err = w.onto(w.in, try.body(live), live); err != nil {
			return nil, err
		}
		body = unguarded(body)
	}
	answer, err := try.apply(ctx, body, cluster.ApplyOptions{UID: w.uid, DryRun: true, Force: true})
	if answer, err = try.orElse(ctx, body, answer, err); err != nil {
		return nil, err
	}
	sent, _, err := ownership.Applied(answer, try.Manager)
	if err != nil {
		return nil, err
	}
	sent, _ = w.in.ignore.Split(sent) // what is ignored stays theirs
	wanted := ownership.Shared(try.wantedOf(sent))
	return func(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return ownership.HandOver(w.Manager, w.deciding(w.in, live, wanted))(live)
	}, nil
}

// claimLeft makes ours what left the manifest earlier and no longer has an owner, such as the value of a variable
// when another manager owned its name: without this, a takeover would leave fragments behind.
func (w *write) claimLeft(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if w.old.left == nil || w.old.left.Empty() {
		return live, nil
	}
	owners, err := ownership.NewOwnership(live)
	if err != nil {
		return nil, err
	}
	var unowned []fieldpath.Path
	for _, path := range leavesOf(w.old.left) {
		if _, _, found := ownership.Locate(live.Object, path); found && len(owners.Of(path)) == 0 {
			unowned = append(unowned, path)
		}
	}
	if len(unowned) == 0 {
		return live, nil
	}
	return ownership.Claim(w.Manager, unowned)(live)
}

// assumeTaken returns the answer to a dry-run as if others had handed over first, and reports what they hand over.
// Dry-runs do not chain, so what the update would remove is still there. Ownership is as it will be after the update.
func (w *write) assumeTaken(ctx context.Context, answer *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if !w.migrates && !w.takes {
		return answer, nil
	}
	assumed, err := w.handedOver(answer)
	if err != nil {
		return nil, err
	}
	if err := w.findExtras(ctx, assumed); err != nil {
		return nil, err
	}
	if w.takes {
		live, err := w.Cluster.Get(ctx, w.Ref)
		if err != nil {
			return nil, err
		}
		if err := w.sayTaking(ctx, live, answer); err != nil {
			return nil, err
		}
	}
	w.sayExtras(ctx)
	return assumed, nil
}

// handedOver returns the answer to a dry-run with the ownership that the object has after the update.
func (w *write) handedOver(answer *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	sent, applied, err := ownership.Applied(answer, w.Manager)
	if err != nil || !applied {
		return answer, err
	}
	handed := answer
	if w.migrates {
		if handed, err = w.migrate(w.in, handed); err != nil {
			return nil, err
		}
	}
	if w.takes {
		wanted := ownership.Shared(w.wantedOf(sent))
		if handed, err = ownership.HandOver(w.Manager, w.deciding(w.in, handed, wanted))(handed); err != nil {
			return nil, err
		}
	}
	return ownership.AsApplied(handed, w.Manager, sent)
}

// wantedOf returns what is taken over: what the manifest sets, what we have applied, and what left the manifest
// earlier. It excludes ignored fields and drift that stays: they would become solely ours, and the apply would remove them.
func (w *write) wantedOf(sent *fieldpath.Set) *fieldpath.Set {
	wanted, _ := w.in.ignore.Split(unionOf(sent, w.old.fields, w.old.left, w.old.ignored))
	return wanted.RecursiveDifference(pathsOfDrift(w.unsettled))
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

// sayTaking reports in a preview which fields of other managers on the live object become ours, and which stay theirs.
// It omits fields that a warning already names.
func (w *write) sayTaking(ctx context.Context, live, answer *unstructured.Unstructured) error {
	sent, _, err := ownership.Applied(answer, w.Manager)
	if err != nil {
		return err
	}
	wanted, hide := w.wantedOf(sent), w.old.hidesNames() || w.in.namesSecret(sent)
	var lines []string
	for _, entry := range live.GetManagedFields() {
		if !w.isNamed(w.in, entry) {
			continue
		}
		owned, err := ownership.EntryFields(entry)
		if err != nil {
			return err
		}
		moved := w.deciding(w.in, live, ownership.Shared(wanted))(entry, owned).Moved
		line := entry.Manager + ": nothing"
		if names := fieldNames(moved, hide); len(names) > 0 {
			line = entry.Manager + ": " + strings.Join(names, ", ")
		}
		rest := owned
		if moved != nil {
			rest = owned.Difference(moved)
		}
		if names := fieldNames(rest.RecursiveDifference(fieldsOf(w.extras)), hide); len(names) > 0 {
			keeps := "it keeps "
			if ownership.Foreign(entry.Manager, w.Manager) {
				keeps = "nobody has from then on "
			}
			line += "; " + keeps + strings.Join(names, ", ")
		}
		lines = append(lines, "takes over from "+line)
	}
	if len(lines) > 0 {
		p.GetLogger(ctx).Infof("%s: the update %s", w.Ref, strings.Join(lines, "\n  and "))
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
