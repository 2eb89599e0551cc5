package draws_test

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// chartOf is a chart that draws in the ways that charts do.
func chartOf() files {
	return files{
		"_helpers.tpl": helpers,
		"secret.yaml": `{{- $token := randAlphaNum 20 -}}
apiVersion: v1
kind: Secret
metadata:
  name: {{ include "web.name" . }}
stringData:
  {{- include "web.password.key" (dict "key" "admin-password") | nindent 2 }}
  {{- include "web.password.key" (dict "key" "reader-password" "length" 16 "strong" true) | nindent 2 }}
  token: {{ $token }}
  again: {{ $token | b64enc | quote }}
  htpasswd: {{ htpasswd "admin" $token | quote }}
  cached: {{ include "web.cached" . }}
`,
		"users.yaml": `kind: Secret
metadata:
  name: users
data:
{{ range .Values.users }}
{{ .name }}: {{ randAlphaNum 10 }}
{{ end }}{{ range $k, $v := .Values.map }}
{{ $k }}: {{ randAlphaNum 10 }}
{{ end }}{{ range .Values.map }}
- {{ randAlphaNum 10 }}
{{ end }}{{ range .Values.list }}
{{ . }}: {{ randAlphaNum 10 }}
{{ end }}`,
		"deployment.yaml": `kind: Deployment
metadata:
  name: web
checksum: {{ include (print $.Template.BasePath "/secret.yaml") . | sha256sum }}
deployed: {{ now | date "2006-01-02T15:04:05.999999999" }}
cached: {{ include "web.cached" . }}
texts: {{ tpl "{{ randAlphaNum 5 }}" . }} {{ tpl "{{ randAlphaNum 5 }}" . }}
`,
		"tls.yaml": `kind: Secret
metadata:
  name: tls
{{ $ca := genCA "web-ca" 365 -}}
{{- $cert := genSignedCert "web" (list "10.0.0.1") (list "web" "web.prod") 365 $ca -}}
ca: {{ $ca.Cert | b64enc }}
crt: {{ $cert.Cert | b64enc }}
key: {{ $cert.Key | b64enc }}
`,
	}
}

func given() m {
	return m{"users": list{m{"name": "alice"}, m{"name": "bob"}}, "map": m{"k1": 1, "k2": 2}, "list": list{"x", "y"}}
}

func TestValuesStayFromOneRenderingToTheNext(t *testing.T) { // [H8]
	t.Parallel()
	first, s := run(t, chartOf(), given(), draws.Options{})
	stored := s.Used()
	require.Len(t, s.Missing(), len(stored))

	t.Run("nothing has changed", func(t *testing.T) {
		t.Parallel()
		second, s := run(t, chartOf(), given(), draws.Options{Stored: stored})
		require.Equal(t, first, second)
		require.Equal(t, stored, s.Used())
		require.Empty(t, s.Missing())
	})
	t.Run("in a preview, and on another machine", func(t *testing.T) {
		t.Parallel()
		kept := roundTrip(t, stored)
		second, s := run(t, chartOf(), given(), draws.Options{Stored: kept, Missing: draws.Placeholder(1), Now: time.Now().Add(time.Hour)})
		require.Equal(t, first, second)
		require.Empty(t, s.Missing())
	})

	t.Run("the checksum of a file is that of what it renders", func(t *testing.T) {
		t.Parallel()
		for _, missing := range []draws.Missing{draws.Draw, draws.Placeholder(1)} {
			for _, from := range []draws.Values{nil, stored} {
				texts, _ := run(t, chartOf(), given(), draws.Options{Stored: from, Missing: missing})
				sum := sha256.Sum256([]byte(texts["secret.yaml"]))
				require.Contains(t, texts["deployment.yaml"], hex.EncodeToString(sum[:]))
			}
		}
	})

	changes := map[string]struct {
		files  func(f files)
		values func(v m)
		lost   []string // how lines begin that are gone
	}{
		"a file in front is added": {files: func(f files) { f["a.yaml"] = "x: {{ randAlphaNum 10 }}{{ include \"web.password\" dict }}" }},
		"a file is left out": {
			files: func(f files) { delete(f, "users.yaml") }, lost: []string{"data:", "name: users", "alice:", "bob:", "k1:", "k2:", "-", "x:", "y:"},
		},
		"draws are added in front": {files: func(f files) {
			f["secret.yaml"] = "{{ $first := randAlphaNum 20 }}{{ $_ := include \"web.password.key\" (dict \"key\" \"new\") }}" + f["secret.yaml"]
		}},
		"a password is added in front, by the same helper": {
			files: func(f files) {
				f["secret.yaml"] = strings.Replace(f["secret.yaml"], "stringData:\n", "stringData:\n  new: {{ include \"web.password\" dict }}\n", 1)
			},
			lost: []string{"checksum:"},
		},
		"a password is left out": {
			files: func(f files) {
				f["secret.yaml"] = strings.Replace(f["secret.yaml"], `{{- include "web.password.key" (dict "key" "admin-password")`, `{{- "" `, 1)
			},
			lost: []string{"checksum:", "admin-password:"},
		},
		"lines are moved, and comments added": {
			files: func(f files) {
				l := strings.SplitAfter(f["secret.yaml"], "\n")
				moved := append([]string{"{{/* version 2 */}}\n", l[0]}, append(l[1:6:6], l[11], l[10], l[9], "\n", l[8], l[7], l[6])...)
				f["secret.yaml"] = strings.Join(moved, "")
			},
			lost: []string{"checksum:"},
		},
		"a user is added in front": {values: func(v m) { v["users"] = append(list{m{"name": "aaron"}}, v["users"].(list)...) }},
		"a user is removed":        {values: func(v m) { v["users"] = v["users"].(list)[1:] }, lost: []string{"alice:"}},
		"users are reordered":      {values: func(v m) { v["users"] = list{m{"name": "bob"}, m{"name": "alice"}} }},
		"a key is added in front":  {values: func(v m) { v["map"] = m{"a": 0, "k1": 1, "k2": 2} }},
		"a text is added in front": {values: func(v m) { v["list"] = list{"w", "x", "y"} }},
		"another file is the first to draw what is cached": {files: func(f files) {
			f["a.yaml"] = `cached: {{ include "web.cached" . }}`
		}},
		"a file is renamed": {files: func(f files) {
			f["auth/credentials.yaml"], f["auth/certificates.yaml"] = f["secret.yaml"], f["tls.yaml"]
			delete(f, "secret.yaml")
			delete(f, "tls.yaml")
			f["deployment.yaml"] = strings.Replace(f["deployment.yaml"], "/secret.yaml", "/auth/credentials.yaml", 1)
		}},
		"a definition is renamed": {files: func(f files) {
			for name, text := range f {
				f[name] = strings.ReplaceAll(text, "web.password", "common.secret")
			}
		}},
		"the helper calls another one": {files: func(f files) {
			f["_helpers.tpl"] = strings.Replace(f["_helpers.tpl"], "web.password", "web.inner", 1) + `{{ define "web.password" }}{{ include "web.inner" . }}{{ end }}`
		}},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, v := chartOf(), given()
			if change.files != nil {
				change.files(f)
			}
			if change.values != nil {
				change.values(v)
			}
			for _, missing := range []draws.Missing{draws.Draw, draws.Placeholder(1)} {
				second, _ := run(t, f, v, draws.Options{Stored: stored, Missing: missing})
				after := lines(second)
				for _, line := range lines(first) {
					isLost := slices.ContainsFunc(change.lost, func(begin string) bool { return strings.HasPrefix(line, begin) })
					require.Equal(t, isLost, !slices.Contains(after, line), line)
				}
			}
		})
	}
}

func TestAFileThatIsIncludedWithOtherDataDrawsForThem(t *testing.T) { // [H8]
	t.Parallel()
	f := files{
		"a.yaml":   `{{ include (print $.Template.BasePath "/b.yaml") (dict "x" "other") }} {{ include (print $.Template.BasePath "/b.yaml") . }}`,
		"b.yaml":   `{{ bcrypt (toString .x) }}-{{ uuidv4 }}`,
		"zzz.yaml": `{{ include (print $.Template.BasePath "/b.yaml") (dict "x" "other") }}`,
	}
	first, s := run(t, f, nil, draws.Options{})
	require.Equal(t, first["zzz.yaml"]+" "+first["b.yaml"], first["a.yaml"])
	require.NotEqual(t, first["zzz.yaml"], first["b.yaml"])
	require.Equal(t, []string{"web/templates/b.yaml||bcrypt", "web/templates/b.yaml||bcrypt ~2", "web/templates/b.yaml||uuidv4"}, sites(s))
	second, s := run(t, f.with(files{"a.yaml": ""}), nil, draws.Options{Stored: s.Used()}) // now they come in another order
	require.Equal(t, first["b.yaml"], second["b.yaml"])
	require.Equal(t, first["zzz.yaml"], second["zzz.yaml"])
	require.Empty(t, s.Missing())
}

func TestWhatIsLookedUpIsNotDrawn(t *testing.T) { // [H9]
	t.Parallel()
	f := files{"a": `{{ $live := (lookup "v1" "Secret" "prod" "web").data }}{{ $p := "" }}{{ if $live }}{{ $p = $live.p }}{{ else }}{{ $p = randAlpha 9 }}{{ end }}{{ $p }}`}
	render := func(o draws.Options, live m) (string, *draws.Session) {
		s := draws.NewSession(o)
		funcs := s.Funcs()
		funcs["lookup"] = func(string, string, string, string) (m, error) { return live, nil }
		texts, err := render(t, f, nil, s.Rewrite, funcs)
		require.NoError(t, err)
		return texts["web/templates/a"], s
	}
	first, s := render(draws.Options{}, nil)
	second, _ := render(draws.Options{Stored: s.Used()}, m{})
	require.Equal(t, first, second)
	third, s := render(draws.Options{Stored: s.Used()}, m{"data": m{"p": "live"}})
	require.Equal(t, "live", third)
	require.Empty(t, s.Used())
}

func lines(texts map[string]string) []string {
	var lines []string
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		for line := range strings.Lines(texts[file]) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func roundTrip(t require.TestingT, values draws.Values) draws.Values {
	data, err := values.MarshalJSON()
	require.NoError(t, err)
	read, err := draws.ParseValues(data)
	require.NoError(t, err)
	return read
}
