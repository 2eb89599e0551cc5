package order

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// dependsOn is an annotation that cli-utils has defined, and that kpt and Config Sync read, too. It lists objects as
// group/kind/name or group/namespaces/namespace/kind/name.
const dependsOn = "config.kubernetes.io/depends-on"

// requested orders an object after what its annotation names. It has to be ready, as those tools have it.
func requested(s *set) {
	for _, o := range s.objects {
		list := text(o.content, "metadata", "annotations", dependsOn)
		if list == "" {
			continue
		}
		for reference := range strings.SplitSeq(list, ",") {
			kind, namespace, name, ok := parseReference(strings.TrimSpace(reference))
			if !ok {
				s.mistakes = append(s.mistakes, Mistake{
					Key: o.key, Path: "metadata.annotations[" + dependsOn + "]",
					Reason: "\"" + reference + "\" is not group/kind/name or group/namespaces/namespace/kind/name. The core group is empty, as in /namespaces/prod/Secret/token.",
				})
				continue
			}
			s.after(o, s.find(kind, namespace, name), demanded, true, "its annotation %s names it", dependsOn)
		}
	}
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
