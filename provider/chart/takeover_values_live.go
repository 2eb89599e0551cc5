package chart

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Helm's annotations on the objects of a release.
const (
	helmRelease   = "meta.helm.sh/release-name"
	helmNamespace = "meta.helm.sh/release-namespace"
)

// role is what an object in the cluster means for the values of a release.
type role int

const (
	// absent: there is no object, or it is not taken over and so not written.
	absent role = iota
	// source: the object belongs to the release, which takes it over.
	source
	// witness: the release has written the object itself, so its values are remembered.
	witness
	// foreign: the object is taken over, but does not belong to the release. No value is taken from it.
	foreign
)

// neighbour is the object in the cluster that an object of the release would replace.
type neighbour struct {
	role  role
	texts map[string]string
}

// liveField is a text in the cluster.
type liveField struct {
	role role
	text string
	is   bool
}

// neighbours are the objects in the cluster, each read once.
type neighbours struct {
	release *release
	// remembered means that the release has a memory, so objects that it has written have the values in it.
	remembered bool
	live       map[manifest.Identity]*neighbour
}

// at is the text of a field in the cluster.
func (n *neighbours) at(ctx context.Context, at field, in *view) (liveField, error) {
	one, err := n.of(ctx, at.object, in)
	if err != nil {
		return liveField{}, err
	}
	text, is := one.texts[at.path]
	return liveField{one.role, text, is}, nil
}

// of is the object in the cluster that an object would replace.
func (n *neighbours) of(ctx context.Context, id manifest.Identity, in *view) (*neighbour, error) {
	if one, known := n.live[id]; known {
		return one, nil
	}
	r, o := n.release, in.objects[id]
	whose := taker{manager: r.managerOf(o.Key), taken: r.adopt || o.IsAdopted(), single: o.IsAdopted(), remembered: n.remembered}
	t, live, err := r.liveObject(ctx, id.In(r.release.Namespace), whose.manager)
	switch {
	case apierrors.IsForbidden(err) && !whose.taken:
		live = nil // If it exists, it is refused later, and not taken over.
	case err != nil:
		return nil, t.Explain("read", err, r.sensitive())
	}
	one := &neighbour{}
	if live != nil {
		whose.taken = whose.taken || in.set.MayTakeOver(o) && tracked.KubeObjectOf(live, whose.manager) != ""
		if _, whose.ours, err = ownership.Applied(live, whose.manager); err != nil {
			return nil, t.Explain("read", err, r.sensitive())
		}
		one.role, one.texts = r.roleOf(live, whose), plainTexts(live.Object)
	}
	n.live[id] = one
	return one, nil
}

// taker is how an object of a release relates to its live object.
type taker struct {
	manager string
	// taken means that the object is taken over: adopted, or from another KubeObject. single means that it is adopted individually.
	taken, single bool
	// ours means that the release has written it. remembered means that the values that it wrote are in the memory.
	ours, remembered bool
}

// roleOf says what a live object means for the values of the release. Objects that the release has written belong to it, with values that
// are remembered or, if the state is lost, are not. An object that is adopted individually may also be one that an earlier release of a
// Chart has left.
func (r *release) roleOf(live *unstructured.Unstructured, whose taker) role {
	switch {
	case whose.ours && (whose.remembered || !whose.taken):
		return witness
	case !whose.taken:
		return absent
	case whose.ours, r.isOf(live), whose.single && isLeft(live, whose.manager):
		return source
	default:
		return foreign
	}
}

// isOf reports whether Helm has made an object for this release.
func (r *release) isOf(live *unstructured.Unstructured) bool {
	annotations := live.GetAnnotations()
	return annotations[helmRelease] == r.release.Name && annotations[helmNamespace] == r.release.Namespace
}

// isLeft reports whether a Chart has left an object on purpose: it is marked to be kept, belongs to no Helm release, and no KubeObject
// manages it.
func isLeft(live *unstructured.Unstructured, manager string) bool {
	return manifest.SaysKeep(live.Object) && live.GetAnnotations()[helmRelease] == "" && tracked.KubeObjectOf(live, manager) == ""
}
