//go:build linux && node

package machine

import (
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// patience is how long a test waits for what has to happen; it is used up by failures only.
const patience = 2 * time.Minute

// changing are the settings that the kernel itself changes all the time.
var changing = []string{
	"/proc/sys/fs/dentry-state", "/proc/sys/fs/file-nr", "/proc/sys/fs/inode-nr", "/proc/sys/fs/inode-state",
	"/proc/sys/kernel/ns_last_pid", "/proc/sys/kernel/pty/nr", "/proc/sys/kernel/random", "/proc/sys/fs/aio-nr",
	"/proc/sys/fs/quota", "/proc/sys/net/netfilter/nf_conntrack_count",
}

// machine is what must not change, by what it is.
type machine map[string][]string

// look looks at the machine.
func look(t *testing.T) machine {
	t.Helper()
	return machine{
		"kernel settings": settings(t),
		"mounts":          mounts(t),
		"links":           links(t),
		"processes":       processes(t),
		"control groups":  groups(t),
		"folders": slices.Concat(entries(t, os.TempDir(), "k8sconnect-node-"), entries(t, "/run", "k8sconnect"),
			entries(t, "/var/lib", "kubelet"), entries(t, "/var/lib", "cni"), entries(t, "/var/log", "containers")),
	}
}

func settings(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir("/proc/sys", func(path string, entry fs.DirEntry, err error) error {
		if slices.ContainsFunc(changing, func(c string) bool { return path == c || strings.HasPrefix(path, c+"/") }) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		if value, err := os.ReadFile(path); err == nil { // some can only be written
			found = append(found, path+" = "+strings.TrimSpace(string(value)))
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

func mounts(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile("/proc/self/mounts")
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

func links(t *testing.T) []string {
	t.Helper()
	found, err := net.Interfaces()
	require.NoError(t, err)
	var names []string
	for _, link := range found {
		addresses, err := link.Addrs()
		require.NoError(t, err)
		for _, address := range addresses {
			names = append(names, link.Name+" "+address.String())
		}
		names = append(names, link.Name+" "+link.Flags.String())
	}
	return names
}

// processes are those of a node, by their names.
func processes(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/comm")
	require.NoError(t, err)
	var found []string
	for _, path := range paths {
		content, _ := os.ReadFile(path) // it may have ended
		name := strings.TrimSpace(string(content))
		for _, part := range []string{"containerd", "kubelet", "kube-proxy", "runc", "pause"} {
			if strings.HasPrefix(name, part) {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found
}

// groups are the control groups of a node. Others come and go with what else runs on the machine.
func groups(t *testing.T) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir("/sys/fs/cgroup", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (strings.Contains(path, "/k8sconnect-node-") || strings.Contains(path, "/kubepods")) {
			found = append(found, path)
		}
		return nil // someone else's may go meanwhile
	}))
	return found
}

func entries(t *testing.T, dir, prefix string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
	require.NoError(t, err)
	return found
}

// node is a cluster with a real node that runs in a process of its own, as "make cluster NODE=real" runs it.
type node struct {
	cmd  *exec.Cmd
	dir  string
	done chan struct{}
}

func startNode(t *testing.T) *node {
	t.Helper()
	program, err := cluster.Tool("cluster")
	require.NoError(t, err)
	n := &node{dir: t.TempDir(), done: make(chan struct{})}
	n.cmd = exec.Command(program, "-node=real", "-dir="+n.dir)
	n.cmd.Stderr = os.Stderr
	require.NoError(t, n.cmd.Start())
	go func() {
		defer close(n.done)
		_ = n.cmd.Wait() // how it ended does not matter
	}()
	t.Cleanup(func() { n.end(t, syscall.SIGTERM) })
	require.Eventually(t, func() bool {
		select {
		case <-n.done:
			t.Fatal("the cluster has ended")
		default:
		}
		_, err := os.Stat(n.kubeconfig())
		return err == nil
	}, patience, 100*time.Millisecond)
	return n
}

func (n *node) kubeconfig() string { return filepath.Join(n.dir, "kubeconfig") }

// end sends the signal, and returns when the process has ended.
func (n *node) end(t *testing.T, signal syscall.Signal) {
	t.Helper()
	_ = n.cmd.Process.Signal(signal) // it may have ended
	select {
	case <-n.done:
	case <-time.After(patience):
		t.Errorf("the cluster does not end after %v", signal)
	}
}

// runPods has two pods run, one that has ended and one that goes on, and calls the latter through its Service.
func (n *node) runPods(t *testing.T) {
	t.Helper()
	kubectl(t, n, "create", "job", "ends", "--image=busybox:1", "--", "echo", "done")
	kubectl(t, n, "create", "deployment", "web", "--image=busybox:1", "--port=80", "--",
		"sh", "-c", "mkdir /www; echo it serves > /www/index.html; httpd -f -p 80 -h /www")
	kubectl(t, n, "expose", "deployment", "web")
	kubectl(t, n, "wait", "--for=condition=Complete", "job/ends", "--timeout=2m")
	kubectl(t, n, "rollout", "status", "deployment/web", "--timeout=2m")
	assert.Equal(t, "done\n", kubectl(t, n, "logs", "job/ends"))
	assert.Eventually(t, func() bool {
		out, err := kubectlCommand(t, n, "get", "--raw", "/api/v1/namespaces/default/services/web/proxy/").Output()
		return err == nil && string(out) == "it serves\n"
	}, patience, 200*time.Millisecond)
}

func kubectlCommand(t *testing.T, n *node, args ...string) *exec.Cmd {
	t.Helper()
	path, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	return exec.CommandContext(t.Context(), path, append([]string{"--kubeconfig=" + n.kubeconfig()}, args...)...)
}

func kubectl(t *testing.T, n *node, args ...string) string {
	t.Helper()
	out, err := kubectlCommand(t, n, args...).CombinedOutput()
	require.NoError(t, err, "kubectl %s\n%s", args, out)
	return string(out)
}

func TestTheMachineIsAsBefore(t *testing.T) {
	if missing := namespaces.Missing(); len(missing) > 0 {
		t.Skip("a real node needs what this machine does not have: " + strings.Join(missing, ", "))
	}
	before := look(t)
	t.Run("while a node runs, its settings, mounts and links are not the machine's [N16]", func(t *testing.T) {
		n := startNode(t)
		n.runPods(t)
		during := look(t)
		for _, what := range []string{"kernel settings", "mounts", "links"} {
			assert.Equal(t, before[what], during[what], what)
		}
		assert.NotEqual(t, before["processes"], during["processes"], "it is seen what runs")
		assert.NotEqual(t, before["control groups"], during["control groups"])
	})
	t.Run("when it was told to stop, nothing of it is left [N16]", func(t *testing.T) {
		after := look(t)
		for what := range before {
			assert.Equal(t, before[what], after[what], what)
		}
	})
	t.Run("when it was killed, its processes, mounts and settings are gone as well [N16]", func(t *testing.T) {
		n := startNode(t)
		n.end(t, syscall.SIGKILL)
		assert.Eventually(t, func() bool { return slices.Equal(before["processes"], processes(t)) }, patience, 100*time.Millisecond)
		after := look(t)
		for _, what := range []string{"kernel settings", "mounts", "links"} {
			assert.Equal(t, before[what], after[what], what)
		}
	})
	t.Run("and the rest when the next one ends [N16]", func(t *testing.T) {
		startNode(t).end(t, syscall.SIGTERM)
		after := look(t)
		for what := range before {
			assert.Equal(t, before[what], after[what], what)
		}
	})
}
