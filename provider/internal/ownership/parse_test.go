package ownership

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestParsePath(t *testing.T) {
	for text, want := range map[string]fieldpath.Path{
		"spec.replicas":                     fieldpath.MakePathOrDie("spec", "replicas"),
		"$.spec['replicas']":                fieldpath.MakePathOrDie("spec", "replicas"),
		`["a.b"].c[""]`:                     fieldpath.MakePathOrDie("a.b", "c", ""),
		`metadata.annotations["a\"\\b"]`:    fieldpath.MakePathOrDie("metadata", "annotations", `a"\b`),
		"args[3]":                           fieldpath.MakePathOrDie("args", 3),
		"args[0][1].x":                      fieldpath.MakePathOrDie("args", 0, 1, "x"),
		`x["3"]`:                            fieldpath.MakePathOrDie("x", "3"),
		"x[3=4]":                            fieldpath.MakePathOrDie("x", fieldpath.KeyByFields("3", 4)),
		`x["a]"="b]",c=null]`:               fieldpath.MakePathOrDie("x", fieldpath.KeyByFields("a]", "b]", "c", nil)),
		"ports[protocol=TCP,port=80].x":     fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("port", 80, "protocol", "TCP"), "x"),
		"x[?(@.name=='web')]":               fieldpath.MakePathOrDie("x", fieldpath.KeyByFields("name", "web")),
		`metadata.finalizers[="a/b"]`:       fieldpath.MakePathOrDie("metadata", "finalizers", valueElement("a/b")),
		`x[=1.5][=true][=null][="true"]`:    fieldpath.MakePathOrDie("x", valueElement(1.5), valueElement(true), valueElement(nil), valueElement("true")),
		"x[=9007199254740993]":              fieldpath.MakePathOrDie("x", valueElement(int64(9007199254740993))),
		"x[name=\"line\nbreak\"][\"\x00\"]": fieldpath.MakePathOrDie("x", fieldpath.KeyByFields("name", "line\nbreak"), "\x00"),
	} {
		t.Run(text, func(t *testing.T) {
			path, err := ParsePath(text)
			require.NoError(t, err)
			assert.True(t, path.Equals(want), "%s is not %s", path, want)
		})
	}
	for _, text := range []string{
		"", "$", "spec.", "spec..x", "x[*]", "x.*", "*", "x[", "x[]", "x[1", "x[-1]", "x[name]", "x[99999999999999999999]", `x["a"`, `x["a"=]`, "x[a=1]b",
	} {
		t.Run("refuses "+text, func(t *testing.T) {
			_, err := ParsePath(text)
			assert.Error(t, err)
		})
	}
	t.Run("a pattern has no positions [O41]", func(t *testing.T) {
		_, err := ParsePattern("args[3]")
		assert.ErrorContains(t, err, "is a position")
	})
}

// anyPath is any path that there can be in managedFields, and some that cannot.
func anyPath() *rapid.Generator[fieldpath.Path] {
	text := rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z$_][a-zA-Z0-9-]{0,6}`),
		rapid.SampledFrom([]string{"", "$", "*", "=", "0", "80", "1e3", "-1", "true", "null", "NaN", " ", "a b", "a.b/c", `"`, `\`, "'", "]", "[", ",", "?(", "{", "}"}),
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	scalar := rapid.OneOf(
		rapid.Map(text, func(s string) any { return s }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
		rapid.Map(rapid.Float64().Filter(func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }), func(f float64) any { return f }),
	)
	element := rapid.Custom(func(t *rapid.T) fieldpath.PathElement {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			fields := rapid.MapOfN(text, scalar, 1, 3).Draw(t, "key")
			var list []any
			for name, v := range fields {
				list = append(list, name, v)
			}
			return fieldpath.KeyElementByFields(list...)
		case 1:
			return valueElement(scalar.Draw(t, "item"))
		case 2:
			return fieldpath.IndexElement(rapid.IntRange(0, math.MaxInt).Draw(t, "index"))
		default:
			return fieldpath.FieldNameElement(text.Draw(t, "name"))
		}
	})
	return rapid.Map(rapid.SliceOfN(element, 1, 6), func(elements []fieldpath.PathElement) fieldpath.Path { return elements })
}

func printAndParse(t *rapid.T) {
	path, other := anyPath().Draw(t, "path"), anyPath().Draw(t, "other")
	text := Format(path)
	parsed, err := ParsePath(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if !parsed.Equals(path) {
		t.Fatalf("%q is read as %q", text, Format(parsed))
	}
	if Format(other) == text && !other.Equals(path) {
		t.Fatalf("two paths print as %q", text)
	}
}

func TestWhatIsPrintedOfAPathIsReadBackExactly(t *testing.T) { rapid.Check(t, printAndParse) }

func FuzzFieldPath(f *testing.F) {
	for _, seed := range []string{"spec.replicas", `a["b.c"][name=x,y=1].z`, "a[?(@.b=='c')].d", "a[3]", `f[="x"]`, `["$x"]["q"="]"][=1e21]`} {
		f.Add(seed, []byte(seed))
	}
	random := rapid.MakeFuzz(printAndParse)
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		if path, err := ParsePath(text); err == nil {
			again, err := ParsePath(Format(path))
			if err != nil {
				t.Fatalf("%q prints as %q: %v", text, Format(path), err)
			}
			if !again.Equals(path) {
				t.Fatalf("%q prints as %q, which is another path", text, Format(path))
			}
		}
		random(t, data)
	})
}

func FuzzFieldsV1(f *testing.F) {
	f.Add(`{"f:spec":{"k:{\"name\":\"a\"}":{".":{}},"v:1":{},"i:0":{}}}`)
	f.Add(`{"f:a":{".":{},"f:b":{}},"f:c":{}}`)
	f.Add(`{"k:{\"a\":1e30,\"b\":null}":{},"v:\"x\"":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		set, err := Decode(text)
		if err != nil {
			return
		}
		encoded, err := Encode(set)
		if err != nil {
			return
		}
		again, err := Decode(encoded)
		if err != nil {
			t.Fatalf("what was encoded cannot be decoded: %v", err)
		}
		if !again.Equals(set) {
			t.Fatalf("%s is not %s", again, set)
		}
		set.Iterate(func(path fieldpath.Path) { _ = Format(path) })
		if twice, err := Encode(again); err != nil || twice != encoded {
			t.Fatalf("%s is encoded as %s the second time (%v)", encoded, twice, err)
		}
	})
}
