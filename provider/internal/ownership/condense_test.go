package ownership

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestOwnersAreCondensed(t *testing.T) {
	set := fields(t, `{"f:metadata":{"f:labels":{"f:a":{},"f:b":{}}},
		"f:spec":{"f:replicas":{},"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:name":{},"f:image":{},"f:args":{}}}}}`)
	all := func(owner string) map[string]string {
		owners := map[string]string{}
		set.Leaves().Iterate(func(path fieldpath.Path) { owners[Format(path)] = owner })
		return owners
	}
	with := func(changes map[string]string) map[string]string {
		owners := all("ours")
		maps.Copy(owners, changes)
		return owners
	}
	for name, c := range map[string]struct{ owners, want map[string]string }{
		"one owner of all needs an entry for each top-level field": {
			all("ours"), map[string]string{"metadata": "ours", "spec": "ours"},
		},
		"a field of someone else stands alone, and the others stay together as far as they can": {
			with(map[string]string{"spec.replicas": "hpa"}),
			map[string]string{"metadata": "ours", "spec.replicas": "hpa", "spec.containers": "ours"},
		},
		"a field deep inside": {
			with(map[string]string{"spec.containers[name=web].image": "someone"}),
			map[string]string{
				"metadata": "ours", "spec.replicas": "ours", "spec.containers[name=web].name": "ours",
				"spec.containers[name=web].image": "someone", "spec.containers[name=web].args": "ours",
			},
		},
		"a field of nobody": {
			with(map[string]string{"metadata.labels.a": ""}),
			map[string]string{"metadata.labels.a": "", "metadata.labels.b": "ours", "spec": "ours"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			condensed := Condense(c.owners, set)
			assert.Equal(t, c.want, condensed)
			assert.Equal(t, condensed, Condense(condensed, set), "condensing twice changes nothing")
			set.Leaves().Iterate(func(path fieldpath.Path) {
				owner, ok := OwnerOf(condensed, path)
				assert.True(t, ok)
				assert.Equal(t, c.owners[Format(path)], owner, Format(path))
			})
		})
	}
	t.Run("what is not known is not made up", func(t *testing.T) {
		owners := all("ours")
		delete(owners, "metadata.labels.a")
		assert.Equal(t, map[string]string{"metadata.labels.b": "ours", "spec": "ours"}, Condense(owners, set))
	})
}
