package task

import (
	"cmp"
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// sorted are the objects in `with` in the order in which they are made. They are removed in reverse order.
func sorted(with []needed) []needed {
	with = slices.Clone(with)
	slices.SortStableFunc(with, func(a, b needed) int {
		return kinds.CompareApplyOrder(manifest.IdentityOf(a.object).GroupKind(), manifest.IdentityOf(b.object).GroupKind())
	})
	return with
}

type findTarget = func(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, manager string) (tracked.Target, error)

// place finds out where an object in `with` belongs: in the namespace of the run's object, if it names none. find is
// [tracked.Resolve], or [tracked.Find] for an object that was made.
func (r *run) place(ctx context.Context, object map[string]any, find findTarget) (tracked.Target, error) {
	id := manifest.IdentityOf(object)
	if id.Namespace == "" {
		id.Namespace = r.target.Ref.Namespace
	}
	return find(ctx, r.target.Cluster, id, r.target.Manager)
}

// applyWith makes the objects that exist only for the run, or for its event. begun means that at least one of them may be in the
// cluster.
func (r *run) applyWith(ctx context.Context) (begun bool, err error) {
	for _, n := range sorted(r.with) {
		t, err := r.place(ctx, n.object, tracked.Resolve)
		if err != nil {
			return begun, t.Explain("apply", err, r.in.sensitive)
		}
		copied, _ := values.DeepCopy(n.object).(map[string]any)
		object := &unstructured.Unstructured{Object: copied}
		object.SetNamespace(t.Ref.Namespace)
		_, err = r.create(ctx, object, madeWith(n, t))
		begun = begun || mayExist(err)
		if err != nil {
			return begun, t.Explain("create", err, r.in.sensitive)
		}
	}
	return begun, nil
}

func madeWith(n needed, t tracked.Target) madeObject {
	return madeObject{
		target: t, madeFor: n.madeFor, passing: true,
		next: "the objects of `with` are removed after the run, so they must not exist before it. Give it another name, or take it out of `with`",
	}
}

// requireRoom looks, before a run begins, whether the names in `with` belong to objects that the run must not touch. What cannot
// be looked up may come with the same update.
func (r *run) requireRoom(ctx context.Context) error {
	for _, n := range r.with {
		t, err := r.place(ctx, n.object, tracked.Find)
		if err != nil {
			continue
		}
		live, err := t.Cluster.Get(ctx, t.Ref)
		if err != nil {
			continue
		}
		made := madeWith(n, t)
		if from, err := r.origin(live, made); err != nil || from == elsewhere && !isDefinition(t) {
			return t.Explain("create", cmp.Or(err, r.refuse(live, made)), r.in.sensitive)
		}
	}
	return nil
}

// removeWith removes objects in `with`, if they were made for the run or event that they name.
func (r *run) removeWith(ctx context.Context, with []needed) error {
	with = sorted(with)
	slices.Reverse(with)
	for _, n := range with {
		t, err := r.place(ctx, n.object, tracked.Find)
		if err == nil {
			err = r.removeOne(ctx, t, n.madeFor)
		}
		if err != nil && !failure.Gone(err) {
			return t.Explain("delete", err, r.in.sensitive)
		}
	}
	return nil
}

func (r *run) removeOne(ctx context.Context, t tracked.Target, madeFor string) error {
	if r.in.hook != nil && isDefinition(t) {
		return nil
	}
	live, err := t.Cluster.Get(ctx, t.Ref)
	if err != nil {
		return err
	}
	if _, ours, err := ownership.Applied(live, t.Manager); err != nil || !ours && !r.isOfEvent(live, madeFor) {
		return nil // It has the name, but is not ours.
	}
	_, err = t.Cluster.Delete(ctx, t.Ref, cluster.DeleteOptions{UID: live.GetUID(), Propagation: metav1.DeletePropagationBackground})
	return err
}
