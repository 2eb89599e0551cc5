package sets

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Written is the manifest in the form that the KubeObject gets, and the name of the input for it. A manifest that is too big for
// the engine is not converted to a tree of properties.
func (o Object) Written() (input string, written pulumi.Input, err error) {
	if o.Unknown {
		return keyManifest, pulumi.UnsafeUnknownOutput(nil), nil
	}
	if manifest.IsBig(o.Manifest) && o.marked().Empty() && !values.HasUnknown(o.Manifest) {
		text, err := manifest.Text(o.Manifest)
		return keyYAML, pulumi.String(text), err
	}
	written, err = o.Tree()
	return keyManifest, written, err
}

// Tree is the manifest as a tree of properties.
func (o Object) Tree() (pulumi.Input, error) {
	if o.Unknown {
		return pulumi.UnsafeUnknownOutput(nil), nil
	}
	tree, err := values.ToProperty(o.Manifest, o.marked())
	return InputOf(tree), err
}

// marked are the secret places in the manifest, including those that its kind makes secret.
func (o Object) marked() values.Marks {
	secrets := o.Secrets
	tracked.MarkKind(&secrets, manifest.IdentityOf(o.Manifest))
	return secrets
}

// These are the inputs of a KubeObject for its manifest.
const (
	keyManifest = "manifest"
	keyYAML     = "yaml"
)
