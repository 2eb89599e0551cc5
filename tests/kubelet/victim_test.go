package kubelet

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// victimVariable makes this program one that is killed: it runs the image that the variable names in the folder that
// is its first argument.
const victimVariable = "K8SCONNECT_KUBELET_VICTIM"

func beVictim() {
	box := sandbox{
		Image: os.Getenv(victimVariable), Scratch: filepath.Join(os.Args[1], "scratch"), UID: 65532, GID: 65532,
		Mounts: []mount{{Source: os.Args[1], Target: "/scratch"}}, // to be found by
		Args:   []string{"/bin/program", "child", "stubborn"},
	}
	if _, err := start(box, os.Stdout, func() {}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	select {}
}

func TestAPlayerThatIsKilled(t *testing.T) {
	t.Parallel()
	s := with(t)
	scratch := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(scratch, "scratch"), 0o700))
	word := filepath.Base(filepath.Dir(scratch))
	self, err := os.Executable()
	require.NoError(t, err)
	victim := exec.Command(self, scratch)
	victim.Env = append(os.Environ(), victimVariable+"="+played.image.Root)
	printed, err := victim.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, victim.Start())
	t.Cleanup(func() { _ = victim.Process.Kill() })
	lines := bufio.NewScanner(printed)
	require.True(t, lines.Scan())
	assert.Equal(t, "waiting", lines.Text())
	require.NotEmpty(t, left(t, word))

	require.NoError(t, victim.Process.Kill())
	assert.Error(t, victim.Wait())
	s.eventually(func() bool { return len(left(t, word)) == 0 }, func() string { return "its containers still run" })
}
