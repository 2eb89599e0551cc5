package values

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"
)

// maxDepth is how deep the generated values go.
const maxDepth = 20

// keys are what maps are generated with: everything that has ever broken a path.
var keys = rapid.OneOf(
	rapid.SampledFrom([]string{
		"", "a", "b", "spec", "app.kubernetes.io/name", "app.properties", `with "quotes"`, `back\slash`, "[0]", "0",
		"*", "__hidden", "größe", "日本語", "\U0001f600", "line\nbreak", "${x}", "a.b", "$ref", "-",
	}),
	rapid.StringN(0, 12, -1),
).Filter(func(key string) bool { return key != resource.SigKey })

// awkwardKeys are made of what has a meaning in a path.
var awkwardKeys = rapid.StringMatching(`[\\"\].\n a*]{0,4}`)

// texts are strings that the wire takes for what they are.
var texts = rapid.OneOf(rapid.SampledFrom([]string{"", "x", "${x}", "multi\nline\n", "größe", "04da6b54"}), rapid.String()).
	Filter(func(text string) bool {
		return !slices.Contains([]string{
			plugin.UnknownBoolValue, plugin.UnknownNumberValue, plugin.UnknownStringValue, plugin.UnknownArrayValue,
			plugin.UnknownAssetValue, plugin.UnknownArchiveValue, plugin.UnknownObjectValue,
		}, text)
	})

// numbers are finite, with the borders of exactness among them.
var numbers = rapid.OneOf(
	rapid.SampledFrom([]float64{
		0, 1, -1, 0.5, 1 << 53, 1<<53 - 1, 1<<53 + 2, -1 << 53, -(1<<53 + 2), 1 << 62, 1 << 63, 1e21, 1e300, 5e-324,
	}),
	rapid.Map(rapid.Int64(), func(i int64) float64 { return float64(i) }),
	rapid.Float64(),
)

// dependencies are what the engine attaches to values. They are not kept.
var dependencies = rapid.SampledFrom([][]urn.URN{nil, nil, nil, {"urn:pulumi:s::p::t::n"}})

// leaves of a property.Value, unknown ones among them.
var leaves = rapid.OneOf(
	rapid.Map(texts, func(s string) property.Value { return property.New(s) }),
	rapid.Map(numbers, func(f float64) property.Value { return property.New(f) }),
	rapid.Map(rapid.Bool(), func(b bool) property.Value { return property.New(b) }),
	rapid.Just(property.New(property.Null)),
	rapid.Just(property.New(property.Computed)),
	rapid.Just(property.New(property.NewMap(nil))),
	rapid.Just(property.New(property.NewArray(nil))),
)

// drawValue draws a value with marks at every level: one branch goes all the way down, so that depth
// does not cost breadth, with leaves and small trees beside it.
func drawValue(t *rapid.T, depth int) property.Value {
	var v property.Value
	switch {
	case depth <= 0:
		v = leaves.Draw(t, "leaf")
	case rapid.Bool().Draw(t, "map"):
		members := map[string]property.Value{}
		for range rapid.IntRange(0, 2).Draw(t, "siblings") {
			members[keys.Draw(t, "key")] = drawValue(t, rapid.IntRange(0, min(2, depth-1)).Draw(t, "depth"))
		}
		members[keys.Draw(t, "key")] = drawValue(t, depth-1)
		v = property.New(members)
	default:
		items := []property.Value{drawValue(t, depth-1)}
		for range rapid.IntRange(0, 2).Draw(t, "siblings") {
			items = append(items, drawValue(t, rapid.IntRange(0, min(2, depth-1)).Draw(t, "depth")))
		}
		at := rapid.IntRange(0, len(items)-1).Draw(t, "at")
		items[0], items[at] = items[at], items[0]
		v = property.New(items)
	}
	return v.WithSecret(rapid.IntRange(0, 4).Draw(t, "secret") == 0).
		WithDependencies(dependencies.Draw(t, "dependencies"))
}

// propertyValues are whole values of any depth.
var propertyValues = rapid.Custom(func(t *rapid.T) property.Value {
	return drawValue(t, rapid.IntRange(0, maxDepth).Draw(t, "depth"))
})

// wrapForWire draws the spellings of secret, unknown and depending values that engines and SDKs have for the
// same thing: a property.Value always writes one of them, the wire may carry any.
func wrapForWire(t *rapid.T, v resource.PropertyValue) resource.PropertyValue {
	unknown := func(v resource.PropertyValue) resource.PropertyValue {
		if v.IsNull() || v.IsComputed() || v.IsSecret() || v.IsOutput() {
			v = resource.NewProperty("") // an unknown null arrives as null, see TestTheWireNormalises
		}
		return resource.MakeComputed(v)
	}
	switch rapid.IntRange(0, 14).Draw(t, "wrap") {
	case 0:
		return resource.MakeSecret(v)
	case 1:
		return resource.MakeSecret(resource.MakeSecret(v))
	case 2:
		return unknown(v)
	case 3:
		return resource.MakeSecret(unknown(v))
	case 4:
		return resource.NewProperty(resource.Output{Element: v, Known: true, Dependencies: dependencies.Draw(t, "deps")})
	case 5:
		return resource.NewProperty(resource.Output{Element: v, Known: true, Secret: true})
	case 6:
		return resource.NewProperty(resource.Output{Known: false, Secret: rapid.Bool().Draw(t, "secret")})
	case 7:
		return resource.NewProperty(resource.Output{Element: resource.MakeSecret(v), Known: true})
	case 8:
		return resource.MakeSecret(resource.NewProperty(resource.Output{Element: v, Known: true, Secret: true}))
	}
	return v
}

// drawWire draws a value as it may be on the wire.
func drawWire(t *rapid.T, depth int) resource.PropertyValue {
	var v resource.PropertyValue
	switch {
	case depth <= 0:
		v = resource.ToResourcePropertyValue(leaves.Draw(t, "leaf"))
	case rapid.Bool().Draw(t, "map"):
		members := resource.PropertyMap{}
		for range rapid.IntRange(0, 2).Draw(t, "siblings") {
			members[resource.PropertyKey(keys.Draw(t, "key"))] = drawWire(t, rapid.IntRange(0, min(2, depth-1)).Draw(t, "depth"))
		}
		members[resource.PropertyKey(keys.Draw(t, "key"))] = drawWire(t, depth-1)
		v = resource.NewProperty(members)
	default:
		items := []resource.PropertyValue{drawWire(t, depth-1)}
		for range rapid.IntRange(0, 2).Draw(t, "siblings") {
			items = append(items, drawWire(t, rapid.IntRange(0, min(2, depth-1)).Draw(t, "depth")))
		}
		at := rapid.IntRange(0, len(items)-1).Draw(t, "at")
		items[0], items[at] = items[at], items[0]
		v = resource.NewProperty(items)
	}
	return wrapForWire(t, v)
}

// leaf is what is known about one leaf of a value: an empty map or list is one, and so is an unknown.
type leaf struct {
	secret, unknown bool
	text            string
}

// leavesOf walks a wire value on its own terms, sharing nothing with the package: this is the judge. The
// path is a text that no two places share.
func leavesOf(v resource.PropertyValue, at string, secret bool, found map[string]leaf) map[string]leaf {
	switch {
	case v.IsSecret():
		return leavesOf(v.SecretValue().Element, at, true, found)
	case v.IsComputed():
		found[at] = leaf{secret: secret, unknown: true}
	case v.IsOutput() && !v.OutputValue().Known:
		found[at] = leaf{secret: secret || v.OutputValue().Secret, unknown: true}
	case v.IsOutput():
		return leavesOf(v.OutputValue().Element, at, secret || v.OutputValue().Secret, found)
	case v.IsArray() && len(v.ArrayValue()) > 0:
		for i, item := range v.ArrayValue() {
			leavesOf(item, fmt.Sprintf("%s/%d", at, i), secret, found)
		}
	case v.IsObject() && len(v.ObjectValue()) > 0:
		for key, member := range v.ObjectValue() {
			leavesOf(member, fmt.Sprintf("%s/%q", at, string(key)), secret, found)
		}
	case v.IsNumber():
		found[at] = leaf{secret: secret, text: fmt.Sprint(v.NumberValue() + 0)} // minus zero is zero
	default:
		found[at] = leaf{secret: secret, text: fmt.Sprint(v.V)}
	}
	return found
}

// withoutDependencies is the value without the lists that are not kept.
func withoutDependencies(v property.Value) property.Value {
	v = v.WithDependencies(nil)
	switch {
	case v.IsMap():
		members := v.AsMap().AsMap()
		for key, member := range members {
			members[key] = withoutDependencies(member)
		}
		return property.WithGoValue(v, property.NewMap(members))
	case v.IsArray():
		items := v.AsArray().AsSlice()
		for i, item := range items {
			items[i] = withoutDependencies(item)
		}
		return property.WithGoValue(v, property.NewArray(items))
	}
	return v
}

// nest puts a value at the end of a path of n segments: maps, and a list at every third.
func nest(n int, v property.Value) property.Value {
	for i := n; i > 0; i-- {
		if i%3 == 0 {
			v = property.New([]property.Value{property.New("sibling"), v, property.New("sibling")})
			continue
		}
		v = property.New(map[string]property.Value{
			strings.Repeat("k", i): v, "a": property.New("sibling"), "z": property.New("sibling"),
		})
	}
	return v
}
