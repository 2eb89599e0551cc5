package values

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPathsAreWrittenAsTheEngineReadsThem(t *testing.T) {
	for want, p := range map[string]property.Path{
		"":            {},
		"manifest":    path("manifest"),
		"[0].a":       path(0, "a"),
		`["a.b"][70]`: path("a.b", 70),
		`manifest.spec.template.spec.containers[0].env[1].value`: path(
			"manifest", "spec", "template", "spec", "containers", 0, "env", 1, "value"),
		`manifest.metadata.labels["app.kubernetes.io/name"]`: path(
			"manifest", "metadata", "labels", "app.kubernetes.io/name"),
		`a[""]`:          path("a", ""),
		`a["say \"x\""]`: path("a", `say "x"`),
		`a["b\c"]`:       path("a", `b\c`),
		`a["größe"]`:     path("a", "größe"),
		"a[\"b\nc\"]":    path("a", "b\nc"),
		`a["x-y"]._z1`:   path("a", "x-y", "_z1"),
	} {
		assert.Equal(t, want, FormatPath(p))
		parsed, err := ParsePath(want)
		require.NoError(t, err, want)
		assert.Equal(t, p, parsed)
	}
}

func TestAPathThatIsWrittenIsReadTheSame(t *testing.T) {
	segment := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 1<<40), func(i int) property.PathSegment { return property.NewSegment(i) }),
		rapid.Map(rapid.OneOf(keys, awkwardKeys), func(key string) property.PathSegment { return property.NewSegment(key) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		p := property.PathFromSegments(rapid.SliceOf(segment).Draw(t, "path")...)
		text, whole := EnginePath(p)
		elements, err := resource.ParsePropertyPathStrict(text)
		require.NoError(t, err, text)
		parsed, err := ParsePath(text)
		require.NoError(t, err, text)
		if whole {
			require.Equal(t, p, parsed, text)
			require.Equal(t, text, FormatPath(p))
		}

		i := 0
		for segment := range p.Segments {
			if i == len(elements) {
				require.False(t, whole)
				require.True(t, strings.HasSuffix(segment.(property.KeySegment).Key(), `\`), "only a last backslash cannot be read")
				return
			}
			switch segment := segment.(type) {
			case property.KeySegment:
				require.Equal(t, segment.Key(), elements[i])
			case property.IndexSegment:
				require.Equal(t, segment.Index(), elements[i])
			}
			i++
		}
		require.True(t, whole)
	})
}

func TestAKeyThatCannotBeReadIsNamedByWhatContainsIt(t *testing.T) {
	for want, p := range map[string]property.Path{
		"":           path(`a\`, "b"),
		"manifest.l": path("manifest", "l", `a\`),
		"manifest.m": path("manifest", "m", `\`, "x", 0),
		"l[1]":       path("l", 1, `a"\`, `]\`),
	} {
		text, whole := EnginePath(p)
		assert.Equal(t, want, text)
		assert.False(t, whole)
		_, err := ParsePath(text)
		assert.NoError(t, err)
	}
	assert.Equal(t, `manifest["a\"]`, FormatPath(path("manifest", `a\`)), "people read it")
}

func TestAPathThatCannotBeReadIsAnError(t *testing.T) {
	for _, text := range []string{`.a`, `a[`, `a["x`, `a[x]`, `a.`, `a[-1]`, `a["` + strings.Repeat("k", 1<<14) + `"]`} {
		_, err := ParsePath(text)
		assert.ErrorContains(t, err, "property path")
	}
}

func TestSegmentsAreWrittenAsAPathIs(t *testing.T) {
	assert.Equal(t, FormatPath(path("a", 0, "b.c", "d")), FormatSegments("a", 0, "b.c", "d"))
	assert.Equal(t, "[1].path", FormatSegments(1, "path"))
	assert.Empty(t, FormatSegments())
}
