package order

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// DependsOn is an annotation that cli-utils has defined, and that kpt and Config Sync read, too. It lists objects as
// group/kind/name or group/namespaces/namespace/kind/name.
const DependsOn = "config.kubernetes.io/depends-on"

// Absent is an object that an annotation names and that is not in the set.
type Absent struct {
	// Key is the key of the object with the annotation.
	Key string
	// Reference is the name of the absent object, as the annotation writes it.
	Reference string
	// GroupKind and Name belong to the absent object.
	schema.GroupKind
	Name string
}

// requested orders an object after the objects that its annotation names. They have to be ready, as in those tools.
func requested(s *set) {
	for _, o := range s.objects {
		list := text(o.content, "metadata", "annotations", DependsOn)
		if list == "" {
			continue
		}
		for reference := range strings.SplitSeq(list, ",") {
			reference = strings.TrimSpace(reference)
			kind, namespace, name, ok := parseReference(reference)
			if !ok {
				s.mistakes = append(s.mistakes, Mistake{
					Key: o.key, Path: "metadata.annotations[" + DependsOn + "]",
					Reason: "\"" + reference + "\" is not group/kind/name or group/namespaces/namespace/kind/name. The core group is empty, as in /namespaces/prod/Secret/token.",
				})
				continue
			}
			other := s.named(kind, namespace, name)
			if other == nil {
				s.absent = append(s.absent, Absent{Key: o.key, Reference: reference, GroupKind: kind, Name: name})
			}
			s.afterReady(o, other, demanded, "its annotation %s names it", DependsOn)
		}
	}
}

// named returns the object that a reference names, nil if it is not in the set. An object may be without a namespace because its
// namespace is not known yet, or because nothing says that its kind is cluster-scoped. Such an object is found by its name, if
// only one has that name.
func (s *set) named(kind schema.GroupKind, namespace, name string) *object {
	if o := s.find(kind, namespace, name); o != nil {
		return o
	}
	var found []*object
	for _, o := range s.ofKind[kind] {
		if o.instanceOf == nil && o.Name == name && (namespace == "" || o.Namespace == "") {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

func parseReference(reference string) (kind schema.GroupKind, namespace, name string, ok bool) {
	parts := strings.Split(reference, "/")
	switch {
	case len(parts) == 3:
		kind, name = schema.GroupKind{Group: parts[0], Kind: parts[1]}, parts[2]
	case len(parts) == 5 && parts[1] == "namespaces" && parts[2] != "":
		kind, namespace, name = schema.GroupKind{Group: parts[0], Kind: parts[3]}, parts[2], parts[4]
	}
	return kind, namespace, name, kind.Kind != "" && name != ""
}
