package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestPatternsSelectFields(t *testing.T) {
	container := func(name string, below ...any) fieldpath.Path {
		return fieldpath.MakePathOrDie(append([]any{"spec", "containers", fieldpath.KeyByFields("name", name)}, below...)...)
	}
	port := fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("port", 80, "protocol", "TCP"), "nodePort")
	tests := []struct {
		pattern string
		path    fieldpath.Path
		want    bool
	}{
		{"spec.replicas", fieldpath.MakePathOrDie("spec", "replicas"), true},
		{"spec", fieldpath.MakePathOrDie("spec", "replicas"), true},
		{"spec.replicas", fieldpath.MakePathOrDie("spec"), false},
		{"spec.replica", fieldpath.MakePathOrDie("spec", "replicas"), false},
		{`metadata.annotations["a.b/c"]`, fieldpath.MakePathOrDie("metadata", "annotations", "a.b/c"), true},
		{`metadata.annotations['a.b/c']`, fieldpath.MakePathOrDie("metadata", "annotations", "a.b/c"), true},
		{`metadata.annotations["a\"b"]`, fieldpath.MakePathOrDie("metadata", "annotations", `a"b`), true},
		{"metadata.annotations[*]", fieldpath.MakePathOrDie("metadata", "annotations", "x"), true},
		{"spec.containers[name=web].image", container("web", "image"), true},
		{"spec.containers[name=web].image", container("api", "image"), false},
		{"spec.containers[name=web].env[name=X].value", container("web", "env", fieldpath.KeyByFields("name", "X"), "value"), true},
		{`spec.containers[name="web"].image`, container("web", "image"), true},
		{"spec.containers[?(@.name=='web')].image", container("web", "image"), true},
		{`$.spec.containers[?(@.name=="web")].image`, container("web", "image"), true},
		{`{.spec.containers[?(@.name == "web")].image}`, container("web", "image"), true},
		{"spec.containers[*].image", container("any", "image"), true},
		{"spec.containers[*].image", container("any", "name"), false},
		{"ports[port=80].nodePort", port, true},
		{"ports[port=80,protocol=TCP].nodePort", port, true},
		{"ports[port=80,protocol=UDP].nodePort", port, false},
		{"ports[?(@.port==80 && @.protocol=='TCP')].nodePort", port, true},
		{`ports[port="80"].nodePort`, port, false},
		{`metadata.finalizers[="example.com/a"]`, fieldpath.MakePathOrDie("metadata", "finalizers", valueElement("example.com/a")), true},
		{`metadata.finalizers[="example.com/b"]`, fieldpath.MakePathOrDie("metadata", "finalizers", valueElement("example.com/a")), false},
	}
	for _, test := range tests {
		t.Run(test.pattern+" [O38]", func(t *testing.T) {
			pattern, err := ParsePattern(test.pattern)
			require.NoError(t, err)
			assert.Equal(t, test.want, pattern.Matches(test.path))
		})
	}
}

func TestPatternsThatCannotBeReadAreRefused(t *testing.T) {
	for _, text := range []string{
		"", " ", "$", "{}", "spec.", ".", "spec..replicas", "spec[", "spec[]", "spec[name]", "spec[name=]", "spec[name=web",
		"spec[0]", `a["b`, `a["b"x]`, "a[?(name=='x')]", "a[?(@.name)]", "a[?(@.name=='x']", "a[?(@.n>3)]", "a]b", "a[=]", "a[name=x]b",
	} {
		t.Run(text+" [O41]", func(t *testing.T) {
			_, err := ParsePattern(text)
			assert.Error(t, err)
		})
	}
}

func TestPruneLeavesOutWhatIsIgnored(t *testing.T) {
	tests := []struct {
		name, manifest, want string
		ignore               []string
	}{
		{"a field", `{spec: {replicas: 2, x: 1}}`, `{spec: {x: 1}}`, []string{"spec.replicas"}},
		{"the last field of a map, with the map", `{metadata: {name: a, annotations: {"a.b/c": x}}}`, `{metadata: {name: a}}`,
			[]string{`metadata.annotations["a.b/c"]`}},
		{"a map that was empty stays", `{spec: {emptyDir: {}}}`, `{spec: {emptyDir: {}}}`, []string{"spec.emptyDir.sizeLimit"}},
		{"an item by its key", `{c: [{name: a, v: 1}, {name: b, v: 2}]}`, `{c: [{name: b, v: 2}]}`, []string{"c[name=a]"}},
		{"a member of an item", `{c: [{name: a, v: 1}, {name: b, v: 2}]}`, `{c: [{name: a}, {name: b, v: 2}]}`, []string{"c[name=a].v"}},
		{"a member of every item", `{c: [{name: a, v: 1}, {name: b, v: 2}]}`, `{c: [{name: a}, {name: b}]}`, []string{"c[*].v"}},
		{"an item whose key has its default", `{p: [{port: 80, nodePort: 3}]}`, `{p: [{port: 80}]}`, []string{"p[port=80,protocol=TCP].nodePort"}},
		{"an item of a set", `{f: [a, b]}`, `{f: [b]}`, []string{"f[=a]"}},
		{"nothing that is not there", `{spec: {x: 1}}`, `{spec: {x: 1}}`, []string{"spec.y.z", "c[name=a]", "spec[name=b]"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			manifest := object(t, test.manifest)
			assert.Equal(t, object(t, test.want), ignoring(t, test.ignore...).Prune(manifest))
			assert.Equal(t, object(t, test.manifest), manifest, "the manifest itself is not changed")
		})
	}
}

func TestSplitDividesWithoutLoss(t *testing.T) {
	all := fields(t, `{"f:spec":{"f:replicas":{},"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:v":{}}}}}`)
	kept, ignored := ignoring(t, "spec.replicas", "spec.c[name=a].v").Split(all)
	assert.Equal(t, fields(t, `{"f:spec":{"f:replicas":{},"f:c":{"k:{\"name\":\"a\"}":{"f:v":{}}}}}`).String(), ignored.String())
	assert.True(t, kept.Union(ignored).Equals(all))
	assert.True(t, kept.Intersection(ignored).Empty())
}

func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{"spec.replicas", `a["b.c"][name=x,y=1].z`, "a[?(@.b=='c')].d", "a[*]", `f[="x"]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pattern, err := ParsePattern(text)
		if err == nil && len(pattern.steps) == 0 {
			t.Fatal("a pattern without steps selects everything")
		}
	})
}

func ignoring(t testing.TB, patterns ...string) Ignore {
	t.Helper()
	var ignore Ignore
	for _, text := range patterns {
		pattern, err := ParsePattern(text)
		require.NoError(t, err)
		ignore = append(ignore, pattern)
	}
	return ignore
}

func TestWhatIsPrintedSelectsExactlyWhatWasPrinted(t *testing.T) {
	name := rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9-]{0,8}`),
		rapid.SampledFrom([]string{"a.b/c", `say "x"`, `back\slash`, "it's", "a]b", "*", "=", "0", "true", "null", "a b", "é", ","}),
	)
	scalar := rapid.OneOf(
		rapid.Map(name, func(s string) any { return s }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
	)
	member := rapid.StringMatching(`[a-z][a-zA-Z]{0,6}`)
	element := rapid.Custom(func(t *rapid.T) fieldpath.PathElement {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return fieldpath.KeyElementByFields(member.Draw(t, "key"), scalar.Draw(t, "value"))
		case 1:
			return fieldpath.KeyElementByFields("a"+member.Draw(t, "key"), scalar.Draw(t, "value"), "b"+member.Draw(t, "key2"), scalar.Draw(t, "value2"))
		case 2:
			return valueElement(scalar.Draw(t, "item"))
		default:
			return fieldpath.FieldNameElement(name.Draw(t, "name"))
		}
	})
	path := rapid.Custom(func(t *rapid.T) fieldpath.Path {
		return append(fieldpath.Path{fieldpath.FieldNameElement(name.Draw(t, "first"))}, rapid.SliceOfN(element, 0, 5).Draw(t, "rest")...)
	})
	rapid.Check(t, func(t *rapid.T) {
		printed, other := path.Draw(t, "path"), path.Draw(t, "other")
		text := Format(printed)
		pattern, err := ParsePattern(text)
		require.NoError(t, err, text)
		assert.True(t, pattern.Matches(printed), text)
		if len(other) == len(printed) {
			assert.Equal(t, other.Equals(printed), pattern.Matches(other), "%s and %s", text, Format(other))
		}
	})
}

func TestAPatternIsReadAsEveryPathIs(t *testing.T) {
	web := fieldpath.MakePathOrDie("containers", fieldpath.KeyByFields("name", "web"), "image")
	note := fieldpath.MakePathOrDie("metadata", "annotations", "app.kubernetes.io/name")
	port := fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("port", 80, "protocol", "TCP"), "name")
	for text, path := range map[string]fieldpath.Path{
		"containers[?@.name=='web'].image":                             web,
		"containers[?@['name'] == \"web\"].image":                      web,
		".containers[?(@.name==\"web\")].image":                        web,
		`metadata.annotations.app\.kubernetes\.io/name`:                note,
		`{.metadata.annotations.app\.kubernetes\.io/name}`:             note,
		`metadata.annotations['app\.kubernetes\.io/name']`:             note,
		" metadata.annotations['app.kubernetes.io/name'] ":             note,
		`ports[?@.port==80 && @.protocol=="TCP"].name`:                 port,
		`ports[?(@.port==80) && (@.protocol=="TCP")].name`:             port,
		"metadata.finalizers[?@=='example.com/a']":                     fieldpath.MakePathOrDie("metadata", "finalizers", valueElement("example.com/a")),
		"{ .metadata.annotations[\"app.kubernetes.io/name\"] }":        note,
		`metadata["annotations"]["app\u002ekubernetes\u002eio\/name"]`: note,
	} {
		t.Run(text+" selects [D25]", func(t *testing.T) {
			pattern, err := ParsePattern(text)
			require.NoError(t, err)
			assert.True(t, pattern.Matches(path))
			assert.Equal(t, text, pattern.String())
		})
	}
	for text, why := range map[string]string{
		"ports[?@.port>80]":                    "the filter [?@.port>80] is no comparison of keys; a filter can be tracked only if",
		"ports[?@.a.b==80]":                    "a filter can be tracked only if",
		"ports[?@.name=='a' || @.name=='b']":   "a filter can be tracked only if",
		"ports[?match(@.name, 'h.*')]":         "a filter can be tracked only if",
		"ports[?@.name=='a' && @.name=='b']":   "a filter can be tracked only if",
		"ports[-1]":                            `"-1" is a position, and items move; select them by a key such as [name=web], or all by [*]`,
		"ports[0:2]":                           "[0:2] are positions, and items move",
		"$..image":                             "fields at any depth (..) cannot be tracked; write the whole path",
		"spec['ports','selector']":             "['ports','selector'] selects several; write one path each",
		"ports[http]":                          "a key such as name=web, a quoted name or * is expected",
		"{.spec.replicas}{.spec.paused}":       "no template",
		`ports[?@.name=='a' && @.port=='\u1']`: "a filter can be tracked only if",
	} {
		t.Run(text+" is refused with the reason [D25]", func(t *testing.T) {
			_, err := ParsePattern(text)
			require.ErrorContains(t, err, why)
			assert.ErrorContains(t, err, "is not a path")
		})
	}
}

func TestWhatAPatternSelectsIsWithinAField(t *testing.T) {
	ports := fieldpath.MakePathOrDie("spec", "ports")
	for _, c := range []struct {
		pattern string
		path    fieldpath.Path
		within  bool
	}{
		{"spec.ports", ports, true},
		{"spec.ports[*].port", ports, true},
		{"spec", ports, false},
		{"spec.portsOf", ports, false},
		{"spec.*", ports, false},
		{"spec.ports[port=53,protocol=UDP].nodePort", port53, true},
		{"spec.ports[port=53,protocol=UDP]", port53, true},
		{"spec.ports[port=53].nodePort", port53, false},
		{"spec.ports[port=53,protocol=TCP].nodePort", port53, false},
		{"spec.ports[*].nodePort", port53, false},
		{"spec.ports", port53, false},
	} {
		pattern, err := ParsePattern(c.pattern)
		require.NoError(t, err)
		assert.Equal(t, c.within, pattern.IsWithin(c.path), "%s in %s", c.pattern, c.path)
	}
}

var port53 = fieldpath.MakePathOrDie("spec", "ports", fieldpath.KeyByFields("port", 53, "protocol", "UDP"))
