package typed

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// oddAdapter is for a kind with fields that are no identifiers.
func oddAdapter(t testing.TB) adapter {
	t.Helper()
	shapes := &shapes{}
	shapes.add(contentOfCustom(t, `{"id":{"type":"string"},"free":{"type":"object","additionalProperties":{"type":"string"}},
		"spec":{"type":"object","properties":{"$ref":{"type":"string"},"plain":{"type":"string"},
			"kebab-list":{"type":"array","items":{"type":"object","properties":{"@odd":{"type":"integer"}}}},
			"by-name":{"type":"object","additionalProperties":{"type":"object","properties":{"x-y":{"type":"integer"}}}}}}}`))
	k := Kind{"a.io", "v1", "Thing"}
	return adapter{kind: k, shape: shapes.of(k), options: []string{"adopt", "ignoreFields"}}
}

func drawValue(t *rapid.T, depth int) property.Value {
	names := rapid.SampledFrom([]string{"x_x24_ref", "kebab__list", "x_x40_odd", "by__name", "x__y", "id_", "plain", "free", "a.b"})
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 2).Draw(t, "what")
	}
	v := property.New(rapid.SampledFrom([]string{"", "a", "$ref"}).Draw(t, "text"))
	switch {
	case kind == 1:
		v = property.New(drawMap(t, names, depth-1))
	case kind == 2:
		var items []property.Value
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			items = append(items, drawValue(t, depth-1))
		}
		v = property.New(property.NewArray(items))
	case rapid.IntRange(0, 9).Draw(t, "unknown") == 0:
		v = property.New(property.Computed)
	}
	return v.WithSecret(rapid.IntRange(0, 5).Draw(t, "secret") == 0)
}

func drawMap(t *rapid.T, names *rapid.Generator[string], depth int) property.Map {
	out := map[string]property.Value{}
	for _, name := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID[string]).Draw(t, "names") {
		out[name] = drawValue(t, depth)
	}
	return property.NewMap(out)
}

func TestToAnObjectAndBackIsTheSame(t *testing.T) {
	t.Parallel()
	a := oddAdapter(t)
	rapid.Check(t, func(t *rapid.T) {
		typed := drawMap(t, rapid.SampledFrom([]string{"spec", "id_", "free", "other", "__hidden"}), 4).Set("metadata", drawValue(t, 2))
		if rapid.Bool().Draw(t, "with options") {
			typed = typed.Set(Options, property.New(map[string]property.Value{"adopt": drawValue(t, 1), "yaml": drawValue(t, 1)}))
		}
		object := a.toObject(typed)
		if !object.Get("manifest").IsMap() {
			t.Fatalf("there is no manifest: %v", object)
		}
		if back := a.inputsFrom(object); !back.Equals(typed) {
			t.Fatalf("%v became %v, and that %v", typed, object, back)
		}
	})
}

func TestOutputsOfAnObjectAreWhatTheyWere(t *testing.T) {
	t.Parallel()
	a := oddAdapter(t)
	rapid.Check(t, func(t *rapid.T) {
		members := drawMap(t, rapid.SampledFrom([]string{"spec", "id", "free", "metadata"}), 0)
		if rapid.IntRange(0, 3).Draw(t, "with its kind") > 0 {
			members = members.Set("apiVersion", property.New("a.io/v1")).Set("kind", property.New("Thing"))
		}
		object := property.NewMap(map[string]property.Value{
			"manifest":    property.New(members).WithSecret(rapid.IntRange(0, 3).Draw(t, "secret as a whole") == 0),
			"resourceRef": property.New(map[string]property.Value{"apiVersion": property.New("a.io/v1"), "kind": property.New("Thing")}),
			"__hidden":    drawValue(t, 1),
		})
		if back := a.toObject(a.outputsFrom(object, property.Map{})); !back.Equals(object) {
			t.Fatalf("%v became %v", object, back)
		}
	})
}

func TestPaths(t *testing.T) {
	t.Parallel()
	a := oddAdapter(t)
	for typed, object := range map[string]string{
		"spec.plain":                     "manifest.spec.plain",
		"spec.x_x24_ref":                 `manifest.spec["$ref"]`,
		"spec.kebab__list[1].x_x40_odd":  `manifest.spec["kebab-list"][1]["@odd"]`,
		`spec.by__name["a.b"].x__y`:      `manifest.spec["by-name"]["a.b"]["x-y"]`,
		"free.x_x24_ref":                 "manifest.free.x_x24_ref",
		"id_":                            "manifest.id",
		"k8sconnect.adopt":               "adopt",
		"k8sconnect.ignoreFields[0]":     "ignoreFields[0]",
		"metadata.labels[\"app.io/it\"]": `manifest.metadata.labels["app.io/it"]`,
	} {
		assert.Equal(t, []string{object}, a.toManifest(typed))
		assert.Equal(t, typed, a.fromManifest(object))
	}
	for object, typed := range map[string]string{
		"manifest": "", "manifest.apiVersion": "k8sconnect.resourceRef.apiVersion", "__appliedFields": "__appliedFields", "yaml.manifest": "k8sconnect.yaml.manifest",
		"": "", `manifest.data["a\"]`: `data["a\"]`, "yaml": "k8sconnect.yaml", "yaml.spec.plain": "spec.plain", `yaml.spec["$ref"]`: "spec.x_x24_ref",
	} {
		assert.Equal(t, typed, a.fromManifest(object), object)
	}
	assert.Equal(t, []string{`manifest.spec["kebab-list"]["*"]["@odd"]`, "adopt", "ignoreFields", "*"},
		a.ignored([]string{"spec.kebab__list[*].x_x40_odd", "k8sconnect", "*"}))
	assert.Equal(t, map[string]p.PropertyDiff{"metadata": {Kind: p.Update}, "spec": {Kind: p.Update}},
		a.detailed(map[string]p.PropertyDiff{"manifest": {Kind: p.Update}},
			property.NewMap(map[string]property.Value{"spec": property.New(1.0), "metadata": property.New(1.0), Options: property.New(1.0)})))
}

func TestOptionsThatAreUnknownOrSecretAsAWhole(t *testing.T) {
	t.Parallel()
	a, unknown := oddAdapter(t), property.New(property.Computed)
	object := a.toObject(property.NewMap(map[string]property.Value{"metadata": property.New("it"), Options: unknown}))
	assert.True(t, object.Get("adopt").IsComputed())
	assert.True(t, object.Get("ignoreFields").IsComputed())

	secret := a.toObject(property.NewMap(map[string]property.Value{Options: property.New(map[string]property.Value{"adopt": property.New(true)}).WithSecret(true)}))
	assert.True(t, secret.Get("adopt").Secret(), "what was inside a secret is secret")

	preview := a.outputsFrom(property.NewMap(map[string]property.Value{"manifest": unknown}),
		property.NewMap(map[string]property.Value{"spec": property.New("it"), Options: property.New("it")}))
	assert.Equal(t, property.NewMap(map[string]property.Value{"spec": unknown}), preview)
}

func TestWhatOnlyATypedResourceCanHaveWrong(t *testing.T) {
	t.Parallel()
	a := oddAdapter(t)
	text := property.New("{}")
	options := func(name string, v property.Value) property.Map {
		return property.NewMap(map[string]property.Value{Options: property.New(map[string]property.Value{name: v})})
	}
	was := property.NewMap(map[string]property.Value{"yaml": text})
	for name, test := range map[string]struct {
		program property.Map
		wrong   []string
	}{
		"a type that the type does not say":   {property.NewMap(map[string]property.Value{"kind": property.New("Other")}), []string{"kind"}},
		"the type again":                      {property.NewMap(map[string]property.Value{"kind": property.New("Thing"), "apiVersion": property.New("a.io/v1")}), nil},
		"a manifest among the options":        {options("manifest", text), []string{"k8sconnect.manifest"}},
		"a text among the options":            {options("yaml", property.New("{a: 1}")), []string{"k8sconnect.yaml"}},
		"the text that the engine puts there": {options("yaml", text), nil},
		"an option that there is not":         {options("adpt", text), []string{"k8sconnect.adpt"}},
		"an option":                           {options("adopt", property.New(true)), nil},
		"a field that no class has":           {property.NewMap(map[string]property.Value{"__hidden": text}), []string{"__hidden"}},
		"options that are none":               {property.NewMap(map[string]property.Value{Options: property.New("adopt")}), []string{"k8sconnect"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, failures := a.checkTop(test.program, was)
			var paths []string
			for _, failure := range failures {
				paths = append(paths, failure.Property)
			}
			assert.Equal(t, test.wrong, paths)
		})
	}
}

func TestTwoVersionsOfAnExtensionInOneProcess(t *testing.T) {
	t.Parallel()
	k := Kind{"a.io", "v1", "Thing"}
	both := &shapes{}
	for _, name := range []string{"old-field", "new-field"} {
		both.add(contentOfCustom(t, `{"spec":{"type":"object","properties":{"`+name+`":{"type":"string"},"inner":{"type":"object","properties":{"`+name+`":{"type":"string"}}}}}}`))
	}
	names := property.New(map[string]property.Value{"old__field": property.New("1"), "new__field": property.New("2")})
	spec := property.NewMap(map[string]property.Value{"spec": property.New(names.AsMap().Set("inner", names))})
	want := property.New(map[string]property.Value{"old-field": property.New("1"), "new-field": property.New("2")})
	got := adapter{kind: k, shape: both.of(k)}.toObject(spec).Get("manifest").AsMap().Get("spec")
	assert.True(t, property.New(want.AsMap().Set("inner", want)).Equals(got), got)
}
