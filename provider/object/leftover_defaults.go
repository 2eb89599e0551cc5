package object

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// refusedUpdate is an update that the API server calls invalid, with what it was built from.
type refusedUpdate struct {
	target target
	merged *ownership.Merged
	// base tells what the program has changed.
	base base
	// drift is the drift that may have caused it.
	drift []drifted
	// denied means that admission refuses the update, and names no field.
	denied bool
	// leftover are defaults that contradict the update, which is refused even without them.
	leftover []fieldpath.Path
	// interrupted means that a run of this resource created the object, and was interrupted before the state was saved.
	interrupted bool
	err         error
}

func (r *refusedUpdate) Error() string { return r.err.Error() }

func (r *refusedUpdate) Unwrap() error { return r.err }

// applyDespiteDefaults makes an update that the API server calls invalid only because of a default that it set earlier:
// a Deployment's rollingUpdate blocks strategy.type Recreate, and an emptyDir blocks a secret volume. Such a default
// has no owner, so no apply removes it. Once we have made it ours, the same apply removes it.
//
// It returns any other refusal as a *refusedUpdate. A preview tries the result as a dry-run and writes nothing.
func (w *write) applyDespiteDefaults(ctx context.Context, body map[string]any, invalid error) (*unstructured.Unstructured, error) {
	merged, err := w.merge(ctx)
	if err != nil {
		return nil, err
	}
	if merged == nil {
		return nil, invalid
	}
	if !isGuarded(body) && w.makesItems() {
		return w.sendOnto(ctx, body) // others have removed items since the state was saved
	}
	refused := &refusedUpdate{target: w.target, merged: merged, base: w.base(merged.Live()), err: invalid}
	if w.preview && w.migrating.Len() > 0 {
		if answer, err := w.tryContent(ctx, merged.Live(), merged.Object); err == nil {
			return ownership.AsApplied(answer, w.Manager, merged.Fields())
		}
	}
	suspects, err := w.leftover(merged, causeFields(invalid))
	switch {
	case err != nil:
		return nil, err
	case len(suspects) == 0:
		return nil, refused
	}
	answer, inTheWay, err := w.tryWithout(ctx, merged, suspects)
	switch {
	case apierrors.IsInvalid(err):
		refused.leftover = suspects
		return nil, refused
	case err != nil, answer == nil:
		return nil, refused
	}
	if w.preview {
		names := make([]string, len(inTheWay))
		for i, path := range inTheWay {
			names[i] = w.in.nameOf(path)
		}
		p.GetLogger(ctx).Infof("%s: the update also removes %s, which the API server has set as a default and does not allow any more.",
			w.Ref, strings.Join(names, ", "))
		return ownership.AsApplied(answer, w.Manager, merged.Fields())
	}
	if err := w.edit(ctx, w.claimDefaults(inTheWay)); err != nil {
		return nil, err
	}
	return w.applyWithPolicy(ctx, body)
}

// merge reads the object, and merges into it what the update sends. It returns nil if the result cannot be known.
func (w *write) merge(ctx context.Context) (*ownership.Merged, error) {
	live, err := w.Cluster.Get(ctx, w.Ref)
	if err != nil || live.GetUID() != w.uid || !tracked.NamesOwners(live) {
		return nil, nil
	}
	if err := w.mayWrite(w.in, live); err != nil {
		return nil, err
	}
	if err := w.see(live); err != nil {
		return nil, err
	}
	if w.preview && w.migrating.Len() > 0 {
		if err := csaupgrade.UpgradeManagedFields(live, w.migrating, w.Manager); err != nil {
			return nil, err
		}
	}
	sent, err := w.sentOnto(w.in, live)
	if err != nil {
		return nil, err
	}
	return ownership.Merge(live, w.Manager, w.applied, sent, w.in.ignore)
}

// claimDefaults makes defaults ours, so that the next apply, which does not send them, removes them. The creator of the
// object may own them, and hands them over when the program takes over from it.
func (w *write) claimDefaults(paths []fieldpath.Path) ownership.Edit {
	var handOver ownership.Edit
	if len(w.in.takeOver) > 0 {
		handOver = func(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			return ownership.HandOver(w.Manager, w.deciding(w.in, live, ownership.Below(paths)))(live)
		}
	}
	return ownership.InOrder(handOver, ownership.Claim(w.Manager, paths))
}

// leftover lists the fields that may be defaults blocking the update. Such a field has no owner (during a takeover,
// none except the managers that it takes over from). The manifest does not set it, but changes something beside it. The
// API server names the field, or one beside it that the manifest sets. leftover excludes fields that the user ignores,
// and every kind that is not Kubernetes' own, because the API server adds their defaults back.
func (w *write) leftover(merged *ownership.Merged, causes []string) ([]fieldpath.Path, error) {
	taking := w.in.taking || w.applied == nil
	unsent, err := merged.Unsent()
	if err != nil || !kinds.OwnGroup(merged.Live().GroupVersionKind().Group) {
		return nil, err
	}
	var named, beside []fieldpath.Path
	for _, field := range unsent {
		if !w.mayBeDefault(field.Path, merged) {
			continue
		}
		if len(field.Owners) > 0 && !(taking && w.in.takeOver.NameAll(strings.Join(field.Owners, ", "))) {
			continue
		}
		for _, cause := range causes {
			is, isBeside := w.namedBy(cause, field.Path, merged)
			if is {
				named = append(named, field.Path)
			} else if isBeside {
				beside = append(beside, field.Path)
			}
		}
	}
	if len(named) > 0 {
		return named, nil
	}
	return beside, nil
}

// mayBeDefault reports whether a field can be a default that depends on what the manifest changes beside it.
func (w *write) mayBeDefault(path fieldpath.Path, merged *ownership.Merged) bool {
	parent := path[:len(path)-1]
	name := path[len(parent)].FieldName
	return len(parent) > 0 && *path[0].FieldName != "metadata" && name != nil && !allocated[*name] &&
		!w.in.ignoresPart(merged.Object, path) && merged.Changes(parent)
}

// namedBy reports whether a cause names a field or something in it, or else a field beside it that the manifest sets.
func (w *write) namedBy(cause string, field fieldpath.Path, merged *ownership.Merged) (named, beside bool) {
	at, generic, parent := ownership.FieldNames(cause), ownership.Generic(field), field[:len(field)-1]
	if len(at) >= len(generic) && slices.Equal(at[:len(generic)], generic) {
		return true, false
	}
	return false, len(at) == len(generic) && slices.Equal(at[:len(parent)], generic[:len(parent)]) &&
		w.in.sets(merged, append(parent.Copy(), fieldpath.FieldNameElement(at[len(parent)])))
}

// sets reports whether the manifest adds a field, or sets a single value.
func (in inputs) sets(merged *ownership.Merged, path fieldpath.Path) bool {
	v, _, sent := ownership.Locate(in.applied, path)
	_, _, was := ownership.Locate(merged.Live().Object, path)
	switch v.(type) {
	case map[string]any, []any:
		return sent && !was
	default:
		return sent
	}
}

// ignoresPart reports whether a field, or something in it, is ignored.
func (in inputs) ignoresPart(tree map[string]any, path fieldpath.Path) bool {
	if len(in.ignore) == 0 {
		return false
	}
	v, _, _ := ownership.Locate(tree, path)
	ignored := in.ignore.Covers(path)
	if object, ok := v.(map[string]any); ok {
		for name := range object {
			ignored = ignored || in.ignoresPart(tree, append(path.Copy(), fieldpath.FieldNameElement(name)))
		}
	}
	return ignored
}

// tryWithout tries the merged object in place without the suspects, as a dry-run. It returns the answer and the
// suspects that blocked the update: they are missing from the answer, but come back with the same values, as defaults
// do, if they alone are removed from the live object. If no suspect blocked the update, the answer is nil. An error is
// the reason for the refusal.
func (t target) tryWithout(
	ctx context.Context, merged *ownership.Merged, suspects []fieldpath.Path,
) (*unstructured.Unstructured, []fieldpath.Path, error) {
	live := merged.Live()
	answer, err := t.tryContent(ctx, live, ownership.Without(merged.Object, suspects))
	if err != nil {
		return nil, nil, err
	}
	var inTheWay []fieldpath.Path
	others := false
	for _, path := range suspects {
		before, _, _ := ownership.Locate(live.Object, path)
		after, _, has := ownership.Locate(answer.Object, path)
		switch {
		case !has:
			inTheWay = append(inTheWay, path)
		case !ownership.Equal(before, after):
			others = true
		}
	}
	if len(inTheWay) == 0 {
		return nil, nil, nil
	}
	if others {
		// The API server may refuse the object without the suspects that come back with another value.
		if answer, err = t.tryContent(ctx, live, ownership.Without(merged.Object, inTheWay)); err != nil {
			return nil, nil, ignoreInvalid(err)
		}
	}
	if given, err := t.givesBack(ctx, live, inTheWay); err != nil || !given {
		return nil, nil, err // a user chose these values
	}
	return answer, inTheWay, nil
}

// givesBack reports whether fields are the API server's defaults: whether the API server sets them again, to the same
// values, after they are removed together with the unowned fields around them. It sets some defaults only if nothing
// around them is written at all, so givesBack tries that next.
func (t target) givesBack(ctx context.Context, live *unstructured.Unstructured, paths []fieldpath.Path) (bool, error) {
	owners, err := ownership.NewOwnership(live)
	if err != nil {
		return false, err
	}
	var alone, around []fieldpath.Path
	for _, path := range paths {
		top := path
		for n := len(path) - 1; n > 1 && path[n-1].FieldName != nil && len(owners.Of(path[:n])) == 0; n-- {
			top = path[:n]
		}
		parent := path[:len(path)-1]
		if len(parent) < 2 || parent[len(parent)-1].FieldName == nil || len(top) < len(parent) {
			parent = top
		}
		alone, around = append(alone, top), append(around, parent)
	}
	for _, removed := range [][]fieldpath.Path{alone, around} {
		answer, err := t.tryContent(ctx, live, ownership.Without(live.Object, removed))
		if ignoreInvalid(err) != nil {
			return false, err
		}
		if err == nil && !slices.ContainsFunc(paths, func(path fieldpath.Path) bool {
			before, _, _ := ownership.Locate(live.Object, path)
			after, _, has := ownership.Locate(answer.Object, path)
			return !has || !ownership.Equal(before, after)
		}) {
			return true, nil
		}
	}
	return false, nil
}

func ignoreInvalid(err error) error {
	if apierrors.IsInvalid(err) {
		return nil
	}
	return err
}

// tryContent replaces the content of the live object, as a dry-run.
func (t target) tryContent(ctx context.Context, live *unstructured.Unstructured, content map[string]any) (*unstructured.Unstructured, error) {
	type operation struct {
		Operation string `json:"op"`
		Path      string `json:"path"`
		Value     any    `json:"value,omitempty"`
	}
	var operations []operation
	difference := func(pointer string, live, content map[string]any) {
		for key, v := range content {
			if before, ok := live[key]; !ok || !ownership.Equal(before, v) {
				operations = append(operations, operation{"add", pointer + key, v})
			}
		}
		for key := range live {
			if _, ok := content[key]; !ok {
				operations = append(operations, operation{"remove", pointer + key, nil})
			}
		}
	}
	before, after := copyOf(live.Object).Object, copyOf(content).Object
	metadata, _ := before["metadata"].(map[string]any)
	wanted, _ := after["metadata"].(map[string]any)
	difference("/metadata/", metadata, wanted)
	delete(before, "metadata")
	delete(after, "metadata")
	difference("/", before, after)
	patch, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}
	return t.Cluster.Patch(ctx, t.Ref, patch, cluster.PatchOptions{Type: types.JSONPatchType, FieldManager: t.Manager, DryRun: true})
}
