package chart

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Helm's annotations on the objects of a release.
const (
	helmRelease   = "meta.helm.sh/release-name"
	helmNamespace = "meta.helm.sh/release-namespace"
)

// role is what an object in the cluster is for the values of a release.
type role int

const (
	// absent: nothing is there, or what is there is not taken over, and so not written.
	absent role = iota
	// source: an object of the release that it takes over.
	source
	// witness: an object that the release has written itself, and so one with values that are remembered.
	witness
	// foreign: an object that is taken over, and not of this release. No value is taken from there.
	foreign
)

// neighbour is what there is in the cluster in place of an object.
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
	// known means that the values of the release are remembered: what it has written has those.
	known bool
	live  map[manifest.Identity]*neighbour
}

// at is what a field is in the cluster.
func (n *neighbours) at(ctx context.Context, at field, in *view) (liveField, error) {
	o := in.objects[at.object]
	one, err := n.of(ctx, at.object, o, in.set.MayTakeOver(o))
	if err != nil {
		return liveField{}, err
	}
	text, is := one.texts[at.path]
	return liveField{one.role, text, is}, nil
}

func (n *neighbours) of(ctx context.Context, id manifest.Identity, o sets.Object, takesOver bool) (*neighbour, error) {
	if one, known := n.live[id]; known {
		return one, nil
	}
	r := n.release
	whose := taker{manager: r.managerOf(o.Key), taken: r.adopt || o.IsAdopted(), single: o.IsAdopted(), known: n.known}
	t, live, err := r.liveObject(ctx, id.In(r.release.Namespace), whose.manager)
	switch {
	case apierrors.IsForbidden(err) && !whose.taken:
		live = nil // It is refused, or not there.
	case err != nil:
		return nil, t.Explain("read", err, r.sensitive())
	}
	one := &neighbour{}
	if live != nil {
		whose.taken = whose.taken || takesOver && tracked.KubeObjectOf(live, whose.manager) != ""
		if _, whose.ours, err = ownership.Applied(live, whose.manager); err != nil {
			return nil, t.Explain("read", err, r.sensitive())
		}
		one.role, one.texts = r.roleOf(live, whose), plainTexts(live.Object)
	}
	n.live[id] = one
	return one, nil
}

// taker is what an object of a release is to its live object.
type taker struct {
	manager string
	// taken means that it is taken over: adopted, or from another KubeObject. single means that it is adopted by its name.
	taken, single bool
	// ours means that the release has written it, known that it remembers with which values.
	ours, known bool
}

// roleOf says what a live object is for the values of the release. What the release has written itself is of it, with values that are
// remembered or, if the state is lost, are not. What is named alone may also be what an earlier release of a Chart has left.
func (r *release) roleOf(live *unstructured.Unstructured, whose taker) role {
	switch {
	case whose.ours && (whose.known || !whose.taken):
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

// isLeft reports whether a release of nobody has left an object on purpose, as a Chart does: then it has no manager any more.
func isLeft(live *unstructured.Unstructured, manager string) bool {
	return manifest.SaysKeep(live.Object) && live.GetAnnotations()[helmRelease] == "" && tracked.KubeObjectOf(live, manager) == ""
}
