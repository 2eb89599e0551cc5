package chart

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// stay keeps the namespace and the name of a release if the program does not give them. Only a program that gives another namespace or
// another name moves a release: everything that it holds is deleted then, and made again.
func (r *release) stay(remembered memory) {
	r.stayIn(remembered.Namespace)
	r.keepName(remembered.Name)
}

// stayIn keeps a release in its namespace, if the program names none. The default namespace may come from a kubeconfig's context, which
// people change for other reasons.
func (r *release) stayIn(namespace string) {
	if r.gives(keyNamespace) || namespace == "" || namespace == r.release.Namespace {
		return
	}
	byDefault := r.release.Namespace
	r.release.Namespace = namespace
	r.given = r.given.Set(keyNamespace, property.New(namespace))
	r.unknown = slices.DeleteFunc(r.unknown, func(key string) bool { return key == keyNamespace })
	if byDefault == "" {
		return
	}
	r.staysIn = fmt.Sprintf("The release stays in namespace %q. The default namespace is now %q, but the program names none, and a release is never moved "+
		"implicitly: that would delete what it holds. Set the input `namespace`.", namespace, byDefault)
}

// keepName keeps the name of a release, if the program gives none. By default the release has the name of its resource, which people change
// for other reasons.
func (r *release) keepName(name string) {
	if r.gives(keyReleaseName) || name == "" || name == r.release.Name {
		return
	}
	r.release.Name, r.keepsName = name, true
}

// gives reports whether the program gives an input a text, which may not be known yet.
func (r *release) gives(key string) bool {
	return r.given.Get(key).HasComputed() || values.Text(r.given.Get(key)) != ""
}

// givenName is the name that the program gives the release; empty if it gives none.
func (r *release) givenName() string {
	if r.gives(keyReleaseName) {
		return r.release.Name
	}
	return ""
}

// namedOtherwise says that the program gave the release its name and no longer does; otherwise it is empty. first is the name that the
// resource had when the release was first installed, and the release still has it unless the program has given it another. name is the
// current name of the resource.
func (r *release) namedOtherwise(first, name string) string {
	if !r.keepsName || first == "" || first == r.release.Name {
		return ""
	}
	return fmt.Sprintf("The release keeps its name %[1]q. The program gives it none any more, but a release is never renamed implicitly: that would delete "+
		"what it holds. Set the input `releaseName` to %[1]q, or to %[2]q to rename it.", r.release.Name, name)
}
