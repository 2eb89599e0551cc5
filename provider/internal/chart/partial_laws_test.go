package chart

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// agrees reports where what is known of an object is not what it turns out to be.
func agrees(known, real any, at string) string {
	switch known := known.(type) {
	case values.Unknown:
		return ""
	case map[string]any:
		theirs, isMap := real.(map[string]any)
		if !isMap {
			return at + " is no map"
		}
		for key, member := range known {
			theirMember, there := theirs[key]
			if !there && !values.IsUnknown(member) {
				return at + "." + key + " is not there"
			}
			if wrong := agrees(member, theirMember, at+"."+key); wrong != "" {
				return wrong
			}
		}
		for key := range theirs {
			if _, there := known[key]; !there {
				return at + "." + key + " is there"
			}
		}
		return ""
	case []any:
		theirs, isList := real.([]any)
		if !isList || len(known) != len(theirs) {
			return at + " has another length"
		}
		for i := range known {
			if wrong := agrees(known[i], theirs[i], fmt.Sprintf("%s[%d]", at, i)); wrong != "" {
				return wrong
			}
		}
		return ""
	default:
		if fmt.Sprint(known) != fmt.Sprint(real) {
			return fmt.Sprintf("%s is %v, not %v", at, real, known)
		}
		return ""
	}
}

// turnsOut requires that what is known of objects is so.
func turnsOut(t require.TestingT, partial *Partial, real *Rendered, of string) {
	found := map[manifest.Identity]map[string]any{}
	for _, object := range real.Objects {
		found[manifest.IdentityOf(object.Object)] = object.Object
	}
	for _, object := range partial.Objects {
		identity := manifest.IdentityOf(object.Object)
		if object.Unknown || identity.Name == "" || identity.Kind == "" { // one of two of which one is there
			continue
		}
		theirs := found[identity]
		require.NotNil(t, theirs, "%s is there for %s", nameOf(object.Object), of)
		require.Empty(t, agrees(object.Object, theirs, nameOf(object.Object)), of)
	}
	if !partial.Incomplete {
		require.Len(t, partial.Objects, len(real.Objects), "complete for %s", of)
	}
}

// A chart is rendered with values that are not known yet, and then with what they turn out to be: what was known is so [H10].
func TestWhatIsKnownTurnsOutSo(t *testing.T) {
	t.Parallel()
	conditions := []string{
		`.Values.host`, `not .Values.host`, `eq .Values.host "abc"`, `ne .Values.host "b1"`, `hasPrefix "a" .Values.host`, `contains "1" .Values.host`,
		`gt (int .Values.size) 3`, `lt (int .Values.size) 1`, `eq (int .Values.size) 5`, `.Values.enabled`, `not .Values.enabled`, `.Values.list`,
		`has "a" .Values.list`, `gt (len .Values.list) 1`, `kindIs "string" .Values.host`, `regexMatch "^[a-z]+$" .Values.host`, `.Values.name`, `eq .Values.name "web"`,
	}
	expressions := []string{
		`.Values.host`, `.Values.size`, `.Values.enabled`, `.Values.name`, `upper .Values.host`, `default "none" .Values.host`, `trunc 2 .Values.host`,
		`toJson .Values.list`, `len .Values.list`, `regexFind "[a-z]" .Values.host`, `get (dict "abc" "x") .Values.host`, `add .Values.size 2`, `min .Values.size 4`,
		`sha256sum (printf "%s%v" .Values.host .Values.size)`, `join "," .Values.list`, `first (append .Values.list "z")`, `.Values.labels.a`, `toJson .Values.labels`,
	}
	rapid.Check(t, func(t *rapid.T) {
		pick := func(from []string) string { return rapid.SampledFrom(from).Draw(t, "part") }
		var value func(depth int) string
		value = func(depth int) string {
			if depth == 0 || rapid.IntRange(0, 2).Draw(t, "shape") == 0 {
				return "{{ " + pick(expressions) + " | toString | quote }}"
			}
			return "{{ if " + pick(conditions) + " }}" + value(depth-1) + "{{ else }}" + value(depth-1) + "{{ end }}"
		}
		var texts []string
		for i := range rapid.IntRange(1, 3).Draw(t, "objects") {
			data := "fixed: x\n"
			for j := range rapid.IntRange(0, 3).Draw(t, "keys") {
				line := fmt.Sprintf("k%d: %s\n", j, value(2))
				if rapid.Bool().Draw(t, "conditional") {
					line = "{{- if " + pick(conditions) + " }}\n" + line + "{{- end }}\n"
				}
				data += line
			}
			text := configMap(fmt.Sprintf("o%d", i), data)
			if rapid.IntRange(0, 3).Draw(t, "conditional object") == 0 {
				text = "{{ if " + pick(conditions) + " }}\n" + text + "{{ end }}"
			}
			texts = append(texts, "---\n"+text)
		}
		chart, err := Load(templated(strings.Join(texts, "\n")).with(folder{"values.yaml": "host: x\nsize: 1\nenabled: true\nlist: [a]\nname: web\nlabels: {a: b}"}).files())
		require.NoError(t, err)
		later := m{
			"host": rapid.SampledFrom([]string{"", "abc", "b1", "zz", "a1"}).Draw(t, "host"), "size": rapid.SampledFrom([]any{0, 2, 3, 5, 9}).Draw(t, "size"),
			"enabled": rapid.Bool().Draw(t, "enabled"), "list": rapid.SampledFrom([]any{[]any{}, []any{"a"}, []any{"b", "a"}, []any{"c"}}).Draw(t, "list"),
			"labels": rapid.SampledFrom([]any{m{"a": "c"}, m{"a": "b"}, m{"a": ""}}).Draw(t, "labels"),
		}
		given := m{}
		for _, key := range slices.Sorted(maps.Keys(later)) {
			given[key] = later[key]
			if rapid.Bool().Draw(t, key+" unknown") {
				given[key] = values.Unknown{}
			}
		}
		partial, err := chart.RenderPartly(t.Context(), Partly{Release: release, Values: given, Session: draws.NewSession(draws.Options{})})
		require.NoError(t, err)
		real, err := chart.Render(t.Context(), release, later, Functions{})
		require.NoError(t, err)
		turnsOut(t, partial, real, fmt.Sprintf("%v of %v\n%s", later, given, texts))
	})
}

// A leaf that would differ with another secret is marked; a leaf that does not mention the secret is not [H2].
func TestWhatASecretChangesIsMarked(t *testing.T) {
	t.Parallel()
	conditions := []string{
		`eq .Values.s "abc"`, `hasPrefix "a" .Values.s`, `contains "1" .Values.s`, `gt (len .Values.s) 3`, `regexMatch "^[a-z]+$" .Values.s`, `.Values.s`,
		`eq .Values.s .Values.name`, `has .Values.s (list "abc" "zz")`, `hasKey (dict "zz" 1) .Values.s`, `.Values.name`, `eq .Values.name "web"`,
	}
	expressions := []string{
		`.Values.s`, `upper .Values.s`, `trunc 1 .Values.s`, `len .Values.s`, `regexFind "[0-9]" .Values.s`, `get (dict "abc" "x") .Values.s`, `sha256sum .Values.s`,
		`b64enc .Values.s`, `default "none" .Values.s`, `splitList "" .Values.s | first`, `.Values.name`, `printf "%s-%s" .Values.name .Values.s`, `upper .Values.name`,
	}
	rapid.Check(t, func(t *rapid.T) {
		pick := func(from []string) string { return rapid.SampledFrom(from).Draw(t, "part") }
		data, mentions := "", map[string]bool{}
		for i := range rapid.IntRange(1, 4).Draw(t, "keys") {
			line := "{{ " + pick(expressions) + " | toString | quote }}"
			if rapid.Bool().Draw(t, "conditional") {
				line = "{{ if " + pick(conditions) + " }}" + line + "{{ else }}{{ " + pick(expressions) + " | toString | quote }}{{ end }}"
			}
			key := fmt.Sprint("k", i)
			mentions[key] = strings.Contains(line, ".Values.s")
			data += key + ": " + line + "\n"
		}
		chart, err := Load(templated(configMap("a", data)).files())
		require.NoError(t, err)
		secrets := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"abc", "b1", "zz", "a1", "hunter2", "A-9"}), 2, 2, rapid.ID).Draw(t, "secrets")
		marks, err := values.MarksAt([][]any{{"s"}})
		require.NoError(t, err)
		partial, err := chart.RenderPartly(t.Context(), Partly{Release: release, Secrets: marks, Session: draws.NewSession(draws.Options{}),
			Values: m{"s": secrets[0], "name": "web"}})
		require.NoError(t, err)
		other, err := chart.Render(t.Context(), release, m{"s": secrets[1], "name": "web"}, Functions{})
		require.NoError(t, err)
		one, _ := partial.Objects[0].Object["data"].(map[string]any)
		two, _ := other.Objects[0].Object["data"].(map[string]any)
		paths := partial.Objects[0].Secrets.Paths()
		wholly := slices.ContainsFunc(paths, func(path []any) bool { return slices.Equal(path, []any{"data"}) })
		for key := range one {
			marked := slices.ContainsFunc(paths, func(path []any) bool { return slices.Equal(path, []any{"data", key}) })
			if one[key] != two[key] && !marked && !wholly {
				t.Fatalf("%s is %v with %q and %v with %q\n%s", key, one[key], secrets[0], two[key], secrets[1], data)
			}
			if marked && !wholly && !mentions[key] {
				t.Fatalf("%s is marked\n%s", key, data)
			}
		}
	})
}
