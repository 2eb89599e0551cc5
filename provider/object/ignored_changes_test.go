package object

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func TestWhereTwoManifestsDiffer(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	was := m{"data": m{"a": "1", "b": "1"}, "list": []any{m{"image": "x", "name": "one"}, "two"}}
	is := m{"data": m{"a": "2", "b": "1", "c": values.Unknown{}}, "list": []any{m{"image": "y", "name": "one"}}, "more": m{"b": "1"}}
	for path, differs := range map[string]bool{
		"data.a": true, "data.b": false, "data.none": false, `["data"]["a"]`: true, "data.*": true, "*.a": true, "*.none": false,
		"data.c": false, "more": true, "more.b": true, "more.c": false, "data.a.below": false,
		"list[0]": true, "list[0].image": true, "list[0].name": false, "list[1]": true, "list[2]": false, "list[*].image": true, "list[*].name": false,
		"list.name": false,
	} {
		parsed, err := resource.ParsePropertyPath(path)
		require.NoError(t, err)
		assert.Equal(t, differs, differAt(was, is, parsed), path)
	}
	assert.False(t, differAt(was, values.Unknown{}, resource.PropertyPath{"data", "a"}), "it may turn out to be the same")
}
