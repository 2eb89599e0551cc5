package choice_test

import (
	"testing"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
)

type color string

func (color) Values() []infer.EnumValue[color] {
	return []infer.EnumValue[color]{{Name: "Red", Value: "red"}, {Name: "Blue", Value: "blue"}}
}

func TestWords(t *testing.T) {
	t.Parallel()
	words := choice.Of[color]()
	assert.Equal(t, "red, blue", words.String())
	for name, c := range map[string]struct {
		value property.Value
		want  bool
	}{
		"a word is allowed":                      {property.New("red"), true},
		"a secret word is allowed":               {property.New("blue").WithSecret(true), true},
		"nothing is allowed":                     {property.New(property.Null), true},
		"what is not known yet is allowed":       {property.New(property.Computed), true},
		"another word is refused":                {property.New("green"), false},
		"the name of a word is refused":          {property.New("Red"), false},
		"the empty text is refused":              {property.New(""), false},
		"what is no text is refused":             {property.New(true), false},
		"a list with an allowed word is refused": {property.New([]property.Value{property.New("red")}), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, words.Allow(c.value))
		})
	}
}
