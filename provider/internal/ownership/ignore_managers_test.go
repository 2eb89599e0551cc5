package ownership

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"
)

func TestWhatManagersOwnAndWeDoNot(t *testing.T) {
	const container = `f:template: {f:spec: {f:containers: {'k:{"name":"web"}': `
	for _, c := range []struct {
		sentence, entries string
		want              []string
	}{
		{"a field", `[{manager: them, operation: Update, fieldsV1: {f:spec: {f:replicas: {}}}}]`, []string{"spec.replicas"}},
		{"by any operation and subresource", `
- {manager: them, operation: Apply, fieldsV1: {f:spec: {f:paused: {}}}}
- {manager: them, operation: Update, subresource: scale, fieldsV1: {f:spec: {f:replicas: {}}}}
- {manager: them, operation: Update, subresource: status, fieldsV1: {f:status: {f:phase: {}}}}`, []string{"spec.paused", "spec.replicas", "status.phase"}},
		{"not what another manager owns", `[{manager: stranger, operation: Update, fieldsV1: {f:spec: {f:replicas: {}}}}]`, nil},
		{"not what we own as well", `
- {manager: us, operation: Apply, fieldsV1: {f:spec: {f:replicas: {}}}}
- {manager: them, operation: Update, fieldsV1: {f:spec: {f:replicas: {}, f:paused: {}}}}`, []string{"spec.paused"}},
		{"not what is inside something that we own as a whole", `
- {manager: us, operation: Apply, fieldsV1: {f:spec: {f:selector: {}}}}
- {manager: them, operation: Update, fieldsV1: {f:spec: {f:selector: {f:app: {}}}}}`, nil},
		{"but what others own as well", `
- {manager: stranger, operation: Apply, fieldsV1: {f:spec: {f:replicas: {}}}}
- {manager: them, operation: Update, fieldsV1: {f:spec: {f:replicas: {}}}}`, []string{"spec.replicas"}},
		{"a part of a list item, without the key that selects it", `[{manager: them, operation: Apply, fieldsV1: {f:spec: {` + container +
			`{.: {}, f:name: {}, f:image: {}}}}}}}}]`, []string{"spec.template.spec.containers[name=web].image"}},
		{"not a list item of which it owns only that there is one", `[{manager: them, operation: Apply, fieldsV1: {f:spec: {` + container +
			`{.: {}, f:name: {}}}}}}}}]`, nil},
		{"not a map of which it owns only that there is one", `
- {manager: us, operation: Apply, fieldsV1: {f:metadata: {f:labels: {f:app: {}}}}}
- {manager: them, operation: Update, fieldsV1: {f:metadata: {f:labels: {.: {}}, f:annotations: {.: {}, f:x: {}}}}}`, []string{"metadata.annotations.x"}},
		{"not such a map where others own what is in it", `
- {manager: stranger, operation: Apply, fieldsV1: {f:metadata: {f:labels: {f:app: {}}}}}
- {manager: them, operation: Update, fieldsV1: {f:metadata: {f:labels: {.: {}}}}}`, nil},
		{"an item of a set", `[{manager: them, operation: Update, fieldsV1: {f:metadata: {f:finalizers: {'v:"a.b/c"': {}}}}}]`, []string{`metadata.finalizers[="a.b/c"]`}},
		{"a list as a whole", `[{manager: them, operation: Update, fieldsV1: {f:spec: {f:rules: {}}}}]`, []string{"spec.rules"}},
	} {
		t.Run(c.sentence+" [O91]", func(t *testing.T) {
			var entries []any
			require.NoError(t, yaml.Unmarshal([]byte(c.entries), &entries))
			for _, entry := range entries {
				entry.(map[string]any)["fieldsType"] = "FieldsV1"
			}
			object := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"managedFields": entries}}}
			owned, err := OwnedBy(object, func(manager string) bool { return manager == "them" }, "us")
			require.NoError(t, err)
			var got []string
			owned.Iterate(func(path fieldpath.Path) { got = append(got, Format(path)) })
			slices.Sort(got)
			assert.Equal(t, c.want, got)

			var selected []string
			for _, pattern := range Exactly(owned) {
				selected = append(selected, pattern.String())
			}
			slices.Sort(selected)
			assert.Equal(t, c.want, selected, "each is a pattern")
			kept, ignored := Exactly(owned).Split(owned)
			assert.True(t, kept.Empty())
			assert.True(t, ignored.Equals(owned))
		})
	}
}
