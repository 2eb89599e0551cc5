package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
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

// applyWithPolicy applies body onto the object of the write.
//
// An update forces, unless conflictPolicy is "fail". A preview first tries without force. Usually nothing conflicts, and
// that is the only request. The API server reports a conflict only where a value would change, so shared ownership is
// silent. It also reports one where our manifest lacks a default that it would add itself; that is not a real conflict.
func (w *write) applyWithPolicy(ctx context.Context, body map[string]any) (*unstructured.Unstructured, error) {
	options := cluster.ApplyOptions{UID: w.uid, DryRun: w.preview}
	if !w.preview && w.in.conflicts != policy.ConflictFail {
		options.Force = true
		return w.apply(ctx, body, options)
	}
	answer, err := w.apply(ctx, body, options)
	conflicts := failure.FieldConflicts(err)
	if err == nil && w.preview {
		err = w.mayWrite(w.in, answer)
	}
	if len(conflicts) == 0 {
		return answer, err
	}
	forced, forcedErr := w.apply(ctx, body, cluster.ApplyOptions{UID: w.uid, DryRun: true, Force: true})
	if forcedErr != nil {
		return nil, forcedErr
	}
	d, err := w.fieldConflicts(ctx, forced, conflicts)
	switch {
	case err != nil:
		return nil, err
	case len(d.lines) == 0 && w.preview:
		// No value changes, not even in ignored fields, which the apply will not send.
		return forced, nil
	case len(d.lines) == 0:
		// The API server reports a conflict only because our manifest lacks its own default. No value may change
		// before the apply, because force would overwrite it.
		options.Force = true
		return w.apply(ctx, ownership.SetAt(body, versionPath, d.version), options)
	case w.in.conflicts == policy.ConflictFail:
		return nil, w.refuseConflicts(w.in, d)
	}
	p.GetLogger(ctx).Warningf("%s: an update takes these fields from other managers:\n  %s%s", w.Ref, strings.Join(d.lines, "\n  "), w.in.adviseManagers(d.controllers))
	return forced, nil
}

var versionPath = fieldpath.MakePathOrDie("metadata", "resourceVersion")

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

// isOtherObject recognises the API server's answers to a uid that does not match the object: a conflict if there is no
// object, a validation error for metadata.uid if another object has the name.
func isOtherObject(err error) bool {
	return isStale(err) || apierrors.IsInvalid(err) && slices.Contains(causeFields(err), "metadata.uid")
}

// causeFields returns the fields that the API server names in a refusal.
func causeFields(err error) []string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		if fields = append(fields, cause.Field); cause.Field == "spec.clusterIPs[0]" {
			fields = append(fields, "spec.clusterIP") // a Service's address is written to one field, and reported for the first item of the list
		}
	}
	return fields
}
