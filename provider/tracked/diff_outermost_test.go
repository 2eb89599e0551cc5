package tracked

import (
	"maps"
	"slices"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
)

func TestWhatIsInsideOfWhatIsShownIsLeftOut(t *testing.T) {
	tests := []struct {
		name        string
		shown, want []string
	}{
		{"nothing", nil, nil},
		{"an item and its list", []string{"m.c", "m.c[1].v"}, []string{"m.c"}},
		{"three levels", []string{"m", "m.c", "m.c[1]"}, []string{"m"}},
		{"a name that begins alike", []string{"m.c", "m.cc", "m.d"}, []string{"m.c", "m.cc", "m.d"}},
		{"a key that is written in two ways", []string{`m["c"]`, "m.c.d"}, []string{`m["c"]`}},
		{"an index is no key", []string{"m[0]", `m["0"].a`}, []string{`m["0"].a`, "m[0]"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			diff := p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{}}
			for _, path := range test.shown {
				diff.DetailedDiff[path] = p.PropertyDiff{Kind: p.Update}
			}
			got := Outermost(diff)
			assert.Equal(t, test.want, slices.Sorted(maps.Keys(got.DetailedDiff)))
			assert.True(t, got.HasChanges)
		})
	}
}
