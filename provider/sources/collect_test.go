package sources

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
)

func documentAt(place, data string) Document {
	return Document{Input: Content, Place: place, Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"a": data},
	}}
}

func TestADocumentThatIsThereTwice(t *testing.T) {
	t.Parallel()
	t.Run("is one object if both are equal, and a note names both [D72]", func(t *testing.T) {
		t.Parallel()
		second := documentAt("b.yaml", "x")
		second.Secrets.Add(property.PathFromSegments(property.NewSegment("data")))
		other := documentAt("c.yaml", "x")
		other.Object["metadata"] = map[string]any{"name": "c"}
		found, notes, wrong := Collect([]Document{documentAt("a.yaml", "x"), second, other}, false)
		assert.Empty(t, wrong)
		assert.Equal(t, []string{"ConfigMap.a is there twice, equal, and taken once: a.yaml, and b.yaml."}, notes)
		assert.Len(t, found, 2)
		assert.Equal(t, []int{0, 2}, []int{found[0].At, found[1].At})
		assert.True(t, found[0].Secrets.IsSecret(property.PathFromSegments(property.NewSegment("data"))), "what is secret in one is secret")
	})
	t.Run("is an error that names both if they differ [D72]", func(t *testing.T) {
		t.Parallel()
		_, _, wrong := Collect([]Document{documentAt("a.yaml", "x"), documentAt("b.yaml", "z")}, false)
		assert.Len(t, wrong, 1)
		assert.Equal(t, "ConfigMap.a is there twice, with different contents: a.yaml, and b.yaml. Remove one of them.", wrong[0].Reason)
	})
	t.Run("is not named if the documents are secret [D72]", func(t *testing.T) {
		t.Parallel()
		_, notes, wrong := Collect([]Document{documentAt("a.yaml", "x"), documentAt("b.yaml", "x"), documentAt("c.yaml", "z")}, true)
		assert.Equal(t, []string{"A manifest is there twice, equal, and taken once: a.yaml, and b.yaml."}, notes)
		assert.NotContains(t, wrong[0].Reason, "ConfigMap")
	})
	t.Run("is one of few that are named [D72]", func(t *testing.T) {
		t.Parallel()
		var notes []string
		for i := range maxMistakes + 5 {
			notes = append(notes, fmt.Sprint(i))
		}
		assert.Len(t, strings.Split(Listed(notes), "\n"), maxMistakes+1)
		assert.Contains(t, Listed(notes), "There are 5 more.")
	})
}
