package sets

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Written is the manifest as the KubeObject gets it, and the input for it. What is too big for the engine does not have to become a
// tree of properties first.
func (o Object) Written() (input string, written pulumi.Input, err error) {
	if o.Unknown {
		return keyManifest, pulumi.UnsafeUnknownOutput(nil), nil
	}
	secrets := o.Secrets
	tracked.MarkKind(&secrets, manifest.IdentityOf(o.Manifest))
	if manifest.IsBig(o.Manifest) && secrets.Empty() && !values.HasUnknown(o.Manifest) {
		text, err := manifest.Text(o.Manifest)
		return keyYAML, pulumi.String(text), err
	}
	tree, err := values.ToProperty(o.Manifest, secrets)
	return keyManifest, InputOf(tree), err
}

// The inputs of a KubeObject for its manifest.
const (
	keyManifest = "manifest"
	keyYAML     = "yaml"
)
