package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// killTimeout is how long a process may take to end after SIGKILL.
const killTimeout = 10 * time.Second

// KillContainer sends SIGKILL to the first process of a pod's first container, from outside of the pod, and returns when
// it is gone. All others of the container end with it. It needs a real node.
func (c *Cluster) KillContainer(ctx context.Context, namespace, pod string) error {
	_, process, err := c.firstProcess(ctx, namespace, pod)
	if err == nil {
		err = errors.Join(process.Kill(), gone(ctx, process))
	}
	if err != nil {
		return fmt.Errorf("killing %s/%s: %w", namespace, pod, err)
	}
	return nil
}

// ExhaustMemory has the kernel kill the first process of a pod's first container for want of memory, and returns when
// it is gone. The container needs a limit: a process from outside of it uses what is left of that. It needs a real node.
func (c *Cluster) ExhaustMemory(ctx context.Context, namespace, pod string) (err error) {
	found, process, err := c.firstProcess(ctx, namespace, pod)
	if err == nil {
		err = exhaust(ctx, process, found.Spec.Containers[0].Resources.Limits.Memory().Value())
	}
	if err != nil {
		return fmt.Errorf("using up the memory of %s/%s: %w", namespace, pod, err)
	}
	return nil
}

// firstProcess is that of the pod's first container.
func (c *Cluster) firstProcess(ctx context.Context, namespace, pod string) (*corev1.Pod, *os.Process, error) {
	if c.Containerd == nil {
		return nil, nil, errNoRealNode
	}
	found, err := c.client.CoreV1().Pods(namespace).Get(ctx, pod, metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	statuses := found.Status.ContainerStatuses
	if len(statuses) == 0 || statuses[0].State.Running == nil {
		return nil, nil, errors.New("its container does not run")
	}
	id := strings.TrimPrefix(statuses[0].ContainerID, "containerd://")
	out, err := containerdCommand(ctx, "tasks", "list").CombinedOutput()
	if err != nil {
		return nil, nil, fmt.Errorf("containerd's tasks: %w: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if columns := strings.Fields(line); len(columns) == 3 && columns[0] == id && columns[2] == "RUNNING" {
			pid, err := strconv.Atoi(columns[1])
			if err != nil {
				return nil, nil, err
			}
			process, err := os.FindProcess(pid)
			return found, process, err
		}
	}
	return nil, nil, fmt.Errorf("its container %s has ended", id)
}

// gone waits until a process has ended that is not our child.
func gone(ctx context.Context, process *os.Process) error {
	return wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, killTimeout, true, func(context.Context) (bool, error) {
		_, err := os.Stat(filepath.Join("/proc", strconv.Itoa(process.Pid)))
		return errors.Is(err, os.ErrNotExist), nil
	})
}

// exhaust uses up the memory that a process and its kin may have. The kernel takes that process first.
func exhaust(ctx context.Context, process *os.Process, limit int64) error {
	if limit == 0 {
		return errors.New("its container has no limit")
	}
	group, err := memoryGroup(process.Pid)
	if err != nil {
		return err
	}
	if err := chooseVictim(group, process.Pid); err != nil {
		return err
	}
	busybox, err := namespaces.Program("busybox")
	if err != nil {
		return err
	}
	// It waits until it is in the group.
	user := exec.CommandContext(ctx, busybox, "sh", "-c", "read go && exec "+busybox+" dd if=/dev/zero of=/dev/null count=1 bs="+strconv.FormatInt(limit, 10))
	input, err := user.StdinPipe()
	if err != nil {
		return err
	}
	if err := user.Start(); err != nil {
		return err
	}
	err = os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(user.Process.Pid)), 0)
	if err == nil {
		_, err = io.WriteString(input, "go\n")
	}
	if err == nil {
		err = gone(ctx, process)
	}
	_ = user.Process.Kill() // the kernel may have done it
	_ = user.Wait()
	return err
}

// chooseVictim has the kernel take a process before all others of its control group.
func chooseVictim(group string, pid int) error {
	members, err := os.ReadFile(filepath.Join(group, "cgroup.procs"))
	if err != nil {
		return err
	}
	for member := range strings.FieldsSeq(string(members)) {
		score := "0"
		if member == strconv.Itoa(pid) {
			score = "1000"
		}
		err := os.WriteFile(filepath.Join("/proc", member, "oom_score_adj"), []byte(score), 0)
		if err != nil && !errors.Is(err, os.ErrNotExist) { // it may have ended
			return err
		}
	}
	return nil
}

// memoryGroup is the folder of the control group by which a process's memory is limited.
func memoryGroup(pid int) (string, error) {
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cgroup"))
	if err != nil {
		return "", err
	}
	unified := ""
	for line := range strings.Lines(string(content)) {
		switch columns := strings.SplitN(strings.TrimSpace(line), ":", 3); {
		case len(columns) < 3:
		case columns[1] == "memory":
			return filepath.Join(namespaces.CgroupDir, "memory", columns[2]), nil
		case columns[0] == "0":
			unified = filepath.Join(namespaces.CgroupDir, columns[2])
		}
	}
	if unified == "" {
		return "", fmt.Errorf("process %d is in no control group", pid)
	}
	return unified, nil
}
