package object

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// What to do about a change that the API server does not allow on an existing object.
const (
	immutableReplace = "replace"
	immutableFail    = "fail"
)

// holdsData are the kinds whose objects are never replaced unless the user says
// so, because what they stand for would be lost.
var holdsData = map[kind]bool{
	{"", "PersistentVolumeClaim"}:                        true,
	{"", "PersistentVolume"}:                             true,
	{"", "Namespace"}:                                    true,
	{"apps", "StatefulSet"}:                              true,
	{"apiextensions.k8s.io", "CustomResourceDefinition"}: true,
}

// onImmutable is the user's choice, or the default of the kind.
func (in inputs) onImmutable(id manifest.Identity) string {
	switch {
	case in.immutable != "":
		return in.immutable
	case holdsData[kindOf(id)]:
		return immutableFail
	default:
		return immutableReplace
	}
}

// replacement decides about an update that the API server calls invalid. The
// refusal alone does not say whether the change or the manifest is wrong: its
// texts differ from kind to kind, and taking a text for a proof has deleted
// people's objects. So the same manifest is tried as a new object, without being
// written. If that is accepted, the manifest is right, and the change is what
// cannot be made in place.
//
// It returns a diff that replaces, or the error for the user.
func (t target) replacement(ctx context.Context, in inputs, old state, invalid error, ignored ignoredPaths) (p.DiffResponse, error) {
	answer, err := t.tryAsNew(ctx, in)
	if err != nil {
		return p.DiffResponse{}, t.explain("update", invalid, in)
	}
	if in.onImmutable(t.identity()) == immutableFail {
		return p.DiffResponse{}, refused("%s: %s cannot be changed on an existing object.\n"+
			"It was not touched. Replacing it would delete it first, and onImmutable is \"fail\" (the default for kinds that "+
			"hold data). Take the change back, or set onImmutable to \"replace\" if the object may be deleted.\n%v",
			t.ref, strings.Join(causeFields(invalid), ", "), t.explain("update", invalid, in))
	}
	wanted, err := t.settle(answer, in, newHashKey())
	if err != nil {
		return p.DiffResponse{}, err
	}
	diff := detailedDiff(in.compare(old, wanted), old, in, ignored)
	forced := false
	for path, change := range diff.DetailedDiff {
		if concerns(path, causeFields(invalid)) {
			diff.DetailedDiff[path] = p.PropertyDiff{Kind: replacing(change.Kind)}
			forced = true
		}
	}
	if !forced {
		// What the API server names is not among the fields as they are written.
		diff.DetailedDiff[keyManifest] = p.PropertyDiff{Kind: p.UpdateReplace}
	}
	// The new object has the name of the old one, which has to go first.
	diff.HasChanges, diff.DeleteBeforeReplace = true, true
	return diff, nil
}

// concerns reports whether a path in the manifest is in one of the fields that the
// API server names, or around it.
func concerns(path string, fields []string) bool {
	at, err := resource.ParsePropertyPath(path)
	if err != nil {
		return false
	}
	for _, field := range fields {
		named, err := resource.ParsePropertyPath(joinPath(keyManifest, field))
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

// tryAsNew applies the manifest as a new object under a name that nobody has, as
// a dry-run. What the live object was given (its addresses and ports) is left out:
// nobody else can have it while it lives.
func (t target) tryAsNew(ctx context.Context, in inputs) (*unstructured.Unstructured, error) {
	object := t.object(in.applied)
	object.SetName(fmt.Sprintf("k8sconnect-probe-%s", rand.String(10)))
	dropAllocated(object)
	result, err := t.cluster.Apply(ctx, object, cluster.ApplyOptions{
		FieldManager: t.manager, Force: true, CreateOnly: true, DryRun: true,
	})
	if err != nil {
		return nil, err
	}
	result.Object.SetName(t.ref.Name)
	return result.Object, nil
}

// dropAllocated removes what only one object of the cluster can have at a time.
func dropAllocated(object *unstructured.Unstructured) {
	if object.GetAPIVersion() != "v1" || object.GetKind() != "Service" {
		return
	}
	for _, field := range []string{"clusterIP", "clusterIPs", "healthCheckNodePort"} {
		if address, _, _ := unstructured.NestedString(object.Object, "spec", field); address != "None" {
			unstructured.RemoveNestedField(object.Object, "spec", field)
		}
	}
	ports, _, _ := unstructured.NestedSlice(object.Object, "spec", "ports")
	for _, port := range ports {
		if port, ok := port.(map[string]any); ok {
			delete(port, "nodePort")
		}
	}
	if ports != nil {
		_ = unstructured.SetNestedSlice(object.Object, ports, "spec", "ports")
	}
}
