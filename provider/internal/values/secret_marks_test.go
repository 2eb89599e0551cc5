package values

import (
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAMarkCoversWhatIsBelowIt(t *testing.T) {
	var m Marks
	assert.True(t, m.Empty())
	assert.False(t, m.IsSecret(path()))
	m.Add(path("data"))
	m.Add(path("spec", "env", 10, "value"))
	m.Add(path("spec", "env", 9, "value"))
	m.Add(path("data", "a.b"))
	assert.False(t, m.Empty())
	assert.True(t, m.IsSecret(path("data")))
	assert.True(t, m.IsSecret(path("data", "x", 3)))
	assert.True(t, m.IsSecret(path("spec", "env", 9, "value")))
	assert.False(t, m.IsSecret(path("spec", "env", 9)))
	assert.False(t, m.IsSecret(path("spec", "env", "9", "value")), "an index is not a key")
	assert.False(t, m.IsSecret(path("spec", "env", 8, "value")))
	assert.Equal(t, []property.Path{
		path("data"), path("data", "a.b"), path("spec", "env", 9, "value"), path("spec", "env", 10, "value"),
	}, slices.Collect(m.Secrets()))
	for first := range m.Secrets() {
		assert.Equal(t, path("data"), first)
		break
	}
}

func TestTheMarkOfTheRootCoversEverything(t *testing.T) {
	var m Marks
	m.Add(property.Path{})
	assert.True(t, m.IsSecret(property.Path{}))
	assert.True(t, m.IsSecret(path("a", 1)))
	assert.True(t, m.Sub(property.NewSegment("a")).IsSecret(property.Path{}))
}

func TestSubIsTheViewFromBelow(t *testing.T) {
	var m Marks
	m.Add(path("manifest", "data", "x"))
	sub := m.Sub(property.NewSegment("manifest"))
	assert.Equal(t, []property.Path{path("data", "x")}, slices.Collect(sub.Secrets()))
	assert.True(t, m.Sub(property.NewSegment("yaml")).Empty())
	assert.Equal(t, slices.Collect(m.Secrets()), slices.Collect(m.Sub().Secrets()))

	m.Add(path("manifest"))
	covered := m.Sub(property.NewSegment("manifest"), property.NewSegment("spec"), property.NewSegment("a"))
	assert.Equal(t, []property.Path{{}}, slices.Collect(covered.Secrets()))
	assert.True(t, m.Sub(property.NewSegment("manifest")).IsSecret(property.Path{}))
}

func TestAddNeverShowsInAnotherMarks(t *testing.T) {
	var m Marks
	m.Add(path("manifest", "a"))
	clone, sub := m, m.Sub(property.NewSegment("manifest"))
	sub.Add(path("b"))
	m.Add(path("manifest", "c"))
	assert.Equal(t, []property.Path{path("manifest", "a")}, slices.Collect(clone.Secrets()))
	assert.Equal(t, []property.Path{path("a"), path("b")}, slices.Collect(sub.Secrets()))
	assert.Equal(t, []property.Path{path("manifest", "a"), path("manifest", "c")}, slices.Collect(m.Secrets()))
}

// paths are drawn from few segments, so that they often lie above each other.
var paths = rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]any{"a", "b.c", "", 0, 1, 70}), 0, 5),
	func(segments []any) property.Path { return path(segments...) })

func TestMarksAreASetOfPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Marks
		added := map[property.Path]bool{}
		for _, p := range rapid.SliceOf(paths).Draw(t, "added") {
			m.Add(p)
			added[p] = true
		}
		listed := slices.Collect(m.Secrets())
		require.Len(t, listed, len(added))
		for _, p := range listed {
			require.True(t, added[p])
		}
		asked := paths.Draw(t, "asked")
		segments := slices.Collect(asked.Segments)
		want := false
		for i := range len(segments) + 1 {
			want = want || added[property.PathFromSegments(segments[:i]...)]
		}
		require.Equal(t, want, m.IsSecret(asked))
		if len(segments) > 0 {
			require.Equal(t, want, m.Sub(segments[0]).IsSecret(property.PathFromSegments(segments[1:]...)))
		}
	})
}
