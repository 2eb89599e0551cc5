package patch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// warnOfTakeover reports in a preview which fields change owner. A field that keeps its value is shared, not taken.
func (r run) warnOfTakeover(ctx context.Context, live, after *unstructured.Unstructured, fields patchedFields) error {
	owners, err := ownership.NewOwnership(live)
	if err != nil {
		return err
	}
	var lines []string
	for _, path := range leaves(fields.all()) {
		before, _, had := ownership.Locate(live.Object, path)
		now, _, has := ownership.Locate(after.Object, path)
		others := r.others(owners.Of(path))
		if others == "" || (had == has && ownership.Equal(before, now)) {
			continue
		}
		secret := r.isSecret(live, path, fields)
		lines = append(lines, fmt.Sprintf("will take from %s: %s: %s -> %s", others, r.name(path, fields),
			tracked.Show(before, had, secret, r.in.sensitive()), tracked.Show(now, has, secret, r.in.sensitive())))
	}
	if len(lines) > 0 {
		p.GetLogger(ctx).Warningf("%s: this Patch takes fields from other managers, who may take them back.\n  %s",
			r.target.Ref, strings.Join(lines, "\n  "))
	}
	return nil
}

// warnOfRepetition reports in a preview which operations run again with this change, among those that run once for
// every change of the patch.
func (r run) warnOfRepetition(ctx context.Context, m patchType) {
	patch, ok := m.(computedPatch)
	if !ok || r.old.touched.nonIdempotent.Empty() {
		return
	}
	if again := patch.nonIdempotentOperations(); len(again) > 0 {
		p.GetLogger(ctx).Warningf("%s: jsonPatch has changed, so all of it is carried out, including operations that were "+
			"carried out before: %s. Remove the completed ones.", r.target.Ref, strings.Join(again, ", "))
	}
}

// others returns the other owners of a field; empty if there is none.
func (r run) others(owners []ownership.Owner) string {
	return strings.Join(r.otherManagers(owners), ", ")
}

func (r run) otherManagers(owners []ownership.Owner) []string {
	var names []string
	for _, owner := range owners {
		if !r.isOurs(owner.Manager) {
			names = append(names, owner.Manager)
		}
	}
	return tracked.Unique(names)
}

// isOurs reports whether a field manager belongs to this Patch, or represents it in a preview.
func (r run) isOurs(manager string) bool {
	return manager == probe || slices.Contains(r.target.Own(), manager)
}

// holder says who owns a field: the manager alone if it is one of the owners, because sharing a value is no conflict.
func (r run) holder(owners []ownership.Owner) string {
	for _, owner := range owners {
		if r.isOurs(owner.Manager) {
			return r.target.Manager
		}
	}
	return r.others(owners)
}

// isSecret reports whether the value of a field must not be shown.
func (r run) isSecret(live *unstructured.Unstructured, path fieldpath.Path, fields patchedFields) bool {
	if manifest.IsSecretKind(live.GetAPIVersion(), live.GetKind()) {
		return true
	}
	if tree := r.in.tree(); tree != nil {
		_, secret := r.marked(tree, r.in.secrets).SecretDepth(path)
		return secret
	}
	operations, _ := r.in.secretOperations(fields)
	return ownership.Around(operations, path)
}

// name formats a field for a message. Inside a secret, even the names of fields are hidden.
func (r run) name(path fieldpath.Path, fields patchedFields) string {
	if tree := r.in.tree(); tree != nil {
		marked := r.marked(tree, r.in.secrets)
		if depth, secret := marked.SecretDepth(path); secret && marked.HidesNames(path, depth) {
			return ownership.Format(path[:depth]) + "[secret]"
		}
		if _, names := tracked.SecretPlaces(tree, fieldpath.NewSet(path), marked); names {
			return ownership.Format(path[:1]) + "[secret]"
		}
	}
	if operations, names := r.in.secretOperations(fields); names && ownership.Around(operations, path) {
		return ownership.Format(path[:1]) + "[secret]"
	}
	return ownership.Format(path)
}

// marked returns a tree with its secret places, as part of the target.
func (r run) marked(tree map[string]any, secrets values.Marks) tracked.Marked {
	return partOf(r.target.Identity(), tree, secrets)
}

// partOf makes a tree part of an object: the kind decides what is secret in it.
func partOf(id manifest.Identity, tree map[string]any, secrets values.Marks) tracked.Marked {
	object := map[string]any{"apiVersion": id.APIVersion, "kind": id.Kind}
	maps.Copy(object, tree)
	return tracked.Marked{Tree: object, Secrets: secrets}
}
