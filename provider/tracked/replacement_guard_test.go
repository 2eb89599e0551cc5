package tracked

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheNewestStateOfAResourceHasItsObject(t *testing.T) {
	g := ReplacementGuard{Notes: new(Memory).For("KubeObject")}
	assert.False(t, g.IsCurrent("a", ""), "no object is no match")
	assert.False(t, g.Superseded("a", "", "old key"))
	g.Observe("a", "uid", "key")
	g.Observe("a", "", "other key")

	assert.True(t, g.IsCurrent("a", "uid"), "a state without an object changes nothing")
	assert.False(t, g.IsCurrent("a", "other"))
	assert.False(t, g.IsCurrent("b", "uid"), "another resource")

	assert.False(t, g.Superseded("a", "uid", "key"), "the same state")
	assert.True(t, g.Superseded("a", "uid", "old key"), "the object went over to a newer state")
	assert.False(t, g.Superseded("a", "other", "old key"), "another object")
	assert.False(t, g.Superseded("a", "uid", ""), "without a key, states cannot be told apart")

	g.Forget("a", "uid", "old key")
	g.Forget("a", "other", "key")
	assert.True(t, g.Superseded("a", "uid", "old key"), "the object of another state was deleted")
	g.Forget("a", "uid", "key")
	assert.False(t, g.IsCurrent("a", "uid"))
	assert.False(t, g.Superseded("a", "uid", "old key"))
}

func TestAStateThatYieldsLeavesTheNewestOneAlone(t *testing.T) {
	g := ReplacementGuard{Notes: new(Memory).For("KubeObject")}
	g.Observe("a", "uid", "key")       // moved back, its object taken over again
	g.Observe("b", "other", "b's key") // has the object of the failed move, too
	other, yields := g.Yield("a", "other", "key of the move")
	assert.True(t, yields)
	assert.EqualValues(t, "b", other)
	assert.True(t, g.Superseded("a", "uid", "old key"))
}
