package object

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// causeFields returns the fields that the API server names in a refusal.
func causeFields(err error) []string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		if fields = append(fields, cause.Field); cause.Field == "spec.clusterIPs[0]" {
			fields = append(fields, "spec.clusterIP") // a Service's address is written to one field, and reported for the first item of the list
		}
	}
	return fields
}

// places returns where the fields are that the API server names in a refusal, in the form of [ownership.Generic]. The
// API server's names sometimes differ from the manifest's: a PersistentVolume's spec.persistentvolumesource, a
// CSIDriver's spec.attachedRequired. Such a name stands for the innermost existing place around it. places leaves out a
// name without such a place.
func (r *refusedUpdate) places(causes []string) [][]string {
	trees := []any{r.merged.Live().Object, r.merged.Object}
	if r.base.last != nil {
		trees = append(trees, r.base.last.applied)
	}
	return placesIn(trees, causes)
}

func placesIn(trees []any, causes []string) [][]string {
	var places [][]string
	for _, cause := range causes {
		names, depth := ownership.FieldNames(cause), 0
		for _, tree := range trees {
			depth = max(depth, depthOf(tree, names))
		}
		if depth > 0 {
			places = append(places, names[:depth])
		}
	}
	return places
}

// depthOf returns how many of the names lead to an existing place in a tree.
func depthOf(tree any, names []string) int {
	if len(names) == 0 {
		return 0
	}
	deepest := 0
	switch tree := tree.(type) {
	case map[string]any:
		if child, has := tree[names[0]]; has {
			return 1 + depthOf(child, names[1:])
		}
	case []any:
		if names[0] == "*" {
			for _, item := range tree {
				deepest = max(deepest, 1+depthOf(item, names[1:]))
			}
		}
	}
	return deepest
}

// near reports whether a field is in one of the places, or around one.
func near(path fieldpath.Path, places [][]string) bool {
	generic := ownership.Generic(path)
	return slices.ContainsFunc(places, func(place []string) bool { return isAround(generic, place) })
}

// isAround reports whether one of two places is the other, or around it.
func isAround(a, b []string) bool {
	n := min(len(a), len(b))
	return n > 0 && slices.Equal(a[:n], b[:n])
}
