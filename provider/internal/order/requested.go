package order

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// DependsOn is an annotation that cli-utils has defined, and that kpt and Config Sync read, too. It lists objects as
// group/kind/name or group/namespaces/namespace/kind/name.
const DependsOn = "config.kubernetes.io/depends-on"

// Absent is what an annotation names and the set does not have.
type Absent struct {
	// Key is that of the object with the annotation.
	Key string
	// Reference is the name in the form of the annotation.
	Reference string
	// GroupKind and Name are of the object that it names.
	schema.GroupKind
	Name string
}

// requested orders an object after what its annotation names. It has to be ready, as those tools have it.
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
			s.after(o, other, demanded, true, "its annotation %s names it", DependsOn)
		}
	}
}

// named returns the object that a reference names, nil if it is not in the set. What is in no namespace, be it that the namespace is
// not known yet or that nothing says that the kind has none, is found by its name if there is only one.
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
