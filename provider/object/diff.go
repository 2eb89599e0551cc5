package object

import (
	"context"
	"reflect"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Diff compares the desired object with what was applied and what is live. It makes few requests, because the engine
// calls Diff serially, and again after every read, where an error would fail every command. If the inputs equal the
// saved ones, it makes no request, with two exceptions: it reads the object if the last read failed, and it tries a
// dry-run in the program's Diff if the last update or a lost run has left something to settle.
func (r *kubeObject) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	in, old, err := r.decode(req.Inputs, req.State)
	if err != nil {
		return p.DiffResponse{}, err
	}
	if isLeftOut(req.Inputs) {
		r.calls.IsProgrammed(req.Urn)
		return p.DiffResponse{}, nil
	}
	old.Stale = old.Stale || isLeftOut(req.OldInputs)
	asText := isShownAsText(req)
	if asText {
		in.differences = &[]string{}
	}
	diff, err := r.compare(ctx, req, in, old)
	if err != nil {
		return diff, err
	}
	if asText {
		diff = r.asText(ctx, req, in, old, diff)
	}
	return r.withDeletionPolicy(req, diff), nil
}

// isAsSaved reports whether an update would apply the same as with the inputs of the last run.
func (in inputs) isAsSaved(saved property.Map) bool {
	was, err := decodeInputs(saved)
	return err == nil && in.unknown == 0 && was.unknown == 0 && in.written != nil &&
		reflect.DeepEqual(in.written, was.written) && in.ignored.String() == was.ignored.String()
}

// compare lists what an update would change, except ignored fields.
func (in inputs) compare(old, wanted state) []ownership.Change {
	fields := wanted.fields
	if old.fields != nil {
		fields = fields.Union(old.fields)
	}
	fields, _ = in.ignore.Split(wanted.unsettled.without(fields))
	return ownership.Compare(in.ignore.Prune(old.Live), in.ignore.Prune(wanted.Live), fields)
}

// identityDiff reports a replacement if the inputs describe a different object. The default namespace is empty while
// the cluster is unknown.
func identityDiff(in inputs, old state, defaultNamespace string) (p.DiffResponse, bool) {
	id, _ := in.identity()
	was := old.Ref.Identity
	return tracked.IdentityDiff(was, tracked.InDefaultNamespace(id, was, defaultNamespace), in.unknownIdentity(), placeOfIdentity, p.PropertyDiff{})
}

// placeOfIdentity returns where the manifest has a part of the identity.
func placeOfIdentity(part string) string {
	if part == "name" || part == "namespace" {
		part = "metadata." + part
	}
	return values.JoinPath(keyManifest, part)
}

// changesVersion reports whether the object will be applied in another version of its API group. That need not change a
// value. But managed fields are recorded in the version of the apply, and if a definition drops that version, everyone
// who applies the object is blocked.
func (in inputs) changesVersion(old state) bool {
	id, known := in.identity()
	return known && old.Ref.APIVersion != "" && id.APIVersion != old.Ref.APIVersion
}

// inVersion adds to a diff that the version changes.
func inVersion(diff p.DiffResponse, ignored tracked.IgnoredPaths) p.DiffResponse {
	path := values.JoinPath(keyManifest, "apiVersion")
	if ignored.Covers(path) {
		return diff
	}
	if diff.DetailedDiff == nil {
		diff.DetailedDiff = map[string]p.PropertyDiff{}
	}
	diff.HasChanges, diff.DetailedDiff[path] = true, p.PropertyDiff{Kind: p.Update}
	return diff
}

// rereadStale reads the live object from inside Diff, because the read before it failed.
func (r *kubeObject) rereadStale(ctx context.Context, req p.DiffRequest, old state, in inputs) (state, error) {
	manager, next := old.OnObject(tracked.ManagerOf(req.Urn))
	t, live, err := observeLive(ctx, r.source, req.Inputs, old.Ref.Identity, manager)
	t.Also = next
	if err = old.Origin.Located(ctx, r.source, t.Target, old.Ref.UID, live, err); failure.Gone(err) {
		job, ended, err := old.endedAndGone(ctx, t)
		if err != nil {
			return state{}, t.Explain("read", err, in.sensitive())
		}
		if ended {
			old.job, old.Stale = job, false
			return old, nil
		}
		old.job = shortLived{}
		old.Applied, old.Live = old.Wanted(), map[string]any{}
		return old, nil
	}
	if err != nil {
		return state{}, t.Explain("read", err, in.sensitive())
	}
	r.looks.Note(req.Urn)
	t.warnForeign(ctx, in, live)
	t.WarnTerminating(ctx, live)
	return old.observe(t, live, in)
}

// unchanged reports whether in equals what was applied last. It is false for a manifest with unknown values, and for
// one that no longer ignores fields that we have set.
func (s state) unchanged(in inputs) bool {
	return in.unknown == 0 && in.applied != nil && s.Upholds(in.asked()) && in.unignored(s).Empty()
}
