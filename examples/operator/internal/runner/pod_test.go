package runner_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// environment is one Environment, without its controller.
type environment struct {
	t          *testing.T
	namespace  string
	store      *state.Store
	passphrase string // a folder
	phrase     string
	serial     int64
	kubeconfig string
	tools      string // what is in PATH
	memory     string // how many bytes the pod may use, if that is known
}

// The key of a stack takes a while to make, and may well be shared.
var key = sync.OnceValues(func() ([2]string, error) {
	passphrase, salt, err := stack.New()
	return [2]string{passphrase, salt}, err
})

func newEnvironment(t *testing.T) *environment {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "run-"}}
	require.NoError(t, direct.Create(t.Context(), namespace))
	e := &environment{t: t, namespace: namespace.Name, store: state.New(direct, namespace.Name, "shop"), passphrase: t.TempDir(), kubeconfig: kubeconfig, tools: tools}
	require.NoError(t, e.store.CreateEmpty(t.Context()))
	made, err := key()
	require.NoError(t, err)
	e.phrase = made[0]
	e.write(filepath.Join(e.passphrase, "passphrase"), []byte(made[0]))
	e.write(filepath.Join(e.passphrase, "salt"), []byte(made[1]))
	return e
}

func (e *environment) write(file string, content []byte) {
	e.t.Helper()
	require.NoError(e.t, os.WriteFile(file, content, 0o600))
}

// pulumi puts lines of the shell before the command line, each time it is called.
func (e *environment) pulumi(first string) {
	e.t.Helper()
	own := e.t.TempDir()
	for _, program := range []string{"pulumi-language-yaml", "pulumi-resource-k8sconnect"} {
		require.NoError(e.t, os.Symlink(filepath.Join(tools, program), filepath.Join(own, program)))
	}
	script := "#!/bin/sh\n" + first + "\nexec " + filepath.Join(tools, "pulumi") + ` "$@"` + "\n"
	require.NoError(e.t, os.WriteFile(filepath.Join(own, "pulumi"), []byte(script), 0o700)) //nolint:gosec // it is run
	e.tools = own
}

func (e *environment) head() *state.Head {
	e.t.Helper()
	head, err := e.store.Read(e.t.Context())
	require.NoError(e.t, err)
	return head
}

// configMap reads one that a program has made.
func (e *environment) configMap(name string) *corev1.ConfigMap {
	e.t.Helper()
	found := &corev1.ConfigMap{}
	require.NoError(e.t, direct.Get(e.t.Context(), client.ObjectKey{Namespace: e.namespace, Name: name}, found))
	return found
}

func (e *environment) configMaps() []string {
	e.t.Helper()
	var list corev1.ConfigMapList
	require.NoError(e.t, direct.List(e.t.Context(), &list, client.InNamespace(e.namespace)))
	var names []string
	for _, found := range list.Items {
		if found.Name != "kube-root-ca.crt" {
			names = append(names, found.Name)
		}
	}
	return names
}

// pod is the process of a run, with an empty folder to work in.
type pod struct {
	e       *environment
	cmd     *exec.Cmd
	folder  string
	log     lockedBuffer
	ended   chan struct{}
	uid     string
	message map[string]any
}

type lockedBuffer struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(content []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.Write(content)
}

func (b *lockedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.String()
}

// start begins the next run.
func (e *environment) start(kind v1alpha1.OperationKind, given inputs.Inputs, more ...string) *pod {
	e.t.Helper()
	e.serial++
	return e.startSerial(e.serial, kind, given, more...)
}

func (e *environment) startSerial(serial int64, kind v1alpha1.OperationKind, given inputs.Inputs, more ...string) *pod {
	e.t.Helper()
	given.Kind = kind
	if given.Timeout == 0 {
		given.Timeout = 5 * time.Minute
	}
	if given.InputHash == "" {
		content, err := json.Marshal(given)
		require.NoError(e.t, err)
		given.InputHash = fmt.Sprint(len(content))
	}
	p := &pod{e: e, folder: e.t.TempDir(), ended: make(chan struct{}), uid: fmt.Sprintf("uid-%d-%d", serial, time.Now().UnixNano())}
	encoded, err := given.Encode()
	require.NoError(e.t, err)
	e.write(filepath.Join(p.folder, inputs.Key), encoded)
	work := filepath.Join(p.folder, "work")
	p.cmd = exec.Command(operator, append([]string{
		"run", "--environment=shop", "--serial=" + strconv.FormatInt(serial, 10), "--kind=" + string(kind), "--state-secret=shop-state", "--lease=shop-run",
		"--grace=20s", "--inputs=" + p.folder, "--passphrase=" + e.passphrase, "--work=" + work, "--termination-log=" + filepath.Join(p.folder, "message"),
	}, more...)...)
	p.cmd.Env = []string{
		"PATH=" + e.tools, "KUBECONFIG=" + e.kubeconfig, "USER=operator", "MEMORY_LIMIT=" + e.memory,
		"POD_NAMESPACE=" + e.namespace, "POD_NAME=shop-" + strconv.FormatInt(serial, 10), "POD_UID=" + p.uid,
		"HOME=" + work + "/home", "TMPDIR=" + work + "/tmp", "PULUMI_HOME=" + work + "/pulumi",
	}
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(e.t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	e.t.Cleanup(func() {
		p.kill()
		<-p.ended
		if e.t.Failed() {
			e.t.Logf("run %d, %s:\n%s", serial, kind, p.log.String())
		}
	})
	return p
}

// wait waits for the end, and returns the exit code.
func (p *pod) wait() int {
	p.e.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		p.e.t.Fatalf("the run does not end:\n%s", p.log.String())
	}
	content, err := os.ReadFile(filepath.Join(p.folder, "message"))
	require.NoError(p.e.t, err, p.log.String())
	require.LessOrEqual(p.e.t, len(content), 4096)
	require.NoError(p.e.t, json.Unmarshal(content, &p.message), string(content))
	return p.cmd.ProcessState.ExitCode()
}

// kill ends everything that the pod runs, as a kubelet that is out of memory does.
func (p *pod) kill() {
	for _, process := range append(descendants(p.cmd.Process.Pid), p.cmd.Process.Pid) {
		_ = syscall.Kill(process, syscall.SIGKILL)
	}
}

// descendants finds the processes of a pod: Pulumi gives its plugins groups of their own.
func descendants(parent int) []int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		var pid, of int
		if _, err := fmt.Sscan(line, &pid, &of); err == nil {
			children[of] = append(children[of], pid)
		}
	}
	var all []int
	for queue := children[parent]; len(queue) > 0; queue = queue[1:] {
		all = append(all, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return all
}

// run runs the next operation to its end.
func (e *environment) run(kind v1alpha1.OperationKind, given inputs.Inputs) (*pod, *state.Head, int) {
	e.t.Helper()
	p := e.start(kind, given)
	exit := p.wait()
	return p, e.head(), exit
}

// program is a Pulumi.yaml.
func program(text string) inputs.Inputs {
	return inputs.Inputs{Files: map[string][]byte{"Pulumi.yaml": []byte("name: shop\nruntime: yaml\n" + text)}}
}

// twoConfigMaps makes two, the second after the first.
func (e *environment) twoConfigMaps(colour string) inputs.Inputs {
	return program(strings.NewReplacer("NAMESPACE", e.namespace, "COLOUR", colour).Replace(`
resources:
  first:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: first, namespace: NAMESPACE}
        data: {colour: COLOUR}
  second:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: second, namespace: NAMESPACE}
        data: {first: "${first.resourceRef.name}", colour: COLOUR}
outputs:
  colour: COLOUR
  uid: ${first.resourceRef.uid}
`))
}

// eventually waits for a condition.
func (p *pod) eventually(what string, condition func() bool) {
	p.e.t.Helper()
	require.Eventually(p.e.t, condition, 40*time.Second, 50*time.Millisecond, "%s: never\n%s", what, &p.log)
}

// unpacked is a saved checkpoint as text.
func unpacked(t *testing.T, head *state.Head) string {
	t.Helper()
	if head.Checkpoint() == nil {
		return ""
	}
	compressed, err := gzip.NewReader(bytes.NewReader(head.Checkpoint()))
	require.NoError(t, err)
	content, err := io.ReadAll(compressed)
	require.NoError(t, err)
	return string(content)
}
