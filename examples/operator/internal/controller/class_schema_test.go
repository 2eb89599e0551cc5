package controller_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

// TestTheAPIServerAgreesWithWhatASchemaTakesAway stores an object, changes the definition, and asks the API server what it would store
// now. What narrows nothing must leave each object as it is.
func TestTheAPIServerAgreesWithWhatASchemaTakesAway(t *testing.T) { // [X61]
	t.Parallel()
	for name, c := range map[string]struct {
		before, after, spec string
		narrows             bool
		// stricter says that the API server would allow what is refused.
		stricter bool
	}{
		"one property more":         {`{properties: {a: {type: string}}}`, `{properties: {a: {type: string}, b: {type: integer}}}`, `{a: x}`, false, false},
		"a property less":           {`{properties: {a: {type: string}}}`, `{properties: {b: {type: string}}}`, `{a: x}`, true, false},
		"a default more":            {`{properties: {a: {type: string}}}`, `{properties: {a: {type: string, default: z}}}`, `{a: x}`, false, false},
		"required with a default":   {`{properties: {a: {type: string}}}`, `{required: [a], properties: {a: {type: string, default: z}}}`, `{a: x}`, false, false},
		"required":                  {`{properties: {a: {type: string}}}`, `{required: [a], properties: {a: {type: string}}}`, `{}`, true, false},
		"a value more":              {`{properties: {a: {type: string, enum: [x]}}}`, `{properties: {a: {type: string, enum: [x, z]}}}`, `{a: x}`, false, false},
		"a value less":              {`{properties: {a: {type: string, enum: [x, z]}}}`, `{properties: {a: {type: string, enum: [z]}}}`, `{a: x}`, true, false},
		"another type":              {`{properties: {a: {type: string}}}`, `{properties: {a: {type: integer}}}`, `{a: x}`, true, false},
		"no bound any more":         {`{properties: {a: {type: string, maxLength: 3}}}`, `{properties: {a: {type: string}}}`, `{a: x}`, false, false},
		"a larger bound":            {`{properties: {a: {type: integer, maximum: 3}}}`, `{properties: {a: {type: integer, maximum: 9}}}`, `{a: 3}`, false, false},
		"a smaller bound":           {`{properties: {a: {type: integer, maximum: 9}}}`, `{properties: {a: {type: integer, maximum: 3}}}`, `{a: 9}`, true, false},
		"a larger least length":     {`{properties: {a: {type: string, minLength: 1}}}`, `{properties: {a: {type: string, minLength: 3}}}`, `{a: x}`, true, false},
		"the bound itself":          {`{properties: {a: {type: integer, maximum: 9}}}`, `{properties: {a: {type: integer, maximum: 9, exclusiveMaximum: true}}}`, `{a: 9}`, true, false},
		"a bound":                   {`{properties: {a: {type: string}}}`, `{properties: {a: {type: string, maxLength: 3}}}`, `{a: long}`, true, false},
		"no free fields any more":   {`{properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`, `{properties: {a: {type: object}}}`, `{a: {b: x}}`, true, false},
		"no map any more":           {`{properties: {a: {type: object, additionalProperties: {type: string}}}}`, `{properties: {a: {type: object}}}`, `{a: {b: x}}`, true, false},
		"a property less of items":  {`{properties: {a: {type: array, items: {type: object, properties: {b: {type: string}}}}}}`, `{properties: {a: {type: array, items: {type: object}}}}`, `{a: [{b: x}]}`, true, false},
		"numbers in place of whole": {`{properties: {a: {type: integer}}}`, `{properties: {a: {type: number}}}`, `{a: 1}`, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shared, err := connect()
			require.NoError(t, err)
			scheme := runtime.NewScheme()
			require.NoError(t, apiextensionsv1.AddToScheme(scheme))
			person, err := client.New(shared, client.Options{Scheme: scheme})
			require.NoError(t, err)
			kind := fmt.Sprintf("Schema%d", places.Add(1))
			of := func(schema string) *v1alpha1.EnvironmentClass {
				encoded, err := yaml.YAMLToJSON([]byte(schema))
				require.NoError(t, err)
				return &v1alpha1.EnvironmentClass{ObjectMeta: metav1.ObjectMeta{Name: "schema"}, Spec: v1alpha1.EnvironmentClassSpec{
					Kind: v1alpha1.ClassKind{Kind: kind, Plural: strings.ToLower(kind) + "s"}, Schema: &apiextensionsv1.JSON{Raw: encoded},
				}}
			}
			before, err := class.Definition(of(c.before), nil)
			require.NoError(t, err)
			after, err := class.Definition(of(c.after), nil)
			require.NoError(t, err)
			assert.Equal(t, c.narrows, class.Narrowing(before, after) != "", class.Narrowing(before, after))

			require.NoError(t, person.Create(t.Context(), before))
			object := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal([]byte("spec: "+c.spec), &object.Object))
			object.SetGroupVersionKind(of(c.before).InstanceKind())
			object.SetNamespace("default")
			object.SetName("it")
			require.Eventually(t, func() bool { return person.Create(t.Context(), object.DeepCopy()) == nil }, eventually, moment)
			stored := before.DeepCopy()
			require.NoError(t, person.Get(t.Context(), client.ObjectKeyFromObject(before), stored))
			stored.Spec.Versions = after.Spec.Versions
			// A marker says when the new schema is in force.
			stored.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["inForce"] = apiextensionsv1.JSONSchemaProps{Type: "string"}
			require.NoError(t, person.Update(t.Context(), stored))
			require.Eventually(t, func() bool {
				probe := object.DeepCopy()
				probe.SetName("probe")
				probe.Object["inForce"] = "yes"
				err := person.Create(t.Context(), probe, client.DryRunAll)
				return err != nil || probe.Object["inForce"] == "yes"
			}, eventually, moment)
			again := object.DeepCopy()
			require.NoError(t, person.Get(t.Context(), client.ObjectKeyFromObject(object), again))
			again.SetLabels(map[string]string{"touched": "yes"})
			err = person.Update(t.Context(), again, client.DryRunAll)
			updated := err == nil && fmt.Sprint(again.Object["spec"]) == fmt.Sprint(object.Object["spec"])
			// An update keeps values that are invalid by now and do not change. So the same object is created once more, too.
			fresh := object.DeepCopy()
			fresh.SetName("fresh")
			err = person.Create(t.Context(), fresh, client.DryRunAll)
			created := err == nil && fmt.Sprint(fresh.Object["spec"]) == fmt.Sprint(object.Object["spec"])
			assert.Equal(t, !c.narrows || c.stricter, updated && created, "%v: %v, %v", err, again.Object["spec"], fresh.Object["spec"])
		})
	}
}
