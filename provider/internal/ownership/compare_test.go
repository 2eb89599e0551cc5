package ownership

import (
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func TestCompare(t *testing.T) {
	const containers = `{"f:c":{` +
		`"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:env":{"k:{\"name\":\"X\"}":{".":{},"f:name":{},"f:value":{}}}},` +
		`"k:{\"name\":\"b\"}":{".":{},"f:name":{},"f:image":{}},` +
		`"k:{\"name\":\"c\"}":{".":{},"f:name":{},"f:image":{}}}}`
	const ports = `{"f:p":{` +
		`"k:{\"port\":53,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:name":{}},` +
		`"k:{\"port\":53,\"protocol\":\"UDP\"}":{".":{},"f:port":{},"f:name":{},"f:protocol":{}}}}`
	tests := []struct {
		name             string
		from, to, fields string
		want             []string
	}{
		{
			name: "equal projections do not differ, whatever the order of keyed items",
			from: `{c: [{name: a}, {name: b, image: x}]}`, to: `{c: [{name: b, image: x}, {name: a}]}`, fields: containers,
		},
		{
			name: "a changed value is one change at its leaf",
			from: `{c: [{name: a, env: [{name: X, value: "1"}]}]}`, to: `{c: [{name: a, env: [{name: X, value: "2"}]}]}`,
			fields: containers, want: []string{"~c[name=a].env[name=X].value"},
		},
		{
			name: "an inserted item is one added item",
			from: `{c: [{name: a}, {name: c, image: z}]}`, to: `{c: [{name: a}, {name: b, image: y}, {name: c, image: z}]}`,
			fields: containers, want: []string{"+c[name=b]"},
		},
		{
			name:   "empty labels and annotations are as good as none, whoever fills them [O98]",
			from:   `{metadata: {name: x, labels: {}}}`,
			to:     `{metadata: {name: x, annotations: {}}}`,
			fields: `{"f:metadata":{"f:name":{},"f:labels":{},"f:annotations":{}}}`,
		},
		{
			name: "another empty map is not", from: `{spec: {a: b}}`, to: `{spec: {a: b, emptyDir: {}}}`,
			fields: `{"f:spec":{"f:a":{},"f:emptyDir":{}}}`, want: []string{"+spec.emptyDir"},
		},
		{
			name: "a removed item is one removed item",
			from: `{c: [{name: a}, {name: b, image: y}]}`, to: `{c: [{name: a}]}`, fields: containers, want: []string{"-c[name=b]"},
		},
		{
			name: "a map that is wholly new is one addition",
			from: `{spec: {}}`, to: `{spec: {template: {metadata: {labels: {a: "1", b: "2"}}}}}`,
			fields: `{"f:spec":{"f:template":{"f:metadata":{"f:labels":{"f:a":{},"f:b":{}}}}}}`, want: []string{"+spec.template"},
		},
		{
			name: "numbers are compared by value, as a state holds them as floats",
			from: `{replicas: 2}`, to: `{replicas: 2.0}`, fields: `{"f:replicas":{}}`,
		},
		{
			name: "an atomic list differs as a whole",
			from: `{args: [a, b]}`, to: `{args: [b, a]}`, fields: `{"f:args":{}}`, want: []string{"~args"},
		},
		{
			name: "of two items of one port, that without a protocol is not the other, which is gone",
			from: `{p: [{port: 53, name: tcp}]}`, to: `{p: [{port: 53, name: tcp}, {port: 53, name: udp, protocol: UDP}]}`,
			fields: ports, want: []string{"+p[port=53,protocol=UDP]"},
		},
		{
			name: "an item is found without a key that has a default, also where the other side spells it out",
			from: `{p: [{port: 53, name: x}]}`, to: `{p: [{port: 53, name: y, protocol: TCP}]}`,
			fields: `{"f:p":{"k:{\"port\":53,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:name":{},"f:protocol":{}}}}`,
			want:   []string{"+p[port=53,protocol=TCP].protocol", "~p[port=53,protocol=TCP].name"},
		},
		{
			name: "what is in neither tree does not differ",
			from: `{}`, to: `{}`, fields: `{"f:gone":{"f:away":{}}}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, describe(Compare(object(t, test.from), object(t, test.to), fields(t, test.fields))))
		})
	}
}

func TestCompareIsAntisymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := drawTree(t, "from"), drawTree(t, "to")
		set := fieldpath.SetFromValue(value.NewValueInterface(from)).
			Union(fieldpath.SetFromValue(value.NewValueInterface(to)))
		assert.Empty(t, Compare(from, from, set), "a projection differs from itself")
		flipped := Compare(to, from, set)
		for i := range flipped {
			switch flipped[i].Kind {
			case Added:
				flipped[i].Kind = Removed
			case Removed:
				flipped[i].Kind = Added
			case Changed:
			}
		}
		assert.Equal(t, describe(Compare(from, to, set)), describe(flipped))
		assert.Equal(t, len(Compare(from, to, set)) == 0, Equal(from, to), "no change means equal trees")
	})
}

// drawTree draws a map of maps and scalars: lists get their meaning from a schema,
// which the tables above stand for.
func drawTree(t *rapid.T, label string) map[string]any {
	key := rapid.SampledFrom([]string{"a", "b", "c.d", "e/f"})
	leaf := rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"x", "y"}), func(s string) any { return s }),
		rapid.Map(rapid.Int64Range(0, 2), func(n int64) any { return n }),
	)
	inner := rapid.MapOfN(key, leaf, 1, 3)
	item := rapid.OneOf(leaf, rapid.Map(inner, func(m map[string]any) any { return m }))
	return rapid.MapOfN(key, item, 0, 4).Draw(t, label)
}

func TestFormat(t *testing.T) {
	tests := []struct {
		path fieldpath.Path
		want string
	}{
		{fieldpath.MakePathOrDie("spec", "replicas"), "spec.replicas"},
		{fieldpath.MakePathOrDie("metadata", "labels", "app.kubernetes.io/name"), `metadata.labels["app.kubernetes.io/name"]`},
		{fieldpath.MakePathOrDie("data", `say "hi"`), `data["say \"hi\""]`},
		{
			fieldpath.MakePathOrDie("spec", "containers", fieldpath.KeyByFields("name", "aws-node"), "env",
				fieldpath.KeyByFields("name", "HTTP_PROXY"), "value"),
			"spec.containers[name=aws-node].env[name=HTTP_PROXY].value",
		},
		{fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("port", 80, "protocol", "TCP")), "ports[port=80,protocol=TCP]"},
		{fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("name", "80")), `ports[name="80"]`},
		{fieldpath.MakePathOrDie("x", fieldpath.KeyByFields("k", "true")), `x[k="true"]`},
		{fieldpath.MakePathOrDie("x", fieldpath.KeyByFields("k", "a]b")), `x[k="a]b"]`},
		{fieldpath.MakePathOrDie("metadata", "finalizers", valueElement("example.com/a")), `metadata.finalizers[="example.com/a"]`},
		{fieldpath.MakePathOrDie("args", 3), "args[3]"},
		{fieldpath.MakePathOrDie("$ref", "$ref"), `["$ref"].$ref`},
		{fieldpath.MakePathOrDie("a.b", ""), `["a.b"][""]`},
		{fieldpath.MakePathOrDie("x", fieldpath.KeyByFields("a=b", "c", "d.e/f", true)), `x["a=b"=c,d.e/f=true]`},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) { assert.Equal(t, test.want, Format(test.path)) })
	}
}

func TestManager(t *testing.T) {
	urn := "urn:pulumi:prod::shop::k8sconnect:index:KubeObject::web"
	assert.Equal(t, "k8sconnect-shop.prod.web-82ff371e", Manager("shop", "prod", "web", urn))

	t.Run("is never longer than the API server allows, and keeps its hash", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			name, urn := rapid.String().Draw(t, "name"), rapid.String().Draw(t, "urn")
			manager := Manager("p", "s", strings.Repeat(name, 20), urn)
			short := Manager("p", "s", "n", urn)
			assert.LessOrEqual(t, len(manager), 128)
			assert.Equal(t, short[len(short)-9:], manager[len(manager)-9:])
		})
	})
	t.Run("is described by its parts", func(t *testing.T) {
		assert.Equal(t, `"web" of shop/prod`, DescribeManager(Manager("shop", "prod", "web", urn)))
		assert.Equal(t, `"my.shop.prod.web"`, DescribeManager(Manager("my.shop", "prod", "web", urn)))
		assert.Equal(t, `"kubectl"`, DescribeManager("kubectl"))
		assert.Equal(t, `the Patch "web" of shop/prod`, DescribeManager(PatchManager("shop", "prod", "web", urn)))
		assert.Equal(t, `the Patch "my.shop.prod.web"`, DescribeManager(PatchManager("my.shop", "prod", "web", urn)))
		assert.Equal(t, `the Patch "k8sconnect-patch-x"`, DescribeManager("k8sconnect-patch-x"))
		assert.Equal(t, `"k8sconnect-x"`, DescribeManager("k8sconnect-x"))
	})
	t.Run("of a Patch has a prefix of its own, and is made alike", func(t *testing.T) {
		assert.Equal(t, "k8sconnect-patch-shop.prod.web-82ff371e", PatchManager("shop", "prod", "web", urn))
		rapid.Check(t, func(t *rapid.T) {
			project, name, urn := rapid.String().Draw(t, "project"), rapid.String().Draw(t, "name"), rapid.String().Draw(t, "urn")
			patch, other := PatchManager(project, "s", strings.Repeat(name, 20), urn), Manager(project, "s", strings.Repeat(name, 20), urn)
			assert.LessOrEqual(t, len(patch), 128)
			assert.True(t, utf8.ValidString(patch))
			assert.Equal(t, other[len(other)-9:], patch[len(patch)-9:])
			assert.True(t, IsPatchManager(patch))
			assert.False(t, IsPatchManager(other))
			assert.True(t, Foreign(patch, other))
		})
	})
	t.Run("of an object in a project whose name begins as a Patch's manager does is no Patch's [P7]", func(t *testing.T) {
		manager := Manager("patch-shop", "prod", "web", urn)
		assert.Equal(t, "k8sconnect-patch_shop.prod.web-82ff371e", manager)
		assert.False(t, IsPatchManager(manager))
		assert.Equal(t, `"web" of patch_shop/prod`, DescribeManager(manager))
		assert.Equal(t, "k8sconnect-patch.prod.web-82ff371e", Manager("patch", "prod", "web", urn))
		assert.Equal(t, "k8sconnect-patch-patch-shop.prod.web-82ff371e", PatchManager("patch-shop", "prod", "web", urn))
	})
	t.Run("is foreign if it is another resource's", func(t *testing.T) {
		own := Manager("shop", "prod", "web", urn)
		assert.False(t, Foreign(own, own))
		assert.False(t, Foreign("kubectl", own))
		assert.True(t, Foreign(Manager("shop", "prod", "api", urn+"2"), own))
	})
}

func describe(changes []Change) []string {
	var lines []string
	for _, change := range changes {
		lines = append(lines, string("~+-"[change.Kind])+Format(change.Path))
	}
	sort.Strings(lines)
	return lines
}

func valueElement(v any) fieldpath.PathElement {
	return fieldpath.ValueElement(value.NewValueInterface(v))
}
