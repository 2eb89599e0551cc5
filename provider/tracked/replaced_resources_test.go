package tracked

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsReplacedIsKnownToAllProcesses(t *testing.T) { // [D98]
	t.Setenv("PULUMI_HOME", t.TempDir())
	one, two := share(t, "engine"), share(t, "engine")
	reads, makes := Lives{Notes: one.For("Task")}, Lives{Notes: two.For("Task")}

	reads.Read("a")
	assert.True(t, reads.See("a", "old key", "1"))
	reads.Remember("a", "3")
	assert.False(t, reads.IsProgrammed("a"))

	makes.Check("a")
	fact, is := makes.Replaced("a")
	assert.True(t, is)
	assert.Equal(t, "3", fact)
	assert.True(t, makes.See("a", "new key", "2"))
	makes.Forget("a")

	assert.True(t, reads.IsProgrammed("a"), "the program has it: what goes is replaced")
	assert.True(t, reads.IsOver("a", "old key", "1"))
	assert.False(t, reads.IsOver("a", "new key", "2"))
	assert.False(t, reads.See("a", "old key", "1"), "it is not the newest any more")
	_, is = reads.Replaced("a")
	assert.False(t, is)
	reads.Read("a")
	assert.False(t, reads.IsProgrammed("a"), "in the next operation")
}
