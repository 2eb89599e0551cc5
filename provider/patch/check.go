package patch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/mutation"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// fail reports a mistake in an input.
type fail func(path, reason string)

// Check validates the inputs without the network and converts the patch to the one form that the other verbs read:
// text becomes a value.
func (r *patchResource) Check(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	r.calls.Check(req.Urn)
	r.deleting.Checked(req)
	checked, wrong := check.Inputs[Args](req.Inputs)
	fail := wrong.Add
	object := checkTarget(req.Inputs.Get(keyTarget), fail)
	checked = withoutVersion(checked)
	if kind, ok := onlyKind(req.Inputs, fail); ok {
		if patch, ok := checkPatch(kind, req.Inputs.Get(kind), object, fail); ok {
			checked = checked.Set(kind, patch)
			warnOfLostNull(ctx, kind, req.Inputs.Get(kind))
		} else if manifest.IsSecretKind(object.APIVersion, object.Kind) {
			checked = checked.Set(kind, req.Inputs.Get(kind).WithSecret(true)) // refused, but still secret
		}
	}
	if v := req.Inputs.Get(keyTakeOwnership); !v.IsComputed() && !values.Flag(v) {
		fail(keyTakeOwnership, "The value must be true. A Patch takes its fields from their owners by force, and they may "+
			"take them back: confirm that you know.")
	}
	checkTakeOver(req.Inputs.Get(keyTakeOverFrom), fail)
	if !endings.Allow(req.Inputs.Get(keyOnDestroy)) {
		fail(keyOnDestroy, fmt.Sprintf("The value must be one of %s.", endings))
	}
	group := schema.GroupKind{}
	if object.APIVersion != "" {
		group = object.GroupKind()
	}
	if v := req.Inputs.Get(keyWaitFor); !v.IsNull() {
		wrong = append(wrong, waitfor.Check(v, group)...)
	}
	return p.CheckResponse{Inputs: checked, Failures: wrong}, nil
}

// checkTakeOver refuses managers that cannot be taken over, or need not be.
func checkTakeOver(v property.Value, fail fail) {
	tracked.CheckTakeOver(v, fail)
	for i, name := range tracked.DecodeTakeOver(v) {
		if !strings.HasPrefix(name, ownership.ManagerPrefix) {
			fail(fmt.Sprintf("%s[%d]", keyTakeOverFrom, i), "A Patch takes its fields from any other manager without it. Name field managers "+
				"of KubeObjects, which begin with "+ownership.ManagerPrefix+".")
		}
	}
}

// warnOfLostNull explains where an empty object in a patch may come from.
func warnOfLostNull(ctx context.Context, kind string, v property.Value) {
	if at, found := emptyMap(v, []property.PathSegment{property.NewSegment(kind)}); found {
		p.GetLogger(ctx).Warningf("%s is an empty object, which sets nothing where there is something already. If it was written "+
			"with null, to remove a field: programs in YAML and Go lose null on the way. Give mergePatch as text there.",
			values.FormatPath(property.PathFromSegments(at...)))
	}
}

// emptyMap finds an empty object in a tree of objects.
func emptyMap(v property.Value, at []property.PathSegment) ([]property.PathSegment, bool) {
	if !v.IsMap() {
		return nil, false
	}
	for key, member := range v.AsMap().AllStable {
		if found, ok := emptyMap(member, append(slices.Clip(at), property.NewSegment(key))); ok {
			return found, true
		}
	}
	return at, v.AsMap().Len() == 0
}

// versionMembers are in a resourceRef. They say which version of the object its resource has seen.
var versionMembers = []string{"uid", "revision"}

// withoutVersion drops from the target what a resourceRef says beyond which object it is. A Patch follows its target by name: that the
// object was changed or re-created is no change of its inputs.
func withoutVersion(inputs property.Map) property.Map {
	target := inputs.Get(keyTarget)
	if !target.IsMap() {
		return inputs
	}
	return inputs.Set(keyTarget, property.WithGoValue(target, target.AsMap().Delete(versionMembers...)))
}

// checkTarget returns the target as far as it is known.
func checkTarget(target property.Value, fail fail) manifest.Identity {
	if target.IsNull() {
		fail(keyTarget, "Name the object to patch: { apiVersion, kind, name } and, if it is in one, namespace.")
		return manifest.Identity{}
	}
	reference.Check(target, func(path, reason string) { fail(keyTarget+path, reason) })
	return reference.Decode(target).Identity
}

// checkPatch returns the patch as a value.
func checkPatch(kind string, v property.Value, object manifest.Identity, fail fail) (property.Value, bool) {
	plain, secrets, err := values.FromProperty(v)
	if err != nil {
		fail(kind, err.Error())
		return property.Value{}, false
	}
	if values.IsUnknown(plain) {
		return v, true
	}
	whole := false
	if written, ok := plain.(string); ok {
		if plain, err = manifest.ParseDocument(written); err != nil {
			reason := err.Error()
			if v.Secret() {
				reason = "The text is not one document in YAML or JSON. Where it breaks is not shown, because it is secret."
			}
			fail(kind, reason)
			return property.Value{}, false
		}
		whole, secrets = v.Secret(), values.Marks{}
	}
	problems := checkDocument(kind, plain, object)
	hide := failure.NewRedactor(tracked.Sensitive(plain, secrets))
	for _, problem := range problems {
		fail(values.JoinPath(kind, problem.Path), hide.Redact(problem.Reason))
	}
	if len(problems) > 0 {
		return property.Value{}, false
	}
	if tree, ok := plain.(map[string]any); ok {
		plain = foldStringData(mutation.WithoutIdentity(tree), object)
	}
	if manifest.IsSecretKind(object.APIVersion, object.Kind) {
		markSecretKind(kind, plain, object, &secrets)
	}
	result, err := values.ToProperty(plain, secrets)
	if err != nil {
		fail(kind, err.Error())
		return property.Value{}, false
	}
	if whole {
		result = result.WithSecret(true)
	}
	return result, true
}

// checkDocument lists the problems of a patch that can be found without a cluster.
func checkDocument(kind string, document any, object manifest.Identity) []mutation.Problem {
	if kind == keyJSONPatch {
		patch, problems := mutation.ParseJSONPatch(document)
		return append(append(problems, patch.CheckContent()...), checkStringData(document, object)...)
	}
	tree, ok := document.(map[string]any)
	switch {
	case !ok:
		return []mutation.Problem{{Reason: "The value must be an object with the fields to set, or text in YAML or JSON."}}
	case len(mutation.WithoutIdentity(tree)) == 0:
		return []mutation.Problem{{Reason: "There is no field to set in it."}}
	}
	problems := mutation.CheckContent(tree, object, kind == keyMergePatch)
	if kind == keyMergePatch {
		_, more := mutation.ParseMergePatch(tree)
		problems = append(problems, more...)
	}
	return problems
}

// foldStringData moves values under stringData in a patch of a Secret to data. The API server does the same and keeps
// nothing of stringData, so drift would not be found there.
func foldStringData(tree map[string]any, object manifest.Identity) map[string]any {
	whole := maps.Clone(tree)
	whole["apiVersion"], whole["kind"] = object.APIVersion, object.Kind
	return mutation.WithoutIdentity(manifest.FoldStringData(whole))
}

// checkStringData refuses operations on stringData, which no live Secret has.
func checkStringData(document any, object manifest.Identity) []mutation.Problem {
	list, _ := document.([]any)
	if !manifest.IsSecretKind(object.APIVersion, object.Kind) {
		return nil
	}
	var problems []mutation.Problem
	for i, item := range list {
		operation, _ := item.(map[string]any)
		for _, member := range []string{"path", "from"} {
			pointer, _ := operation[member].(string)
			if pointer == "/stringData" || strings.HasPrefix(pointer, "/stringData/") {
				problems = append(problems, mutation.Problem{
					Path:   fmt.Sprintf("[%d].%s", i, member),
					Reason: "A live Secret has no stringData: the API server turns it into data. Write the value in base64 below /data.",
				})
			}
		}
	}
	return problems
}

// markSecretKind marks the values that a patch sets in a Secret as secret.
func markSecretKind(kind string, document any, object manifest.Identity, secrets *values.Marks) {
	if kind != keyJSONPatch {
		tracked.MarkKind(secrets, object)
		return
	}
	list, _ := document.([]any)
	for i := range list {
		secrets.Add(property.PathFromSegments(property.NewSegment(i), property.NewSegment("value")))
	}
}
