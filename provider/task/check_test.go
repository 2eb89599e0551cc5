package task

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
)

// job is a Job whose pods have this restart policy.
func job(restartPolicy property.Value) property.Value {
	return property.New(map[string]property.Value{
		"apiVersion": property.New("batch/v1"), "kind": property.New("Job"),
		"metadata": property.New(map[string]property.Value{"name": property.New("migrate")}),
		"spec": property.New(map[string]property.Value{"template": property.New(map[string]property.Value{
			"spec": property.New(map[string]property.Value{
				"restartPolicy": restartPolicy,
				"containers": property.New([]property.Value{property.New(map[string]property.Value{
					"name": property.New("main"), "image": property.New("main:1"),
				})}),
			}),
		})}),
	})
}

func TestCheckRefusesWhatCannotRun(t *testing.T) {
	t.Parallel()
	object := func(apiVersion, kind string) property.Value {
		return property.New(map[string]property.Value{
			"apiVersion": property.New(apiVersion), "kind": property.New(kind),
			"metadata": property.New(map[string]property.Value{"name": property.New("migrate")}),
		})
	}
	never := property.New("Never")
	list := func(items ...property.Value) property.Value { return property.New(items) }
	for name, c := range map[string]struct {
		inputs map[string]property.Value
		want   []string // the properties that are refused
	}{
		"a Job":                           {map[string]property.Value{keyManifest: job(never)}, nil},
		"a Job that is not known yet":     {map[string]property.Value{keyManifest: property.New(property.Computed)}, nil},
		"a policy that is not known yet":  {map[string]property.Value{keyManifest: job(property.New(property.Computed))}, nil},
		"nothing":                         {map[string]property.Value{}, []string{keyManifest}},
		"pods that never end":             {map[string]property.Value{keyManifest: job(property.New("Always"))}, []string{"manifest.spec.template.spec.restartPolicy"}},
		"pods that never end, by default": {map[string]property.Value{keyManifest: job(property.New(property.Null))}, []string{"manifest.spec.template.spec.restartPolicy"}},
		"another kind":                    {map[string]property.Value{keyManifest: object("v1", "ConfigMap")}, []string{"manifest.kind"}},
		"a text": {
			map[string]property.Value{keyManifest: property.New("kind: Job")}, []string{keyManifest},
		},
		"other words": {map[string]property.Value{
			keyManifest: job(never), keyRunOn: list(property.New("create"), property.New("refresh")), keyKeep: property.New("sometimes"),
			keyTimeout: property.New("soon"), keyLogLines: property.New(1.5), keyTriggers: property.New("x"), keyForceDestroy: property.New("yes"),
		}, []string{"runOn[1]", keyTriggers, keyTimeout, keyKeep, keyLogLines, keyForceDestroy}},
		"no operation":          {map[string]property.Value{keyManifest: job(never), keyRunOn: property.New([]property.Value{})}, []string{keyRunOn}},
		"too much of a log":     {map[string]property.Value{keyManifest: job(never), keyLogLines: property.New(301.0)}, []string{keyLogLines}},
		"a mistake beside it":   {map[string]property.Value{keyManifest: job(never), keyWith: list(object("v1", "ConfigMap"), object("v1", ""))}, []string{"with[1].kind"}},
		"an input there is not": {map[string]property.Value{keyManifest: job(never), "retries": property.New(1.0)}, []string{"retries"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &taskResource{source: connection.NewSource("test")}
			resp, err := r.Check(t.Context(), p.CheckRequest{Urn: "urn:pulumi:a::b::k8sconnect:index:Task::c", Inputs: property.NewMap(c.inputs)})
			require.NoError(t, err)
			var refused []string
			for _, failure := range resp.Failures {
				refused = append(refused, failure.Property)
			}
			assert.ElementsMatch(t, c.want, refused, "%v", resp.Failures)
		})
	}
}
