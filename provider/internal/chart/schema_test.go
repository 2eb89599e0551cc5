package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

func TestSchema(t *testing.T) {
	t.Parallel()
	problem := func(path, reason string) manifest.Problem { return manifest.Problem{Path: path, Reason: reason} }
	for name, test := range map[string]struct {
		schema string
		values m
		want   []manifest.Problem
	}{
		"a type":               {`{"properties": {"a": {"type": "integer"}}}`, m{"a": "secret"}, []manifest.Problem{problem("a", "it must be of type integer, not string")}},
		"one of several types": {`{"properties": {"a": {"type": ["integer", "null"]}}}`, m{"a": "secret"}, []manifest.Problem{problem("a", "it must be of type null or integer, not string")}},
		"an enum":              {`{"properties": {"a": {"enum": ["x", 1]}}}`, m{"a": "secret"}, []manifest.Problem{problem("a", `it must be one of "x", 1`)}},
		"a constant":           {`{"properties": {"a": {"const": {"b": 1}}}}`, m{"a": "secret"}, []manifest.Problem{problem("a", `it must be {"b":1}`)}},
		"a pattern":            {`{"properties": {"a": {"pattern": "^[0-9]+$"}}}`, m{"a": "secret"}, []manifest.Problem{problem("a", `it must match the pattern "^[0-9]+$"`)}},
		"a length":             {`{"properties": {"a": {"minLength": 7}, "b": {"maxLength": 5}}}`, m{"a": "secret", "b": "secret"}, []manifest.Problem{problem("a", "its length must be at least 7"), problem("b", "its length must be at most 5")}},
		"a number":             {`{"properties": {"a": {"minimum": 1.5}, "b": {"exclusiveMaximum": 3}, "c": {"multipleOf": 5}}}`, m{"a": 1, "b": 3, "c": 7}, []manifest.Problem{problem("a", "it must be at least 1.5"), problem("b", "it must be less than 3"), problem("c", "it must be a multiple of 5")}},
		"a missing key":        {`{"required": ["a", "b"]}`, m{"b": 1}, []manifest.Problem{problem("", `it must have "a"`)}},
		"a key too many":       {`{"properties": {"a": {"additionalProperties": false}}}`, m{"a": m{"b": "secret"}}, []manifest.Problem{problem("a", `it must not have "b"`)}},
		"items of a list":      {`{"properties": {"a": {"items": {"properties": {"b.c": {"type": "string"}}}}}}`, m{"a": []any{m{}, m{"b.c": 1}}}, []manifest.Problem{problem(`a[1]["b.c"]`, "it must be of type string, not number")}},
		"equal items":          {`{"properties": {"a": {"uniqueItems": true}}}`, m{"a": []any{"secret", "secret"}}, []manifest.Problem{problem("a", "its items 0 and 1 must not be equal")}},
		"a choice":             {`{"properties": {"a": {"oneOf": [{"type": "integer"}, {"minLength": 9}]}}}`, m{"a": "secret"}, []manifest.Problem{problem("a", `it must match exactly one of the schemas in "oneOf" (a: it must be of type integer, not string; or a: its length must be at least 9)`)}},
		"a definition":         {`{"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "integer"}}}`, m{"a": "secret"}, []manifest.Problem{problem("a", "it must be of type integer, not string")}},
		"a format":             {`{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"format": "ipv4"}}}`, m{"a": "secret"}, []manifest.Problem{problem("a", `it must have the format "ipv4"`)}},
		"no keys":              {`{"properties": {"a": {"minProperties": 1}}}`, m{"a": m{}}, []manifest.Problem{problem("a", "it must have at least 1 keys")}},
		"nothing":              {`{"properties": {"a": false}}`, m{"a": "secret"}, []manifest.Problem{problem("a", "it must not be there")}},
		"a schema in itself":   {`{"properties": {"a": {"$ref": "#/properties/a"}}}`, m{"a": "secret"}, []manifest.Problem{problem("a", "its schema refers to itself")}},
		"a reference by name":  {`{"properties": {"a": {"$ref": "urn:example:a"}}}`, m{"a": "secret"}, nil},
		"a known schema":       {`{"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"a": {"$ref": "http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger"}}}`, m{"a": -1}, []manifest.Problem{problem("a", "it must be at least 0")}},
	} {
		t.Run(name+" that is not as the schema wants is named with its path, and not quoted [H2]", func(t *testing.T) {
			t.Parallel()
			_, err := loaded(t, named("shop").with(folder{schemaFile: test.schema})).Render(t.Context(), release, test.values, Functions{})
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			var found *SchemaError
			require.ErrorAs(t, err, &found)
			assert.Equal(t, test.want, found.Problems)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
	t.Run("merged values of the chart and of each subchart are checked [H2]", func(t *testing.T) {
		t.Parallel()
		chart := named("shop").with(folder{
			schemaFile: `{"required": ["a"], "properties": {"b": {"type": "string"}}}`, "values.yaml": "a: 1",
			"Chart.yaml":               "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies: [{name: c, version: '*', alias: sub, condition: sub.enabled}]",
			"charts/c/Chart.yaml":      "name: c\nversion: 1.0.0",
			"charts/c/" + schemaFile:   `{"required": ["x"]}`,
			"charts/c/d/none.yaml":     "",
			"charts/e/Chart.yaml":      "name: e\nversion: 1.0.0",
			"charts/e/" + schemaFile:   `{"properties": {"y": {"type": "string"}}}`,
			"charts/e/templates/_.tpl": "",
		})
		_, err := loaded(t, chart).Render(t.Context(), release, m{"b": 1, "e": m{"y": 1}}, Functions{})
		require.EqualError(t, err, "the chart does not allow these values:\n  b: it must be of type string, not number\n  e.y: it must be of type string, not number\n  sub: it must have \"x\"")
		_, err = loaded(t, chart).Render(t.Context(), release, m{"sub": m{"enabled": false}}, Functions{})
		require.NoError(t, err, "what is disabled is not checked")
	})
	t.Run("nothing outside of the chart is read [H16]", func(t *testing.T) {
		t.Parallel()
		for reference, address := range map[string]string{
			"http://127.0.0.1:1/a.json":  "http://127.0.0.1:1/a.json",
			"https://example.com/a.json": "https://example.com/a.json",
			"file:///etc/hostname":       "file:///etc/hostname",
			"other.json":                 "file:///other.json",
			"../other.json#/a":           "file:///other.json",
		} {
			chart := named("shop").with(folder{schemaFile: `{"properties": {"a": {"$ref": "` + reference + `"}}}`})
			_, err := loaded(t, chart).Render(t.Context(), release, nil, Functions{})
			var outside *OutsideError
			require.ErrorAs(t, err, &outside, reference)
			assert.Equal(t, address, outside.Address)
			assert.ErrorContains(t, err, "values.schema.json of the chart shop: it refers to "+address)
		}
	})
	t.Run("a schema that cannot be used is said", func(t *testing.T) {
		t.Parallel()
		for _, schema := range []string{"{", `{"type": 1}`, `{"$schema": "http://example.com"}`, `{"properties": {"a": {"pattern": "("}}}`} {
			_, err := loaded(t, named("shop").with(folder{schemaFile: schema})).Render(t.Context(), release, m{"a": "x"}, Functions{})
			require.ErrorContains(t, err, "values.schema.json of the chart shop: it ", schema)
		}
	})
}
