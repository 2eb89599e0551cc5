package class_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

func definition(t *testing.T, schema string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	of := &v1alpha1.EnvironmentClass{Spec: v1alpha1.EnvironmentClassSpec{
		Kind: v1alpha1.ClassKind{Kind: "Web", Plural: "webs"}, Schema: &apiextensionsv1.JSON{Raw: []byte(schema)},
	}}
	made, err := class.Definition(of, nil)
	require.NoError(t, err)
	return made
}

func TestWhatANewSchemaTakesAway(t *testing.T) { // [X61]
	t.Parallel()
	for name, c := range map[string]struct{ before, after, says string }{
		"nothing, if it is the same":                 {`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}}}`, ""},
		"nothing, with one more":                     {`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`, ""},
		"nothing, with another description":          {`{"properties":{"a":{"type":"string","description":"x"}}}`, `{"properties":{"a":{"type":"string","description":"y"}}}`, ""},
		"nothing, with another default":              {`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string","default":"x"}}}`, ""},
		"nothing, if it is required no more":         {`{"properties":{"a":{"type":"string"}},"required":["a"]}`, `{"properties":{"a":{"type":"string"}}}`, ""},
		"nothing, with one more of a list":           {`{"properties":{"a":{"type":"string","enum":["x"]}}}`, `{"properties":{"a":{"type":"string","enum":["x","y"]}}}`, ""},
		"nothing, without bounds":                    {`{"properties":{"a":{"type":"string","maxLength":3}}}`, `{"properties":{"a":{"type":"string"}}}`, ""},
		"nothing, if what it requires has a default": {`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string","default":"x"}},"required":["a"]}`, ""},
		"a property":                         {`{"properties":{"a":{"type":"string"}}}`, `{}`, "spec.a would be removed"},
		"a property within":                  {`{"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`, `{"properties":{"a":{"type":"object"}}}`, "spec.a.b would be removed"},
		"a property of an item":              {`{"properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}}}}}}`, `{"properties":{"a":{"type":"array","items":{"type":"object"}}}}`, "spec.a[].b would be removed"},
		"a type":                             {`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"integer"}}}`, `spec.a was of the type "string" and would be of "integer"`},
		"the freedom to leave it out":        {`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}},"required":["a"]}`, "spec.a would be required"},
		"the freedom to leave out a new one": {`{}`, `{"properties":{"a":{"type":"string"}},"required":["a"]}`, "spec.a would be required"},
		"a value":                            {`{"properties":{"a":{"type":"string","enum":["x","y"]}}}`, `{"properties":{"a":{"type":"string","enum":["x"]}}}`, `spec.a could no longer be "y"`},
		"all values but some":                {`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string","enum":["x"]}}}`, "spec.a would be one of a list"},
		"values by a bound":                  {`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string","maxLength":3}}}`, "spec.a would have the maxLength 3"},
		"nothing, with a larger maximum":     {`{"properties":{"a":{"type":"integer","maximum":5}}}`, `{"properties":{"a":{"type":"integer","maximum":8}}}`, ""},
		"nothing, with a smaller minimum":    {`{"properties":{"a":{"type":"integer","minimum":5}}}`, `{"properties":{"a":{"type":"integer","minimum":2}}}`, ""},
		"nothing, with more items":           {`{"properties":{"a":{"type":"array","maxItems":2,"minItems":1,"items":{"type":"string"}}}}`, `{"properties":{"a":{"type":"array","maxItems":3,"items":{"type":"string"}}}}`, ""},
		"nothing, with the bound itself":     {`{"properties":{"a":{"type":"integer","maximum":5,"exclusiveMaximum":true}}}`, `{"properties":{"a":{"type":"integer","maximum":5}}}`, ""},
		"values above a bound":               {`{"properties":{"a":{"type":"integer","maximum":8}}}`, `{"properties":{"a":{"type":"integer","maximum":5}}}`, "spec.a had the maximum 8 and would have 5"},
		"values below a bound":               {`{"properties":{"a":{"type":"string","minLength":1}}}`, `{"properties":{"a":{"type":"string","minLength":2}}}`, "spec.a had the minLength 1 and would have 2"},
		"the bound itself":                   {`{"properties":{"a":{"type":"integer","maximum":5}}}`, `{"properties":{"a":{"type":"integer","maximum":5,"exclusiveMaximum":true}}}`, "spec.a had the maximum 5 and would have 5, without that value itself"},
		"values by a rule":                   {`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string","x-kubernetes-validations":[{"rule":"self != ''"}]}}}`, "what spec.a may be would be bounded in another way"},
		"what has no schema":                 {`{"properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}`, `{"properties":{"a":{"type":"object"}}}`, "what spec.a may be would be bounded in another way"},
		"free fields":                        {`{"properties":{"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}`, `{"properties":{"a":{"type":"object"}}}`, "what spec.a may be would be bounded in another way"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.says, class.Narrowing(definition(t, c.before), definition(t, c.after)))
		})
	}
}
