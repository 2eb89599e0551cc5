package patch

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// refuseTerminating refuses to patch an object that is being deleted, unless the patch concerns its finalizers: that
// may be what lets the deletion finish.
func (r run) refuseTerminating(live *unstructured.Unstructured) error {
	if r.in.namesFinalizers() {
		return nil
	}
	return r.target.RefuseTerminating(live)
}

// namesFinalizers reports whether the patch sets or removes finalizers.
func (in inputs) namesFinalizers() bool {
	if tree := in.tree(); tree != nil {
		metadata, _ := tree["metadata"].(map[string]any)
		_, named := metadata["finalizers"]
		return named
	}
	operations, _ := in.document.([]any)
	return slices.ContainsFunc(operations, func(operation any) bool {
		members, _ := operation.(map[string]any)
		path, _ := members["path"].(string)
		return strings.HasPrefix(path, "/metadata/finalizers")
	})
}
