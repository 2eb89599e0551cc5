package description

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const page = "# Args\n\nWhat it is,\nin two lines.\n\nAnother paragraph:\n\n```sh\n# a comment\nrun this\n```\n\n" +
	"## name\n\nThe name,\nas it is.\n\n## size\n\nHow big.\n\n# State\n\n## name\n\nAnother name.\n"

func TestTextsAreReadBySections(t *testing.T) {
	texts := Parse(page)
	assert.Equal(t, "What it is, in two lines.\n\nAnother paragraph:\n\n```sh\n# a comment\nrun this\n```", texts.Of("Args"))
	assert.Equal(t, map[string]string{"name": "The name, as it is.", "size": "How big."}, texts["Args"].fields)
	assert.Equal(t, map[string]string{"name": "Another name."}, texts["State"].fields)
}

type annotator map[any]string

func (a annotator) Describe(field any, text string) { a[field] = text }

func TestFieldsAreDescribedByTheirNamesInTheSchema(t *testing.T) {
	var args struct {
		Title string `pulumi:"name"`
		Size  *int   `pulumi:"size,optional"`
		other bool
	}
	got := annotator{}
	Parse(page).Describe(got, "Args", &args)
	assert.Equal(t, annotator{&args.Title: "The name, as it is.", &args.Size: "How big."}, got)
	assert.False(t, args.other)
}

func TestATextThatIsMissingOrOfNothingIsNoticed(t *testing.T) {
	for name, call := range map[string]func(){
		"a type without a text":    func() { Parse(page).Of("State") },
		"a type that is not there": func() { Parse(page).Describe(annotator{}, "Nothing", &struct{}{}) },
		"a field without a text": func() {
			Parse(page).Describe(annotator{}, "State", &struct {
				A string `pulumi:"age"`
			}{})
		},
		"a text without a field":     func() { Parse(page).Describe(annotator{}, "State", &struct{}{}) },
		"a type that is there twice": func() { Parse("# A\n\na\n\n# A\n\nb\n") },
		"a field that is there twice": func() {
			Parse("# A\n\n## a\n\na\n\n## a\n\nb\n")
		},
		"a text before the first type": func() { Parse("a\n\n# A\n") },
	} {
		t.Run(name, func(t *testing.T) { assert.Panics(t, call) })
	}
}

func TestEveryTextIsInTheSchema(t *testing.T) {
	content, err := os.ReadFile("../../../schema.json")
	require.NoError(t, err)
	var all []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, member := range v {
				if text, ok := member.(string); ok && key == "description" {
					all = append(all, text)
				}
				walk(member)
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	var schema any
	require.NoError(t, json.Unmarshal(content, &schema))
	walk(schema)
	descriptions := strings.Join(all, "\x00")
	files, err := filepath.Glob("../../*/descriptions.md")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range append(files, "../../descriptions.md") {
		page, err := os.ReadFile(file)
		require.NoError(t, err)
		for name, text := range Parse(string(page)) {
			for field, body := range text.fields {
				assert.Contains(t, descriptions, body, "%s: %s.%s", file, name, field)
			}
			assert.Contains(t, descriptions, text.whole, "%s: %s", file, name)
		}
	}
}
