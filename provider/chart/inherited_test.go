package chart

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

func TestWhatIsInThePlacesOfPlaceholders(t *testing.T) { // [D65]
	t.Parallel()
	long := strings.Repeat("x", 4000)
	for name, c := range map[string]struct {
		placeholders   []string
		rendered, live string
		found          []string
	}{
		"the whole":                        {[]string{"aaaa"}, "aaaa", "1234", []string{"1234"}},
		"a part":                           {[]string{"aaaa"}, "user:aaaa@db", "user:1234@db", []string{"1234"}},
		"two":                              {[]string{"aaaa", "bb"}, "aaaa-bb", "1234-56", []string{"1234", "56"}},
		"one twice":                        {[]string{"aa", "aa"}, "aa aa", "12 34", []string{"12", "34"}},
		"a long one":                       {[]string{long}, "<" + long + ">", "<" + strings.Repeat("y", 4000) + ">", []string{strings.Repeat("y", 4000)}},
		"nothing where the rest differs":   {[]string{"aaaa"}, "user:aaaa@db", "user:1234@dc", nil},
		"nothing where the front differs":  {[]string{"aaaa"}, "user:aaaa@db", "uses:1234@db", nil},
		"nothing where it is longer":       {[]string{"aaaa"}, "aaaa", "12345", nil},
		"nothing where letters are longer": {[]string{"aaaa"}, "aaaa", "ääää", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shows []draws.Wanted
			for _, placeholder := range c.placeholders {
				shows = append(shows, draws.Wanted{Placeholder: placeholder})
			}
			assert.Equal(t, c.found, inPlacesOf(shows, c.rendered, c.live))
		})
	}
}
