package patch

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// previousOwners returns who owned the fields before. A field that was already ours keeps what is recorded about it.
func (r run) previousOwners(before *unstructured.Unstructured, fields patchedFields) (map[string]string, error) {
	if r.old.before != nil {
		// An earlier attempt of this patch may have changed the owners.
		before = before.DeepCopy()
		before.SetManagedFields(r.old.before)
	}
	owners, err := ownership.NewOwnership(before)
	if err != nil {
		return nil, err
	}
	previous := map[string]string{}
	for _, path := range leaves(fields.all()) {
		name := ownership.Format(path)
		if others := r.others(owners.Of(path)); others != "" {
			previous[name] = others
		} else if known := r.old.previous[name]; known != "" {
			previous[name] = known
		}
	}
	return previous, nil
}
