package draws_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// Elements of a list that have no names, and whose values are in one text, or are seen nowhere.
func TestAnElementThatIsKnownByItsPositionKeepsItsValue(t *testing.T) { // [D87]
	t.Parallel()
	const inOneText = "kind: Secret\nmetadata:\n  name: users\ndata:\n  all: {{ range .Values.users }}{{ .login }}={{ %s }},{{ end }}\n"
	const seenNowhere = "{{ range .Values.users }}---\nkind: Secret\nmetadata:\n  name: user-{{ .login }}\ndata:\n  {{ .login }}: {{ .login }}={{ %s }},\n{{ end }}"
	const drawn = "randAlphaNum 16"
	for name, text := range map[string]string{
		"in one text":                      strings.Replace(inOneText, "%s", drawn, 1),
		"in one text, hashed":              strings.Replace(inOneText, "%s", drawn+" | sha256sum", 1),
		"in one text, by a definition":     `{{ define "drawn" }}{{ ` + drawn + ` }}{{ end }}` + strings.Replace(inOneText, "%s", `include "drawn" .`, 1),
		"in objects of their own, hashed":  strings.Replace(seenNowhere, "%s", drawn+" | sha256sum", 1),
		"in objects of their own, but few": strings.Replace(seenNowhere, "%s", "randNumeric 6", 1),
		"in a map that is filled":          `{{ $all := dict }}{{ range .Values.users }}{{ $_ := set $all .login (` + drawn + `) }}{{ end }}` + strings.Replace(strings.Replace(inOneText, ".Values.users", "$login, $p := $all", 1), "{{ .login }}={{ %s }}", "{{ $login }}={{ $p }}", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := files{"a": text}
			options := draws.Options{}
			up := func(logins ...string) map[string]string {
				var users []any
				for _, login := range logins {
					users = append(users, m{"login": login})
				}
				rendered, s := run(t, f, m{"users": users}, options)
				options.Stored, options.Former = roundTrip(t, s.Used()), s.Former()
				found := map[string]string{}
				for _, match := range regexp.MustCompile(`(\w+)=(\w+),`).FindAllStringSubmatch(rendered["a"], -1) {
					found[match[1]] = match[2]
				}
				require.Len(t, found, len(logins))
				return found
			}
			first := up("alice", "bob")
			require.Equal(t, first, up("bob", "alice"), "in another order")
			require.Equal(t, first["bob"], up("bob")["bob"], "without another one in front of it")
			require.NotContains(t, []string{first["alice"], first["bob"]}, up("carol")["carol"], "of somebody else")
			again := up("carol", "bob", "alice")
			require.Equal(t, first["alice"], again["alice"], "after its return")
			require.Equal(t, first["bob"], again["bob"], "after its return")
		})
	}
}

func TestAnElementOfAnOlderStateKeepsItsValue(t *testing.T) { // [D87]
	t.Parallel()
	f := files{"a": "kind: Secret\nmetadata:\n  name: users\ndata:\n  all: {{ range .Values.users }}{{ .login }}={{ randAlphaNum 16 }},{{ end }}\n"}
	users := m{"users": []any{m{"login": "alice"}, m{"login": "bob"}}}
	first, s := run(t, f, users, draws.Options{})
	older := s.Used()
	for key, value := range older {
		for i, place := range value.Places {
			value.Places[i], _, _ = strings.Cut(place, " % ")
		}
		older[key] = value
	}
	second, s := run(t, f, users, draws.Options{Stored: older})
	require.Equal(t, first, second)
	require.Empty(t, s.Moved())
}
