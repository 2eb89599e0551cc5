package tracking

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAResourceStandsForTheObjectThatItsNewestStateKnows(t *testing.T) {
	var s Standing
	assert.False(t, s.Is("a", ""), "no object is no match")
	assert.False(t, s.Lives("a", "", "old key"))
	s.See("a", "uid", "key")
	s.See("a", "", "other key")

	assert.True(t, s.Is("a", "uid"), "a state without an object changes nothing")
	assert.False(t, s.Is("a", "other"))
	assert.False(t, s.Is("b", "uid"), "another resource")

	assert.False(t, s.Lives("a", "uid", "key"), "the same state")
	assert.True(t, s.Lives("a", "uid", "old key"), "the object went over to a newer state")
	assert.False(t, s.Lives("a", "other", "old key"), "another object")
	assert.False(t, s.Lives("a", "uid", ""), "without a key, states cannot be told apart")

	s.Gone("a")
	assert.False(t, s.Is("a", "uid"))
	assert.False(t, s.Lives("a", "uid", "old key"))
}
