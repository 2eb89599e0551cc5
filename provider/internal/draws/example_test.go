package draws_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// A rewritten template passes its call site to each draw. Apart from the drawn values, it renders the same text.
func ExampleRewrite() {
	fmt.Println(draws.Rewrite("web/templates/secret.yaml", `password: {{ randAlphaNum 10 | quote }}`))
	// Output:
	// {{$kc := kc_file "web/templates/secret.yaml" $}}password: {{kc_randAlphaNum $kc "password" 10 | quote}}
}

// The second rendering gets the values that the first one has drawn. A value is drawn again when its length changes.
func ExampleSession() {
	first, stored := drawn(`password: {{ randAlphaNum 10 }}`, nil)
	second, _ := drawn(`password: {{ randAlphaNum 10 }}`, stored)
	longer, _ := drawn(`password: {{ randAlphaNum 20 }}`, stored)

	fmt.Println(slices.Collect(maps.Keys(stored)))
	fmt.Println("the same password:", first == second)
	fmt.Println("a longer password:", len(longer) > len(first))
	// Output:
	// [web/templates/secret.yaml|password|randAlphaNum 10]
	// the same password: true
	// a longer password: true
}

// drawn renders a template of a Secret with the stored values, and returns its text and the values to store.
func drawn(text string, stored draws.Values) (rendered string, used draws.Values) {
	const file = "web/templates/secret.yaml"
	s := draws.NewSession(draws.Options{Stored: stored, Source: draws.SourceOf(map[string]string{file: text})})
	for {
		var out strings.Builder
		parsed := template.Must(template.New(file).Funcs(s.Funcs()).Parse(s.Rewrite(file, text)))
		if err := parsed.Execute(&out, nil); err != nil {
			panic(err)
		}
		_, password, _ := strings.Cut(out.String(), ": ")
		shown := draws.Text{Object: "Secret/web", Field: "stringData.password", Text: password}
		again := s.Again([]draws.Text{shown})
		if again == nil {
			return out.String(), s.Used()
		}
		s = again // A value has moved to its place.
	}
}
