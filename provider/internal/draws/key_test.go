package draws_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

func TestKeysSayWhereAValueIsDrawn(t *testing.T) {
	t.Parallel()
	secret := "kind: Secret\nmetadata:\n  name: {{ .Release.Name }}-a\nstringData:\n"
	for name, test := range map[string]struct{ text, keys string }{
		"a key of YAML":                     {"a:\n  password: {{ randAlpha 1 | quote }}", "|password|randAlpha 1"},
		"a key in quotes":                   {"\"tls.crt\": '{{ randAlpha 1 }}'", "|tls.crt|randAlpha 1"},
		"a key of an item":                  {"- name: x\n  value: {{ randAlpha 1 }}", "|value|randAlpha 1"},
		"a key before another action":       {"a: {{ .Values.x }}{{ randAlpha 1 }}", "|a|randAlpha 1"},
		"a key in JSON":                     {`{"x": {"a": "{{ randAlpha 1 }}"}}`, "|a|randAlpha 1"},
		"a key of properties":               {"x: |\n  TOKEN={{ randAlpha 1 }}", "|TOKEN|randAlpha 1"},
		"a key above, trimmed":              {"a:\n  {{- randAlpha 1 | nindent 2 }}", "|a|randAlpha 1"},
		"a key above a block":               {"a:\n  b: |-\n    x\n    {{ randAlpha 1 }}", "|b|randAlpha 1"},
		"a key above, and no indentation":   {"a: >-\n{{ randAlpha 1 | indent 2 }}", "|a|randAlpha 1"},
		"a key above a list":                {"args:\n- --token={{ randAlpha 1 }}\n- {{ randAlpha 1 }}", "|--token|randAlpha 1 |args|randAlpha 1"},
		"a key that is drawn, too":          {"data:\n  {{ randAlpha 1 }}: {{ randAlpha 1 }}", "|data@2|randAlpha 1 |data|randAlpha 1"},
		"no key":                            {"{{ randAlpha 1 }}", "||randAlpha 1"},
		"a key of what has ended":           {"a:\n  b: 1\nplain text\n{{ randAlpha 1 }}", "||randAlpha 1"},
		"a key after other output":          {"a:\n{{ \"x\" | indent 2 }}\n  b: {{ randAlpha 1 }}", "|b|randAlpha 1"},
		"in both branches":                  {"a: {{ if .Values.x }}{{ randAlpha 1 }}\nc: 1{{ else }}{{ randAlpha 1 }}{{ end }}", "|a@2|randAlpha 1"},
		"an object":                         {secret + "  a: {{ randAlpha 1 }}", "|a@Secret/*-a|randAlpha 1"},
		"two objects":                       {secret + "  a: {{ randAlpha 1 }}\n---\n" + strings.Replace(secret, "-a", "-b", 1) + "  a: {{ randAlpha 1 }}", "|a@Secret/*-a|randAlpha 1 |a@Secret/*-b|randAlpha 1"},
		"two objects of a name":             {secret + "  a: {{ randAlpha 1 }}\n---\n" + secret + "  a: {{ randAlpha 1 }}", "|a@Secret/*-a@2|randAlpha 1 |a@Secret/*-a|randAlpha 1"},
		"a name in one line":                {"kind: Secret\nmetadata: { labels: {}, name: {{ .Release.Name }}-a }\ndata:\n  a: {{ randAlpha 1 }}", "|a@Secret/*-a|randAlpha 1"},
		"a name by a definition":            {"kind: Secret\nmetadata:\n  labels: {a: {{ .Values.x }}}\n  name: {{ include \"pw\" . }}\ndata:\n  a: {{ randAlpha 1 }}", ">pw:name@Secret/*pw|x|randAlpha 1 |a@Secret/*pw|randAlpha 1"},
		"a name out of values":              {"kind: Secret\nmetadata:\n  name: {{ .Values.x }}-{{ $.Chart.Name }}\ndata:\n  a: {{ randAlpha 1 }}", "|a@Secret/*.Values.x-*$.Chart.Name|randAlpha 1"},
		"two objects whose names come last": {"data:\n  a: {{ randAlpha 1 }}\nkind: Secret\nmetadata:\n  name: x\n---\ndata:\n  a: {{ randAlpha 1 }}\nkind: Secret\nmetadata:\n  name: y", "|a@Secret/x|randAlpha 1 |a@Secret/y|randAlpha 1"},
		"an object whose name depends":      {"kind: Secret\ndata:\n  a: {{ randAlpha 1 }}\nmetadata:\n  {{ if .Values.x }}name: x{{ else }}name: y{{ end }}\n", "|a@Secret/x|randAlpha 1"},
		"before an object":                  {"a: {{ randAlpha 1 }}\n---\nkind: Secret", "|a|randAlpha 1"},
		"a variable":                        {"a: {{ $pw := randAlpha 1 | b64enc }}{{ $pw }}", "|pw|randAlpha 1"},
		"a variable that is assigned":       {"{{ $pw := 1 }}a: {{ $pw = (randAlpha 1) }}", "|pw|randAlpha 1"},
		"a variable of a branch":            {"a: {{ with $pw := randAlpha 1 }}{{ end }}", "|pw|randAlpha 1"},
		"a variable for nothing":            {"a: {{ $_ := randAlpha 1 }}", "|a|randAlpha 1"},
		"a key of a map":                    {"a: {{ $x := dict \"b\" (randAlpha 1) \"c\" (list (randAlpha 1)) }}", "|b|randAlpha 1 |c|randAlpha 1"},
		"a key that is set":                 {"{{ $_ := set .Values \"b\" (randAlpha 1) }}", "|b|randAlpha 1"},
		"an argument":                       {"a: {{ printf \"%s\" uuidv4 }}", "|a|uuidv4"},
		"a chain":                           {"a: {{ now.Year }}{{ (genCA \"x\" 1).Cert }}", "|a|genCA 1 |a|now"},
		"marks in a name":                   {"{{ $x := dict \"a|b>c[d]#1@2=~%\" (randAlpha 1) }}", "|a%7cb%3ec%5bd%5d%231%402%3d%7e%25|randAlpha 1"},
		"twice":                             {"a: {{ randAlpha 1 }}{{ randAlpha 1 }}{{ randAlpha 2 }}{{ uuidv4 }}", "|a@2|randAlpha 1 |a@3|randAlpha 2 |a|randAlpha 1 |a|uuidv4"},
		"only the second":                   {"{{ if .Values.x }}a: {{ randAlpha 1 }}{{ end }}\na: {{ randAlpha 1 }}", "|a@2|randAlpha 1"},
		"arguments that may be secret":      {"a: {{ htpasswd \"user\" \"hunter2\" }}{{ encryptAES \"pass\" \"word\" }}", "|a|encryptAES |a|htpasswd"},
		"whole numbers":                     {"a: {{ randInt 10 20 }}{{ genSelfSignedCert \"x\" nil nil 30 }}", "|a|genSelfSignedCert 30 |a|randInt 10 20"},
		"elements with a name":              {"{{ range .Values.users }}a: {{ randAlpha 1 }}\n{{ end }}", "[alice]|a|randAlpha 1 [bob]|a|randAlpha 1"},
		"elements with another name":        {"{{ range list (dict \"username\" \"carol\") (dict \"id\" \"x\" \"n\" 1) (dict \"id\" 7) }}a: {{ randAlpha 1 }}\n{{ end }}", "[#2]|a|randAlpha 1 [carol]|a|randAlpha 1 [x]|a|randAlpha 1"},
		"the keys of a map":                 {"{{ range .Values.map }}a: {{ randAlpha 1 }}\n{{ end }}", "[k1]|a|randAlpha 1 [k2]|a|randAlpha 1"},
		"the keys of a map, with variables": {"{{ range $k, $v := .Values.map }}{{ $k }}: {{ randAlpha 1 }}\n{{ end }}", "[k1]||randAlpha 1 [k2]||randAlpha 1"},
		"texts, which may be secret":        {"{{ range .Values.list }}a: {{ randAlpha 1 }}\n{{ end }}", "[=2d711642]|a|randAlpha 1 [=a1fce436]|a|randAlpha 1"},
		"the same text again":               {"{{ range list \"x\" \"x\" }}a: {{ randAlpha 1 }}\n{{ end }}", "[=2d711642]|a|randAlpha 1 [=2d711642]|a|randAlpha 1 #2"},
		"numbers":                           {"{{ range until 2 }}a: {{ randAlpha 1 }}\n{{ end }}{{ range 1 }}b: {{ uuidv4 }}{{ end }}", "[0]|a|randAlpha 1 [0]|b|uuidv4 [1]|a|randAlpha 1"},
		"elements without a name":           {"{{ range list (dict) (list) nil }}a: {{ randAlpha 1 }}\n{{ end }}", "[#0]|a|randAlpha 1 [#1]|a|randAlpha 1 [#2]|a|randAlpha 1"},
		"loops in loops":                    {"{{ range .Values.users }}{{ range $.Values.map }}{{ randAlpha 1 }}{{ end }}{{ end }}", "[alice][k1]||randAlpha 1 [alice][k2]||randAlpha 1 [bob][k1]||randAlpha 1 [bob][k2]||randAlpha 1"},
		"after a loop":                      {"{{ range .Values.users }}{{ end }}{{ range .Values.users }}{{ uuidv4 }}{{ else }}{{ end }}a: {{ randAlpha 1 }}", "[alice]||uuidv4 [bob]||uuidv4 |a|randAlpha 1"},
		"a loop over nothing":               {"a: {{ range list }}{{ randAlpha 1 }}{{ else }}{{ randAlpha 2 }}{{ end }}", "|a@2|randAlpha 2"},
		"a definition":                      {"a: {{ include \"pw\" . }}", ">pw:a|x|randAlpha 1"},
		"a definition, twice":               {"a: {{ include \"pw\" . }}{{ include \"pw\" . }}b: {{ template \"pw\" . }}", ">pw:a@2|x|randAlpha 1 >pw:a|x|randAlpha 1 >pw:b|x|randAlpha 1"},
		"a definition in an object":         {secret + "  a: {{ include \"pw\" . }}", ">pw:a@Secret/*-a|x|randAlpha 1"},
		"a definition for a variable":       {secret + "  a: {{ $b := include \"pw\" . }}", ">pw:b|x|randAlpha 1"},
		"a definition with arguments":       {"a: {{ include \"pw\" (dict \"key\" \"k\" \"n\" 1 \"s\" \"t\") }}{{ template \"pw\" list \"l\" . }}", ">pw:a@k,t|x|randAlpha 1 >pw:a@l|x|randAlpha 1"},
		"a definition without data":         {"a: {{ template \"pw\" }}", ">pw:a|x|randAlpha 1"},
		"a definition that gets a pipe":     {"a: {{ . | include \"pw\" }}", ">pw:a|x|randAlpha 1"},
		"a definition in an iteration":      {"{{ range .Values.users }}a: {{ include \"pw\" . }}{{ end }}", "[alice]>pw:a|x|randAlpha 1 [bob]>pw:a|x|randAlpha 1"},
		"the same again":                    {"{{ range list 1 1 }}a: {{ include \"pw\" . }}{{ end }}", "[1]>pw:a #2|x|randAlpha 1 [1]>pw:a|x|randAlpha 1"},
		"a definition in a definition":      {"{{ define \"o\" }}{{ range list \"x\" }}{{ include \"pw\" . }}{{ end }}{{ end }}a: {{ include \"o\" . }}", ">o:a[=2d711642]>pw|x|randAlpha 1"},
		"a definition in an argument":       {"a: {{ include \"pw\" (dict \"x\" (include \"pw\" .)) }}", ">pw:a|x|randAlpha 1 >pw:x|x|randAlpha 1"},
		"a definition in itself":            {"{{ define \"r\" }}{{ if gt . 0 }}{{ uuidv4 }}{{ include \"r\" (sub . 1) }}{{ end }}{{ end }}a: {{ include \"r\" 2 }}", ">r:a>r||uuidv4 >r:a||uuidv4"},
		"a block":                           {"a: {{ block \"b\" . }}{{ uuidv4 }}{{ end }}", ">b:a||uuidv4"},
		"a text":                            {"a: {{ tpl \"b: {{ uuidv4 }}\" . }}", ">tpl 5a7828b6:a|b|uuidv4"},
		"equal texts":                       {"a: {{ tpl \"b: {{ uuidv4 }}\" . }}{{ tpl \"b: {{ uuidv4 }}\" . }}", ">tpl 5a7828b6:a@2|b|uuidv4 >tpl 5a7828b6:a|b|uuidv4"},
		"a text in an iteration":            {"{{ range .Values.users }}a: {{ tpl \"b: {{ uuidv4 }}\" $ }}{{ end }}", "[alice]>tpl 5a7828b6:a|b|uuidv4 [bob]>tpl 5a7828b6:a|b|uuidv4"},
		"a text that gets a pipe":           {"a: {{ . | tpl \"b: {{ uuidv4 }}\" }}", ">tpl 5a7828b6:a|b|uuidv4"},
		"a text with a definition for it":   {"a: {{ tpl \"b: {{ uuidv4 }}\" (dict \"Template\" (dict \"x\" (include \"pw\" .))) }}", ">pw:x|x|randAlpha 1 >tpl 5a7828b6:a|b|uuidv4"},
		"a text that includes":              {"a: {{ tpl \"b: {{ include \\\"pw\\\" . }}\" . }}", ">tpl f75d4f54:a>pw:b|x|randAlpha 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := files{"a.yaml": test.text, "_helpers.tpl": `{{ define "pw" }}{{ $x := randAlpha 1 }}{{ end }}`}
			_, s := run(t, f, given(), draws.Options{Missing: draws.Placeholder(1)})
			var keys []string
			for _, key := range s.Missing() {
				keys = append(keys, strings.TrimPrefix(key, "web/templates/a.yaml"))
			}
			require.Equal(t, test.keys, strings.Join(keys, " "))
		})
	}
}
