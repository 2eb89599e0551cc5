package object

import (
	"context"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

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

// apply sends the object under our field manager.
func (t target) apply(
	ctx context.Context, body map[string]any, options cluster.ApplyOptions,
) (*unstructured.Unstructured, error) {
	options.FieldManager = t.Manager
	object := t.object(body)
	result, err := t.Cluster.Apply(ctx, object, options)
	if err != nil {
		return nil, t.Diagnose(ctx, object, err)
	}
	return result.Object, nil
}

// object builds the body of an apply: a manifest in its namespace.
func (t target) object(body map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: values.DeepCopy(body).(map[string]any)}
	object.SetNamespace(t.Ref.Namespace)
	if isBare(body) {
		// Owning metadata.labels, but none of the labels, writes nothing to the object and keeps our field manager on
		// it: without any field of its own, the object would not be recognised as ours after a lost reply.
		_ = unstructured.SetNestedMap(object.Object, map[string]any{}, "metadata", "labels")
	}
	return object
}

var versionPath = fieldpath.MakePathOrDie("metadata", "resourceVersion")

// unguarded returns a body that may be applied onto any version of the object.
func unguarded(body map[string]any) map[string]any {
	return ownership.Without(body, []fieldpath.Path{versionPath})
}

// isGuarded reports whether a body may be applied only onto the version of the object that was read.
func isGuarded(body map[string]any) bool {
	_, guarded, _ := unstructured.NestedString(body, "metadata", "resourceVersion")
	return guarded
}

// isOtherObject recognises the API server's answers to a uid that does not match the object: a conflict if there is no
// object, a validation error for metadata.uid if another object has the name.
func isOtherObject(err error) bool {
	return isStale(err) || apierrors.IsInvalid(err) && slices.Contains(causeFields(err), "metadata.uid")
}

// isStale reports whether the object has changed since it was read.
func isStale(err error) bool {
	return apierrors.IsConflict(err) && len(failure.FieldConflicts(err)) == 0
}

// newState builds the state from the API server's answer to an apply. It fails if the answer does not say what we
// own, which leaves the apply unconfirmed.
func (t target) newState(answer *unstructured.Unstructured, in inputs, hashKey string) (state, error) {
	fields, ok, err := ownership.Applied(answer, t.Manager)
	if err != nil {
		return state{}, err
	}
	if !ok {
		return state{}, failure.Errorf(failure.ReasonManagedFieldsMissing, "%s: the API server's answer does not name %q among its field managers", t.Ref, t.Manager)
	}
	dropped, _ := in.named.Split(ownership.Dropped(answer.Object, ownership.In(in.applied), fields))
	ours, ignored := in.named.Split(fields)
	absent := ownership.OnlyAbsent(answer.Object, ours)
	fields = unionOf(stored(answer, ours), in.theirs)
	owners, err := ownership.Owners(answer, fields, t.Manager, t.Also)
	if err != nil {
		return state{}, err
	}
	sum, err := tracked.Hash(hashKey, in.asked())
	if err != nil {
		return state{}, fmt.Errorf("manifest: %w", err)
	}
	s := state{State: tracked.State{
		Live:      asApplied(t.project(answer, fields, t.object(in.applied).Object), in.theirs, in.applied),
		Ownership: owners,
		Ref:       reference.Object{Identity: t.Identity(), UID: string(answer.GetUID()), Revision: tracked.RevisionOf(sum, "")},
		Manager:   t.Manager,
		Foreign:   tracked.KubeObjectOf(answer, t.Own()...),
		Hash:      sum,
		HashKey:   hashKey,
		WrittenAt: ownership.WrittenAt(answer, t.Manager),
	}, fields: fields, ignored: ignored, dropped: dropped, absent: absent,
		takenOver: in.takeOver.String(), kept: manifest.SaysKeep(answer.Object), job: shortLivedOf(answer, in.applied)}
	s.Secrets, s.NamesSecret = tracked.SecretPlaces(s.Live, fields, in.marked())
	s.ignoredSecret = in.namesSecret(ignored)
	return s, nil
}

// stored returns fields without those that are missing from the answer. The API server has dropped these, or they are
// empty maps, which it does not keep. If someone fills such a map later, nothing of ours changes.
func stored(answer *unstructured.Unstructured, fields *fieldpath.Set) *fieldpath.Set {
	missing := fieldpath.NewSet()
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		if _, _, ok := ownership.Locate(answer.Object, path); !ok {
			missing.Insert(path.Copy())
		}
	})
	return fields.Difference(missing)
}

// project reduces the live object to the given fields and adds its identity, which the API server leaves out of all
// field sets.
func (t target) project(live *unstructured.Unstructured, fields *fieldpath.Set, template map[string]any) map[string]any {
	projection := ownership.Project(live.Object, fields, template)
	projection["apiVersion"], projection["kind"] = t.Ref.APIVersion, t.Ref.Kind
	metadata, _ := projection["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		projection["metadata"] = metadata
	}
	metadata["name"] = t.Ref.Name
	if t.Ref.Namespace != "" {
		metadata["namespace"] = t.Ref.Namespace
	}
	return projection
}
