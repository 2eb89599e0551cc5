package object_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

const bigText = `{"apiVersion":"v1","data":{"color":"blue","pad":"PADDING","size":"small"},"kind":"ConfigMap","metadata":{"name":"web"}}`

func TestCheckMakesABigManifestText(t *testing.T) {
	t.Parallel()
	padded := func(text string) string { return strings.ReplaceAll(text, "PADDING", padding) }
	secret := m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "web"}, "stringData": m{"key": "hunter2", "pad": padding}}
	for _, c := range []struct {
		name    string
		written property.Map
		text    string
		secret  bool
	}{
		{"of a tree", big(program(configMap())), bigText, false},
		{"of JSON", verbs.Properties(m{"yaml": padded(bigText)}), bigText, false},
		{"of YAML, whatever its order and formatting", verbs.Properties(m{"yaml": padded("# a comment\nkind: ConfigMap\ndata:\n  size: \"small\"\n  pad: 'PADDING'\n  color: blue\n" +
			"metadata: {name: web}\nstatus: {}\napiVersion: v1\n")}), bigText, false},
		{"of secret text, which is secret as a whole", verbs.Properties(m{"yaml": verbs.Secret(padded(bigText))}), "# secret: [[]]\n" + bigText, true},
		{"of secret text with a comment that looks like ours", verbs.Properties(m{"yaml": verbs.Secret("# secret: [[\"data\",\"size\"]]\n " + padded(bigText))}),
			"# secret: [[]]\n" + bigText, true},
		{"of secret text with a comment that says nothing is", verbs.Properties(m{"yaml": verbs.Secret("# secret: []\n" + padded(bigText))}), "# secret: [[]]\n" + bigText, true},
		{"of a secret tree", verbs.Properties(m{"manifest": verbs.Secret(big(program(configMap())).Get("manifest"))}), "# secret: [[]]\n" + bigText, true},
		{"of a tree with a secret", big(program(with(verbs.Secret("blue"), "data", "color"))), "# secret: [[\"data\",\"color\"]]\n" + bigText, true},
		{"of a Secret, whatever the program says", program(secret), "# secret: [[\"data\"],[\"metadata\",\"annotations\",\"kubectl.kubernetes.io/last-applied-configuration\"],[\"stringData\"]]\n" +
			`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"web"},"stringData":{"key":"hunter2","pad":"PADDING"}}`, true},
	} {
		t.Run(c.name+" [M25]", func(t *testing.T) {
			t.Parallel()
			checked, failures := unmade(t).Check(c.written)
			require.Empty(t, failures)
			want := property.New(padded(c.text)).WithSecret(c.secret)
			assert.Equal(t, property.NewMap(map[string]property.Value{"yaml": want}), checked)
			again, failures := unmade(t).Check(checked)
			require.Empty(t, failures)
			assert.Equal(t, checked, again, "what Check returns is what it accepts")
		})
	}
	t.Run("but not while a value in it is unknown [M25]", func(t *testing.T) {
		t.Parallel()
		now := big(program(with(verbs.Unknown, "data", "color")))
		checked, failures := unmade(t).Check(now)
		require.Empty(t, failures)
		assert.Equal(t, now, checked)
	})
	t.Run("and refuses a mistake in it where it is [M25]", func(t *testing.T) {
		t.Parallel()
		_, failures := unmade(t).Check(big(program(with([]any{nil}, "metadata", "finalizers"))))
		require.Len(t, failures, 1)
		assert.Equal(t, "manifest.metadata.finalizers[0]", failures[0].Property)
	})
	t.Run("and takes the saved one where ignoreChanges has taken out the program's [M25]", func(t *testing.T) {
		t.Parallel()
		_, web := madeBig(t)
		checked, failures := web.Check(property.Map{})
		require.Empty(t, failures)
		assert.Equal(t, web.Inputs, checked)
	})
}

// count counts all properties in a value, itself among them.
func count(v property.Value) int {
	n := 1
	if v.IsMap() {
		for _, member := range v.AsMap().All {
			n += count(member)
		}
	}
	if v.IsArray() {
		for _, item := range v.AsArray().All {
			n += count(item)
		}
	}
	return n
}

func TestABigObjectIsFewProperties(t *testing.T) {
	t.Parallel()
	data, fields := m{}, m{}
	var entries []string
	for i := range 300 {
		key := fmt.Sprint("key", i)
		data[key] = strings.Repeat("x", 600)
		if i%3 == 0 {
			entries = append(entries, owns(fmt.Sprint("controller-", i), "Update", `{"f:`+key+`":{}}`))
			continue
		}
		fields["f:"+key] = m{}
	}
	text, err := json.Marshal(data)
	require.NoError(t, err)
	owned, err := json.Marshal(fields)
	require.NoError(t, err)
	all := maps.Clone(fields)
	for i := 0; i < 300; i += 3 {
		all[fmt.Sprint("f:key", i)] = m{}
	}
	everything, err := json.Marshal(all)
	require.NoError(t, err)
	server := verbs.NewServer(t)
	server.Says("PATCH "+thePath, verbs.JSON(201, live(theUID, string(text), owns(ours, "Apply", string(everything)))))
	web := verbs.New(t, "KubeObject", process(server))
	require.NoError(t, web.Create(program(with(data, "data"))))
	assert.Less(t, count(property.New(web.Inputs))+count(property.New(web.Outputs)), 60, "as it was made")

	// A hundred fields have another owner each, and another value.
	for i := 0; i < 300; i += 3 {
		data[fmt.Sprint("key", i)] = "changed"
	}
	text, err = json.Marshal(data)
	require.NoError(t, err)
	server.Says("GET "+thePath, verbs.JSON(200, live(theUID, string(text), append(entries, owns(ours, "Apply", string(owned)))...)))
	web = web.In(t, process(server))
	require.NoError(t, web.Read())
	assert.Less(t, count(property.New(web.Inputs))+count(property.New(web.Outputs)), 60, "with a hundred owners")
	owners := values.Text(web.Outputs.Get("fieldOwnership").AsMap().Get("data"))
	assert.Contains(t, owners, "controller-0, controller-102, ", "the output names all owners, by the top of their fields")
	diff, err := web.DiffAfterRead()
	require.NoError(t, err)
	assert.Len(t, diff.DetailedDiff, 100, "and none is forgotten")
	require.Len(t, web.Said(), 1)
	assert.Contains(t, web.Said()[0], "\n  and 80 more", "a message names some of them")
}

func TestAnObjectThatGrowsAndShrinksIsUpdatedInPlace(t *testing.T) {
	t.Parallel()
	server, web := made(t)
	require.NoError(t, web.Read())
	grown := big(program(configMap()))
	server.Says("PATCH "+thePath, verbs.JSON(200, bigLive(applied)))
	server.Says("GET "+thePath, verbs.JSON(200, bigLive(applied)))
	diff, err := web.Diff(grown)
	require.NoError(t, err)
	assert.Equal(t, kinds{"__appliedFields": "update of the inputs"}, verbs.Kinds(diff), "the engine is told of nothing that it would show whole")
	require.Len(t, web.Said(), 1)
	assert.Contains(t, web.Said()[0], "\n  data.pad: nothing -> (a long value)", "a message says what it is about")
	require.NoError(t, web.Update(grown))
	assert.True(t, web.Inputs.Get("yaml").IsString())
	assert.True(t, web.Inputs.Get("manifest").IsNull())
	assert.Equal(t, m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "web", "namespace": "shop"}}, plain(t, web.Outputs.Get("manifest")))

	web = web.In(t, process(server))
	require.NoError(t, web.Read())
	diff, err = web.Diff(grown)
	require.NoError(t, err)
	assert.Empty(t, verbs.Kinds(diff), "it has grown")

	server.Says("PATCH "+thePath, verbs.JSON(200, applied))
	diff, err = web.Diff(program(configMap()))
	require.NoError(t, err)
	assert.Equal(t, kinds{"__appliedFields": "update of the inputs"}, verbs.Kinds(diff))
	require.Len(t, web.Said(), 1)
	assert.Contains(t, web.Said()[0], "\n  data.pad: (a long value) -> nothing")
	server.Says("GET "+thePath, verbs.JSON(200, applied))
	require.NoError(t, web.Update(program(configMap())))
	assert.Equal(t, program(configMap()), web.Inputs)
	assert.Equal(t, "blue", web.Outputs.Get("manifest").AsMap().Get("data").AsMap().Get("color").AsString())
	for key := range web.Outputs.All {
		assert.NotContains(t, []string{"__liveProjection", "__fieldOwnership"}, key)
	}
	web = web.In(t, process(server))
	require.NoError(t, web.Read())
	diff, err = web.Diff(program(configMap()))
	require.NoError(t, err)
	assert.Empty(t, verbs.Kinds(diff), "it has shrunk")
}

// plain is a value without its marks.
func plain(t testing.TB, v property.Value) any {
	t.Helper()
	tree, _, err := values.FromProperty(v)
	require.NoError(t, err)
	return tree
}

// asReleased turns the state of a big object into the one that a release without texts has saved.
func asReleased(t testing.TB, web *verbs.Resource) {
	t.Helper()
	_, small := made(t)
	pad := func(v property.Value) property.Value {
		data := v.AsMap().Get("data").AsMap().Set("pad", property.New(padding))
		return property.New(v.AsMap().Set("data", property.New(data)))
	}
	web.Inputs = program(configMap()).Set("manifest", pad(small.Inputs.Get("manifest")))
	key := values.Text(small.Outputs.Get("__hashKey"))
	sum, err := tracked.Hash(key, plain(t, web.Inputs.Get("manifest")))
	require.NoError(t, err)
	web.Outputs = small.Outputs.Set("manifest", pad(small.Outputs.Get("manifest"))).Set("__appliedHash", property.New(sum)).
		Set("__cluster", web.Outputs.Get("__cluster")).Set("__appliedFields", property.New(`{"f:data":{"f:color":{},"f:pad":{},"f:size":{}}}`))
}

func TestAStateOfAReleaseWithoutTextsNeedsNoUpdate(t *testing.T) {
	t.Parallel()
	server, web := madeBig(t)
	asReleased(t, web)
	require.NoError(t, web.Read())
	assert.True(t, web.Outputs.Get("__liveProjection").IsString(), "a read makes it small")
	server.Stop()
	server.Asked()
	diff, err := web.DiffAfterRead()
	require.NoError(t, err)
	assert.Empty(t, verbs.Kinds(diff), "a refresh shows nothing")
	diff, err = web.Diff(big(program(configMap())))
	require.NoError(t, err)
	assert.Empty(t, verbs.Kinds(diff))
	asReleased(t, web)
	diff, err = web.Diff(big(program(configMap())))
	require.NoError(t, err)
	assert.Empty(t, verbs.Kinds(diff), "nor without a read")
	assert.Empty(t, server.Asked())
	assert.Empty(t, web.Said())
}

func TestAChangeOfABigObjectIsNamed(t *testing.T) {
	t.Parallel()
	taken := func(color string) string {
		return bigLive(live(theUID, `{"color":"`+color+`","size":"small"}`, owns(ours, "Apply", `{"f:size":{}}`), owns("kubectl-edit", "Update", `{"f:color":{}}`)))
	}
	for _, c := range []struct {
		name  string
		now   m
		live  string
		says  []string
		hides []string
	}{
		{"drift, with its owner", configMap(), taken("scarlet"), []string{"\n  data.color: \"scarlet\" -> \"blue\" (owned by kubectl-edit)"}, nil},
		{"a field that another manager has taken as it is", configMap(), taken("blue"), []string{"\n  data.color (owned by kubectl-edit)"}, nil},
		{"drift of a secret, without its values", with(verbs.Secret("blue"), "data", "color"), taken("scarlet"),
			[]string{"\n  data.color: [secret] -> [secret] (owned by kubectl-edit)"}, []string{"scarlet", "blue"}},
		{"drift of a manifest that is secret as a whole, without names", nil, taken("scarlet"), []string{"\n  [secret]: [secret] -> [secret] (owned by kubectl-edit)"}, []string{"scarlet", "blue", "color"}},
		{"drift of a long text, where it differs", with(strings.Repeat("a", 300)+"|blue|"+strings.Repeat("z", 300), "data", "color"),
			taken(strings.Repeat("a", 300) + "|red|" + strings.Repeat("z", 300)),
			[]string{`data.color: …"aaaaaaaaaaaaaaaaaaa|red|zzzzz`, `zzz"… -> …"aaaaaaaaaaaaaaaaaaa|blue|zzzzz`}, nil},
	} {
		t.Run(c.name+" [M25]", func(t *testing.T) {
			t.Parallel()
			now := verbs.Properties(m{"manifest": verbs.Secret(big(program(configMap())).Get("manifest"))})
			color := "blue"
			if c.now != nil {
				now = big(program(c.now))
				color = values.Text(now.Get("manifest").AsMap().Get("data").AsMap().Get("color"))
			}
			server := verbs.NewServer(t)
			answer := bigLive(strings.Replace(applied, `"color":"blue"`, `"color":"`+color+`"`, 1))
			server.Says("PATCH "+thePath, verbs.JSON(201, answer))
			server.Says("GET "+thePath, verbs.JSON(200, c.live))
			web := verbs.New(t, "KubeObject", process(server))
			require.NoError(t, web.Create(now))
			web = web.In(t, process(server))
			require.NoError(t, web.Read())
			for range 2 {
				diff, err := web.DiffAfterRead()
				require.NoError(t, err)
				assert.NotEmpty(t, verbs.Kinds(diff))
				diff, err = web.Diff(now)
				require.NoError(t, err)
				assert.NotEmpty(t, verbs.Kinds(diff))
			}
			var said []string
			for _, text := range web.Said() {
				if strings.Contains(text, "too big for Pulumi") {
					said = append(said, text)
				}
			}
			require.Len(t, said, 1, "once, though several calls find it")
			assert.True(t, strings.HasPrefix(said[0], "INFO ConfigMap shop/web: the manifest is too big for Pulumi to show"), said[0])
			for _, text := range c.says {
				assert.Contains(t, said[0], text)
			}
			for _, text := range c.hides {
				assert.NotContains(t, said[0], text)
			}
		})
	}
}

func TestASecretOfABigObjectRestsInNoPlainText(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]property.Map{
		"a leaf":             big(program(with(verbs.Secret("blue"), "data", "color"))),
		"the whole manifest": verbs.Properties(m{"manifest": verbs.Secret(big(program(configMap())).Get("manifest"))}),
	} {
		t.Run(name+" [M25]", func(t *testing.T) {
			t.Parallel()
			server := verbs.NewServer(t)
			server.Says("PATCH "+thePath, verbs.JSON(201, bigLive(applied)))
			server.Says("GET "+thePath, verbs.JSON(200, bigLive(strings.Replace(applied, "blue", "red", 1))))
			web := verbs.New(t, "KubeObject", process(server))
			require.NoError(t, web.Create(now))
			require.NoError(t, web.Read())
			assert.True(t, web.Inputs.Get("yaml").Secret())
			for _, key := range []string{"__liveProjection", "__appliedProjection"} {
				assert.True(t, web.Outputs.Get(key).IsString(), key)
				assert.True(t, web.Outputs.Get(key).Secret(), key)
			}
			for key, v := range web.Outputs.All {
				if !v.Secret() {
					assert.NotContains(t, fmt.Sprint(plain(t, v)), "blue", key)
				}
			}
		})
	}
}

func TestAnUnknownValueOfABigObjectIsNoReplacement(t *testing.T) {
	t.Parallel()
	_, web := madeBig(t)
	require.NoError(t, web.Read())
	diff, err := web.Diff(big(program(with(verbs.Unknown, "data", "color"))))
	require.NoError(t, err)
	assert.Equal(t, kinds{"__appliedFields": "update of the inputs"}, verbs.Kinds(diff))
	require.Len(t, web.Said(), 1)
	assert.Contains(t, web.Said()[0], "\n  data.color: \"blue\" -> [unknown]")
	assert.NotContains(t, web.Said()[0], "data.pad")
}
