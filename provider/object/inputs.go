package object

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The names of the inputs.
const (
	keyManifest        = "manifest"
	keyYAML            = "yaml"
	keyIgnoreFields    = "ignoreFields"
	keyIgnoreManagers  = tracked.KeyIgnoreManagers
	keyAdopt           = "adopt"
	keyForceDestroy    = "forceDestroy"
	keyTakeOverFrom    = tracked.KeyTakeOverFrom
	keyDeleteInstances = "deleteInstances"
)

// hiddenFlags are the inputs that only components set.
var hiddenFlags = []string{tracked.KeyRetained, tracked.KeyNamespaceAssumed, tracked.KeyLeftOut}

// inputs are the checked inputs of one resource.
type inputs struct {
	// written is the manifest as the user wrote it; nil if it is entirely unknown.
	written map[string]any
	// applied is written, with a Secret's stringData folded into data. A create sends it as it is, an update what [inputs.sent]
	// leaves of it.
	applied map[string]any
	// secrets are the secret places of written.
	secrets values.Marks
	// former are the secret texts that were applied before and stay live until the update.
	former []string
	// namespace is where the object stays if the manifest names none; empty for the default namespace.
	namespace string
	// namespaceAssumed means that the manifest's namespace comes from a set and counts only if the kind is namespaced.
	namespaceAssumed bool
	// saved are the inputs of the last run, as the engine has them.
	saved property.Map
	// ignored are the fields that ignoreFields names, as the program writes them.
	ignored ownership.Ignore
	// named are the fields that are ignored in any case: those, the provider's, and those of the kind.
	named ownership.Ignore
	// ownManagers are the managers that ignoreManagers names.
	ownManagers tracked.IgnoredManagers
	// managersSecret means that their names are secret.
	managersSecret bool
	// trees show the items of lists by more than their keys, beside the manifest.
	trees []map[string]any
	// setting is what the provider's setting ignore says of the object.
	setting Ignored
	// theirs are the fields that are left to managers, as far as this is known yet; nil if there are none.
	theirs *fieldpath.Set
	// ignore are all fields that others manage: named and theirs.
	ignore ownership.Ignore
	// ignoreSecret means that their names are secret.
	ignoreSecret bool
	// asText means that the manifest is stored as text, in the inputs and in the state.
	asText bool
	// differences receives the differences that a message must name because the engine cannot show them; nil if it can.
	differences *[]string
	// unknown counts the values that become known only after the apply.
	unknown int
	// conflicts is the policy for fields of other managers; empty for the default.
	conflicts string
	// conflictsOfAll means that the policy comes from the provider's configuration.
	conflictsOfAll bool
	// adopt means to take over an object that exists already.
	adopt bool
	// immutable is the policy for immutable fields; empty for the kind's default.
	immutable string
	// propagation is the deletion propagation policy; empty for the kind's default.
	propagation string
	// forceDestroy means to remove finalizers after the deletion has timed out.
	forceDestroy bool
	// takeOver are the managers whose fields become ours.
	takeOver tracked.TakeOver
	// taking means that this update takes over from them.
	taking bool
	// deleteInstances means to delete a CustomResourceDefinition even though objects of its kind go with it.
	deleteInstances bool
	// retained means that the object outlives the resource, and that a new resource of the same name finds it again.
	retained bool
	// makesInSet means that the object is being created for a component with a set of objects.
	makesInSet bool
}

// decodeInputs reads what Check returned. It is lenient, because it also reads inputs from old states.
func decodeInputs(properties property.Map) (inputs, error) {
	plain, secrets, err := manifestIn(properties)
	if err != nil {
		return inputs{}, failure.Errorf(failure.ReasonInvalid, "manifest: %w", err)
	}
	in := inputs{secrets: secrets, unknown: values.CountUnknown(plain)}
	if object, ok := plain.(map[string]any); ok {
		in.written = object
		in.applied = manifest.FoldStringData(object)
		in.asText = holdText(properties) || isText(object)
	}
	in.ignored, in.unknown = decodeIgnore(properties.Get(keyIgnoreFields), in.unknown)
	in.ignoreSecret = properties.Get(keyIgnoreFields).HasSecrets()
	managers, unknown := tracked.DecodeIgnoredManagers(properties.Get(keyIgnoreManagers))
	in.ownManagers, in.unknown = managers, in.unknown+unknown
	in.managersSecret = properties.Get(keyIgnoreManagers).HasSecrets()
	in.heed(Ignored{})
	in.conflicts = values.Text(properties.Get(policy.KeyConflictPolicy))
	in.adopt = values.Flag(properties.Get(keyAdopt))
	in.immutable = values.Text(properties.Get(policy.KeyOnImmutable))
	in.propagation = values.Text(properties.Get(policy.KeyDeletionPropagation))
	in.takeOver = tracked.DecodeTakeOver(properties.Get(keyTakeOverFrom))
	in.forceDestroy = values.Flag(properties.Get(keyForceDestroy))
	in.deleteInstances = values.Flag(properties.Get(keyDeleteInstances))
	in.retained = values.Flag(properties.Get(tracked.KeyRetained))
	in.namespaceAssumed = values.Flag(properties.Get(tracked.KeyNamespaceAssumed))
	return in, nil
}

// decode reads the inputs and the state of a resource that exists.
func decode(properties, saved property.Map) (inputs, state, error) {
	in, err := decodeInputs(properties)
	if err != nil {
		return inputs{}, state{}, err
	}
	old, err := decodeState(saved)
	in.former = old.Sensitive()
	in.trees = []map[string]any{old.Live, old.Applied}
	in.heed(Ignored{})
	return in, old, err
}

// decode reads the inputs and the state of a resource that exists, and what the provider's configuration says of its object.
func (r *kubeObject) decode(properties, saved property.Map) (inputs, state, error) {
	in, old, err := decode(properties, saved)
	if err == nil {
		in.heed(r.settings.Ignored(old.Ref.Identity))
	}
	return in, old, err
}

// unknownPaths returns the paths of the values that become known only after the apply.
func (in inputs) unknownPaths(properties property.Map) []string {
	plain, _, _ := manifestIn(properties)
	var paths []string
	for _, path := range values.UnknownPaths(plain, in.secrets) {
		paths = append(paths, values.JoinPath(keyManifest, path))
	}
	for _, key := range []string{keyIgnoreFields, keyIgnoreManagers} {
		if properties.Get(key).HasComputed() {
			paths = append(paths, key)
		}
	}
	return paths
}

// identity returns the object's identity as far as it is written. Unknown parts are empty; known is true if there are
// none.
func (in inputs) identity() (id manifest.Identity, known bool) {
	unknown := in.unknownIdentity()
	id = manifest.IdentityOf(in.written)
	if id.Namespace == "" && !unknown.Has("namespace") {
		id.Namespace = in.namespace
	}
	return id, len(unknown) == 0
}

// isBare reports whether the manifest contains nothing but an identity and empty maps and lists, like many a
// ServiceAccount. Its apply may own no fields, and the API server keeps no entry for a field manager that owns none.
func isBare(body map[string]any) bool {
	metadata, ok := body["metadata"].(map[string]any)
	if !ok {
		return false
	}
	for key, v := range body {
		if key != "apiVersion" && key != "kind" && key != "metadata" && !isHollow(v) && !isNobodys(body, key) {
			return false
		}
	}
	for key, v := range metadata {
		if key != "name" && key != "namespace" && !isHollow(v) {
			return false
		}
	}
	return true
}

// isNobodys reports whether the API server leaves the value of a top-level key out of all field sets. Among the
// built-in kinds, this applies only to the spec of a CertificateSigningRequest, which cannot be changed.
func isNobodys(body map[string]any, key string) bool {
	id := manifest.IdentityOf(body)
	return id.Kind == "CertificateSigningRequest" && id.Group() == "certificates.k8s.io" && key == "spec"
}

// isHollow reports whether a tree contains no values, only empty maps and lists.
func isHollow(tree any) bool {
	switch tree := tree.(type) {
	case map[string]any:
		for _, v := range tree {
			if !isHollow(v) {
				return false
			}
		}
		return true
	case []any:
		return len(tree) == 0
	default:
		return false
	}
}

// marked returns the manifest with its secret places, as the fields see it.
func (in inputs) marked() tracked.Marked {
	return tracked.Marked{Tree: in.applied, Secrets: in.secrets}
}

// namesSecret reports whether names of fields come from secrets. fields may be nil.
func (in inputs) namesSecret(fields *fieldpath.Set) bool {
	if fields == nil {
		return false
	}
	if _, ignored := in.ignore.Split(fields); in.ignoreSecret && !ignored.Empty() {
		return true
	}
	_, secret := tracked.SecretPlaces(nil, fields, in.marked())
	return secret
}

// nameOf formats a field for a message, unless its name comes from a secret.
func (in inputs) nameOf(path fieldpath.Path) string {
	if in.namesSecret(fieldpath.NewSet(path)) {
		return "[secret]"
	}
	return ownership.Format(path)
}

// sensitive lists the secret texts of the manifest, which the API server may quote in a refusal.
func (in inputs) sensitive() []string {
	id := manifest.IdentityOf(in.written)
	sensitive := tracked.SensitiveWithNames
	if manifest.IsSecretKind(id.APIVersion, id.Kind) {
		sensitive = tracked.Sensitive // the keys of a Secret are not secret
	}
	texts := append(slices.Clone(in.former), sensitive(in.written, in.secrets)...)
	texts = append(append(texts, tracked.KindTexts(in.written)...), tracked.KindTexts(in.applied)...)
	return texts
}
