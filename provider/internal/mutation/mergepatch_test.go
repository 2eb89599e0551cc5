package mutation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

func TestWhatAMergePatchTouches(t *testing.T) {
	for _, test := range []struct {
		name, patch, projection string
		set, removed            []string
	}{
		{
			name: "its leaves [P10]", patch: `{metadata: {labels: {a.b/c: x}}, spec: {replicas: 5, deep: {er: {x: true}}}}`,
			projection: `{metadata: {labels: {a.b/c: x}}, spec: {replicas: 5, deep: {er: {x: true}}}}`,
			set:        []string{`metadata.labels["a.b/c"]`, "spec.deep.er.x", "spec.replicas"},
		},
		{
			name: "a list as a whole [P10]", patch: `{spec: {template: {spec: {containers: [{name: x}], args: []}}}}`,
			projection: `{spec: {template: {spec: {containers: [{name: x}], args: []}}}}`,
			set:        []string{"spec.template.spec.args", "spec.template.spec.containers"},
		},
		{
			name: "null takes away, also what is not there", patch: `{spec: {replicas: null, template: null, nope: {nope: null}}}`,
			removed: []string{"spec.nope.nope", "spec.replicas", "spec.template"},
		},
		{
			name: "an empty object says that a map exists", patch: `{spec: {emptyDir: {}, replicas: {}}}`,
			projection: `{spec: {emptyDir: {}, replicas: {}}}`, set: []string{"spec.emptyDir", "spec.replicas"},
		},
		{name: "an empty object says nothing of what is in a map that exists", patch: `{metadata: {labels: {}}}`},
		{
			name:       "texts may be empty, booleans, numbers and long texts are set as they are [P11]",
			patch:      `{spec: {e: "", f: false, "n": 1.5, i: 9007199254740993, l: ` + strings.Repeat("x", 10_000) + `}}`,
			projection: `{spec: {e: "", f: false, "n": 1.5, i: 9007199254740993, l: ` + strings.Repeat("x", 10_000) + `}}`,
			set:        []string{"spec.e", "spec.f", "spec.i", "spec.l", "spec.n"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := object(t, deployment)
			effect, err := mergePatch(t, test.patch).Evaluate(live)
			require.NoError(t, err)
			assert.Equal(t, object(t, deployment), live, "the live object is not changed")
			assert.Equal(t, test.set, paths(effect.Set))
			assert.Equal(t, test.removed, paths(effect.Removed))
			assert.True(t, effect.Once.Empty())
			assert.Empty(t, effect.Operations)
			want := map[string]any{}
			if test.projection != "" {
				want = object(t, test.projection).Object
			}
			projection := ownership.Project(effect.Object, effect.Set, nil)
			assert.Equal(t, want, projection)
			assert.Empty(t, ownership.Compare(projection, projection, effect.Set))
		})
	}
}
