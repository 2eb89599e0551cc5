package converter

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	leftOther       = "other objects have their names now, in this cluster"
	leftOwned       = "other objects own them"
	leftOfCluster   = "Kubernetes or Helm makes them"
)

// remedies say what to do about objects that are left out.
var remedies = map[string]string{
	leftUnknown: "Import one by its ID: pulumi import k8sconnect:index:KubeObject NAME ID.",
	leftSecret: "Write each into the program, with `adopt: true` and with secrets of the configuration (`pulumi config set --secret`) as values. " +
		"To import them all the same, name the kind: --kinds Secret.",
	leftManaged: "To move one to this stack, import it by its ID, with takeOverFrom.",
	leftOther:   "If they are in another cluster, name it: --context. If they have been created again since, refresh the state (`terraform apply -refresh-only`, `pulumi refresh`), and write it again.",
}

// sorter tells the objects to import from those to leave out.
type sorter struct {
	namesSecrets bool
	// named means that something names each object, so that it does not matter who has made it.
	named    bool
	selected []manifest.Identity
	// addresses are the names of the resources of selected objects where they come from.
	addresses map[manifest.Identity]string
	left      map[string][]string // by the reason
	notes     []string            // what else is left out
}

func newSorter(args arguments) *sorter {
	secret := func(name string) bool {
		kind, _, _ := strings.Cut(strings.ToLower(name), ".")
		return kind == "secret" || kind == "secrets"
	}
	return &sorter{namesSecrets: slices.ContainsFunc(args.kinds, secret), left: map[string][]string{}, addresses: map[manifest.Identity]string{}}
}

// add looks at the metadata of an object, and takes the address of its resource, if it has one.
func (s *sorter) add(object *unstructured.Unstructured, address string) {
	id := manifest.Identity(cluster.RefOf(object))
	switch {
	case isOfTheCluster(object):
		s.leaveIfNamed(leftOfCluster, id, address)
	case len(object.GetOwnerReferences()) > 0:
		s.leaveIfNamed(leftOwned, id, address)
	case managedByKubeObject(object):
		s.leave(leftManaged, id, address)
	case !s.named && !ownership.IsMadeByPeople(object):
		if managers := ownership.OtherManagers(object); len(managers) > 0 {
			s.leave(leftUnknown, id, strings.Join(managers, ", "))
		}
	case object.GetDeletionTimestamp() != nil:
		s.leave(leftTerminating, id, address)
	case object.GroupVersionKind().GroupKind() == kinds.Secret && !s.namesSecrets:
		s.leave(leftSecret, id, address)
	default:
		s.selected = append(s.selected, id)
		if address != "" {
			s.addresses[id] = address
		}
	}
}

// leave notes why an object is left out; about stands in parentheses behind its name, if it is not empty.
func (s *sorter) leave(why string, id manifest.Identity, about string) {
	if about != "" {
		about = " (" + about + ")"
	}
	s.left[why] = append(s.left[why], id.Kind+" "+id.Name+about)
}

// leaveIfNamed does likewise where users miss the object only if something names it.
func (s *sorter) leaveIfNamed(why string, id manifest.Identity, about string) {
	if s.named {
		s.leave(why, id, about)
	}
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
		return slices.Contains(ownNamespaces, name)
	}
	return false
}

// ownNamespaces are the namespaces that Kubernetes makes.
var ownNamespaces = []string{
	corev1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease,
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
	found := selection{objects: s.selected, addresses: s.addresses}
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
	found.warnings = append(found.warnings, s.notes...)
	return found
}
