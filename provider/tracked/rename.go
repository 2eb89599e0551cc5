package tracked

import (
	"cmp"
	"context"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// A resource's field manager is the one of its URN. An alias, `pulumi state move` and `pulumi stack rename` give it
// another URN and leave it its state, and so the former manager stays on the object until an update renames it there.
// Until then both are the resource's own.
//
// Kept for ever, the former name would let two stacks share one object: the one that the resource was taken from still
// recognises it as its own.

// OnObject returns the field manager under which the resource is on its object, and the one that it gets with the next
// update; "" if that is the same. own is the one of its URN.
func (s State) OnObject(own string) (manager, next string) {
	if s.IsRenamed(own) {
		return s.Manager, own
	}
	return own, ""
}

// ForUpdate returns the field manager of an update, and the one that the resource has on its object; "" if that is the
// same.
func (s State) ForUpdate(own string) (manager, former string) {
	former, next := s.OnObject(own)
	if next == "" {
		return own, ""
	}
	return own, former
}

// IsRenamed reports whether the resource has another field manager now than the last write was made under.
func (s State) IsRenamed(own string) bool { return cmp.Or(s.Manager, own) != own }

// RenamingDiff is an update that renames the field manager, if the program asks and the resource has another one.
func (s State) RenamingDiff(own string, programmed bool) p.DiffResponse {
	if !programmed || !s.IsRenamed(own) {
		return p.DiffResponse{}
	}
	return UpdateAbout(keyFieldManager)
}

// SayRenaming says what an update renames.
func (s State) SayRenaming(ctx context.Context, own string) {
	if s.IsRenamed(own) {
		p.GetLogger(ctx).Infof("%s: this resource was renamed, or moved here from another stack. The update renames its field manager "+
			"on the object, from %q to %q. A stack that still knows it under the former name cannot write the object from then on.",
			RefOf(s.Ref.Identity), s.Manager, own)
	}
}

// Turned returns the target as our other field manager sees it.
func (t Target) Turned() Target {
	t.Manager, t.Also = t.Also, t.Manager
	return t
}

// AsOn returns the target under the one of our field managers that is on an object. If both are, or none is, that is
// Manager.
func (t Target) AsOn(live *unstructured.Unstructured) Target {
	on := ownership.Managers(live)
	if t.Also != "" && slices.Contains(on, t.Also) && !slices.Contains(on, t.Manager) {
		return t.Turned()
	}
	return t
}

// RenamePatch returns the JSON patch after which our fields are under Manager; nil if they are already.
func (t Target) RenamePatch(live *unstructured.Unstructured) ([]byte, error) {
	if t.Also == "" {
		return nil, nil
	}
	return ownership.HandOver(live, t.Manager, ownership.Renaming(t.Also, t.Manager))
}

// Renamed returns an object as the patch of [Target.RenamePatch] would leave it.
func (t Target) Renamed(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if t.Also == "" || object == nil {
		return object, nil
	}
	return ownership.HandedOver(object, t.Manager, ownership.Renaming(t.Also, t.Manager))
}

// EditAll changes what each of our managers owns of the object with this uid. patch makes the JSON patch for one of them.
func (t Target) EditAll(
	ctx context.Context, uid types.UID, patch func(live *unstructured.Unstructured, manager string) ([]byte, error),
) error {
	for _, own := range t.Own() {
		err := t.Cluster.Edit(ctx, t.Ref, uid, t.Manager, func(live *unstructured.Unstructured) ([]byte, error) {
			return patch(live, own)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
