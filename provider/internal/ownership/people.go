package ownership

import (
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// appliers are the field managers of tools with which people make objects. A * at the end stands for any rest.
var appliers = []string{
	"kubectl", "kubectl-client-side-apply", "kubectl-create", "kubectl-replace", "kubectl-run", "kubectl-expose",
	"kubectl-autoscale", "kubectl-last-applied", "before-first-apply",
	"helm", "Helm",
	"helm-controller", "kustomize-controller", "flux", "flux-client-side-apply",
	"argocd-controller", "argocd-application-controller",
	"Terraform", "terraform-provider-*", "HashiCorp",
	"pulumi-kubernetes*", "pulumi-resource-kubernetes*",
	"k8sconnect", "k8sconnect-*",
}

// editors are the field managers with which people change a few fields of an object, whoever has made it. Not among
// them is kubectl-rollout, which leaves only the time of a restart.
var editors = []string{
	"kubectl-edit", "kubectl-label", "kubectl-annotate", "kubectl-patch", "kubectl-set", "kubectl-taint",
}

// controlPlane are the field managers of Kubernetes itself.
var controlPlane = []string{
	"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "cloud-controller-manager",
}

// IsMadeByPeople reports whether a tool with which people apply objects has made object: whether one of its field
// managers is on it.
func IsMadeByPeople(object *unstructured.Unstructured) bool {
	return slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Subresource == "" && isApplier(entry.Manager)
	})
}

func isApplier(manager string) bool { return !IsPatchManager(manager) && isAmong(appliers, manager) }

func isAmong(names []string, manager string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		prefix, open := strings.CutSuffix(name, "*")
		return name == manager || open && strings.HasPrefix(manager, prefix)
	})
}

// WrittenByPeople returns the fields of object that people have written, by the tools that have made it. It returns
// false if no such tool has made it, or if these fields are recorded in another version of the kind. Kubernetes may
// record its own in another one: it writes the status of an autoscaler as v2, whoever has made that as v1.
//
// Server-side apply records exactly what was written. All other writes also record the defaults that the API server
// has set: of these, what kubectl keeps as the last applied configuration is what was written. Without that, everything
// is, except the values that Kubernetes sets by default ([kinds.IsDefault]).
func WrittenByPeople(object *unstructured.Unstructured) (*fieldpath.Set, bool, error) {
	if !IsMadeByPeople(object) || slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return isOtherVersion(entry, object) && (isWrittenByPeople(entry) || mayBeTaken(entry))
	}) {
		return nil, false, nil
	}
	configuration := lastApplied(object)
	recorded, written := fieldpath.NewSet(), fieldpath.NewSet()
	for _, entry := range object.GetManagedFields() {
		if !isWrittenByPeople(entry) {
			continue
		}
		fields, err := entryFields(entry)
		if err != nil {
			return nil, false, err
		}
		recorded = recorded.Union(fields)
		switch {
		case entry.Operation == metav1.ManagedFieldsOperationApply:
		case configuration != nil && fields.Has(lastAppliedPath):
			fields = inConfiguration(fields, configuration)
		default:
			fields = withoutDefaults(object, fields)
		}
		written = written.Union(fields)
	}
	taken, err := takenFromPeople(object, configuration)
	if err != nil {
		return nil, false, err
	}
	recorded = recorded.Union(taken)
	written = filtered(written.Union(taken), func(path fieldpath.Path) bool { return !isMark(path) })
	return withoutEmptied(written, recorded), true, nil
}

// isWrittenByPeople reports whether an entry holds fields that people have written. Of the subresources, people write
// the scale: kubectl scale. An autoscaler writes it under the name of the control plane.
func isWrittenByPeople(entry metav1.ManagedFieldsEntry) bool {
	return (entry.Subresource == "" || entry.Subresource == "scale") &&
		(isApplier(entry.Manager) || isAmong(editors, entry.Manager))
}

var lastAppliedPath = fieldpath.MakePathOrDie("metadata", "annotations", corev1.LastAppliedConfigAnnotation)

// marks begin the annotations in which tools note for themselves what they have made.
var marks = []string{corev1.LastAppliedConfigAnnotation, "k8sconnect.terraform.io/"}

func isMark(path fieldpath.Path) bool {
	if len(path) != len(lastAppliedPath) || !path[:2].Equals(lastAppliedPath[:2]) || path[2].FieldName == nil {
		return false
	}
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(*path[2].FieldName, mark) })
}

// lastApplied returns the configuration that a client-side apply has kept on object; nil if there is none.
func lastApplied(object *unstructured.Unstructured) map[string]any {
	text := object.GetAnnotations()[corev1.LastAppliedConfigAnnotation]
	configuration := unstructured.Unstructured{}
	if text == "" || json.Unmarshal([]byte(text), &configuration.Object) != nil {
		return nil
	}
	return configuration.Object
}

// inConfiguration returns those of fields that a configuration sets.
func inConfiguration(fields *fieldpath.Set, configuration map[string]any) *fieldpath.Set {
	return filtered(fields, func(path fieldpath.Path) bool {
		_, _, ok := Locate(configuration, path)
		return ok
	})
}

// withoutDefaults returns those of fields whose value on object is not the default.
func withoutDefaults(object *unstructured.Unstructured, fields *fieldpath.Set) *fieldpath.Set {
	kind := object.GroupVersionKind().GroupKind()
	return filtered(fields, func(path fieldpath.Path) bool {
		_, at, ok := Locate(object.Object, path)
		return !ok || !kinds.IsDefault(kind, object.Object, at)
	})
}

// takenFromPeople returns the fields of a last applied configuration that another client has written since, such as a
// tool that sets images. What the control plane has written is its own: an autoscaler's replicas.
func takenFromPeople(object *unstructured.Unstructured, configuration map[string]any) (*fieldpath.Set, error) {
	others := fieldpath.NewSet()
	if configuration == nil {
		return others, nil
	}
	for _, entry := range object.GetManagedFields() {
		if !mayBeTaken(entry) {
			continue
		}
		fields, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		others = others.Union(inConfiguration(fields, configuration))
	}
	return others, nil
}

// mayBeTaken reports whether an entry may hold fields that another client has taken from people.
func mayBeTaken(entry metav1.ManagedFieldsEntry) bool {
	return entry.Subresource == "" && !isWrittenByPeople(entry) && !isAmong(controlPlane, entry.Manager) && !IsPatchManager(entry.Manager)
}

// filtered returns the members of a set that keep returns true for.
func filtered(fields *fieldpath.Set, keep func(fieldpath.Path) bool) *fieldpath.Set {
	kept := fieldpath.NewSet()
	fields.Iterate(func(path fieldpath.Path) {
		if keep(path) {
			kept.Insert(path.Copy())
		}
	})
	return kept
}

// withoutEmptied removes the fields of which recorded has parts and fields has none left. They would stand for the
// whole value. An item of a list stays: its key identifies it.
func withoutEmptied(fields, recorded *fieldpath.Set) *fieldpath.Set {
	for {
		emptied := fieldpath.NewSet()
		fields.Leaves().Iterate(func(path fieldpath.Path) {
			if path[len(path)-1].FieldName != nil && hasPart(recorded, path) {
				emptied.Insert(path.Copy())
			}
		})
		if emptied.Empty() {
			return fields
		}
		fields = fields.Difference(emptied)
	}
}

// OtherManagers lists the field managers on object that are neither tools of people nor the control plane: scripts,
// operators.
func OtherManagers(object *unstructured.Unstructured) []string {
	return slices.DeleteFunc(Managers(object), func(manager string) bool {
		return isApplier(manager) || isAmong(editors, manager) || isAmong(controlPlane, manager) ||
			IsPatchManager(manager) || IsNobody(manager) || manager == "kubectl-rollout"
	})
}
