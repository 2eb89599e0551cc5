package tracked

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOnlyADiffAfterACheckIsTheProgrammed(t *testing.T) {
	c := EngineCalls{Notes: new(Memory).For("KubeObject")}
	assert.False(t, c.IsProgrammed("a"), "the engine's own Diff, after a Read in this or in another process")
	c.Check("a")
	assert.False(t, c.IsProgrammed("b"), "another resource")
	assert.True(t, c.IsProgrammed("a"))
	assert.False(t, c.IsProgrammed("a"), "one Check is for one Diff")
	c.Check("a")
	c.Read("a")
	assert.False(t, c.IsProgrammed("a"), "the Diff behind the Read of the next operation in a process that serves several")
}
