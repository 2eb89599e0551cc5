package object

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// decideConflicts falls back to the provider's policy if the resource has none.
func (in *inputs) decideConflicts(settings Settings) {
	if in.conflicts == "" {
		in.conflicts, in.conflictsOfAll = settings.ConflictPolicy(), true
	}
}

// refuseConflicts names the fields of other managers that the update would have to take, like the API server's own
// refusal does.
func (t target) refuseConflicts(in inputs, d disputed) error {
	whose := ""
	if in.conflictsOfAll {
		whose = " in the provider's configuration"
	}
	return tracked.Refused(failure.ReasonFieldConflict, "%s: other managers own fields that this manifest sets to other values, and "+
		"conflictPolicy is \"fail\"%s. Nothing was changed.\n  %s\nTo leave the fields to them:\n  %s%s\n"+
		"To take the fields over, set conflictPolicy to \"force\".",
		t.Ref, whose, strings.Join(d.lines, "\n  "), in.ignoreLine(d.fields), in.adviseManagers(d.controllers))
}

// disputed are the fields in which an update would change a value of another manager.
type disputed struct {
	// lines say for each field the live and the desired value, and the owner.
	lines  []string
	fields []fieldpath.Path
	// controllers are known controllers among the owners, as far as ignoreManagers would leave the fields to them.
	controllers []string
	// version is the resourceVersion of the object that was looked at.
	version string
}

// fieldConflicts finds the conflicts in which a value would change.
func (w *write) fieldConflicts(ctx context.Context, forced *unstructured.Unstructured, conflicts []failure.FieldConflict) (d disputed, err error) {
	t, in := w.target, w.in
	live, err := t.Cluster.Get(ctx, t.Ref)
	if err != nil {
		return d, err
	}
	if err := t.mayWrite(in, live); err != nil {
		return d, err
	}
	named := map[string]bool{}
	for _, conflict := range conflicts {
		named[conflict.Field] = true
	}
	fields, _, err := ownership.Applied(forced, t.Manager)
	if err != nil {
		return d, err
	}
	owners, err := ownership.Owners(live, fields, t.Manager, t.Also)
	if err != nil {
		return d, err
	}
	d.version = live.GetResourceVersion()
	last := lastOf(w.old, in)
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		if !named[path.String()] || in.ignore.Covers(path) {
			return
		}
		name := ownership.Format(path)
		if in.takeOver.NameAll(owners[name]) {
			return // their fields become ours before the apply
		}
		is, _, had := ownership.Locate(live.Object, path)
		will, _, has := ownership.Locate(forced.Object, path)
		if had && has && ownership.Equal(is, will) {
			return
		}
		before, after := in.show(live.Object, path), in.show(forced.Object, path)
		d.lines = append(d.lines, fmt.Sprintf("%s: %s -> %s (%s)", in.nameOf(path), before, after, ownedBy(owners[name])))
		d.fields = append(d.fields, path.Copy())
		if !in.leavable(fieldpath.NewSet(path), last).Empty() {
			d.controllers = append(d.controllers, controllersAmong(owners[name])...)
		}
	})
	return d, nil
}

// ownedBy names the owner of a field. There may be none, or the object does not say: a proxy, or a client that resets
// managedFields, has removed that.
func ownedBy(managers string) string { return "owned by " + cmp.Or(managers, "nobody") }

// show formats the value of a field for a message, unless it is secret.
func (in inputs) show(tree map[string]any, path fieldpath.Path) string {
	v, _, found := ownership.Locate(tree, path)
	_, secret := in.marked().SecretDepth(path)
	id, _ := in.identity()
	return tracked.Show(v, found, secret || tracked.IsKindSecret(id, path), in.sensitive())
}
