package task

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

func TestTheNameOfARun(t *testing.T) {
	t.Parallel()
	name := func(base string, urn resource.URN, content any, which ...any) string {
		name, err := runName(base, urn, content, which...)
		require.NoError(t, err)
		assert.Empty(t, validation.IsDNS1123Label(name), name)
		return name
	}
	content := func(image string) any {
		return map[string]any{"manifest": map[string]any{"b": image, "a": int64(1)}, "triggers": []any{"x"}}
	}
	first := name("migrate", "urn:a", content("1"), 0)
	assert.Regexp(t, `^migrate-[0-9a-f]{8}$`, first)
	assert.Equal(t, first, name("migrate", "urn:a", content("1"), 0), "another process finds it again")
	for what, other := range map[string]string{
		"the next run":         name("migrate", "urn:a", content("1"), 1),
		"other content":        name("migrate", "urn:a", content("2"), 0),
		"another resource":     name("migrate", "urn:b", content("1"), 0),
		"the run at the end":   name("migrate", "urn:a", content("1"), onDelete, "key"),
		"the end of next life": name("migrate", "urn:a", content("1"), onDelete, "other key"),
	} {
		assert.NotEqual(t, first, other, what)
	}
	assert.Len(t, name(strings.Repeat("a", 63), "urn:a", nil, 0), maxName)
	assert.Regexp(t, `a-[0-9a-f]{8}$`, name(strings.Repeat("a", 53)+"-bcd", "urn:a", nil, 0), "a cut name does not end in a dash")
}
