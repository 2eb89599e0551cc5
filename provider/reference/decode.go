package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Object is what a reference says. What is absent or not known yet is empty.
type Object struct {
	manifest.Identity

	UID      string
	Revision string
}

// Decode reads a reference. It is lenient, because it also reads old states.
func Decode(value property.Value) Object {
	if !value.IsMap() {
		return Object{}
	}
	text := func(name string) string { return values.Text(value.AsMap().Get(name)) }
	return Object{
		Identity: manifest.Identity{
			APIVersion: text("apiVersion"), Kind: text("kind"), Namespace: text("namespace"), Name: text("name"),
		},
		UID:      text("uid"),
		Revision: text("revision"),
	}
}

var members = fieldtags.Names[ResourceRef]()

// Check finds the mistakes in a reference: the path behind that of the reference
// itself, and the reason. What is unknown passes.
func Check(value property.Value, fail func(path, reason string)) {
	switch {
	case value.IsComputed():
		return
	case value.IsNull():
		fail("", "Name the object: the resourceRef of a KubeObject, or { apiVersion, kind, namespace, name }.")
		return
	case !value.IsMap():
		fail("", "The value must be an object with apiVersion, kind and name.")
		return
	}
	for name, member := range value.AsMap().AllStable {
		switch {
		case !slices.Contains(members, name):
			fail("."+name, fmt.Sprintf("There is no %q in a reference. There are %s.", name, strings.Join(members, ", ")))
		case !member.IsNull() && !member.IsComputed() && !member.IsString():
			fail("."+name, "The value must be a text.")
		}
	}
	if name := value.AsMap().Get("name"); name.IsNull() || name.IsString() && name.AsString() == "" {
		fail(".name", "The value must be set.")
	}
	CheckKind(value.AsMap(), fail)
}

// CheckKind finds the mistakes in what says of which kind an object is, as [Check] does.
func CheckKind(members property.Map, fail func(path, reason string)) {
	for _, name := range []string{"apiVersion", "kind"} {
		if member := members.Get(name); member.IsNull() || member.IsString() && member.AsString() == "" {
			fail("."+name, "The value must be set.")
		}
	}
	if version := members.Get("apiVersion"); version.IsString() && !isVersion(version.AsString()) {
		fail(".apiVersion", "The value must be a version such as \"v1\", or group/version such as \"apps/v1\".")
	}
}

// isVersion reports whether a text is a group and version as in manifests. That it is
// missing is another mistake.
func isVersion(text string) bool {
	version, err := schema.ParseGroupVersion(text)
	return text == "" || err == nil && version.Version != ""
}
