package object

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// unshieldTimeout bounds how long we try to remove a shield, also after the operation was cancelled.
const unshieldTimeout = 10 * time.Second

// bystanders lists what an apply of body would remove from the live object although it is not ours: unowned and
// ignored fields. applied is what we applied before; it may be nil.
//
// It excludes defaults that the API server has set beside what is removed: they would come back if they still
// applied. A dry-run of our fields as a new object tells which those are.
func (t target) bystanders(
	ctx context.Context, in inputs, live *unstructured.Unstructured, applied, body map[string]any,
) ([]ownership.Bystander, error) {
	found, err := ownership.Bystanders(live, t.Manager, applied, t.object(body).Object)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var fresh *unstructured.Unstructured
	var kept []ownership.Bystander
	for _, bystander := range found {
		if bystander.MaybeDefault && !in.ignoresPart(live.Object, bystander.Path) {
			if fresh == nil {
				if fresh, err = t.asOwned(ctx, live); err != nil {
					return nil, err
				}
			}
			before, _, _ := ownership.Locate(live.Object, bystander.Path)
			if after, _, has := ownership.Locate(fresh.Object, bystander.Path); has && ownership.Equal(before, after) {
				continue
			}
		}
		kept = append(kept, bystander)
	}
	return kept, nil
}

// asOwned returns what the API server makes of our fields alone. If that cannot be tried, we cannot tell the API
// server's values from those that others have set: then, for Kubernetes' own kinds, the live object is the answer,
// because its unowned fields are nearly always defaults.
func (t target) asOwned(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	fields, _, err := ownership.Applied(live, t.Manager)
	if err != nil {
		return nil, err
	}
	own := t.project(live, fields, nil)
	fresh, err := t.probe(ctx, t.object(own), own, live)
	switch {
	case err == nil:
		return fresh, nil
	case kinds.OwnGroup(live.GroupVersionKind().Group):
		return live, nil
	default:
		return &unstructured.Unstructured{}, nil
	}
}

// mayTakeBystanders reports whether an apply of body may remove what is not ours, as far as the state knows what is
// ours. If not, there is no need to read the live object.
func (s state) mayTakeBystanders(t target, in inputs, body map[string]any) bool {
	return s.fields == nil || s.fields.Empty() || s.Hash == "" ||
		ownership.Empties(s.fields.Union(in.unignored(s)), s.Wanted(), t.object(body).Object)
}

// keepBystanders applies body without removing anything that is not ours.
//
// It first gives the fields that would be removed to the entry in managedFields that stands for nobody, which changes
// no value, and releases them after the apply. A preview cannot do that. It sends the values, and disregards that it
// then owns them.
func (t target) keepBystanders(
	ctx context.Context, in inputs, applied, body map[string]any, uid types.UID, preview bool,
	apply func(body map[string]any) (*unstructured.Unstructured, error),
) (*unstructured.Unstructured, []ownership.Bystander, error) {
	if preview {
		return t.previewBystanders(ctx, in, applied, body, uid, apply)
	}
	var kept []ownership.Bystander
	err := t.Cluster.Edit(ctx, t.Ref, uid, t.Manager, func(live *unstructured.Unstructured) ([]byte, error) {
		var err error
		if kept, err = t.bystanders(ctx, in, live, applied, body); err != nil {
			return nil, err
		}
		return ownership.Shield(live, setOf(kept))
	})
	if outdated := (*tracked.OutdatedError)(nil); errors.As(err, &outdated) {
		return nil, nil, err // the caller corrects this and tries again
	}
	if err != nil {
		// Nothing was applied, whatever happened to the shield.
		err = t.Explain("guard what is not ours in", err, in.sensitive())
		reason, _ := failure.ReasonOf(err)
		return nil, nil, tracked.Refused(reason, "%v", err)
	}
	answer, err := apply(body)
	if len(kept) == 0 {
		return answer, nil, err
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), unshieldTimeout)
	defer cancel()
	unshielded := t.Cluster.Edit(after, t.Ref, uid, t.Manager, ownership.Unshield)
	if unshielded != nil {
		p.GetLogger(ctx).Debugf("%s: the values that stay are still owned by nobody's entry: %v", t.Ref, unshielded)
	}
	t.sayKept(ctx, in, kept, err)
	return answer, kept, err
}

func (t target) previewBystanders(
	ctx context.Context, in inputs, applied, body map[string]any, uid types.UID,
	apply func(body map[string]any) (*unstructured.Unstructured, error),
) (*unstructured.Unstructured, []ownership.Bystander, error) {
	live, err := t.Cluster.Get(ctx, t.Ref)
	if err != nil || live.GetUID() != uid {
		answer, err := apply(body) // the refusal says what is wrong
		return answer, nil, err
	}
	kept, err := t.bystanders(ctx, in, live, applied, body)
	if err != nil {
		return nil, nil, err
	}
	if len(kept) == 0 {
		answer, err := apply(body)
		return answer, nil, err
	}
	answer, err := apply(ownership.With(body, live.Object, pathsOf(kept)))
	t.sayKept(ctx, in, kept, err)
	if err != nil {
		return nil, nil, err
	}
	fields, _, err := ownership.Applied(answer, t.Manager)
	if err != nil {
		return nil, nil, err
	}
	answer, err = ownership.AsApplied(answer, t.Manager, fields.RecursiveDifference(setOf(kept)))
	return answer, kept, err
}

// sayKept names what stays. If the update was refused, this may be why.
func (t target) sayKept(ctx context.Context, in inputs, kept []ownership.Bystander, err error) {
	var names []string
	for _, bystander := range kept {
		if !bystander.Half || apierrors.IsInvalid(err) { // halves are reported with the other fields that stay
			names = append(names, ownership.Format(bystander.Path))
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	if in.namesSecret(setOf(kept)) {
		names = []string{"[secret]"}
	}
	if apierrors.IsInvalid(err) {
		p.GetLogger(ctx).Warningf("%s: the update keeps these fields, which are not this resource's, and was refused: %s\n"+
			"If it was refused because of them, set them in the manifest for one update, and take them out in the next.",
			t.Ref, strings.Join(names, ", "))
		return
	}
	p.GetLogger(ctx).Infof("%s: the update removes everything of this resource around these fields, and keeps them since they are not "+
		"this resource's: %s", t.Ref, strings.Join(names, ", "))
}

func setOf(kept []ownership.Bystander) *fieldpath.Set { return fieldpath.NewSet(pathsOf(kept)...) }

func pathsOf(kept []ownership.Bystander) []fieldpath.Path {
	paths := make([]fieldpath.Path, len(kept))
	for i, bystander := range kept {
		paths[i] = bystander.Path
	}
	return paths
}
