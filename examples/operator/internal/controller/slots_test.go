package controller

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

func TestSlots(t *testing.T) { // [X48]
	of := func(namespace, name string) types.NamespacedName {
		return types.NamespacedName{Namespace: namespace, Name: name}
	}
	const update, look = v1alpha1.OperationUpdate, v1alpha1.OperationDriftCheck
	ask := func(s *slots, name types.NamespacedName, kind v1alpha1.OperationKind) bool {
		free, freeForLook, _ := s.take(name, name.Namespace)
		if kind == look {
			free = freeForLook
		}
		if free {
			s.keep(name)
			return true
		}
		s.free(name, kind)
		return false
	}
	t.Run("go to the namespace that has the fewest", func(t *testing.T) {
		s := newSlots(2)
		assert.True(t, ask(s, of("many", "a"), update))
		assert.True(t, ask(s, of("many", "b"), update))
		for _, name := range []string{"c", "d", "e"} {
			assert.False(t, ask(s, of("many", name), update))
		}
		assert.False(t, ask(s, of("few", "a"), update))
		assert.Equal(t, []types.NamespacedName{of("few", "a")}, s.free(of("many", "a"), ""))
		assert.False(t, ask(s, of("many", "c"), update), "although it asked first")
		assert.True(t, ask(s, of("few", "a"), update))
		assert.Equal(t, []types.NamespacedName{of("many", "c")}, s.free(of("many", "b"), ""))
	})
	t.Run("go to the tenant that has the fewest, also if all are in the namespace of a class", func(t *testing.T) {
		s := newSlots(2)
		asks := func(name, tenant string) (free bool, ahead int) {
			free, _, ahead = s.take(of("class", name), tenant)
			if free {
				s.keep(of("class", name))
			} else {
				s.free(of("class", name), update)
			}
			return free, ahead
		}
		for _, name := range []string{"a", "b"} {
			free, _ := asks(name, "many")
			assert.True(t, free)
		}
		asks("c", "many")
		_, ahead := asks("d", "few")
		assert.Zero(t, ahead)
		_, ahead = asks("c", "many")
		assert.Equal(t, 1, ahead)
		assert.Equal(t, []types.NamespacedName{of("class", "d")}, s.free(of("class", "a"), ""))
	})
	t.Run("go to what changes something before a look for drift", func(t *testing.T) {
		s := newSlots(1)
		assert.True(t, ask(s, of("team", "a"), update))
		assert.False(t, ask(s, of("team", "b"), look))
		assert.False(t, ask(s, of("team", "c"), update))
		assert.Equal(t, []types.NamespacedName{of("team", "c")}, s.free(of("team", "a"), ""))
		assert.False(t, ask(s, of("team", "b"), look))
		assert.True(t, ask(s, of("team", "c"), update))
		assert.Equal(t, []types.NamespacedName{of("team", "b")}, s.free(of("team", "c"), ""))
		assert.True(t, ask(s, of("team", "b"), look))
	})
	t.Run("say how many come before", func(t *testing.T) {
		s := newSlots(1)
		assert.True(t, ask(s, of("a", "a"), update))
		assert.False(t, ask(s, of("a", "b"), update))
		assert.False(t, ask(s, of("a", "c"), update))
		_, _, ahead := s.take(of("a", "c"), "a")
		assert.Equal(t, 1, ahead)
		_, _, ahead = s.take(of("b", "a"), "b")
		assert.Equal(t, 0, ahead, "its namespace has none")
	})
	t.Run("are not kept for who does not want one any more", func(t *testing.T) {
		s := newSlots(1)
		assert.True(t, ask(s, of("a", "a"), update))
		assert.False(t, ask(s, of("a", "b"), update))
		assert.False(t, ask(s, of("a", "c"), update))
		s.free(of("a", "b"), "")
		assert.Equal(t, []types.NamespacedName{of("a", "c")}, s.free(of("a", "a"), ""))
	})
	t.Run("are kept for runs that go on, whatever the limit is", func(t *testing.T) {
		s := newSlots(1)
		s.keep(of("a", "a"))
		s.keep(of("a", "b"))
		assert.Empty(t, s.free(of("a", "b"), update))
		assert.False(t, ask(s, of("a", "b"), update))
	})
}
