package object

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// contradiction explains an update that is also refused when tried as a new object: the manifest is wrong, or it
// contradicts something in the live object that it does not set. A replacement would remove the latter, although no one
// has asked for that.
func (r *refusedUpdate) contradiction(ctx context.Context, in inputs, probe error) error {
	t := r.target
	suspects, err := r.suspects(probe)
	if err != nil {
		return err
	}
	wrong := t.Explain("update", r.err, in.sensitive())
	if len(suspects) == 0 {
		return wrong
	}
	alone, err := t.tryAsNew(ctx, in, r.merged.Live())
	switch {
	case apierrors.IsInvalid(err) && !slices.ContainsFunc(causeFields(err), func(field string) bool {
		return slices.Contains(causeFields(probe), field)
	}):
		// This is part of an object, which is invalid by itself for other reasons.
	case err != nil:
		return wrong
	}
	suspects = slices.DeleteFunc(suspects, func(field ownership.Unsent) bool {
		if alone == nil {
			return false
		}
		// A new object gets this as well, so it is not the cause, even if the creator of the object owns its defaults.
		before, _, _ := ownership.Locate(r.merged.Object, field.Path)
		after, _, has := ownership.Locate(alone.Object, field.Path)
		return has && ownership.Equal(before, after)
	})
	var lines []string
	owned := slices.ContainsFunc(suspects, func(field ownership.Unsent) bool { return len(field.Owners) > 0 })
	advice := "set the field in this manifest, which takes precedence"
	for _, field := range suspects {
		owner := ownedBy(strings.Join(field.Owners, ", "))
		switch {
		case len(field.Owners) > 0:
			advice = "set the field in this manifest, which takes it over; or have its owner remove it; or, if it is only a default " +
				"that the owner got with the object, name the owner in takeOverFrom"
		case owned:
			continue
		case in.ignore.Covers(field.Path):
			owner, advice = "which ignoreFields leaves to others", "set the field in this manifest and take it out of ignoreFields, or change it where it is managed"
		default:
			owner = "a default, or a value without an owner"
		}
		lines = append(lines, fmt.Sprintf("%s (%s)", in.nameOf(field.Path), owner))
	}
	if len(lines) == 0 {
		return wrong
	}
	slices.Sort(lines)
	return tracked.Refused(failure.ReasonInvalid, "%s: the update contradicts what the live object has and this manifest does not set:\n  %s\n"+
		"It was not touched; no field is proven to be immutable, so it is not replaced either.\n%v\nNext: %s.",
		t.Ref, strings.Join(lines, "\n  "), r.said(in), advice)
}

// onExisting explains why an existing object that the program adopts or takes over cannot become what the manifest
// says. The object is never replaced: that would delete what the state does not know.
func (r *refusedUpdate) onExisting(ctx context.Context, in inputs) error {
	if err := r.stillStored(in); err != nil {
		return err
	}
	err := r.contradiction(ctx, in, r.err)
	if tracked.IsRefusal(err) {
		return err
	}
	if _, invalid := r.target.tryAsNew(ctx, in, r.merged.Live()); invalid != nil {
		return err // the manifest is wrong, regardless of the live object
	}
	return r.cannotBecome(in, "exists already, and ", r.refusedChanges(ctx, in))
}

// suspects returns the fields that the manifest does not set around those that the API server names: inside or above
// them, or, if there are none, beside them.
func (r *refusedUpdate) suspects(probe error) ([]ownership.Unsent, error) {
	unsent, err := r.merged.Unsent()
	if err != nil {
		return nil, err
	}
	var inside, beside []ownership.Unsent
	for _, field := range unsent {
		generic := ownership.Generic(field.Path)
		near, around := false, false
		for _, cause := range causeFields(probe) {
			at := ownership.FieldNames(cause)
			n := min(len(at), len(generic))
			near = near || n > 0 && slices.Equal(at[:n], generic[:n])
			around = around || len(at) > 1 && len(at) == len(generic) && slices.Equal(at[:n-1], generic[:n-1]) && r.merged.Changes(field.Path[:n-1])
		}
		switch {
		case near:
			inside = append(inside, field)
		case around:
			beside = append(beside, field)
		}
	}
	if len(inside) > 0 {
		return inside, nil
	}
	return beside, nil
}
