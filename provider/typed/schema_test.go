package typed

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// customOf makes a CustomResourceDefinition of properties of its kind.
func customOf(properties string) []byte {
	return []byte(`{"kind":"CustomResourceDefinition","spec":{"group":"a.io","names":{"kind":"Thing"},"versions":[{"name":"v1","served":true,
		"schema":{"openAPIV3Schema":{"type":"object","required":["spec","filled"],"properties":` + properties + `}}}]}}`)
}

func contentOfCustom(t testing.TB, properties string) content {
	t.Helper()
	c := newCatalog()
	require.NoError(t, c.addText(customOf(properties)))
	return contentOf(c)
}

const thing = "k8sconnect:a.io/v1:Thing"

func TestTypesOfFields(t *testing.T) {
	t.Parallel()
	text := schema.TypeSpec{Type: "string"}
	for name, test := range map[string]struct {
		field string
		want  schema.TypeSpec
	}{
		"a text":                          {`{"type":"string"}`, text},
		"a number":                        {`{"type":"number"}`, schema.TypeSpec{Type: "number"}},
		"a list":                          {`{"type":"array","items":{"type":"boolean"}}`, schema.TypeSpec{Type: "array", Items: &schema.TypeSpec{Type: "boolean"}}},
		"a map":                           {`{"type":"object","additionalProperties":{"type":"string"}}`, schema.TypeSpec{Type: "object", AdditionalProperties: &text}},
		"a number or a text":              {`{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true}`, union("integer", "string")},
		"a quantity":                      {`{"oneOf":[{"type":"string"},{"type":"number"}]}`, union("string", "number")},
		"words":                           {`{"type":"string","enum":["Always","never"]}`, reference("k8sconnect:a.io/v1:ThingField")},
		"an object":                       {`{"type":"object","properties":{"a":{"type":"string"}}}`, reference("k8sconnect:a.io/v1:ThingField")},
		"words of which one has no name":  {`{"type":"string","enum":["Always",""]}`, text},
		"words that differ only in case":  {`{"type":"string","enum":["a","A"]}`, text},
		"an object that may have more":    {`{"type":"object","properties":{"a":{"type":"string"}},"x-kubernetes-preserve-unknown-fields":true}`, anything},
		"an object with any fields":       {`{"type":"object","additionalProperties":true}`, anything},
		"an object without fields":        {`{"type":"object"}`, anything},
		"another object":                  {`{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"a":{"type":"string"}}}`, anything},
		"nothing that is known":           {`{"not":{"type":"string"}}`, anything},
		"a list of nothing that is known": {`{"type":"array"}`, schema.TypeSpec{Type: "array", Items: &anything}},
		"a reference to what the document has not": {`{"$ref":"#/components/schemas/gone"}`, anything},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, contentOfCustom(t, `{"field":`+test.field+`}`).Kinds[thing].Fields["field"].TypeSpec)
		})
	}
}

func TestAClassHasTheFieldsThatAreApplied(t *testing.T) {
	t.Parallel()
	c := contentOfCustom(t, `{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},"status":{"type":"object"},
		"spec":{"type":"object","description":"What it is.","required":["given","filled"],"properties":{
			"given":{"type":"string"},"filled":{"type":"string","default":""},"kebab-name":{"type":"string"}}},
		"filled":{"type":"integer","default":1},"id":{"type":"string"}}`)
	kind := c.Kinds[thing]
	var names []string
	for name := range kind.Fields {
		names = append(names, name)
	}
	assert.ElementsMatch(t, []string{"metadata", "spec", "filled", "id_"}, names)
	assert.Equal(t, []string{"metadata", "spec"}, kind.Required, "what has a default may be left out")
	spec := c.Types["k8sconnect:a.io/v1:ThingSpec"]
	assert.Equal(t, []string{"given"}, spec.Required)
	assert.Contains(t, spec.Properties, "kebab__name")
	assert.Nil(t, spec.Properties["filled"].Default, "a default would be sent, and owned")
	assert.Equal(t, []string{"name"}, c.Types["k8sconnect:meta/v1:NamedMeta"].Required)
}

func TestTypesWithOneNameAreTwo(t *testing.T) {
	t.Parallel()
	c := contentOfCustom(t, `{"fooBar":{"type":"object","properties":{"a":{"type":"string"}}},
		"foo":{"type":"object","properties":{"bar":{"type":"object","properties":{"b":{"type":"string"}}}}},
		"FOO":{"type":"object","properties":{"c":{"type":"string"}}}}`)
	fields := c.Kinds[thing].Fields
	refs := map[string]bool{}
	for _, name := range []string{"fooBar", "foo", "FOO"} {
		refs[fields[name].Ref] = true
	}
	assert.Len(t, refs, 3)
	typeOf := func(ref string) schema.ComplexTypeSpec { return c.Types[strings.TrimPrefix(ref, "#/types/")] }
	assert.Contains(t, typeOf(fields["fooBar"].Ref).Properties, "a")
	assert.Contains(t, typeOf(typeOf(fields["foo"].Ref).Properties["bar"].Ref).Properties, "b")
	assert.NotEqual(t, strings.ToLower(fields["foo"].Ref), strings.ToLower(fields["FOO"].Ref), "they would be one file in some languages")
}

func TestTypesMayContainThemselves(t *testing.T) {
	t.Parallel()
	doc, err := parseDocument([]byte(`{"components":{"schemas":{
		"io.k8s.api.core.v1.Secret":{"type":"object","properties":{"data":{"type":"object","additionalProperties":{"type":"string"}},"tree":{"$ref":"#/components/schemas/Tree"},"list":{"$ref":"#/components/schemas/List"}},
			"x-kubernetes-group-version-kind":[{"group":"","version":"v1","kind":"Secret"}]},
		"Tree":{"type":"object","properties":{"left":{"allOf":[{"$ref":"#/components/schemas/Tree"}],"default":{}},"$ref":{"type":"string"}}},
		"List":{"type":"array","items":{"$ref":"#/components/schemas/List"}},
		"Other":{"type":"object"}}}}`))
	require.NoError(t, err)
	c := newCatalog()
	k := Kind{"", "v1", "Secret"}
	require.NoError(t, c.add(k, doc))
	assert.NotContains(t, c.Documents["v1"], "Other")
	made := contentOf(c)
	tree := made.Kinds[k.Token()].Fields["tree"].Ref
	assert.Equal(t, tree, made.Types[tree[len("#/types/"):]].Properties["left"].Ref)
	assert.True(t, made.Kinds[k.Token()].Fields["data"].Secret)
	assert.NotNil(t, shapesOf(made)[k.Token()])

	err = c.add(Kind{"", "v1", "Secrets"}, doc)
	require.ErrorContains(t, err, "no kind Secrets in v1. Did you mean v1/Secret?")
}

func TestTheSchemaOfAnExtension(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../schema.json")
	require.NoError(t, err)
	b, err := parseBase(string(text), "1.2.3", "k8sconnect:index:KubeObject")
	require.NoError(t, err)
	c := contentOfCustom(t, `{"spec":{"type":"object","description":"What it is.","properties":{"a":{"type":"string","description":"An a."}}}}`)
	value, err := c.value()
	require.NoError(t, err)
	written, err := b.schemaOf("kinds", "0.1.0", "", c, value)
	require.NoError(t, err)
	var spec schema.PackageSpec
	require.NoError(t, json.Unmarshal([]byte(written), &spec))

	_, problems, err := schema.BindSpec(spec, baseLoader{text: string(text)}, schema.ValidationOptions{})
	require.NoError(t, err)
	assert.False(t, problems.HasErrors(), problems)
	assert.Equal(t, []string{"k8sconnect"}, spec.AllowedPackageNames)
	assert.NotEmpty(t, spec.PluginDownloadURL)
	assert.Equal(t, value, spec.ExtensionParameterization.Parameter)
	options := spec.Types[optionsToken].Properties
	assert.NotContains(t, options, "manifest")
	assert.NotContains(t, options, "yaml")
	assert.True(t, options["clusterConnection"].Secret)
	assert.Equal(t, "/k8sconnect/v1.2.3/schema.json#/types/k8sconnect:index:ResourceRef", spec.Types[appliedToken].Properties["resourceRef"].Ref)
	assert.Equal(t, []string{"resourceRef"}, spec.Types[appliedToken].Required)
	assert.Equal(t, []schema.TypeSpec{{Type: "string"}, reference("k8sconnect:index:ConflictPolicy")}, options["conflictPolicy"].OneOf)
	assert.NotEmpty(t, spec.Types["k8sconnect:index:ConflictPolicy"].Enum, "Java looks for words in the package itself")
	assert.NotContains(t, spec.Types, "k8sconnect:index:DriftDetection", "no property has these words")

	again, err := parseValue(value)
	require.NoError(t, err)
	assert.Equal(t, c.withoutDescriptions(), again)
	same, err := again.value()
	require.NoError(t, err)
	assert.Equal(t, value, same, "the same kinds are the same bytes")
	for _, bad := range [][]byte{nil, []byte("none"), value[:20]} {
		_, err = parseValue(bad)
		require.Error(t, err)
	}
}

func TestDefinitionsInFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": "kind: ConfigMap\n---\n# nothing\n---\n" + string(customOf(`{"spec":{"type":"object"}}`)),
		"b.txt":  "no definition", "c.json": `{"kind":"List"}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	c := newCatalog()
	require.NoError(t, c.addDefinitions(t.Context(), folder))
	assert.Equal(t, []Kind{{"a.io", "v1", "Thing"}}, c.Kinds)
	for name, want := range map[string]string{"c.json": "no CustomResourceDefinition", "gone.yaml": "no such file", "b.txt": "is no YAML"} {
		require.ErrorContains(t, newCatalog().addDefinitions(t.Context(), filepath.Join(folder, name)), want)
	}

	file := filepath.Join(folder, "saved.json")
	require.NoError(t, c.save(file))
	saved := newCatalog()
	require.NoError(t, saved.addSaved(t.Context(), file, nil))
	assert.Equal(t, contentOf(c), contentOf(saved))
	require.ErrorContains(t, newCatalog().addSaved(t.Context(), file, []Kind{{"", "v1", "Pod"}}), "the file has no v1/Pod, only a.io/v1/Thing")
	require.ErrorContains(t, newCatalog().addSaved(t.Context(), filepath.Join(folder, "b.txt"), nil), "not one that save= has written")
}

func FuzzDefinitions(f *testing.F) {
	f.Add(customOf(`{"spec":{"type":"object","properties":{"$ref":{"type":"string"}}}}`))
	f.Add(customOf(`{"spec":null,"x":{"type":"array"},"y":{"additionalProperties":false},"z":{"allOf":[null]}}`))
	f.Add([]byte("kind: CustomResourceDefinition\nspec: {group: a, names: {kind: B}, versions: [{name: v1, served: true}]}\n---\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c := newCatalog()
		if c.addText(text) != nil {
			return
		}
		made := contentOf(c)
		value, err := made.value()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseValue(value)
		if err != nil {
			t.Fatal(err)
		}
		shapesOf(again)
	})
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"components":{"schemas":{"A":{"properties":{"a":{"$ref":"#/components/schemas/A"}},"x-kubernetes-group-version-kind":[{"group":"a.io","version":"v1","kind":"A"}]}}}}`))
	f.Add([]byte(`{"components":{"schemas":{"A":{"type":"array","items":{"$ref":"#/components/schemas/A"},"x-kubernetes-group-version-kind":[{"group":"a.io","version":"v1","kind":"A"}]},"B":null}}}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		doc, err := parseDocument(text)
		if err != nil {
			return
		}
		c := newCatalog()
		if c.add(Kind{"a.io", "v1", "A"}, doc) == nil {
			shapesOf(contentOf(c))
		}
	})
}

// baseLoader loads the base package.
type baseLoader struct {
	schema.Loader
	text string
}

// LoadPackageV2 returns it, whatever is asked for.
func (l baseLoader) LoadPackageV2(context.Context, *schema.PackageDescriptor) (*schema.Package, error) {
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(l.text), &spec); err != nil {
		return nil, err
	}
	spec.Version = "1.2.3"
	loaded, _, err := schema.BindSpec(spec, l, schema.ValidationOptions{})
	return loaded, err
}
