package tracked

import (
	"cmp"
	"context"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// A resource's field manager derives from its URN. An alias, `pulumi state move` and `pulumi stack rename` change the
// URN but keep the state, so the former manager stays on the object until an update renames it there. Until then, both
// belong to the resource.
//
// If we kept the former name forever, two stacks could share one object: the stack that the resource was taken from
// would still recognise it as its own.

// OnObject returns the resource's field manager on its object, and the one that the next update gives it; "" if that is
// the same. own is the field manager for the resource's URN.
func (s State) OnObject(own string) (manager, next string) {
	if s.IsRenamed(own) {
		return s.Manager, own
	}
	return own, ""
}

// ForUpdate returns the field manager of an update, and the resource's current one on its object; "" if that is the
// same.
func (s State) ForUpdate(own string) (manager, former string) {
	former, next := s.OnObject(own)
	if next == "" {
		return own, ""
	}
	return own, former
}

// IsRenamed reports whether the resource's field manager has changed since the last write.
func (s State) IsRenamed(own string) bool { return cmp.Or(s.Manager, own) != own }

// RenamingDiff returns an update that renames the field manager, if the program asks and the manager has changed.
func (s State) RenamingDiff(own string, programmed bool) p.DiffResponse {
	if !programmed || !s.IsRenamed(own) {
		return p.DiffResponse{}
	}
	return UpdateAbout(keyFieldManager)
}

// SayRenaming reports what an update renames.
func (s State) SayRenaming(ctx context.Context, own string) {
	if s.IsRenamed(own) {
		p.GetLogger(ctx).Infof("%s: this resource was renamed, or moved here from another stack. The update renames its "+
			"field manager on the object, from %q to %q. A stack that still has it under the former name can then no longer "+
			"write the object.",
			RefOf(s.Ref.Identity), s.Manager, own)
	}
}

// Turned returns the target with our two field managers swapped.
func (t Target) Turned() Target {
	t.Manager, t.Also = t.Also, t.Manager
	return t
}

// AsOn returns the target with whichever of our field managers is on an object. If both or neither are, that is
// Manager.
func (t Target) AsOn(live *unstructured.Unstructured) Target {
	on := ownership.Managers(live)
	if t.Also != "" && slices.Contains(on, t.Also) && !slices.Contains(on, t.Manager) {
		return t.Turned()
	}
	return t
}

// Rename is the edit that moves our fields to Manager; nil if we have no other field manager.
func (t Target) Rename() ownership.Edit {
	if t.Also == "" {
		return nil
	}
	return ownership.Rename(t.Also, t.Manager)
}

// Renamed returns an object as [Target.Rename] leaves it.
func (t Target) Renamed(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if object == nil {
		return nil, nil
	}
	return ownership.InOrder(t.Rename())(object)
}
