package class_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

// declaring is a revision whose program declares this under config.
func declaring(config string) *class.Revision {
	return &class.Revision{Files: map[string][]byte{"Pulumi.yaml": []byte("name: web\nruntime: yaml\nconfig: " + config + "\n")}}
}

// made is the kind of a class without a schema.
func made(secrets []string, revision *class.Revision) (*apiextensionsv1.CustomResourceDefinition, error) {
	return class.Definition(&v1alpha1.EnvironmentClass{Spec: v1alpha1.EnvironmentClassSpec{
		Kind: v1alpha1.ClassKind{Kind: "Web", Plural: "webs"}, Secrets: secrets,
	}}, revision)
}

func TestTheSchemaOfWhatAProgramDeclares(t *testing.T) { // [X61]
	t.Parallel()
	const reference = `{type: object, description: A secret value., required: [secretKeyRef], properties: {secretKeyRef: {type: object, description: A key of a Secret of this namespace.,
		required: [name, key], properties: {name: {type: string, minLength: 1, maxLength: 253}, key: {type: string, minLength: 1, maxLength: 253}}}}}`
	for name, c := range map[string]struct {
		config   string
		template v1alpha1.EnvironmentSpec
		secrets  []string
		schema   string
	}{
		"nothing":             {config: `{}`, schema: `{}`},
		"a text":              {config: `{image: {type: string}}`, schema: `{required: [image], properties: {image: {type: string}}}`},
		"a number":            {config: `{size: {type: integer}}`, schema: `{required: [size], properties: {size: {type: integer}}}`},
		"a boolean":           {config: `{open: {type: boolean}}`, schema: `{required: [open], properties: {open: {type: boolean}}}`},
		"a list":              {config: `{zones: {type: array, items: {type: string}}}`, schema: `{required: [zones], properties: {zones: {type: array, items: {type: string}}}}`},
		"a list of lists":     {config: `{grid: {type: array, items: {type: array, items: {type: integer}}}}`, schema: `{required: [grid], properties: {grid: {type: array, items: {type: array, items: {type: integer}}}}}`},
		"an object":           {config: `{labels: {type: object}}`, schema: `{required: [labels], properties: {labels: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`},
		"a list of objects":   {config: `{rules: {type: array, items: {type: object}}}`, schema: `{required: [rules], properties: {rules: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}`},
		"several, in order":   {config: `{b: {type: string}, a: {type: string}}`, schema: `{required: [a, b], properties: {a: {type: string}, b: {type: string}}}`},
		"a description":       {config: `{size: {type: integer, description: How large., default: 1}}`, schema: `{properties: {size: {type: integer, description: How large., default: 1}}}`},
		"a default":           {config: `{image: {type: string, default: "web:1"}}`, schema: `{properties: {image: {type: string, default: "web:1"}}}`},
		"an empty default":    {config: `{image: {type: string, default: ""}}`, schema: `{properties: {image: {type: string, default: ""}}}`},
		"a default of a list": {config: `{zones: {type: array, items: {type: string}, default: [a, b]}}`, schema: `{properties: {zones: {type: array, items: {type: string}, default: [a, b]}}}`},
		"an object by default": {
			config: `{labels: {type: object, default: {app: {tier: 1}}}}`,
			schema: `{properties: {labels: {type: object, x-kubernetes-preserve-unknown-fields: true, default: {app: {tier: 1}}}}}`,
		},
		"defaults that are written as texts": {
			config: `{size: {type: integer, default: "3"}, open: {type: boolean, default: "true"}, ports: {type: array, items: {type: integer}, default: ["80"]}, zip: {type: string, default: "3"}}`,
			schema: `{properties: {size: {type: integer, default: 3}, open: {type: boolean, default: true}, ports: {type: array, items: {type: integer}, default: [80]}, zip: {type: string, default: "3"}}}`,
		},
		"defaults without types": {
			config: `{image: "web:1", size: 2, open: false, share: {default: 1.5}, labels: {default: {a: b}}}`,
			schema: `{properties: {image: {type: string, default: "web:1"}, size: {type: integer, default: 2}, open: {type: boolean, default: false}, share: {type: number, default: 1.5},
				labels: {type: object, x-kubernetes-preserve-unknown-fields: true, default: {a: b}}}}`,
		},
		"a key with its project":         {config: `{"web:image": {type: string}}`, schema: `{required: [image], properties: {image: {type: string}}}`},
		"not what has a value":           {config: `{image: {type: string, value: "web:1"}}`, schema: `{}`},
		"not what is of others":          {config: `{"aws:region": {value: eu}, "k8sconnect:namespace": {value: web}, "webs:image": {value: "web:1"}}`, schema: `{}`},
		"not what is secret":             {config: `{password: {type: string, secret: true}, token: {type: string, secret: true, default: x}}`, schema: `{}`},
		"a secret that is listed":        {config: `{password: {type: string, secret: true}}`, secrets: []string{"password"}, schema: `{required: [password], properties: {password: ` + reference + `}}`},
		"a secret with a default":        {config: `{password: {type: string, secret: true, default: x}}`, secrets: []string{"password"}, schema: `{properties: {password: ` + reference + `}}`},
		"what the class makes a secret":  {config: `{password: {type: string}}`, secrets: []string{"password"}, schema: `{required: [password], properties: {password: ` + reference + `}}`},
		"a secret that it does not know": {config: `{}`, secrets: []string{"password"}, schema: `{properties: {password: ` + reference + `}}`},
		"not what the template sets": {
			config: `{image: {type: string}, name: {type: string}, db: {type: object}, url: {type: string}, size: {type: integer}}`,
			template: v1alpha1.EnvironmentSpec{
				Config:       map[string]apiextensionsv1.JSON{"name": {Raw: []byte(`"{{ name }}"`)}, "web:size": {Raw: []byte("1")}},
				SecretConfig: map[string]v1alpha1.SecretConfigSource{"db.password": {}}, ConfigFrom: map[string]v1alpha1.ConfigSource{"url": {}},
			},
			schema: `{required: [image], properties: {image: {type: string}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			revision := declaring(c.config)
			revision.Template = c.template
			definition, err := made(c.secrets, revision)
			require.NoError(t, err)
			schema := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
			encoded, err := json.Marshal(schema.Properties["spec"])
			require.NoError(t, err)
			wanted := map[string]any{}
			require.NoError(t, yaml.Unmarshal([]byte(c.schema), &wanted))
			wanted["type"] = "object"
			expected, err := json.Marshal(wanted)
			require.NoError(t, err)
			assert.JSONEq(t, string(expected), string(encoded))
			assert.Equal(t, wanted["required"] != nil, len(schema.Required) == 1, "spec itself is required")
		})
	}
}

func TestWhatAProgramDeclaresAndNoKindCanHave(t *testing.T) { // [X61]
	t.Parallel()
	for name, c := range map[string]struct {
		config  string
		secrets []string
		says    string
	}{
		"a path":              {config: `{db.name: {type: string}}`, says: `config of the program has "db.name". The name of a property has letters`},
		"a name with a digit": {config: `{2nd: {type: string}}`, says: `config of the program has "2nd". The name of a property has letters`},
		"no type":             {config: `{image: {description: Which.}}`, says: `config of the program has "image", which has no type. Declare it in Pulumi.yaml, or write spec.schema`},
		"a list of anything":  {config: `{zones: [a, b]}`, says: `has "zones", which has no type`},
		"no program":          {config: `[`, says: "the program is invalid: Pulumi.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := made(c.secrets, declaring(c.config))
			require.ErrorContains(t, err, c.says)
		})
	}
	t.Run("but the template may set it", func(t *testing.T) {
		t.Parallel()
		revision := declaring(`{db.name: {type: string}, image: {description: Which.}}`)
		revision.Template.Config = map[string]apiextensionsv1.JSON{"db.name": {}, "image": {}}
		_, err := made(nil, revision)
		require.NoError(t, err)
	})
}

func TestWhatAnObjectHasAndItsRevisionIsNotTold(t *testing.T) { // [X61]
	t.Parallel()
	const old, grown = `{image: {type: string}}`, `{image: {type: string}, zone: {type: string, default: a}}`
	for name, c := range map[string]struct {
		revision, newest, kind, spec string
		unknown, withheld            []string
	}{
		"nothing, if the program knows all":     {old, old, old, `{"image": "web:1"}`, nil, nil},
		"a key that comes later":                {old, grown, grown, `{"image": "web:1", "zone": "b"}`, []string{"zone"}, []string{"zone"}},
		"the default of one":                    {old, grown, grown, `{"zone": "a"}`, []string{"zone"}, []string{"zone"}},
		"the default of one that nobody has":    {old, old, grown, `{"zone": "a"}`, []string{"zone"}, []string{"zone"}},
		"not what is set and nobody has":        {old, old, grown, `{"zone": "b"}`, []string{"zone"}, nil},
		"not what the newest does not have":     {`{}`, old, grown, `{"image": "web:1", "zone": "b"}`, []string{"image", "zone"}, []string{"image"}},
		"a list that is the default":            {old, old, `{zones: {type: array, items: {type: integer}, default: [1, 2]}}`, `{"zones": [1, 2]}`, []string{"zones"}, []string{"zones"}},
		"nothing without a kind and its newest": {old, "", "", `{"zone": "a"}`, []string{"zone"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := &unstructured.Unstructured{}
			require.NoError(t, instance.UnmarshalJSON([]byte(`{"apiVersion": "v1", "kind": "Web", "spec": `+c.spec+`}`)))
			unknown := class.Unknown(declaring(c.revision), instance)
			assert.Equal(t, c.unknown, unknown)
			kind, newest := &apiextensionsv1.CustomResourceDefinition{}, (*class.Revision)(nil)
			if c.newest != "" {
				newest = declaring(c.newest)
				var err error
				kind, err = made(nil, declaring(c.kind))
				require.NoError(t, err)
			}
			assert.Equal(t, c.withheld, class.Withheld(unknown, newest, kind, instance))

			of := &v1alpha1.EnvironmentClass{}
			environment, err := class.Environment(of, declaring(c.revision), instance, c.withheld)
			require.NoError(t, err)
			spec, _, _ := unstructured.NestedMap(instance.Object, "spec")
			assert.Len(t, environment.Spec.Config, len(spec)-len(c.withheld))
		})
	}
}
