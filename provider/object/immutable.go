package object

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// mayHoldData reports whether an object may hold more than its manifest restores. A kind that Kubernetes does not
// define may also hold data.
func mayHoldData(id manifest.Identity) bool {
	return kinds.HoldsData(id.GroupKind()) || !kinds.OwnGroup(id.Group())
}

// onImmutable returns the user's choice, or the default of the kind. A kind that Kubernetes does not define may also
// have transition rules ("storage cannot shrink"), and no probe distinguishes these from fields that can be set only
// once.
func (in inputs) onImmutable(id manifest.Identity) string {
	switch {
	case in.immutable != "":
		return in.immutable
	case mayHoldData(id):
		return policy.ImmutableFail
	default:
		return policy.ImmutableReplace
	}
}

// errUnresolved means that we cannot find out yet whether a replacement would help.
var errUnresolved = errors.New("it is not known yet whether the object has to be replaced")

// replacement decides about an update that the API server calls invalid. The refusal alone does not say whether the
// change, the manifest or the live object is at fault: its texts differ from kind to kind, and treating a text as
// proof has deleted people's objects. So replacement tries the result of the update, the live object with the
// manifest merged in, as a new object in a dry-run. If the API server accepts that, the change cannot be made in
// place. If it refuses, the manifest is wrong, or contradicts what another manager or a default has set; a new object
// would only hide that.
//
// It returns a diff that replaces, or the error for the user. Any doubt is an error.
func (r *refusedUpdate) replacement(
	ctx context.Context, in inputs, old state, ignored tracked.IgnoredPaths,
) (p.DiffResponse, error) {
	t, live := r.target, r.merged.Live()
	if err := r.noProof(in); err != nil {
		return p.DiffResponse{}, err
	}
	answer, err := r.tryMerged(ctx, in)
	if err != nil {
		return p.DiffResponse{}, err
	}
	if err := t.addressTaken(ctx, in, live); err != nil {
		return p.DiffResponse{}, err
	}
	if err := r.notProgrammed(ctx, in); err != nil {
		return p.DiffResponse{}, err
	}
	if answer, err = ownership.AsApplied(answer, t.Manager, r.merged.Fields()); err != nil {
		return p.DiffResponse{}, err
	}
	wanted, err := t.newState(answer, in, tracked.NewHashKey())
	if err != nil {
		return p.DiffResponse{}, err
	}
	diff, immutable := r.replacementDiff(in, old, wanted, ignored)
	if in.onImmutable(t.Identity()) == policy.ImmutableFail {
		return p.DiffResponse{}, r.kept(in, immutable)
	}
	if err := r.keptInPlace(in); err != nil {
		return p.DiffResponse{}, err
	}
	p.GetLogger(ctx).Infof("%s is replaced, because %s cannot be changed on an existing object. It is deleted first, and "+
		"does not exist until the new one is created.", t.Ref, strings.Join(inManifest(immutable), ", "))
	t.warnRunning(ctx, live)
	return diff, nil
}

// tryMerged tries the result of the update as a new object, and returns the API server's answer.
func (r *refusedUpdate) tryMerged(ctx context.Context, in inputs) (*unstructured.Unstructured, error) {
	tried, doubts := copyOf(ownership.Without(r.merged.Object, r.leftover)), r.merged.Doubts
	if spec, ok := in.applied["spec"]; ok && isNobodys(in.applied, "spec") {
		tried.Object["spec"], doubts = spec, nil // no one else can own part of it
	}
	answer, err := r.target.probe(ctx, tried, in.applied, r.merged.Live())
	switch {
	case onlyNamed(err):
		return nil, r.undecided(in, "an object of this kind cannot have another name, so the change cannot be tried on a new one")
	case apierrors.IsInvalid(err):
		return nil, r.contradiction(ctx, in, err)
	case tracked.WarnUnasked(ctx, err, in.sensitive()):
		return nil, errUnresolved
	case err != nil:
		return nil, r.undecided(in, withoutNext(r.target.Explain("try a copy of", err, in.sensitive())).Error())
	case len(doubts) > 0:
		if changes := r.refusedChanges(ctx, in); len(changes) > 0 {
			return nil, r.cannotBecome(in, "", changes)
		}
		return nil, r.undecided(in, fmt.Sprintf("a part of %s has no owner, so it is not known how the API server merges it",
			in.nameOf(doubts[0])))
	}
	return answer, nil
}

// inManifest converts input properties to fields of the object.
func inManifest(properties []string) []string {
	fields := make([]string, len(properties))
	for i, path := range properties {
		fields[i] = strings.TrimPrefix(path, keyManifest+".")
	}
	return fields
}

// replacementDiff returns the diff that replaces, and which of its changes cannot be made in place: the paths in the
// manifest that the API server names, or all of them if it names none.
func (r *refusedUpdate) replacementDiff(
	in inputs, old, wanted state, ignored tracked.IgnoredPaths,
) (diff p.DiffResponse, immutable []string) {
	changes := slices.DeleteFunc(in.compare(old, wanted), func(change ownership.Change) bool {
		// The probe left it out, so it is unchanged.
		_, _, sent := ownership.Locate(in.applied, change.Path)
		return sent && len(ownership.Compare(old.Live, in.applied, fieldpath.NewSet(change.Path))) == 0
	})
	diff = detailedDiff(changes, old, in, ignored)
	for path, change := range diff.DetailedDiff {
		if concerns(path, causeFields(r.err)) {
			diff.DetailedDiff[path] = p.PropertyDiff{Kind: replacing(change.Kind)}
			immutable = append(immutable, path)
		}
	}
	if immutable == nil {
		immutable = slices.Collect(maps.Keys(diff.DetailedDiff))
		// The fields that the API server names are not among the changed ones as written.
		diff.DetailedDiff[keyManifest] = p.PropertyDiff{Kind: p.UpdateReplace}
	}
	slices.Sort(immutable)
	// The new object has the same name as the old one, which must go first.
	diff.HasChanges, diff.DeleteBeforeReplace = true, true
	return diff, immutable
}

// kept refuses a change that requires a replacement.
func (r *refusedUpdate) kept(in inputs, immutable []string) error {
	id := r.target.Identity()
	why := ""
	switch {
	case in.immutable != "":
	case kinds.HoldsData(id.GroupKind()):
		why = " (the default for kinds that hold data)"
	default:
		why = " (the default for kinds that Kubernetes itself does not define)"
	}
	fields := inManifest(immutable)
	cannot := "cannot be changed on an existing object"
	if len(fields) > 1 {
		cannot = "cannot all be changed on an existing object"
	}
	return tracked.Refused(failure.ReasonImmutable, "%s: %s %s.\n"+
		"It was not touched: only a replacement, which deletes it first, can make the change, and onImmutable is \"fail\"%s.\n"+
		"%v\n"+
		"Next: undo the change; or, if the object may be deleted %s, set onImmutable to \"replace\".",
		r.target.Ref, strings.Join(fields, ", "), cannot, why, r.said(in), kinds.LostWith(id.GroupKind()))
}

// noProof refuses an update that no probe can explain: the reason is not in what a new object would contain.
func (r *refusedUpdate) noProof(in inputs) error {
	live, t := r.merged.Live(), r.target
	if err := r.stillStored(in); err != nil {
		return err
	}
	if live.GetDeletionTimestamp() != nil {
		return tracked.Refused(failure.ReasonObjectTerminating, "%s is being deleted, and the API server refuses this update of it.\n%v\n"+
			"Next: run again when it is gone, which creates it; its metadata.finalizers show what blocks the deletion.", t.Ref, r.said(in))
	}
	if !typed(r.err) {
		return t.Explain("update", r.err, in.sensitive())
	}
	frozen, _, _ := unstructured.NestedBool(live.Object, "immutable")
	if kind := t.Identity().GroupKind(); !frozen || kind != kinds.ConfigMap && kind != kinds.Secret {
		return nil
	}
	path := fieldpath.MakePathOrDie("immutable")
	ours, _, err := ownership.Applied(live, t.Manager)
	if err != nil || ours != nil && ours.Has(path) {
		return err
	}
	return tracked.Refused(failure.ReasonImmutable, "%s cannot be changed: its field immutable is true, which was set by %s and not by this manifest.\n%v\n"+
		"Next: undo the change; or, %s",
		t.Ref, r.owners(path), r.said(in), t.deletionByHand())
}

// notProgrammed refuses an update if the API server's refusal has nothing to do with the program's changes. Either the
// API server would refuse any update of the object, or it names only fields that have not changed since the last run. A
// replacement would have nothing to do with the program's changes either.
func (r *refusedUpdate) notProgrammed(ctx context.Context, in inputs) error {
	t := r.target
	if !r.base.hasChangedNear(in, r.places(causeFields(r.err))) {
		lines, left, _ := t.unsettledLines(in, r.merged.Live(), pathsOfDrift(r.drift))
		what, next := "", "write what the object has into the manifest"
		if len(lines) > 0 {
			what = "\nThey are otherwise on the object than in the manifest:\n  " + strings.Join(lines, "\n  ")
			next += "; or leave the fields to whoever has changed them: " + in.ignoreLine(left)
		}
		return tracked.Refused(failure.ReasonInvalid, "%s: the API server refuses the update because of fields that the program has not changed. "+
			"It was not touched, and is not replaced for them.%s\n%v\nNext: %s.", t.Ref, what, r.said(in), next)
	}
	_, err := t.Cluster.Patch(ctx, t.Ref, []byte("{}"), cluster.PatchOptions{Type: types.MergePatchType, FieldManager: t.Manager, DryRun: true})
	if apierrors.IsInvalid(err) {
		return r.undecided(in, "it refuses any update of the object, also one that changes nothing")
	}
	return nil
}

// undecided refuses an update when we do not know whether a replacement would help.
func (r *refusedUpdate) undecided(in inputs, why string) error {
	return tracked.Refused(failure.ReasonInvalid, "%s: the API server refuses the update, and nothing proves that a replacement would help. It was not touched.\n%s\n%v\n"+
		"Next: undo the change; or, %s",
		r.target.Ref, why, r.said(in), r.target.deletionByHand())
}

// said returns the API server's message, without advice.
func (r *refusedUpdate) said(in inputs) error {
	return withoutNext(r.target.Explain("update", r.err, in.sensitive()))
}

func withoutNext(err error) error {
	if explained := (*failure.Failure)(nil); errors.As(err, &explained) {
		bare := *explained
		bare.Next = ""
		return &bare
	}
	return err
}

// owners names the owners of a field of the live object.
func (r *refusedUpdate) owners(path fieldpath.Path) string {
	of, err := ownership.NewOwnership(r.merged.Live())
	if names := of.ManagersOf(path); err == nil && len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return "nobody that is known"
}

// typed reports whether a refusal says what is wrong with a field, as the API server's own validation does. Refusals
// by policies and webhooks are not about fields.
func typed(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return false
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Type != "" {
			return true
		}
	}
	return false
}

// onlyNamed reports whether a new object is refused only because of its name.
func onlyNamed(err error) bool {
	fields := causeFields(err)
	return apierrors.IsInvalid(err) && len(fields) > 0 &&
		!slices.ContainsFunc(fields, func(field string) bool { return field != "metadata.name" })
}

// concerns reports whether a path in the manifest is inside, or contains, one of the fields that the API server
// names.
func concerns(path string, fields []string) bool {
	at, err := resource.ParsePropertyPath(path)
	if err != nil {
		return false
	}
	for _, field := range fields {
		named, err := resource.ParsePropertyPath(values.JoinPath(keyManifest, field))
		if err == nil && (named.Contains(at) || at.Contains(named)) {
			return true
		}
	}
	return false
}

func replacing(kind p.DiffKind) p.DiffKind {
	switch kind {
	case p.Add:
		return p.AddReplace
	case p.Delete:
		return p.DeleteReplace
	default:
		return p.UpdateReplace
	}
}
