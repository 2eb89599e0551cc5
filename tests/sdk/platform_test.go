package sdk_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// platform is a copy of a folder of examples/ with a program of the Automation API, in a tree that is like the
// repository where the program looks. It has a user, a backend and a folder for temporary files of its own.
type platform struct {
	project   string // the name of the folder
	root, dir string
	program   []string // how it is called, in the folder
	env       map[string]string
	backend   string
	cluster   *cluster.Cluster
	client    kubernetes.Interface
	user      cluster.User
	spent     time.Duration // of all processors
}

func newPlatform(t *testing.T, project string) *platform {
	t.Helper()
	c := workloads.Get(t)
	root := t.TempDir()
	p := &platform{
		project: project, root: root, dir: filepath.Join(root, "examples", project),
		backend: t.TempDir(), cluster: c, client: c.Client(),
	}
	// But for what someone may have built there.
	source := filepath.Join("..", "..", "examples", project)
	require.NoError(t, os.CopyFS(p.dir, os.DirFS(source)))
	for _, built := range []string{"bin", "node_modules"} {
		require.NoError(t, os.RemoveAll(filepath.Join(p.dir, built)))
	}

	var err error
	p.user, err = c.AddUser(project, "system:masters")
	require.NoError(t, err)
	config, err := p.user.Kubeconfig()
	require.NoError(t, err)
	kubeconfig := filepath.Join(root, "kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, config, 0o600))
	tools, err := cli.Prepare(t.TempDir(), nil)
	require.NoError(t, err)

	// What the languages' own tools want, but nothing of the user's Pulumi.
	p.env = map[string]string{}
	for _, setting := range os.Environ() {
		if key, value, _ := strings.Cut(setting, "="); !strings.HasPrefix(key, "PULUMI_") {
			p.env[key] = value
		}
	}
	maps.Copy(p.env, tools.Environment(p.backend, kubeconfig))
	// The programs leave it to Pulumi how it keeps secrets, and have no file of a stack's configuration from one run to
	// the next that could say otherwise.
	delete(p.env, "PULUMI_OPTION_SECRETS_PROVIDER")
	p.env["PULUMI_CONFIG_PASSPHRASE"] = "correct horse battery staple"
	p.env["HOME"], p.env["TMPDIR"] = os.Getenv("HOME"), t.TempDir()
	t.Cleanup(func() { t.Logf("%s took %v of processor time", project, p.spent.Round(time.Second)) })
	return p
}

// tenant is the name of a tenant that no other test has.
func (p *platform) tenant(name string) string { return p.project + "-" + name }

// run runs the program until it ends.
func (p *platform) run(t *testing.T, action string, flags []string, tenants ...string) ended {
	t.Helper()
	return p.start(t, action, flags, tenants...).wait(t)
}

// start starts the program.
func (p *platform) start(t *testing.T, action string, flags []string, tenants ...string) *running {
	t.Helper()
	// Each command is several short processes, which need not collect their garbage.
	without := []string{"env", "GOGC=off", "GOMEMLIMIT=400MiB"}
	return p.begin(t, slices.Concat(without, p.program, flags, []string{action}, tenants)...)
}

// must runs a command in the folder that has to succeed, and returns what it prints.
func (p *platform) must(t *testing.T, command ...string) string {
	t.Helper()
	return p.begin(t, command...).wait(t).succeeded(t).out
}

// begin starts a command in the folder, in a process group of its own, as a shell does.
func (p *platform) begin(t *testing.T, command ...string) *running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	r := &running{platform: p, command: exec.CommandContext(ctx, command[0], command[1:]...), began: time.Now(), done: make(chan struct{})}
	t.Cleanup(cancel)
	for key, value := range p.env {
		r.command.Env = append(r.command.Env, key+"="+value)
	}
	r.command.Dir, r.command.Stdout, r.command.Stderr = p.dir, &r.out, &r.errors
	r.command.SysProcAttr, r.command.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, 10*time.Second
	r.command.Cancel = func() error { return r.signal(syscall.SIGKILL) }
	require.NoError(t, r.command.Start())
	go func() {
		r.err = r.command.Wait()
		close(r.done)
	}()
	return r
}

// mark is the end of the API server's record of requests.
func (p *platform) mark(t *testing.T) cluster.AuditMark {
	t.Helper()
	mark, err := p.cluster.AuditMark()
	require.NoError(t, err)
	return mark
}

// writes are the requests since then by which the program has changed something, by the tenant.
func (p *platform) writes(t *testing.T, since cluster.AuditMark) map[string][]string {
	t.Helper()
	requests, err := p.cluster.RequestsSince(since)
	require.NoError(t, err)
	writes := map[string][]string{}
	for _, r := range requests {
		reads := slices.Contains([]string{"get", "list", "watch"}, r.Verb)
		if r.User != p.user.Name || reads || strings.Contains(r.URI, "dryRun=All") {
			continue
		}
		_, inside, _ := strings.Cut(r.Path(), "/namespaces/")
		tenant, _, _ := strings.Cut(inside, "/")
		writes[tenant] = append(writes[tenant], r.String())
	}
	return writes
}

// tidyUp removes the namespaces that a test that fails leaves behind.
func (p *platform) tidyUp(t *testing.T, tenants []string) {
	t.Cleanup(func() {
		for _, tenant := range tenants {
			err := p.client.CoreV1().Namespaces().Delete(context.Background(), tenant, metav1.DeleteOptions{})
			if !apierrors.IsNotFound(err) {
				assert.NoError(t, err, "tidying up")
			}
		}
	})
}

// running is a command that runs.
type running struct {
	platform    *platform
	command     *exec.Cmd
	began       time.Time
	out, errors printed

	done chan struct{} // closed when it has ended
	err  error         // why, from then on
}

// prints waits until the command, which goes on, has printed a text.
func (r *running) prints(t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(r.out.String(), text) {
		select {
		case <-r.done:
			require.Fail(t, "ended without a word", "%q\n%s%s", text, &r.out, &r.errors)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// signal sends a signal to the command and to all that it has started, as a terminal does at ^C.
func (r *running) signal(signal syscall.Signal) error {
	return syscall.Kill(-r.command.Process.Pid, signal)
}

func (r *running) wait(t *testing.T) ended {
	t.Helper()
	<-r.done
	spent := r.command.ProcessState.UserTime() + r.command.ProcessState.SystemTime()
	r.platform.spent += spent
	line := strings.Join(r.command.Args, " ")
	t.Logf("%.80s: %v, processors %v", line, time.Since(r.began).Round(time.Millisecond), spent.Round(time.Millisecond))
	return ended{line: line, out: r.out.String(), errors: r.errors.String(), err: r.err}
}

// ended is what there is of a command that has ended.
type ended struct {
	line, out, errors string
	err               error
}

func (e ended) succeeded(t *testing.T) ended {
	t.Helper()
	require.NoError(t, e.err, "%s\n%s%s", e.line, e.out, e.errors)
	return e
}

// failed wants that the command has ended by itself, with the code 1.
func (e ended) failed(t *testing.T) ended {
	t.Helper()
	var exit *exec.ExitError
	require.ErrorAs(t, e.err, &exit, "%s\n%s", e.line, e.out)
	require.Equal(t, 1, exit.ExitCode(), "%s\n%s%s", e.line, e.out, e.errors)
	return e
}

// printed is what a command prints, while it does.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *printed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(text)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}
