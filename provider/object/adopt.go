package object

import (
	"context"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// adopt takes over an object that nobody of this provider manages. What kubectl
// or another client-side applier set becomes ours first, so that what the
// manifest no longer has is removed and not left behind as nobody's.
func (t target) adopt(ctx context.Context, in inputs, live *unstructured.Unstructured, preview bool) attempt {
	if err := t.patchesOn(live); err != nil {
		return attempt{err: err}
	}
	if preview {
		p.GetLogger(ctx).Infof("%s exists and will be adopted.", t.Ref)
	} else if err := t.migrate(ctx, in, live.GetUID()); err != nil {
		// Whether it came through or not, no value has changed, and the next attempt
		// finds its way from either.
		return attempt{err: err}
	}
	a := t.applyOver(ctx, in, live, preview)
	if preview && a.err == nil {
		a.err = t.announceLosses(ctx, in, live, a.answer)
	}
	if preview && a.err == nil {
		var set *fieldpath.Set
		if set, _, a.err = ownership.Applied(a.answer, t.Manager); a.err == nil {
			a.err = t.sayLeftBehind(ctx, in, live, unionOf(set))
		}
	}
	return a
}

// clientSideAppliers are the managers that kubectl or another client-side applier
// used. They are known by the annotation in which they keep what they applied.
func clientSideAppliers(live *unstructured.Unstructured) sets.Set[string] {
	appliers := sets.New[string]()
	for _, entry := range csaupgrade.FindFieldsOwners(
		live.GetManagedFields(), metav1.ManagedFieldsOperationUpdate, fieldpath.NewSet(lastAppliedPath)) {
		appliers.Insert(entry.Manager)
	}
	return appliers
}

var lastAppliedPath = fieldpath.MakePathOrDie("metadata", "annotations", lastApplied)

// migrate makes the fields of client-side appliers ours, as kubectl does when it
// changes to server-side apply.
func (t target) migrate(ctx context.Context, in inputs, uid types.UID) error {
	return t.edit(ctx, in, uid, func(live *unstructured.Unstructured) ([]byte, error) {
		appliers := clientSideAppliers(live)
		if appliers.Len() == 0 {
			return nil, nil
		}
		return csaupgrade.UpgradeManagedFieldsPatch(live, appliers, t.Manager)
	})
}

// announceLosses says in a preview what the object loses by its adoption. Its dry run
// does not show it: nothing is migrated for that.
func (t target) announceLosses(ctx context.Context, in inputs, live, answer *unstructured.Unstructured) error {
	appliers := clientSideAppliers(live)
	wanted, _, err := ownership.Applied(answer, t.Manager)
	if err != nil || appliers.Len() == 0 {
		return err
	}
	migrated := live.DeepCopy()
	if err := csaupgrade.UpgradeManagedFields(migrated, appliers, t.Manager); err != nil {
		return err
	}
	abandoned, err := ownership.Abandoned(migrated, t.Manager, wanted)
	if err != nil {
		return err
	}
	abandoned, _ = in.ignore.Split(abandoned.Difference(fieldpath.NewSet(lastAppliedPath)))
	if abandoned.Empty() {
		return nil
	}
	// An applier also owns the defaults that its object got. They come back as those that a new object gets; where
	// that cannot be tried, the list is longer than it need be.
	fresh, err := t.tryAsNew(ctx, in, live)
	if err != nil {
		fresh = &unstructured.Unstructured{}
	}
	var lines []string
	abandoned.Iterate(func(path fieldpath.Path) {
		before, _, _ := ownership.Locate(live.Object, path)
		after, _, _ := ownership.Locate(fresh.Object, path)
		if !ownership.Equal(before, after) {
			lines = append(lines, fmt.Sprintf("%s: %s -> %s", ownership.Format(path), in.show(live.Object, path), in.show(fresh.Object, path)))
		}
	})
	if len(lines) > 0 {
		slices.Sort(lines)
		// A value that goes may stand in the program under another name.
		hide := failure.NewRedactor(in.sensitive())
		for i := range lines {
			lines[i] = hide.Redact(lines[i])
		}
		p.GetLogger(ctx).Warningf("%s: the manifest has not got these fields, which %s has applied. The adoption takes them away, "+
			"or back to their defaults:\n  %s", t.Ref, strings.Join(sets.List(appliers), ", "), strings.Join(lines, "\n  "))
	}
	return nil
}
