package chart

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

type tree = map[string]any

func TestWhatAProgramRemovesFromValues(t *testing.T) { // [D68]
	t.Parallel()
	for name, c := range map[string]struct {
		values  tree
		unset   []any
		wanted  tree
		refused string
	}{
		"a value":                            {unset: []any{"limits"}, wanted: tree{"limits": nil}},
		"values below each other":            {unset: []any{"web.limits.cpu", "web.port"}, wanted: tree{"web": tree{"limits": tree{"cpu": nil}, "port": nil}}},
		"beside others of the program":       {values: tree{"web": tree{"port": 1.0}}, unset: []any{"web.limits"}, wanted: tree{"web": tree{"port": int64(1), "limits": nil}}},
		"what nothing sets":                  {unset: []any{"web.limit"}, wanted: tree{}},
		"a key with dots":                    {unset: []any{`nodeSelector["kubernetes.io/os"]`}, wanted: tree{"nodeSelector": tree{"kubernetes.io/os": nil}}},
		"what the program sets":              {values: tree{"web": tree{"port": 1.0}}, unset: []any{"web.port"}, refused: "values sets web.port. Remove it from one of the two."},
		"what holds something that it sets":  {values: tree{"web": tree{"port": 1.0}}, unset: []any{"web"}, refused: "values sets web. Remove"},
		"what it has another value in place": {values: tree{"web": "none"}, unset: []any{"web.port"}, refused: "values sets web. Remove"},
		"an item of a list":                  {unset: []any{"hosts[0]"}, refused: `"hosts[0]" is not a path of keys, such as controller.resources: it selects more than one value, or an item of a list.`},
		"all keys":                           {unset: []any{"web.*"}, refused: "it selects more than one value"},
		"nothing":                            {unset: []any{""}, refused: "it is empty"},
		"no text":                            {unset: []any{1.0}, refused: "The value must be a text."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given, err := values.ToProperty(tree{"values": c.values, "unset": c.unset}, values.Marks{})
			require.NoError(t, err)
			var in inputs
			var wrong check.Mistakes
			in.decodeValues(given.AsMap(), &wrong)
			if c.refused != "" {
				require.Len(t, wrong, 1)
				assert.Equal(t, "unset[0]", wrong[0].Property)
				assert.Contains(t, wrong[0].Reason, c.refused)
				return
			}
			require.Empty(t, wrong)
			r := releaseOf(t, map[string]string{
				"values.yaml": `{ limits: 1, web: { limits: { cpu: 1 }, port: 2 }, nodeSelector: { "kubernetes.io/os": linux } }`,
			})
			r.inputs = in
			r.removeUnset()
			assert.Equal(t, c.wanted, r.values)
		})
	}
}

func TestWhatIsRemovedIsSaidAndWhatIsNotThereIsAWarning(t *testing.T) { // [D68]
	t.Parallel()
	r := releaseOf(t, map[string]string{
		"values.yaml":               "web: { limits: 1 }\nnothing: null\n",
		"charts/redis/Chart.yaml":   "apiVersion: v2\nname: redis\nversion: 1.0.0\n",
		"charts/redis/values.yaml":  "port: 1\nglobal: { registry: a }\n",
		"charts/redis/templates/it": "",
	})
	given, err := values.ToProperty(tree{"unset": []any{"web.limits", "redis.port", "global.registry", "web.limit", "nothing", "redis.global.x"}}, values.Marks{})
	require.NoError(t, err)
	var wrong check.Mistakes
	r.decodeValues(given.AsMap(), &wrong)
	require.Empty(t, wrong)
	note, warnings := r.removed()
	assert.Equal(t, "unset removes what the chart sets: web.limits, redis.port, global.registry.", note)
	assert.Equal(t, []string{
		`unset: "web.limit" names nothing that the chart sets.`, `unset: "nothing" names nothing that the chart sets.`,
		`unset: "redis.global.x" names nothing that the chart sets.`,
	}, warnings)
}

func TestWhatIsRemovedIsNotSecret(t *testing.T) { // [D68]
	t.Parallel()
	var in inputs
	var wrong check.Mistakes
	in.decodeValues(property.NewMap(map[string]property.Value{
		"unset": property.New([]property.Value{property.New("web.limits").WithSecret(true)}),
	}), &wrong)
	require.Len(t, wrong, 1)
	assert.Equal(t, "unset", wrong[0].Property)
	assert.NotContains(t, wrong[0].Reason, "limits")
	assert.Empty(t, in.unset)
}

func TestUnsetThatIsNotKnownYetMakesTheRenderingUnknown(t *testing.T) { // [D68]
	t.Parallel()
	in, _ := decode(property.NewMap(map[string]property.Value{
		"chart": property.New("web"), "unset": property.New([]property.Value{property.New(property.Computed)}),
	}), "web", "default")
	assert.Contains(t, in.unknown, "unset")
}
