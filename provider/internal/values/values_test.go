package values

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// path makes a path from strings and ints.
func path(segments ...any) property.Path {
	made := make([]property.PathSegment, len(segments))
	for i, segment := range segments {
		switch segment := segment.(type) {
		case string:
			made[i] = property.NewSegment(segment)
		case int:
			made[i] = property.NewSegment(segment)
		}
	}
	return property.PathFromSegments(made...)
}

// thereAndBack is the law of the package.
func thereAndBack(t *rapid.T) {
	v := propertyValues.Draw(t, "value")
	plain, secrets, err := FromProperty(v)
	require.NoError(t, err)
	back, err := ToProperty(plain, secrets)
	require.NoError(t, err)
	require.True(t, withoutDependencies(v).Equals(back), "%#v\nbecame\n%#v", v, back)

	wire := resource.ToResourcePropertyValue(v)
	leaves := leavesOf(wire, "", false, map[string]leaf{})
	unknown := 0
	for _, leaf := range leaves {
		if leaf.unknown {
			unknown++
		}
	}
	require.Equal(t, unknown, CountUnknown(plain))
	require.Equal(t, unknown > 0, HasUnknown(plain))
	require.Equal(t, plain, DeepCopy(plain))
	if _, err := json.Marshal(plain); unknown > 0 {
		require.ErrorIs(t, err, errUnknown)
	} else {
		require.NoError(t, err)
	}
}

func TestValueTakenApartAndPutTogetherIsTheSame(t *testing.T) {
	rapid.Check(t, thereAndBack)
}

func FuzzThereAndBack(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(thereAndBack))
}

// At depths 4, 6 to 8, 10 to 16 and 18 a well-known conversion swaps the marks of siblings, so each depth
// is tried by itself, with a plain sibling on either side.
func TestMarksStayAtEveryDepth(t *testing.T) {
	for depth := 1; depth <= maxDepth; depth++ {
		t.Run(fmt.Sprintf("a secret and an unknown at depth %d [O78]", depth), func(t *testing.T) {
			for name, inner := range map[string]property.Value{
				"secret":         property.New("hush").WithSecret(true),
				"unknown":        property.New(property.Computed),
				"secret unknown": property.New(property.Computed).WithSecret(true),
				"secret map":     property.New(map[string]property.Value{"x": property.New(1.0)}).WithSecret(true),
				"secret list":    property.New([]property.Value{property.New(1.0)}).WithSecret(true),
				"secret null":    property.New(property.Null).WithSecret(true),
			} {
				v := nest(depth, inner)
				plain, secrets, err := FromProperty(v)
				require.NoError(t, err, name)
				assert.Len(t, slices.Collect(secrets.Secrets()), map[bool]int{true: 1}[inner.Secret()], name)
				assert.Equal(t, map[bool]int{true: 1}[inner.IsComputed()], CountUnknown(plain), name)
				for marked := range secrets.Secrets() {
					found, err := marked.Get(v)
					require.NoError(t, err, name)
					assert.True(t, found.Equals(inner), name)
				}
				back, err := ToProperty(plain, secrets)
				require.NoError(t, err, name)
				assert.True(t, v.Equals(back), name)
			}
		})
	}
}

func TestNumbersGetTheTypeThatKubernetesKeepsThemIn(t *testing.T) {
	for number, want := range map[float64]any{
		0: int64(0), 3: int64(3), -3: int64(-3), 0.5: 0.5, 1e3: int64(1000),
		1 << 53: int64(1 << 53), -1 << 53: int64(-1 << 53),
		1<<53 + 2: float64(1<<53 + 2), 1e300: 1e300,
	} {
		plain, _, err := FromProperty(property.New(number))
		require.NoError(t, err)
		assert.Equal(t, want, plain)
	}
	plain, _, err := FromProperty(property.New(math.Copysign(0, -1)))
	require.NoError(t, err)
	assert.Equal(t, int64(0), plain, "minus zero is zero")

	assert.True(t, IsExact(1<<53))
	assert.False(t, IsExact(1<<53+1))
	assert.True(t, IsExact(1<<62))
	assert.False(t, IsExact(math.MaxInt64))
	assert.True(t, IsExact(math.MinInt64))
}

func TestPlainTreesFromOtherDecodersAreTaken(t *testing.T) {
	v, err := ToProperty(map[string]any{
		"int": 1, "int64": int64(2), "float": 1.5, "number": json.Number("4"), "null": nil,
		"none": map[string]any(nil), "nothing": []any(nil), "later": Unknown{},
	}, Marks{})
	require.NoError(t, err)
	assert.True(t, v.Equals(property.New(map[string]property.Value{
		"int": property.New(1.0), "int64": property.New(2.0), "float": property.New(1.5), "number": property.New(4.0),
		"null": property.New(property.Null), "none": property.New(property.NewMap(nil)),
		"nothing": property.New(property.NewArray(nil)), "later": property.New(property.Computed),
	})), "%#v", v)
}

func TestWhatIsNoJSONIsRefusedByPath(t *testing.T) {
	text, err := asset.FromText("x")
	require.NoError(t, err)
	bundle, err := archive.FromAssets(map[string]any{"x": text})
	require.NoError(t, err)
	for want, v := range map[string]property.Value{
		"asset":      property.New(text),
		"archive":    property.New(bundle),
		"a resource": property.New(property.ResourceReference{URN: "urn:pulumi:s::p::t::n"}),
		"NaN":        property.New(math.NaN()),
		"+Inf":       property.New(math.Inf(1)),
		"20000":      property.New(map[string]property.Value{strings.Repeat("k", 20000): property.New("x")}),
	} {
		_, _, err := FromProperty(property.New(map[string]property.Value{
			"data": property.New([]property.Value{property.New("x"), property.New(map[string]property.Value{"a.b": v})}),
		}))
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, `data[1]["a.b"]: `)
	}
	for _, plain := range []any{math.NaN(), math.Inf(-1), json.Number("x"), struct{}{}, []string{"x"}} {
		_, err := ToProperty(map[string]any{"a": []any{plain}}, Marks{})
		assert.ErrorContains(t, err, "a[0]: ")
	}
	_, _, err = FromProperty(property.New(text))
	assert.ErrorContains(t, err, "value: an asset")
}

func TestAnUnknownIsNeverEncoded(t *testing.T) {
	_, err := json.Marshal(map[string]any{"a": []any{Unknown{}}})
	assert.ErrorContains(t, err, "known only after the apply")
	assert.True(t, IsUnknown(Unknown{}))
	assert.False(t, IsUnknown([]any{Unknown{}}))
}

func TestACopySharesNothing(t *testing.T) {
	tree := map[string]any{"a": []any{map[string]any{"b": Unknown{}}}, "none": map[string]any(nil), "nil": []any(nil)}
	clone := DeepCopy(tree).(map[string]any)
	assert.Equal(t, tree, clone)
	clone["a"].([]any)[0].(map[string]any)["b"] = "changed"
	assert.Equal(t, Unknown{}, tree["a"].([]any)[0].(map[string]any)["b"])
}
