package object

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// seen is what we know of the live object: the state's part of it, or everything if it was read.
type seen struct {
	object map[string]any
	fields *fieldpath.Set
}

// see records the object that was read.
func (w *write) see(live *unstructured.Unstructured) error {
	owned, err := ownership.AllOwned(live)
	if err == nil {
		w.seen = seen{live.Object, owned}
	}
	return err
}

// makesItems reports whether the apply may create list items that contain ignored fields: items that the program has
// added, or that others have removed. If not, there is no need to read the live object.
func (w *write) makesItems() bool {
	return len(w.in.ignore.NewItems(w.in.applied, w.seen.object, w.seen.fields)) > 0
}
