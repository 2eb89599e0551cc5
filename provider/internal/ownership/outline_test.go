package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestAnOutlineNamesAllOwnersBelowTheTop(t *testing.T) {
	t.Parallel()
	set := fieldpath.NewSet(
		fieldpath.MakePathOrDie("data", "a"), fieldpath.MakePathOrDie("data", "b"),
		fieldpath.MakePathOrDie("metadata", "labels", "x"), fieldpath.MakePathOrDie("spec", "unknown"),
	)
	assert.Equal(t, map[string]string{"data": "kubectl, us", "metadata": "us"},
		Outline(map[string]string{"data.a": "us", "data.b": "us, kubectl", "metadata": "us"}, set))
}
