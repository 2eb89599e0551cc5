package object

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// The names of the inputs.
const (
	keyManifest            = "manifest"
	keyYAML                = "yaml"
	keyClusterConnection   = "clusterConnection"
	keyDeletionPropagation = "deletionPropagation"
)

// inputs are the checked inputs of one resource.
type inputs struct {
	// written is the manifest as the user wrote it; nil where it is wholly unknown.
	written map[string]any
	// applied is the manifest as it is sent: written with a Secret's stringData
	// folded into data.
	applied map[string]any
	// secrets are the secret places of written.
	secrets values.Marks
	// unknown counts the values that are known only after the apply.
	unknown int
	// propagation is the deletion propagation policy; empty for the kind's default.
	propagation string
}

// decodeInputs reads what Check has returned. It is lenient, because it also
// reads inputs out of old states.
func decodeInputs(properties property.Map) (inputs, error) {
	plain, secrets, err := values.FromProperty(properties.Get(keyManifest))
	if err != nil {
		return inputs{}, fmt.Errorf("manifest: %w", err)
	}
	in := inputs{secrets: secrets, unknown: values.CountUnknown(plain)}
	if object, ok := plain.(map[string]any); ok {
		in.written = object
		in.applied = manifest.FoldStringData(object)
	}
	if v := properties.Get(keyDeletionPropagation); v.IsString() {
		in.propagation = v.AsString()
	}
	return in, nil
}

// identity is the object's identity as far as it is written. Unknown parts are
// empty, and known says whether there are none.
func (in inputs) identity() (id manifest.Identity, known bool) {
	if in.written == nil {
		return manifest.Identity{}, false
	}
	metadata, _ := in.written["metadata"].(map[string]any)
	for _, v := range []any{in.written["apiVersion"], in.written["kind"], in.written["metadata"], metadata["name"], metadata["namespace"]} {
		if values.IsUnknown(v) {
			return manifest.IdentityOf(in.written), false
		}
	}
	return manifest.IdentityOf(in.written), true
}

// marked is the manifest with its secret places, as the fields see it.
func (in inputs) marked() marked { return marked{in.applied, in.secrets} }

// sensitive lists the secret texts of the manifest, which the API server may
// quote when it refuses them.
func (in inputs) sensitive() []string {
	var texts []string
	id := manifest.IdentityOf(in.written)
	collect := func(v any) { texts = append(texts, leaves(v)...) }
	for path := range in.secrets.Secrets() {
		collect(valueAt(in.written, path))
	}
	if manifest.IsSecretKind(id.APIVersion, id.Kind) {
		for _, key := range []string{"data", "stringData"} {
			collect(in.written[key])
			collect(in.applied[key])
		}
	}
	return texts
}

// valueAt follows a path; it returns nil where there is nothing.
func valueAt(tree any, path property.Path) any {
	for segment := range path.Segments {
		switch segment := segment.(type) {
		case property.KeySegment:
			object, _ := tree.(map[string]any)
			tree = object[segment.Key()]
		case property.IndexSegment:
			list, _ := tree.([]any)
			if segment.Index() >= len(list) {
				return nil
			}
			tree = list[segment.Index()]
		}
	}
	return tree
}

// leaves lists the texts of a tree's scalars.
func leaves(tree any) []string {
	switch tree := tree.(type) {
	case map[string]any:
		var texts []string
		for _, v := range tree {
			texts = append(texts, leaves(v)...)
		}
		return texts
	case []any:
		var texts []string
		for _, v := range tree {
			texts = append(texts, leaves(v)...)
		}
		return texts
	case nil, bool, values.Unknown:
		return nil
	default:
		return []string{fmt.Sprint(tree)}
	}
}
