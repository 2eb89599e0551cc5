package object

import (
	"context"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// bystanders lists what an apply of body would remove from the live object although it is not ours: unowned and ignored
// fields.
//
// It excludes defaults that the API server has set beside what is removed: they come back if they still apply. A
// dry-run of our fields as a new object shows which those are.
func (w *write) bystanders(ctx context.Context, live *unstructured.Unstructured, body map[string]any) ([]ownership.Bystander, error) {
	found, err := ownership.Bystanders(live, w.Manager, w.applied, w.object(body).Object)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var fresh *unstructured.Unstructured
	var kept []ownership.Bystander
	for _, bystander := range found {
		if bystander.MaybeDefault && !w.in.ignoresPart(live.Object, bystander.Path) {
			if fresh == nil {
				if fresh, err = w.asOwned(ctx, live); err != nil {
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

// asOwned returns what the API server makes of our fields alone. If that cannot be tried, we cannot distinguish the API
// server's values from values that others have set. Then, for Kubernetes' own kinds, asOwned returns the live object,
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
		ownership.Empties(s.owned(in), s.Wanted(), t.object(body).Object)
}

// owned returns the fields that an apply which lacks them gives up.
func (s state) owned(in inputs) *fieldpath.Set {
	owned := s.fields.Union(in.unignored(s))
	if s.absent != nil {
		owned = owned.Union(s.absent)
	}
	return owned
}

// shield gives the fields that an apply of body would remove to the placeholder entry in managedFields, which changes
// no value.
func (w *write) shield(ctx context.Context, body map[string]any) ownership.Edit {
	return func(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		var err error
		if w.kept, err = w.bystanders(ctx, live, body); err != nil {
			return nil, err
		}
		return ownership.Shield(setOf(w.kept))(live)
	}
}

// sendShielded is the dry-run of an apply behind a shield: it sends the shielded values, and ignores that the dry-run
// makes us their owner.
func (w *write) sendShielded(ctx context.Context, body map[string]any) (*unstructured.Unstructured, error) {
	if !w.shields {
		return w.send(ctx, body)
	}
	live, err := w.Cluster.Get(ctx, w.Ref)
	if err != nil || live.GetUID() != w.uid {
		return w.send(ctx, body) // the refusal says what is wrong
	}
	kept, err := w.bystanders(ctx, live, body)
	if err != nil {
		return nil, err
	}
	if len(kept) == 0 {
		return w.send(ctx, body)
	}
	w.kept = kept
	answer, err := w.send(ctx, ownership.With(body, live.Object, pathsOf(kept)))
	w.sayKept(ctx, err)
	if err != nil {
		return nil, err
	}
	fields, _, err := ownership.Applied(answer, w.Manager)
	if err != nil {
		return nil, err
	}
	return ownership.AsApplied(answer, w.Manager, fields.RecursiveDifference(setOf(kept)))
}

// sayKept names what stays. If the update was refused, this may be why.
func (w *write) sayKept(ctx context.Context, err error) {
	var names []string
	for _, bystander := range w.kept {
		if !bystander.Half || apierrors.IsInvalid(err) { // halves are reported with the other fields that stay
			names = append(names, ownership.Format(bystander.Path))
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	if w.in.namesSecret(setOf(w.kept)) {
		names = []string{"[secret]"}
	}
	if apierrors.IsInvalid(err) {
		p.GetLogger(ctx).Warningf("%s: the update keeps these fields, which are not this resource's, and was refused: %s\n"+
			"If it was refused because of them, set them in the manifest for one update, and take them out in the next.",
			w.Ref, strings.Join(names, ", "))
		return
	}
	p.GetLogger(ctx).Infof("%s: the update removes everything of this resource around these fields, and keeps them since they are not "+
		"this resource's: %s", w.Ref, strings.Join(names, ", "))
}

func setOf(kept []ownership.Bystander) *fieldpath.Set { return fieldpath.NewSet(pathsOf(kept)...) }

func pathsOf(kept []ownership.Bystander) []fieldpath.Path {
	paths := make([]fieldpath.Path, len(kept))
	for i, bystander := range kept {
		paths[i] = bystander.Path
	}
	return paths
}
