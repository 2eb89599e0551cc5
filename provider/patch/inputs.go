package patch

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// The names of the inputs.
const (
	keyTarget        = "target"
	keyPatch         = "patch"
	keyJSONPatch     = "jsonPatch"
	keyMergePatch    = "mergePatch"
	keyTakeOwnership = "takeOwnership"
	keyTakeOverFrom  = tracked.KeyTakeOverFrom
	keyWaitFor       = waitfor.Key
	keyOnDestroy     = "onDestroy"
)

var (
	// kinds are the inputs that can hold the patch. Exactly one must be set.
	kinds = []string{keyPatch, keyJSONPatch, keyMergePatch}
	// endings are the choices for onDestroy.
	endings = choice.Of[OnDestroy]()
)

// inputs are the checked inputs of one resource.
type inputs struct {
	// object is the target as far as it is known, and target is the target as written.
	object manifest.Identity
	target any
	// kind is the input that holds the patch.
	kind string
	// document is the patch: a tree of the object's structure, or a list of operations.
	document any
	// secrets are the secret places of document.
	secrets values.Marks
	// former are the secret texts of the previous patch.
	former []string
	// takeOver are the KubeObjects that no longer manage the target.
	takeOver tracked.TakeOver
	// onDestroy is the choice for a destroy; empty for the default.
	onDestroy string
	// unknown counts the values of target and patch that become known only later.
	unknown int
	// wait is what to wait for afterwards; it has no goal if there is nothing to wait for.
	wait waitfor.Spec
	// waitErr is the reason why waitFor cannot be used. A state may hold a text that an older version accepted, so
	// only a caller that is about to wait fails with it.
	waitErr error
}

// decodeInputs reads what Check returned. It is lenient, because it also reads inputs from old states.
func decodeInputs(properties property.Map) (inputs, error) {
	target := properties.Get(keyTarget)
	in := inputs{object: reference.Decode(target).Identity}
	var err error
	if in.target, _, err = values.FromProperty(target); err != nil {
		return inputs{}, failure.Errorf(failure.ReasonInvalid, "%s: %w", keyTarget, err)
	}
	for _, key := range kinds {
		v := properties.Get(key)
		if v.IsNull() {
			continue
		}
		in.kind = key
		if in.document, in.secrets, err = values.FromProperty(v); err != nil {
			return inputs{}, failure.Errorf(failure.ReasonInvalid, "%s: %w", key, err)
		}
	}
	in.takeOver = tracked.DecodeTakeOver(properties.Get(keyTakeOverFrom))
	in.onDestroy = values.Text(properties.Get(keyOnDestroy))
	in.unknown = values.CountUnknown(in.target) + values.CountUnknown(in.document)
	if v := properties.Get(keyWaitFor); !v.IsNull() {
		in.wait, in.waitErr = waitfor.Decode(v)
	}
	return in, nil
}

// unknownPaths returns the paths of the values that become known only after the apply.
func (in inputs) unknownPaths() []string {
	var paths []string
	for _, path := range values.UnknownPaths(in.target, values.Marks{}) {
		paths = append(paths, values.JoinPath(keyTarget, path))
	}
	for _, path := range values.UnknownPaths(in.document, in.secrets) {
		paths = append(paths, values.JoinPath(in.kind, path))
	}
	return paths
}

// decodeProgram runs [decodeInputs] for callers that carry the inputs out, and so need all of them to be readable.
func decodeProgram(properties property.Map) (inputs, error) {
	in, err := decodeInputs(properties)
	if err == nil {
		err = in.waitErr
	}
	return in, err
}

// tree returns the patch if it has the structure of the object, otherwise nil.
func (in inputs) tree() map[string]any {
	tree, _ := in.document.(map[string]any)
	return tree
}

// body returns the object as an apply sends it.
func (in inputs) body() map[string]any {
	tree, _ := values.DeepCopy(in.document).(map[string]any)
	return tree
}

// content returns what the hash of a patch covers.
func (in inputs) content() any { return map[string]any{in.kind: in.document} }

// hash is the keyed hash of the patch.
func (in inputs) hash(key string) (string, error) { return tracked.Hash(key, in.content()) }

// sensitive lists the secret texts of the patch, which the API server may quote when it
// refuses them.
func (in inputs) sensitive() []string {
	return append(slices.Clone(in.former), tracked.Sensitive(in.document, in.secrets)...)
}
