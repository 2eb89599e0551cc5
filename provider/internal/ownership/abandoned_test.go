package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestAbandonedAreTheFieldsThatOnlyTheManagerAppliedAndWillNotApplyAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, ours, theirs, next string
		want                     []string
	}{
		{
			"a key that the next apply has not got", `{"f:data":{".":{},"f:a":{},"f:b":{}}}`, `{}`, `{"f:data":{"f:a":{}}}`,
			[]string{"data.b"},
		},
		{"all of it, if nothing is applied", `{"f:data":{"f:a":{}}}`, `{}`, `{}`, []string{"data.a"}},
		{"not what someone else has too", `{"f:data":{"f:a":{},"f:b":{}}}`, `{"f:data":{"f:b":{}}}`, `{"f:data":{"f:a":{}}}`, nil},
		{"not a map of which a part is kept", `{"f:data":{".":{}}}`, `{}`, `{"f:data":{"f:a":{}}}`, nil},
		{"not what is in a map that is kept as a whole", `{"f:selector":{"f:app":{}}}`, `{}`, `{"f:selector":{}}`, nil},
		{
			"an item of a list, once, with what is in it, but not its key",
			`{"f:ports":{"k:{\"port\":1}":{".":{},"f:port":{},"f:name":{}},"k:{\"port\":2}":{".":{},"f:port":{}}}}`, `{}`,
			`{"f:ports":{"k:{\"port\":2}":{".":{},"f:port":{}}}}`, []string{"ports[port=1].name"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			live := &unstructured.Unstructured{Object: object(t, `
metadata:
  managedFields:
  - {manager: us, operation: Apply, fieldsV1: `+test.ours+`}
  - {manager: them, operation: Update, fieldsV1: `+test.theirs+`}
`)}
			next, err := Decode(test.next)
			require.NoError(t, err)
			abandoned, err := PrunedByApply(live, "us", next)
			require.NoError(t, err)
			var got []string
			abandoned.Iterate(func(path fieldpath.Path) { got = append(got, Format(path)) })
			assert.Equal(t, test.want, got)
		})
	}
}
