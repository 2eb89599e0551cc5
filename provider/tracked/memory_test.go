package tracked

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// share is a process that serves this engine.
func share(t *testing.T, engine string) *Memory {
	t.Helper()
	m := &Memory{}
	require.NoError(t, m.Share(engine))
	t.Cleanup(func() { _ = m.file.Close() })
	return m
}

func TestTheProcessesOfOneOperationRememberTogether(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PULUMI_HOME", home)
	one, two, other := share(t, "127.0.0.1:1"), share(t, "127.0.0.1:1"), share(t, "127.0.0.1:2")
	guard := func(m *Memory) *ReplacementGuard { return &ReplacementGuard{Notes: m.For("KubeObject")} }

	guard(one).Observe("a", "uid", "key")
	assert.True(t, guard(two).IsCurrent("a", "uid"))
	assert.False(t, guard(other).IsCurrent("a", "uid"), "another operation")
	assert.False(t, (&ReplacementGuard{Notes: two.For("Patch")}).IsCurrent("a", "uid"), "a resource of another type")

	guard(two).Observe("a", "uid", "newer key")
	assert.True(t, guard(one).Superseded("a", "uid", "key"), "what was written last counts, whoever has written it")
	guard(one).Forget("a", "uid", "newer key")
	assert.False(t, guard(two).IsCurrent("a", "uid"))

	require.NoError(t, one.Unshare())
	require.NoError(t, two.Unshare())
	guard(two).Observe("b", "uid", "key")
	assert.True(t, guard(one).IsCurrent("b", "uid"), "until the processes have ended")
	assert.False(t, guard(share(t, "127.0.0.1:1")).IsCurrent("b", "uid"), "the next operation begins with nothing")
}

func TestALineThatIsBeingWrittenWaits(t *testing.T) {
	t.Setenv("PULUMI_HOME", t.TempDir())
	m := share(t, "engine")
	_, err := m.file.WriteString(`["Wait read","a",`)
	require.NoError(t, err)
	calls := EngineCalls{Notes: m.For("Wait")}
	assert.False(t, calls.WasRead("a"))
	_, err = m.file.WriteString("\"\"]\nnonsense\n[]\n")
	require.NoError(t, err)
	assert.True(t, calls.WasRead("a"))
}

func TestManyProcessesWriteAtOnce(t *testing.T) {
	t.Setenv("PULUMI_HOME", t.TempDir())
	var all sync.WaitGroup
	for n := range 4 {
		calls := EngineCalls{Notes: share(t, "engine").For("Wait")}
		all.Go(func() {
			for i := range 100 {
				calls.Read(urnNumber(n, i))
				assert.True(t, calls.WasRead(urnNumber(n, i)))
			}
		})
	}
	all.Wait()
	calls := EngineCalls{Notes: share(t, "engine").For("Wait")}
	for n := range 4 {
		for i := range 100 {
			assert.True(t, calls.WasRead(urnNumber(n, i)))
		}
	}
}

func TestAMemoryThatCannotBeSharedIsPrivate(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PULUMI_HOME", home)
	require.NoError(t, os.WriteFile(filepath.Join(home, "k8sconnect"), nil, 0o600))
	m := &Memory{}
	require.Error(t, m.Share("engine"))
	calls := EngineCalls{Notes: m.For("Wait")}
	calls.Read("a")
	assert.True(t, calls.WasRead("a"))
	require.NoError(t, m.Unshare())

	broken := &Memory{}
	t.Setenv("PULUMI_HOME", t.TempDir())
	require.NoError(t, broken.Share("engine"))
	calls = EngineCalls{Notes: broken.For("Wait")}
	calls.Read("a")
	require.NoError(t, broken.file.Close())
	calls.Read("b")
	assert.True(t, calls.WasRead("b"), "from then on it is private")
}

func TestWhatKilledProcessesLeftIsRemoved(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PULUMI_HOME", home)
	left := share(t, "killed").file.Name()
	recent := share(t, "running").file.Name()
	require.NoError(t, os.Chtimes(left, time.Time{}, time.Now().Add(-2*leftAfter)))
	share(t, "engine")
	assert.NoFileExists(t, left)
	assert.FileExists(t, recent)
}

func urnNumber(n, i int) resource.URN { return resource.URN(fmt.Sprint(n, " ", i)) }
