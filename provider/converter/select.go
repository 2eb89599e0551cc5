package converter

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// Why objects are left out that the user may miss.
const (
	leftUnknown     = "no known tool has applied them"
	leftSecret      = "Pulumi writes the data of a Secret into the program in clear text"
	leftManaged     = "they are KubeObjects already"
	leftTerminating = "they are being deleted"
	leftAbsent      = "they are not in the cluster"
)

// remedies say what to do about objects that are left out.
var remedies = map[string]string{
	leftUnknown: "Import one by its ID: pulumi import k8sconnect:index:KubeObject NAME ID.",
	leftSecret: "Write each into the program, with `adopt: true` and with secrets of the configuration (`pulumi config set --secret`) as values. " +
		"To import them all the same, name the kind: --kinds Secret.",
	leftManaged: "To move one to this stack, import it by its ID, with takeOverFrom.",
}

// sorter tells the objects to import from those to leave out.
type sorter struct {
	namesSecrets bool
	// named means that something names each object, so that it does not matter who has made it.
	named    bool
	selected []manifest.Identity
	left     map[string][]string // by the reason
}

func newSorter(args arguments) *sorter {
	secret := func(name string) bool {
		kind, _, _ := strings.Cut(strings.ToLower(name), ".")
		return kind == "secret" || kind == "secrets"
	}
	return &sorter{namesSecrets: slices.ContainsFunc(args.kinds, secret), left: map[string][]string{}}
}

// add looks at the metadata of an object.
func (s *sorter) add(object *unstructured.Unstructured) {
	id := manifest.Identity(cluster.RefOf(object))
	switch {
	case isOfTheCluster(object), len(object.GetOwnerReferences()) > 0:
	case managedByKubeObject(object):
		s.leave(leftManaged, id, "")
	case !s.named && !ownership.IsMadeByPeople(object):
		if managers := ownership.OtherManagers(object); len(managers) > 0 {
			s.leave(leftUnknown, id, " ("+strings.Join(managers, ", ")+")")
		}
	case object.GetDeletionTimestamp() != nil:
		s.leave(leftTerminating, id, "")
	case object.GroupVersionKind().GroupKind() == kinds.Secret && !s.namesSecrets:
		s.leave(leftSecret, id, "")
	default:
		s.selected = append(s.selected, id)
	}
}

// leave notes why an object is left out.
func (s *sorter) leave(why string, id manifest.Identity, about string) {
	s.left[why] = append(s.left[why], id.Kind+" "+id.Name+about)
}

// managedByKubeObject reports whether a KubeObject of any stack manages an object.
func managedByKubeObject(object *unstructured.Unstructured) bool {
	return slices.ContainsFunc(ownership.Managers(object), func(manager string) bool {
		return ownership.Foreign(manager, "") && !ownership.IsPatchManager(manager) && !ownership.IsNobody(manager)
	})
}

// isOfTheCluster reports whether the control plane or Helm makes an object for itself, even if people have written to
// it: with the namespace, for a ServiceAccount, or as the record of a release.
func isOfTheCluster(object *unstructured.Unstructured) bool {
	switch name := object.GetName(); object.GroupVersionKind().GroupKind() {
	case kinds.ServiceAccount:
		return name == "default"
	case kinds.ConfigMap:
		return name == "kube-root-ca.crt" || isReleaseRecord(object)
	case kinds.Secret:
		return isReleaseRecord(object) || object.GetAnnotations()[corev1.ServiceAccountNameKey] != ""
	case kinds.Pod:
		return object.GetAnnotations()[corev1.MirrorPodAnnotationKey] != ""
	case kinds.Namespace:
		return name == corev1.NamespaceDefault || strings.HasPrefix(name, "kube-")
	}
	return false
}

func isReleaseRecord(object *unstructured.Unstructured) bool {
	return object.GetLabels()["owner"] == "helm" && strings.HasPrefix(object.GetName(), "sh.helm.release.v1.")
}

// found returns the selection, or an error if there is nothing to import.
func (s *sorter) found(args arguments, unread []string) (selection, error) {
	found := s.selection(unread)
	if len(found.objects) > 0 {
		return found, nil
	}
	what := fmt.Sprintf("nothing of %s %s", args.source, args.name)
	if args.selector != "" || len(args.kinds) > 0 {
		what += " that the command selects"
	}
	if s.named {
		what += " can be imported."
	} else {
		what += " was applied by kubectl, Helm, Terraform, Pulumi, Flux or Argo CD."
	}
	return selection{}, failure.Because(failure.ReasonNotFound, errors.New(strings.Join(append([]string{what}, found.warnings...), "\n")))
}

// selection returns what to import, and a warning for each reason why something is not.
func (s *sorter) selection(unread []string) selection {
	slices.SortFunc(s.selected, func(a, b manifest.Identity) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.APIVersion, b.APIVersion))
	})
	found := selection{objects: s.selected}
	if len(unread) > 0 {
		found.warnings = append(found.warnings, "Not looked at: "+strings.Join(unread, ", ")+".")
	}
	for _, why := range slices.Sorted(maps.Keys(s.left)) {
		text := fmt.Sprintf("Left out, because %s: %s.", why, strings.Join(s.left[why], ", "))
		if remedy := remedies[why]; remedy != "" {
			text += " " + remedy
		}
		found.warnings = append(found.warnings, text)
	}
	return found
}
