package patch

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// rename puts what we own of the object under the field manager of the resource's URN. It returns the object as it is
// then; a preview returns what it would be.
func (w work) rename(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if w.preview {
		return w.target.Renamed(live)
	}
	body, err := w.target.RenamePatch(live)
	if err != nil || body == nil {
		return live, err
	}
	return w.target.send(ctx, types.JSONPatchType, body, false)
}
