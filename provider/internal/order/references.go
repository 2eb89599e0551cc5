package order

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

var (
	ingress      = schema.GroupKind{Group: "networking.k8s.io", Kind: "Ingress"}
	storageClass = schema.GroupKind{Group: "storage.k8s.io", Kind: "StorageClass"}
)

// references orders an object after the objects that its fields name.
//
// In the kinds of Kubernetes, it is known what a field refers to. A custom kind follows conventions: a field that ends in Ref
// holds a name, and often a kind; a field that ends in ClassName names a class.
func references(s *set) {
	for _, o := range s.objects {
		switch o.GroupKind() {
		case ingress:
			s.ingress(o)
		case kinds.PersistentVolumeClaim:
			s.after(o, s.find(kinds.PersistentVolume, "", text(o.content, "spec", "volumeName")), certain, "it claims this volume")
		case kinds.PersistentVolume:
			s.reserved(o)
		case kinds.Secret:
			s.token(o)
		}
		if _, isWorkload := kinds.PodTemplate(o.GroupKind()); isWorkload || strings.HasSuffix(o.GroupKind().Group, rbacGroup) {
			continue // podspec.go, rbac.go
		}
		how := likely
		if kinds.OwnGroup(o.GroupKind().Group) {
			how = certain
		}
		for _, key := range sortedKeys(o.content) { // The first reference is the reason of an edge.
			if !slices.Contains([]string{"apiVersion", "kind", "metadata", "status", "data", "stringData", "binaryData"}, key) {
				s.walk(o, how, key, o.content[key])
			}
		}
	}
}

// ingress names Services and Secrets in fields of its own.
func (s *set) ingress(o *object) {
	backend := func(in map[string]any) {
		s.after(o, s.find(kinds.Service, o.Namespace, text(in, "service", "name")), certain, "it is a backend")
	}
	backend(fields(o.content, "spec", "defaultBackend"))
	for _, rule := range items(o.content, "spec", "rules") {
		for _, path := range items(rule, "http", "paths") {
			backend(fields(path, "backend"))
		}
	}
	for _, tls := range items(o.content, "spec", "tls") {
		s.after(o, s.find(kinds.Secret, o.Namespace, text(tls, "secretName")), certain, "it has the certificate")
	}
}

// reserved orders the claim that a volume is reserved for after the volume. In the other order, the volume would be deleted
// first, and it stays as long as the claim exists.
func (s *set) reserved(volume *object) {
	claim := fields(volume.content, "spec", claimRef)
	if o := s.find(kinds.PersistentVolumeClaim, text(claim, "namespace"), text(claim, "name")); o != nil {
		s.after(o, volume, certain, "it is reserved for this claim")
	}
}

// claimRef is the field of a volume that names its claim.
const claimRef = "claimRef"

// token orders the Secret with the token of a service account after the account: without it, the Secret is deleted at once.
func (s *set) token(secret *object) {
	if text(secret.content, "type") == string(corev1.SecretTypeServiceAccountToken) {
		name := text(secret.content, "metadata", "annotations", corev1.ServiceAccountNameKey)
		s.after(secret, s.find(serviceAccount, secret.Namespace, name), certain, "its token is that of this account")
	}
}

// walk looks for references in a field.
func (s *set) walk(o *object, how certainty, field string, value any) {
	if field == claimRef && o.GroupKind() == kinds.PersistentVolume {
		return // see reserved
	}
	switch value := value.(type) {
	case map[string]any:
		if stem, is := strings.CutSuffix(strings.TrimSuffix(field, "s"), "Ref"); is && text(value, "name") != "" {
			s.refers(o, how, field, stem, value)
		}
		for _, key := range sortedKeys(value) {
			s.walk(o, how, key, value[key])
		}
	case []any:
		for _, item := range value {
			s.walk(o, how, field, item)
		}
	case string:
		if class, is := strings.CutSuffix(field, "ClassName"); is && class != "" {
			s.afterNamed(o, how, field, reference{kind: upper(class) + "Class", name: value})
		}
	}
}

// reference names an object, in any group if the group is empty.
type reference struct{ group, kind, namespace, name string }

// refers finds the object that a field refers to: by its kind, or by the kind at the end of the field's name.
func (s *set) refers(o *object, how certainty, field, stem string, given map[string]any) {
	group, _, versioned := strings.Cut(text(given, "apiVersion"), "/")
	if !versioned {
		group = ""
	}
	for _, name := range []string{"group", "apiGroup"} {
		if other := text(given, name); other != "" {
			group = other
		}
	}
	namespace := o.Namespace
	if other := text(given, "namespace"); other != "" {
		namespace = other
	}
	to := reference{group: group, kind: text(given, "kind"), namespace: namespace, name: text(given, "name")}
	if to.kind != "" {
		s.afterNamed(o, how, field, to)
		return
	}
	stem = strings.ToLower(strings.TrimSuffix(stem, "Key"))
	for _, other := range s.objects {
		if other.Kind != "" && other.Name == to.name && strings.HasSuffix(stem, strings.ToLower(other.Kind)) {
			s.afterNamed(o, how, field, reference{group: group, kind: other.Kind, namespace: namespace, name: to.name})
		}
	}
}

// afterNamed orders an object after the objects that a reference names.
func (s *set) afterNamed(o *object, how certainty, field string, to reference) {
	for kind := range s.ofKind {
		if kind.Kind == to.kind && (to.group == "" || kind.Group == to.group) {
			s.after(o, s.find(kind, to.namespace, to.name), how, "its field %s names it", field)
		}
	}
}

func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
