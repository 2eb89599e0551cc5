package draws_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// bigChart has templates of 200 kB.
func bigChart() files {
	f := files{"_helpers.tpl": helpers}
	size := 0
	for i := 0; size < 200_000; i++ {
		text := strings.Repeat(chartOf()["secret.yaml"]+"---\n"+chartOf()["users.yaml"]+"---\n"+chartOf()["deployment.yaml"]+
			"{{- if .Values.on }}\nspec:\n  a: {{ .Values.b | default \"c\" | quote }}\n  {{- with .Values.d }}\n  {{- toYaml . | nindent 4 }}\n  {{- end }}\n{{- end }}\n", 5)
		f[fmt.Sprintf("%d.yaml", i)] = text
		size += len(text)
	}
	f["secret.yaml"] = ""
	return f
}

func BenchmarkRewrite(b *testing.B) {
	f := bigChart()
	for b.Loop() {
		for name, text := range f {
			draws.Rewrite(name, text)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	f := bigChart()
	_, s := run(b, f, given(), draws.Options{})
	stored := s.Used()
	b.Logf("%d values", len(stored))
	rewritten := files{}
	for name, text := range f {
		rewritten[name] = draws.Rewrite("web/templates/"+name, text)
	}
	asIs := func(_, text string) string { return text }
	b.Run("rewritten", func(b *testing.B) {
		for b.Loop() {
			_, err := render(b, rewritten, given(), asIs, draws.NewSession(draws.Options{Stored: stored}).Funcs())
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("as it is, without bcrypt", func(b *testing.B) {
		for b.Loop() {
			if _, err := render(b, f, given(), asIs, map[string]any{"htpasswd": fmt.Sprint}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
