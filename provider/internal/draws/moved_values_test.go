package draws_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

func TestAValueWithoutAPlaceMovesToTheOnlyCallSite(t *testing.T) { // [H8]
	t.Parallel()
	const password, id = "password: {{ randAlphaNum 10 }}\n", "id: {{ uuidv4 }}\n"
	user := func(name, text string) string {
		return `{{ range list (dict "name" "` + name + `") }}` + text + "{{ end }}"
	}
	object := func(name, text string) string {
		return "kind: Secret\nmetadata:\n  name: " + name + "\ndata:\n  " + text + "---\n"
	}
	chain := "{{ $p := randAlpha 9 }}{{ $h := htpasswd \"a\" $p }}{{ $e := encryptAES $h \"x\" }}"
	for name, test := range map[string]struct {
		before, after files
		moved         map[string]string // the key after the change, and the one before it; all others are drawn
	}{
		"a file is renamed": {
			files{"a": password}, files{"b": password},
			map[string]string{"b|password|randAlphaNum 10": "a|password|randAlphaNum 10"},
		},
		"a file goes to another folder": {
			files{"x/b": password}, files{"y/b": password}, map[string]string{"y/b|password|randAlphaNum 10": "x/b|password|randAlphaNum 10"},
		},
		"two files go to another folder": {
			files{"x/b": password, "a": password}, files{"y/b": password, "c": password}, nil,
		},
		"the hint is another one":        {files{"a": password}, files{"b": "token: {{ randAlphaNum 10 }}"}, nil},
		"the number is another one":      {files{"a": password}, files{"b": "password: {{ randAlphaNum 11 }}"}, nil},
		"the function is another one":    {files{"a": password}, files{"b": "password: {{ randAlpha 10 }}"}, nil},
		"the arguments are other ones":   {files{"a": `a: {{ bcrypt "x" }}`}, files{"b": `a: {{ bcrypt "y" }}`}, nil},
		"the arguments are the same":     {files{"a": `a: {{ bcrypt "x" }}`}, files{"b": `a: {{ bcrypt "x" }}`}, map[string]string{"b|a|bcrypt": "a|a|bcrypt"}},
		"the arguments change":           {files{"a": `a: {{ bcrypt "x" }}`}, files{"a": `a: {{ bcrypt "y" }}`}, nil},
		"there are two that may have it": {files{"a": id}, files{"b": id, "c": id}, nil},
		"there are two that it may have": {files{"a": id, "b": id}, files{"c": id}, nil},
		"what is still drawn stays": {
			files{"a": id}, files{"a": id, "b": id}, map[string]string{"a|id|uuidv4": "a|id|uuidv4"},
		},
		"a user's password goes to no other user": {files{"a": user("alice", password)}, files{"a": user("bob", password)}, nil},
		"a renamed file with users": {
			files{"a": user("alice", id) + user("bob", id)}, files{"b": user("bob", id) + user("alice", id)},
			map[string]string{"b[bob]|id|uuidv4": "a[bob]|id@2|uuidv4", "b[alice]|id@2|uuidv4": "a[alice]|id|uuidv4"},
		},
		"into a definition": {
			files{"a": password}, files{"a": `{{ include "x" . }}`, "_x": "{{ define \"x\" }}" + password + "{{ end }}"},
			map[string]string{"a>x|password|randAlphaNum 10": "a|password|randAlphaNum 10"},
		},
		"what was drawn and is an argument": {
			files{"a": chain}, files{"b": chain},
			map[string]string{"b|p|randAlpha 9": "a|p|randAlpha 9", "b|h|htpasswd": "a|h|htpasswd", "b|e|encryptAES": "a|e|encryptAES"},
		},
		"one call less": {
			files{"a": `{{ range list 1 1 }}a: {{ uuidv4 }}{{ end }}`}, files{"a": `{{ range list 1 }}a: {{ uuidv4 }}{{ end }}`},
			map[string]string{"a[1]|a|uuidv4": "a[1]|a|uuidv4"},
		},
		"one call less of ten, in a renamed file": {
			files{"a": `{{ range list 1 1 1 1 1 1 1 1 1 1 }}{{ uuidv4 }}{{ end }}`}, files{"b": `{{ range list 1 1 }}{{ uuidv4 }}{{ end }}`},
			nil,
		},
		"one call less, with other arguments": {
			files{"a": `a: {{ bcrypt "x" }}` + "\n" + `a: {{ bcrypt "y" }}`},
			files{"a": `a: {{ bcrypt "y" }}`},
			map[string]string{"a|a|bcrypt": "a|a@2|bcrypt"},
		},
		"in both branches": {
			files{"a": `{{ if true }}a: {{ uuidv4 }}{{ else }}a: {{ uuidv4 }}{{ end }}`}, files{"a": `{{ if false }}a: {{ uuidv4 }}{{ else }}a: {{ uuidv4 }}{{ end }}`},
			nil, // It may be switched on again.
		},
		"an object of the same name first": {
			files{"a": object("x", id), "z": object("y", id)}, files{"b": object("y", id), "c": object("x", id)},
			map[string]string{"b|id@Secret/y|uuidv4": "z|id@Secret/y|uuidv4", "c|id@Secret/x|uuidv4": "a|id@Secret/x|uuidv4"},
		},
		"an object in front of another one": {
			files{"a": object("y", id)}, files{"a": object("x", id) + object("y", id)},
			map[string]string{"a|id@Secret/y|uuidv4": "a|id@Secret/y|uuidv4"},
		},
		"an object is renamed": {
			files{"a": object("x", id)}, files{"a": object("y", id)},
			map[string]string{"a|id@Secret/y|uuidv4": "a|id@Secret/x|uuidv4"},
		},
		"a call in front of another one, with other arguments": {
			files{"a": `{{ include "x" (dict "key" "k") }}`, "_x": `{{ define "x" }}{{ uuidv4 }}{{ end }}`},
			files{"a": `{{ include "x" (dict "key" "j") }}{{ include "x" (dict "key" "k") }}`, "_x": `{{ define "x" }}{{ uuidv4 }}{{ end }}`},
			map[string]string{"a>x:@k||uuidv4": "a>x:@k||uuidv4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := run(t, test.before, nil, draws.Options{})
			before := s.Used().WithoutPlaces()
			for _, missing := range []draws.Missing{draws.Draw, draws.Placeholder(1)} {
				_, s := run(t, test.after, nil, draws.Options{Stored: before, Missing: missing})
				after := s.Used()
				moved := map[string]string{}
				for key, value := range after {
					for from, earlier := range before {
						if earlier.Text == value.Text {
							moved[strings.TrimPrefix(key, "web/templates/")] = strings.TrimPrefix(from, "web/templates/")
						}
					}
				}
				if test.moved == nil {
					test.moved = map[string]string{}
				}
				require.Equal(t, test.moved, moved)
				if missing == draws.Draw {
					require.Len(t, s.Missing(), len(after)-len(moved))
				}
			}
		})
	}
}

func TestAValueBelongsToItsPlace(t *testing.T) { // [D87]
	t.Parallel()
	secret := func(name string) string {
		return "kind: Secret\nmetadata:\n  name: " + name + "\ndata:\n  password: {{ randAlphaNum 10 }}\n---\n"
	}
	withToken := func(name string) string {
		return strings.Replace(secret(name), "---\n", "  token: {{ randAlphaNum 10 }}\n---\n", 1)
	}
	hosts := "{{ range .Values.hosts }}" + secret("{{ .host }}") + "{{ end }}"
	hostsOf := func(names ...string) m {
		var all list
		for _, name := range names {
			all = append(all, m{"host": name})
		}
		return m{"hosts": all}
	}
	for name, test := range map[string]struct {
		before, after files
		given, then   m
		stay          map[string]string // the names of objects, and those that they had; all others are drawn
		doubtful      int
	}{
		"into a definition":                 {before: files{"a": secret("x")}, after: files{"a": `{{ include "d" . }}`, "_d": `{{ define "d" }}` + secret("x") + "{{ end }}"}, stay: map[string]string{"x": "x"}},
		"two files are exchanged":           {before: files{"a": secret("x"), "b": secret("y")}, after: files{"a": secret("y"), "b": secret("x")}, stay: map[string]string{"x": "x", "y": "y"}},
		"another branch":                    {before: files{"a": "{{ if true }}" + secret("x") + "{{ else }}" + secret("x") + "{{ end }}"}, after: files{"a": "{{ if false }}" + secret("x") + "{{ else }}" + secret("x") + "{{ end }}"}, stay: map[string]string{"x": "x"}},
		"another name":                      {before: files{"a": secret("x"), "b": secret("y")}, after: files{"a": secret("z"), "b": secret("y")}, stay: map[string]string{"z": "x", "y": "y"}},
		"two other names":                   {before: files{"a": secret("x") + secret("y")}, after: files{"a": secret("z") + secret("u")}, doubtful: 2},
		"another name, and one more object": {before: files{"a": secret("x")}, after: files{"a": secret("z"), "b": secret("y")}, doubtful: 2},
		"another name, with all values":     {before: files{"a": withToken("x")}, after: files{"a": withToken("z")}, stay: map[string]string{"z": "x"}},
		"and one more object with less":     {before: files{"a": withToken("x")}, after: files{"a": secret("z") + withToken("y")}, doubtful: 3},
		"another name in another file":      {before: files{"a": secret("x")}, after: files{"b": secret("z")}, doubtful: 1},
		"a new object beside the old one":   {before: files{"a": secret("x")}, after: files{"b": secret("x"), "a": secret("z")}, stay: map[string]string{"x": "x"}},
		"a list in another order":           {before: files{"a": hosts}, after: files{"a": hosts}, given: hostsOf("x", "y"), then: hostsOf("z", "y", "x"), stay: map[string]string{"x": "x", "y": "y"}},
		"another element at its position":   {before: files{"a": hosts}, after: files{"a": hosts}, given: hostsOf("x", "y"), then: hostsOf("z", "y"), stay: map[string]string{"y": "y"}, doubtful: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := run(t, test.before, test.given, draws.Options{})
			before := roundTrip(t, s.Used())
			named := map[string]string{} // the values by the names of their objects
			for _, value := range before {
				named[nameOf(value)] = value.Text
			}
			for _, missing := range []draws.Missing{draws.Draw, draws.Placeholder(1)} {
				_, s := run(t, test.after, test.then, draws.Options{Stored: before, Missing: missing})
				stay := map[string]string{}
				for _, value := range s.Used() {
					for from, text := range named {
						if text == value.Text {
							stay[nameOf(value)] = from
						}
					}
				}
				if len(test.stay) > 0 || len(stay) > 0 {
					require.Equal(t, test.stay, stay)
				}
				require.Len(t, s.Doubtful(), test.doubtful)
			}
			t.Run("as long as not everything is known, nothing moves", func(t *testing.T) {
				s := draws.NewSession(draws.Options{Stored: before, Missing: draws.Placeholder(1), Source: sourceOf(test.after)})
				_, err := render(t, test.after, test.then, s.Rewrite, s.Funcs())
				require.NoError(t, err)
				require.Nil(t, s.AgainInPart(nil))
				for key, value := range s.Used() {
					require.Equal(t, before[key], value)
				}
			})
		})
	}
}

// nameOf is the name of the object that a value is in.
func nameOf(value draws.Value) string {
	if len(value.Places) == 0 {
		return ""
	}
	object, _, _ := strings.Cut(value.Places[0], " ")
	return strings.TrimPrefix(object, "Secret/")
}

func TestWhatMovesIsTheSameInEveryRendering(t *testing.T) { // [H8]
	t.Parallel()
	before, after := files{}, files{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		secret := "kind: Secret\nmetadata:\n  name: " + name + "\ndata:\n  p: {{ uuidv4 }}\n"
		before[name+".yaml"], after[name+name+".yaml"] = secret, secret
	}
	_, s := run(t, before, nil, draws.Options{})
	first, last := run(t, after, nil, draws.Options{Stored: s.Used()})
	for range 5 {
		again, _ := run(t, after, nil, draws.Options{Stored: s.Used()})
		require.Equal(t, first, again)
	}
	t.Run("other renderings begin with what has moved", func(t *testing.T) {
		other := draws.NewSession(draws.Options{Stored: last.Options().Stored, Missing: draws.Placeholder(3)})
		_, err := render(t, after, nil, other.Rewrite, other.Funcs())
		require.NoError(t, err)
		require.Nil(t, other.Again(nil))
		require.Empty(t, other.Missing())
		require.Equal(t, last.Used().WithoutPlaces(), other.Used().WithoutPlaces())
	})
}

func TestRotate(t *testing.T) { // [H8]
	t.Parallel()
	f := files{
		"a.yaml": "{{ $x := randAlphaNum 10 }}{{ $x }}", "b.yaml": "password: {{ include \"pw\" . }}",
		"c.yaml": "{{ range list (dict \"name\" \"al/ice\") }}token: {{ randAlphaNum 10 }}{{ end }}", "_.tpl": "{{ define \"pw\" }}{{ $pw := randAlpha 9 }}{{ $pw }}{{ end }}",
	}
	before, s := run(t, f, nil, draws.Options{})
	const a, b, c = "web/templates/a.yaml|x|randAlphaNum 10", "web/templates/b.yaml>pw:password|pw|randAlpha 9", "web/templates/c.yaml[al/ice]|token|randAlphaNum 10"
	require.Equal(t, []string{a, b, c}, sites(s))
	for name, test := range map[string]struct {
		rotate, rotated, unmatched []string
	}{
		"nothing":                       {nil, nil, nil},
		"a key":                         {[]string{a}, []string{a}, nil},
		"a key with brackets":           {[]string{c}, []string{c}, nil},
		"all":                           {[]string{"*"}, []string{a, b, c}, nil},
		"a file":                        {[]string{"web/templates/b.yaml*"}, []string{b}, nil},
		"an iteration":                  {[]string{"*[al?ice]*"}, []string{c}, nil},
		"a function":                    {[]string{"*|randAlpha 9"}, []string{b}, nil},
		"stars":                         {[]string{"web/*|*|*Num*10"}, []string{a, c}, nil},
		"the end has to match":          {[]string{"*|randAlpha"}, nil, []string{"*|randAlpha"}},
		"the begin has to match":        {[]string{"templates/*"}, nil, []string{"templates/*"}},
		"a hint":                        {[]string{"token"}, []string{c}, nil},
		"a hint of a definition's call": {[]string{"password"}, []string{b}, nil},
		"nothing has this hint":         {[]string{"pass", "", "x"}, []string{a}, []string{"pass", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, again := run(t, f, nil, draws.Options{Stored: s.Used(), Rotate: test.rotate})
			require.Equal(t, test.rotated, again.Rotated())
			require.Equal(t, test.unmatched, again.Unmatched())
			require.Empty(t, again.Missing())
			for file, text := range after {
				isRotated := slices.ContainsFunc(test.rotated, func(key string) bool { return strings.HasPrefix(key, "web/templates/"+file) })
				require.Equal(t, isRotated, text != before[file], file)
			}
			preview, again := run(t, f, nil, draws.Options{Stored: s.Used(), Rotate: test.rotate, Missing: draws.Placeholder(1)})
			require.Equal(t, test.rotated, again.Rotated())
			require.Len(t, again.Used(), 3-len(test.rotated), "placeholders are not stored")
			require.Equal(t, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(preview)))
		})
	}
	t.Run("a rotated value goes nowhere else", func(t *testing.T) {
		t.Parallel()
		after, again := run(t, f.with(files{"d.yaml": f["a.yaml"]}), nil, draws.Options{Stored: s.Used(), Rotate: []string{a}})
		require.NotContains(t, after, before["a.yaml"])
		require.NotEqual(t, before["a.yaml"], after["d.yaml"])
		require.Equal(t, []string{a}, again.Rotated())
	})
	t.Run("not if its file is renamed, either", func(t *testing.T) {
		t.Parallel()
		after, again := run(t, f.with(files{"d.yaml": f["a.yaml"], "e.yaml": f["a.yaml"], "a.yaml": ""}), nil, draws.Options{Stored: s.Used(), Rotate: []string{"*d.yaml*"}})
		require.NotEqual(t, before["a.yaml"], after["d.yaml"])
		require.NotEqual(t, before["a.yaml"], after["e.yaml"])
		require.Empty(t, again.Rotated(), "nobody knows which of the two it was")
	})
}

// The call site of one object may be written where that of another one was. A value of an object that is gone, under whatever key it is
// stored, goes to a new object only if nothing else has come or gone that could be the same.
func TestAValueIsNotMistakenForThatOfAnotherObjectAtItsCallSite(t *testing.T) { // [D65] [D87]
	t.Parallel()
	object := func(name string) string {
		return "kind: Secret\nmetadata:\n  name: " + name + "\ndata:\n  password: {{ randAlphaNum 10 }}\n---\n"
	}
	all := func(names ...string) (f files) {
		var text strings.Builder
		for _, name := range names {
			text.WriteString(object(name))
		}
		return files{"a": text.String()}
	}
	for name, versions := range map[string][][]string{
		"one is renamed, and comes back beside a new one in front of it": {{"web"}, {"zeta"}, {"admin", "web"}},
		"one is renamed, and comes back beside a new one behind it":      {{"web"}, {"zeta"}, {"web", "admin"}},
		"two come in place of one":                                       {{"zeta"}, {"admin", "web"}},
		"one comes in place of two":                                      {{"admin", "web"}, {"zeta"}},
		"two come in place of two":                                       {{"admin", "web"}, {"zeta", "beta"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options, owners := draws.Options{}, map[string]string{}
			for i, names := range versions {
				rendered, s := run(t, all(names...), nil, options)
				options.Stored, options.Former = roundTrip(t, s.Used()), s.Former()
				for _, text := range textsIn(rendered) {
					if text.Field != "data.password" {
						continue
					}
					if owner, known := owners[text.Text]; known && i == len(versions)-1 {
						require.Equal(t, owner, text.Object, "it has the value of another one")
					}
					owners[text.Text] = text.Object
				}
			}
		})
	}
}
