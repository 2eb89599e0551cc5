package fieldselect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAllSpellingsOfASelectionAreReadAlike(t *testing.T) {
	for standard, spellings := range map[string][]string{
		"$['spec']['replicas']": {
			"spec.replicas", ".spec.replicas", "$.spec.replicas", "{.spec.replicas}", "{spec.replicas}", "{ $.spec.replicas }", " spec.replicas ",
			"$spec.replicas", "['spec'].replicas", `$["spec"]["replicas"]`, "spec[ 'replicas' ]",
		},
		"$['metadata']['annotations']['a.b/c']": {
			`metadata.annotations["a.b/c"]`, "metadata.annotations['a.b/c']", `metadata.annotations.a\.b/c`, `{.metadata.annotations['a\.b/c']}`,
			`metadata.annotations["a\u002eb\/c"]`,
		},
		"$['containers'][?@['name']=='web']['image']": {
			"containers[name=web].image", `containers[name="web"].image`, `containers["name"='web'].image`, "containers[?(@.name=='web')].image",
			"containers[?@.name=='web'].image", `containers[? @.name == "web" ].image`, "containers[?(@['name']=='web')].image",
			"containers[?((@.name=='web'))].image", "containers[?(@.name==web)].image",
		},
		"$['ports'][?@['port']==80 && @['protocol']=='TCP']": {
			"ports[port=80,protocol=TCP]", "ports[protocol=TCP,port=80]", `ports[?(@.port==80 && @.protocol=="TCP")]`,
			"ports[?@.protocol=='TCP'&&@.port==80]", "ports[?(@.port==80)&&(@.protocol=='TCP')]",
		},
		"$['ports'][?@['port']=='80']":             {`ports[port="80"]`, "ports[?@.port=='80']"},
		"$['x'][?@['a']==true && @['b']==null]":    {"x[a=true,b=null]", "x[?@.a==true && @.b==null]"},
		"$['x'][?@['a.b']=='c']":                   {`x["a.b"=c]`, `x[?@.a\.b=='c']`, "x[?@['a.b']=='c']"},
		"$['finalizers'][?@=='a.b/c']":             {`finalizers[="a.b/c"]`, "finalizers[=a.b/c]", "finalizers[?@=='a.b/c']", "finalizers[?(@ == 'a.b/c')]"},
		"$['containers'][*]['image']":              {"containers[*].image", "containers.*.image", "containers[ * ].image"},
		"$['containers'][0]['image']":              {"containers[0].image", "containers[ 0 ].image"},
		"$['containers'][-1]":                      {"containers[-1]"},
		"$..['image']":                             {"..image", "$..image", "$..['image']", "{..image}"},
		`$['it\'s']['a\\b']['\u000a']`:             {`it's.a\\b["\n"]`, `["it's"]['a\\b']['\u000A']`},
		"$['\U0001F600']":                          {`["\ud83d\ude00"]`, "\U0001F600"},
		"$['a.']['b']":                             {`a\.['b']`, `a\..b`},
		"$['containers'][?@.image]['name']":        {"containers[?@.image].name"},
		"$['ports'][?(@.port>80)]":                 {"ports[?(@.port>80)]"},
		"$['ports'][?@.port==80 || @.port==443]":   {"ports[?@.port==80 || @.port==443]"},
		"$['ports'][?@.a.b==80]":                   {"ports[?@.a.b==80]"},
		"$['ports'][?@.a==@.b]":                    {"ports[?@.a==@.b]"},
		"$['ports'][?@.a==$.b]":                    {"ports[?@.a==$.b]"},
		"$['ports'][?@.a==length(@.b)]":            {"ports[?@.a==length(@.b)]"},
		"$['ports'][?@.a==1,?@.b==2]":              {"ports[?@.a==1,?@.b==2]"},
		"$['ports'][?@.a==1 && @.a==2]":            {"ports[?@.a==1 && @.a==2]"},
		"$['ports'][?!(@.a==1)]":                   {"ports[?!(@.a==1)]"},
		"$['ports'][0:2]":                          {"ports[0:2]"},
		"$['ports'][0,2]":                          {"ports[0,2]"},
		"$['x']['a.b','c]']":                       {`x['a\.b','c]']`},
		"$['x'][01]":                               {"x[01]"},
		`$['x']['\ud800']`:                         {`x['\ud800']`},
		`$['x']['\ud83dxxde00']`:                   {`x['\ud83dxxde00']`},
		`$['x']['\u12']`:                           {`x['\u12']`},
		"$['x'][]":                                 {"x[]"},
		"$['x'][name]":                             {"x[name]"},
		"$['ports'][?(@.name=='a') || (@.b=='c')]": {"ports[?(@.name=='a') || (@.b=='c')]"},
	} {
		for _, text := range spellings {
			t.Run(text+" [D25]", func(t *testing.T) {
				path, err := Parse(text)
				require.NoError(t, err)
				assert.Equal(t, standard, path.Standard())
				again, err := Parse(standard)
				require.NoError(t, err)
				assert.Equal(t, others(again), others(path), "how it is written does not matter")
			})
		}
	}
}

// others are the brackets of a path that are no other selectors.
func others(path Path) []string {
	var texts []string
	for _, step := range path {
		if step.Other != nil {
			texts = append(texts, step.Other.Text)
		}
	}
	return texts
}

func TestABracketThatOnlyAnEvaluatorUnderstandsSaysWhatItIs(t *testing.T) {
	for text, want := range map[string]string{
		"x[?@.port>80]": "filter", "x[?(@.a)]": "filter", "x[?@.a==1,?@.b==2]": "filter", "x[? count(@.*)>1]": "filter",
		"x[0:2]": "slice", "x[::2]": "slice", "x[007]": "slice", "x['a','b']": "union", "x[0,2]": "union",
		"x[]": "", "x[name]": "", "x[a=]": "", "x[=]": "", `x["a"b]`: "", "x[(@.length-1)]": "",
	} {
		t.Run(text+" [D25]", func(t *testing.T) {
			path, err := Parse(text)
			require.NoError(t, err)
			require.Len(t, path, 2)
			bracket := path[1].Other
			require.NotNil(t, bracket)
			require.Error(t, bracket.Err)
			assert.Equal(t, text[1:], bracket.Text)
			is := ""
			for what, holds := range map[string]bool{"filter": bracket.IsFilter(), "slice": bracket.IsSlice(), "union": bracket.IsUnion()} {
				if holds {
					is += what
				}
			}
			assert.Equal(t, want, is)
		})
	}
}

func TestAPathThatCannotBeReadSaysWhy(t *testing.T) {
	for text, why := range map[string]string{
		"": "it is empty", "{ }": "it is empty", "$": "it selects the whole object", "{.a": "the brace is not closed", "a.": "a name is empty",
		"a.[0]": "a name is empty", "a...b": "a name is empty", "a[0]b": `a dot or a bracket is missing before "b"`, "a]": "a bracket is closed that was not opened",
		"a[0": "a bracket is not closed", "a['b": "a bracket is not closed", "{.a}{.b}": "no template", "a\nb": "a line ends in the middle",
	} {
		t.Run(text+" [D25]", func(t *testing.T) {
			_, err := Parse(text)
			require.ErrorContains(t, err, why)
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"spec.replicas", "{.a['b\\.c']}", `a["b.c"][name=x,y=1].z`, "a[?(@.b=='c' && @['d']==1e3)].d", "a[3][-1][0:2]['a','b']", `f[="x"]`, "$..[*]",
		`["\ud83d\ude00"]`, `a\`, "a[?@==1]", "a[?((@.b==null))]", "[?@.a==$.b[0]]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := Parse(text)
		if err != nil {
			return
		}
		if len(path) == 0 {
			t.Fatal("a path without steps selects everything")
		}
		for _, step := range path {
			set := 0
			for _, is := range []bool{step.Name != nil, step.All, step.Index != nil, step.Keys != nil, step.Item != nil, step.Other != nil} {
				if is {
					set++
				}
			}
			if set != 1 {
				t.Fatalf("%q: a selector is %d things", text, set)
			}
			if step.Other != nil {
				_, _, _ = step.Other.IsFilter(), step.Other.IsSlice(), step.Other.IsUnion()
			}
		}
		standard := path.Standard()
		again, err := Parse(standard)
		if err != nil {
			t.Fatalf("%q is %q in the standard's spelling, which cannot be read: %v", text, standard, err)
		}
		if again.Standard() != standard {
			t.Fatalf("%q is %q in the standard's spelling, which is read as %q", text, standard, again.Standard())
		}
	})
}
