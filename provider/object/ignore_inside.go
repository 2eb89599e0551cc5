package object

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// withInside returns body with the ignored parts of atomic lists and maps taken from the live object, because an apply
// cannot leave out part of such a list. leaves are these lists and maps.
func (t target) withInside(in inputs, body map[string]any, live *unstructured.Unstructured, leaves []fieldpath.Path) (map[string]any, error) {
	for _, leaf := range leaves {
		if _, _, ok := ownership.Locate(in.applied, leaf); !ok {
			continue // it is removed as a whole
		}
		v, err := in.ignore.Overlay(in.applied, live.Object, leaf)
		if errors.Is(err, ownership.ErrNoMatch) {
			return nil, tracked.Refused(failure.ReasonConflict, "%s: ignoreFields names a part of %s, which the API server replaces only as a whole, and "+
				"it cannot be told which live item is which of the manifest's: both have items that the other has not. Nothing was changed.\n"+
				"Ignore the whole: %s; or change the items in two steps: first remove some, then add others.", t.Ref, in.nameOf(leaf), in.ignoreLine([]fieldpath.Path{leaf}))
		}
		if err != nil {
			return nil, err
		}
		body = ownership.SetAt(body, leaf, v)
	}
	return body, nil
}
