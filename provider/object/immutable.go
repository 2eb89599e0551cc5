package object

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
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
func (t target) replacement(ctx context.Context, in inputs, old state, invalid error, ignored tracked.IgnoredPaths) (p.DiffResponse, error) {
	live, err := t.Cluster.Get(ctx, t.Ref)
	if err != nil {
		return p.DiffResponse{}, t.explain("read", err, in)
	}
	answer, err := t.tryAsNew(ctx, in, live)
	if err != nil {
		return p.DiffResponse{}, t.explain("update", invalid, in)
	}
	if err := t.addressTaken(ctx, in, live); err != nil {
		return p.DiffResponse{}, err
	}
	if in.onImmutable(t.Identity()) == immutableFail {
		return p.DiffResponse{}, tracked.Refused("%s: %s cannot be changed on an existing object.\n"+
			"It was not touched. Replacing it would delete it first, and onImmutable is \"fail\" (the default for kinds that "+
			"hold data). Take the change back, or set onImmutable to \"replace\" if the object may be deleted.\n%v",
			t.Ref, strings.Join(causeFields(invalid), ", "), t.explain("update", invalid, in))
	}
	wanted, err := t.settle(answer, in, tracked.NewHashKey())
	if err != nil {
		return p.DiffResponse{}, err
	}
	changes := slices.DeleteFunc(in.compare(old, wanted), func(change ownership.Change) bool {
		// What the probe left out is as it was.
		_, _, sent := ownership.Locate(in.applied, change.Path)
		return sent && len(ownership.Compare(old.Live, in.applied, fieldpath.NewSet(change.Path))) == 0
	})
	diff := detailedDiff(changes, old, in, ignored)
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
		// A Service's address is written in one field and refused in the list of all.
		field = strings.Replace(field, "spec.clusterIPs[0]", "spec.clusterIP", 1)
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

// tryAsNew applies the manifest as a new object under a name that nobody has, as
// a dry-run. What the live object holds (its addresses and ports) is left out:
// nobody else can have it while it lives. What it does not hold is tried, since it
// may be no address at all, or that of another object.
func (t target) tryAsNew(ctx context.Context, in inputs, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	object := t.object(in.applied)
	object.SetName(fmt.Sprintf("k8sconnect-probe-%s", rand.String(10)))
	dropAllocated(object, live)
	result, err := t.Cluster.Apply(ctx, object, cluster.ApplyOptions{
		FieldManager: t.Manager, Force: true, CreateOnly: true, DryRun: true,
	})
	if err != nil {
		return nil, err
	}
	result.Object.SetName(t.Ref.Name)
	return result.Object, nil
}

// dropAllocated removes what only one object of the cluster can have at a time and
// the live object has.
func dropAllocated(object, live *unstructured.Unstructured) {
	if object.GetAPIVersion() != "v1" || object.GetKind() != "Service" {
		return
	}
	for _, field := range []string{"clusterIP", "clusterIPs", "healthCheckNodePort"} {
		wanted, _, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", field)
		held, _, _ := unstructured.NestedFieldNoCopy(live.Object, "spec", field)
		if wanted != "None" && reflect.DeepEqual(wanted, held) {
			unstructured.RemoveNestedField(object.Object, "spec", field)
		}
	}
	held := sets.New[any]()
	ports, _, _ := unstructured.NestedSlice(live.Object, "spec", "ports")
	for _, port := range ports {
		if port, ok := port.(map[string]any); ok {
			held.Insert(port["nodePort"])
		}
	}
	ports, _, _ = unstructured.NestedSlice(object.Object, "spec", "ports")
	for _, port := range ports {
		if port, ok := port.(map[string]any); ok && held.Has(port["nodePort"]) {
			delete(port, "nodePort")
		}
	}
	if ports != nil {
		_ = unstructured.SetNestedSlice(object.Object, ports, "spec", "ports")
	}
}

// addressTaken refuses a Service an address that another object has. A dry-run does
// not look for that, and the Service would be deleted before it is found out.
func (t target) addressTaken(ctx context.Context, in inputs, live *unstructured.Unstructured) error {
	address, _, _ := unstructured.NestedString(in.applied, "spec", "clusterIP")
	held, _, _ := unstructured.NestedString(live.Object, "spec", "clusterIP")
	if t.Ref.APIVersion != "v1" || t.Ref.Kind != "Service" || address == "" || address == "None" || address == held {
		return nil
	}
	resolved, err := t.Cluster.Resolve(ctx, "networking.k8s.io/v1", "IPAddress", "", address)
	var taken *unstructured.Unstructured
	if err == nil {
		taken, err = t.Cluster.Get(ctx, resolved.Ref)
	}
	switch {
	case failure.Gone(err):
		// Free; or the API server does not keep addresses as objects, and the create
		// decides.
		return nil
	case err != nil:
		// Not knowing is no reason to delete anything.
		return tracked.Refused("%s: spec.clusterIP can only be changed by replacing the object, and it could not be decided whether %s "+
			"is free. It was not touched.\n"+
			"Allow reading it (get ipaddresses in networking.k8s.io), or delete the Service by hand: the next `pulumi up` "+
			"creates it with the new address.\n%v", t.Ref, address, t.explain("read the address of", err, in))
	}
	namespace, _, _ := unstructured.NestedString(taken.Object, "spec", "parentRef", "namespace")
	name, _, _ := unstructured.NestedString(taken.Object, "spec", "parentRef", "name")
	return tracked.Refused("%s: spec.clusterIP can only be changed by replacing the object, and %s belongs to Service %s/%s. "+
		"It was not touched.", t.Ref, address, namespace, name)
}
