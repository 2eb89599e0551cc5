package manifest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnchorsThatContainThemselves(t *testing.T) {
	for text, want := range map[string]string{
		"a: &a [*a]":                 "YAML: line 1: the anchor contains itself; write out what the alias in it stands for",
		"a: 1\n---\nb: &b\n  c: *b":  "YAML: line 3: the anchor contains itself; write out what the alias in it stands for",
		"a: &a {b: &b [*a], c: *b}":  "YAML: line 1: the anchor contains itself; write out what the alias in it stands for",
		"a: [\n---\nb: &b {<<: *b}":  "YAML: line 3: the anchor contains itself; write out what the alias in it stands for",
		"a: &a [1]\nb: &b [*a, *a]":  "",
		"a: &a 1\nb: &a [*a]\nc: *a": "YAML: line 2: the anchor contains itself; write out what the alias in it stands for",
		"a: [":                       "",
		"":                           "",
	} {
		err := CheckAnchors(text)
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		assert.EqualError(t, err, want, text)
	}
}
