package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	t.Run("a chart says what it is", func(t *testing.T) {
		t.Parallel()
		chart := loaded(t, folder{"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.2.3\nappVersion: 4.5\ndeprecated: true\n"})
		assert.Equal(t, []any{"shop", "1.2.3", "4.5", true}, []any{chart.Name(), chart.Version(), chart.AppVersion(), chart.Deprecated()})
	})
	t.Run("the digest is of all names and contents, in any order", func(t *testing.T) {
		t.Parallel()
		chart := named("shop").with(folder{"a": "1", "b": "2"})
		files := chart.files()
		files[0], files[2] = files[2], files[0]
		reordered, err := Load(files)
		require.NoError(t, err)
		digest := loaded(t, chart).Digest()
		assert.Len(t, digest, 64)
		assert.Equal(t, digest, reordered.Digest())
		for _, other := range []folder{{"a": "1", "b": "3"}, {"a": "12", "b": ""}, {"ab": "12"}, {"a": "1", "b2": ""}} {
			assert.NotEqual(t, digest, loaded(t, named("shop").with(other)).Digest())
		}
	})
	t.Run("charts of API version v1, with requirements.yaml, are loaded too [H3]", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, folder{
			"Chart.yaml":                   "name: old\nversion: 0.1.0\n",
			"requirements.yaml":            "dependencies: [{name: child, version: 0.1.0, condition: child.on}]\n",
			"charts/child/Chart.yaml":      "apiVersion: v1\nname: child\nversion: 0.1.0\n",
			"charts/child/templates/a.yml": configMap("child", "a: b"),
		}, m{"child": m{"on": true}})
		assert.Contains(t, dataOf(rendered), "child")
	})
	t.Run("what Helm does not install is refused", func(t *testing.T) {
		t.Parallel()
		for name, test := range map[string]struct {
			chart folder
			says  string
		}{
			"no chart":                  {folder{"values.yaml": ""}, "Chart.yaml file is missing"},
			"no name":                   {folder{"Chart.yaml": "version: 1.0.0"}, "chart.metadata.name is required"},
			"no version":                {folder{"Chart.yaml": "name: a"}, "chart.metadata.version is required"},
			"an unknown API version":    {folder{"Chart.yaml": "apiVersion: v3\nname: a\nversion: 1.0.0"}, `the apiVersion "v3" in Chart.yaml is not known`},
			"a library":                 {folder{"Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\ntype: library"}, "the chart a is a library chart"},
			"a missing subchart":        {folder{"Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies: [{name: b}]"}, "not in its folder charts/: b. Run `helm dependency build`"},
			"values that are no map":    {named("a").with(folder{"values.yaml": "[1]"}), "cannot load values.yaml"},
			"a subchart that is none":   {named("a").with(folder{"charts/b/values.yaml": ""}), "charts/b in the chart a: the chart cannot be read: Chart.yaml file is missing"},
			"an archive that is none":   {named("a").with(folder{"charts/b.tgz": "x"}), "charts/b.tgz in the chart a: the archive cannot be read"},
			"an archive that is cut":    {named("a").with(folder{"charts/b.tgz": named("b").archive(t, "b")[:40]}), "charts/b.tgz in the chart a: the archive cannot be read"},
			"a folder like an archive":  {named("a").with(named("b").in("charts/b.tgz")), "it is a folder with the name of an archive"},
			"an archive that goes out":  {named("a").with(folder{"charts/b.tgz": folder{"../../x": ""}.archive(t, "b")}), "illegally"},
			"two aliases of one name":   {folder{"Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies: [{name: b, alias: c}, {name: b, alias: c}]"}, "more than one dependency"},
			"an alias of null":          {folder{"Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies: [null]"}, "dependencies must not contain empty or null nodes"},
			"a name with a slash in it": {folder{"Chart.yaml": "apiVersion: v2\nname: a/b\nversion: 1.0.0"}, `"a/b" is invalid`},
		} {
			_, err := Load(test.chart.files())
			require.ErrorContains(t, err, test.says, name)
		}
	})
	t.Run("what in charts/ begins with a dot or an underscore is no chart", func(t *testing.T) {
		t.Parallel()
		loaded(t, named("a").with(folder{"charts/.keep": "", "charts/_old/x": "", "charts/b-1.0.0.tgz.prov": "signature"}))
	})
}

func TestLoadLimits(t *testing.T) {
	t.Parallel()
	small := limits{files: 10, bytes: 4 << 10, depth: 3, instances: 20, values: 1 << 10}
	aliases := func(name string, n int) string {
		var text strings.Builder
		text.WriteString("apiVersion: v2\nname: " + name + "\nversion: 1.0.0\ndependencies:\n")
		for i := range n {
			fmt.Fprintf(&text, "- {name: child, alias: a%d}\n", i)
		}
		return text.String()
	}
	child := func(inner folder) folder { return named("child").with(inner).in("charts/child") }
	for name, chart := range map[string]folder{
		"too many files":                     named("a").with(folder{"1": "", "2": "", "3": "", "4": "", "5": "", "6": "", "7": "", "8": "", "9": "", "10": ""}),
		"too many bytes":                     named("a").with(folder{"big": strings.Repeat("x", 5<<10)}),
		"too many files in an archive":       named("a").with(folder{"charts/b.tgz": named("b").with(folder{"1": "", "2": "", "3": "", "4": "", "5": "", "6": "", "7": "", "8": "", "9": ""}).archive(t, "b")}),
		"too many bytes in an archive":       named("a").with(folder{"charts/b.tgz": named("b").with(folder{"big": strings.Repeat("x", 1<<20)}).archive(t, "b")}),
		"too many bytes in several archives": named("a").with(folder{"charts/b.tgz": named("b").with(folder{"big": strings.Repeat("x", 3<<10)}).archive(t, "b"), "charts/c.tgz": named("c").with(folder{"big": strings.Repeat("x", 3<<10)}).archive(t, "c")}),
		"charts in charts in charts":         named("a").with(child(child(child(nil)))),
		"an archive in an archive":           named("a").with(folder{"charts/b.tgz": named("b").with(folder{"charts/c.tgz": named("c").with(folder{"charts/d.tgz": named("d").archive(t, "d")}).archive(t, "c")}).archive(t, "b")}),
		"one chart under many aliases":       folder{"Chart.yaml": aliases("a", 21)}.with(child(nil)),
		"aliases in aliases":                 folder{"Chart.yaml": aliases("a", 5)}.with(folder{"Chart.yaml": aliases("child", 5)}.with(child(nil)).in("charts/child")),
		"values under many aliases":          folder{"Chart.yaml": aliases("a", 5)}.with(child(folder{"values.yaml": "a: " + strings.Repeat("x", 300)})),
	} {
		t.Run(name+" [H16]", func(t *testing.T) {
			t.Parallel()
			_, err := load(chart.files(), small)
			var limit *LimitError
			require.ErrorAs(t, err, &limit)
			_, err = Load(chart.files())
			require.NoError(t, err)
		})
	}
}
