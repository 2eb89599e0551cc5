package cluster_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func TestDataSurvivesKilledServers(t *testing.T) {
	c := shared.Get(t)
	namespace := c.Namespace(t)
	maps := c.Client().CoreV1().ConfigMaps(namespace)
	_, err := maps.Create(t.Context(), configMap("kept"), metav1.CreateOptions{})
	require.NoError(t, err)

	require.NoError(t, c.APIServer.Kill())
	require.Zero(t, c.APIServer.PID())
	_, err = maps.Get(t.Context(), "kept", metav1.GetOptions{})
	require.Error(t, err)
	require.NoError(t, c.Etcd.Kill())
	require.NoError(t, c.Etcd.Restart(t.Context()))
	require.NoError(t, c.APIServer.Restart(t.Context()))

	kept, err := maps.Get(t.Context(), "kept", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "value", kept.Data["key"])
	rollOut(t, c, namespace) // the others found their way back
}

func TestRestartOfEveryPart(t *testing.T) {
	c := shared.Get(t)
	for _, part := range c.Parts() {
		before := part.PID()
		require.NoError(t, part.Restart(t.Context()))
		require.NotEqual(t, before, part.PID())
		// Before the next one is killed: controllers that lose their server while they start
		// back off for half a minute.
		rollOut(t, c, c.Namespace(t))
	}
}

func TestPausedServerHangs(t *testing.T) {
	c := shared.Get(t)
	get := func(timeout time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		_, err := c.Client().CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
		return err
	}
	require.NoError(t, c.APIServer.Pause())
	require.NoError(t, c.APIServer.Pause(), "a second time is no mistake")
	err := get(300 * time.Millisecond)
	require.NoError(t, c.APIServer.Resume())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, get(10*time.Second))
}

func TestStopLeavesNothing(t *testing.T) {
	dir := t.TempDir() + "/data"
	c, err := cluster.Start(t.Context(), cluster.Options{Dir: dir})
	require.NoError(t, err)
	require.FileExists(t, c.KubeconfigFile())
	pids := processes(c)
	require.NoError(t, c.APIServer.Pause(), "a paused part ends too")
	require.NoError(t, c.Stop())
	require.NoError(t, c.Stop(), "a second time is no mistake")
	require.NoDirExists(t, dir)
	for _, pid := range pids {
		require.NoError(t, ended(pid))
	}
}

// TestKilledParentTakesTheClusterAlong has another process start a cluster, and kills it in
// the way that leaves it no chance to clean up.
func TestKilledParentTakesTheClusterAlong(t *testing.T) {
	command := exec.Command(os.Args[0])
	home := t.TempDir()
	command.Env = append(os.Environ(), victimVariable+"="+t.TempDir()+"/data", "HOME="+home, "XDG_CACHE_HOME=")
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, errors.Join(err, command.Process.Kill()))
	_ = command.Wait() // killed, as we know

	pids := strings.Fields(line)
	require.Len(t, pids, 2)
	for _, pid := range pids {
		eventually(t, func(context.Context) error { return ended(pid) })
	}
	require.NoError(t, filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			err = fmt.Errorf("%s was left in the home of the user", path)
		}
		return err
	}))
}

// victimVariable makes the test binary the process to be killed. Its value is the folder of
// the cluster.
const victimVariable = "CLUSTER_TEST_VICTIM"

// victim runs a cluster, one part of it paused, prints the process ids and waits for its end.
func victim() int {
	c, err := cluster.Start(context.Background(), cluster.Options{Dir: os.Getenv(victimVariable)})
	if err == nil {
		err = c.APIServer.Pause()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(strings.Join(processes(c), " "))
	select {}
}

func processes(c *cluster.Cluster) []string {
	var pids []string
	for _, part := range c.Parts() {
		pids = append(pids, strconv.Itoa(part.PID()))
	}
	return pids
}

// ended asks ps, for which, unlike for kill, a process that only waits to be collected by
// init is not there.
func ended(pid string) error {
	state, _ := exec.Command("ps", "-o", "stat=", "-p", pid).Output() // fails if there is none
	if text := strings.TrimSpace(string(state)); text != "" && !strings.HasPrefix(text, "Z") {
		return fmt.Errorf("process %s still runs, state %s", pid, text)
	}
	return nil
}
