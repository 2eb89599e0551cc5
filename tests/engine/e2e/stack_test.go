package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
)

// commandTimeout is far more than any command needs; one that reaches it hangs.
const commandTimeout = 3 * time.Minute

const stackName = cli.StackName

// stack is a project with one stack, in a folder and with a backend of its own. Its commands
// fail the test unless they succeed, with all that they printed; the variants that end in Fails
// want them to fail.
type stack struct {
	project string
	name    string // of the stack
	dir     string // the project
	backend string // where the states are
	env     map[string]string
}

// projects numbers the projects: a project's name is part of the field managers, and tests
// share a cluster.
var projects atomic.Int32

var notInProjectNames = regexp.MustCompile(`[^a-z0-9]+`)

// newStack makes a stack that connects to the shared cluster by the environment's KUBECONFIG.
// When the test ends, the objects that are still in its state are deleted.
func newStack(t testing.TB) *stack {
	t.Helper()
	return newStackIn(t, kubeOf(t, shared.Get(t)), shared.Get(t).KubeconfigFile())
}

// newStackIn makes a stack that connects by a kubeconfig file. k is how its cluster is tidied
// up afterwards.
func newStackIn(t testing.TB, k *kube, kubeconfig string) *stack {
	t.Helper()
	name := notInProjectNames.ReplaceAllString(strings.ToLower(t.Name()), "-")
	s := &stack{
		project: fmt.Sprintf("%.40s-%d", strings.TrimPrefix(name, "test"), projects.Add(1)),
		name:    stackName,
		dir:     t.TempDir(),
		backend: t.TempDir(),
	}
	s.env = environment(s.backend, kubeconfig)
	s.env["PULUMI_STACK"] = s.name // "pulumi stack init" would have selected it
	s.program(t, "")
	s.init(t)
	t.Cleanup(func() { s.tidy(t, k) })
	return s
}

// environment is that of all commands on a stack.
func environment(backend, kubeconfig string) map[string]string {
	env := tools.Environment(backend, kubeconfig)
	// Each command is several short processes, which need not collect their garbage: a fifth of
	// their time, of which there are a thousand.
	env["GOGC"], env["GOMEMLIMIT"] = "off", "400MiB"
	return env
}

// program replaces the program: text is all of Pulumi.yaml but its name and runtime, with the
// arguments put in as by fmt.Sprintf.
func (s *stack) program(t testing.TB, text string, args ...any) {
	t.Helper()
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	s.file(t, "Pulumi.yaml", "name: "+s.project+"\nruntime: yaml\n"+text)
}

// file writes a file into the project.
func (s *stack) file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// result is what a command came to.
type result struct {
	line   string // the command
	out    string // all that it printed, in order
	stdout string
	code   int
	err    error
	took   time.Duration
}

// String is for messages about failures.
func (r result) String() string {
	const most = 8_000
	out := r.out
	if len(out) > most {
		out = out[:most/2] + "\n…\n" + out[len(out)-most/2:]
	}
	return fmt.Sprintf("%s\nexit code %d (%v) after %v; it printed:\n%s", r.line, r.code, r.err, r.took, out)
}

// exec runs a command, whatever it comes to.
func (s *stack) exec(t testing.TB, args ...string) result {
	t.Helper()
	if came, ok := s.operate(t, args...); ok {
		return came
	}
	return s.start(t, args...).wait(t)
}

// command is a command that runs.
type command struct {
	line    string
	cmd     *exec.Cmd
	printed output
	started time.Time
	timeout *time.Timer
}

// start starts a command, which has to be waited for.
func (s *stack) start(t testing.TB, args ...string) *command {
	t.Helper()
	return begin(t, "pulumi "+strings.Join(args, " "), tools.Command(t.Context(), s.dir, s.env, args...))
}

// begin starts any command, which has to be waited for.
func begin(t testing.TB, line string, cmd *exec.Cmd) *command {
	t.Helper()
	c := &command{line: line, cmd: cmd, started: time.Now()}
	c.cmd.Stdout, c.cmd.Stderr = c.printed.stdout(), c.printed.stderr()
	if err := c.cmd.Start(); err != nil {
		t.Fatalf("%s: %v", c.line, err)
	}
	c.timeout = time.AfterFunc(commandTimeout, func() { _ = c.cmd.Cancel() })
	return c
}

// wait waits until the command has ended.
func (c *command) wait(t testing.TB) result {
	t.Helper()
	defer c.timeout.Stop()
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", c.line, err)
	}
	both, stdout := c.printed.texts()
	wantReasons(t, both)
	return result{
		line: c.line, out: fromPath.ReplaceAllString(both, ""), stdout: stdout,
		code: c.cmd.ProcessState.ExitCode(), err: err, took: time.Since(c.started).Round(time.Millisecond),
	}
}

// run runs a command that has to succeed and returns what it printed.
func (s *stack) run(t testing.TB, args ...string) string {
	t.Helper()
	return s.succeed(t, args...).out
}

func (s *stack) succeed(t testing.TB, args ...string) result {
	t.Helper()
	return s.exec(t, args...).succeeded(t)
}

// succeeded wants that the command has succeeded.
func (r result) succeeded(t testing.TB) result {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("a command failed: %v", r)
	}
	return r
}

// runFails runs a command that has to fail, of its own accord, and returns what it printed.
func (s *stack) runFails(t testing.TB, args ...string) string {
	t.Helper()
	return failed(t, s.exec(t, args...)).out
}

// failed wants that a command has failed of its own accord. Whatever the user did wrong, he is
// never shown the provider's insides.
func failed(t testing.TB, r result) result {
	t.Helper()
	if r.code <= 0 {
		t.Fatalf("a command should have failed by itself: %v", r)
	}
	for _, insides := range []string{"goroutine ", "panic:", ".go:", "report this", "rpc error"} {
		if strings.Contains(r.out, insides) {
			t.Errorf("the failure shows the provider's insides (%q): %v", insides, r)
		}
	}
	return r
}

// up updates without the preview that a person would see before; see preview.
func (s *stack) up(t testing.TB, flags ...string) string {
	t.Helper()
	return s.run(t, append([]string{"up", "--yes", "--skip-preview"}, flags...)...)
}

func (s *stack) upFails(t testing.TB, flags ...string) string {
	t.Helper()
	return s.runFails(t, append([]string{"up", "--yes", "--skip-preview"}, flags...)...)
}

// preview shows the whole difference, as with "pulumi preview --diff".
func (s *stack) preview(t testing.TB, flags ...string) string {
	t.Helper()
	return s.run(t, append([]string{"preview", "--diff"}, flags...)...)
}

func (s *stack) previewFails(t testing.TB, flags ...string) string {
	t.Helper()
	return s.runFails(t, append([]string{"preview", "--diff"}, flags...)...)
}

// previewEmpty wants a preview without any change.
func (s *stack) previewEmpty(t testing.TB) string {
	t.Helper()
	return s.preview(t, "--expect-no-changes")
}

func (s *stack) refresh(t testing.TB, flags ...string) string {
	t.Helper()
	return s.run(t, append([]string{"refresh", "--yes", "--skip-preview"}, flags...)...)
}

func (s *stack) destroy(t testing.TB, flags ...string) string {
	t.Helper()
	return s.run(t, append([]string{"destroy", "--yes", "--skip-preview"}, flags...)...)
}

// importResource imports an object under a resource name and returns the program that Pulumi
// has generated for it.
func (s *stack) importResource(t testing.TB, name, id string) string {
	t.Helper()
	generated := filepath.Join(t.TempDir(), "generated.yaml")
	s.run(t, "import", "k8sconnect:index:KubeObject", name, id,
		"--yes", "--skip-preview", "--protect=false", "--out="+generated)
	text, err := os.ReadFile(generated)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// config sets a value of the stack's configuration.
func (s *stack) config(t testing.TB, key, value string, flags ...string) {
	t.Helper()
	s.run(t, append([]string{"config", "set", "--stack=" + s.name, key, value}, flags...)...)
}

func (s *stack) configRemove(t testing.TB, key string) {
	t.Helper()
	s.run(t, "config", "rm", "--stack="+s.name, key)
}

// changedLines are the lines of a diff that show a changed leaf, without the spaces that
// align them. What
// the read before a preview has found is left out; it is what the difference is made of.
func changedLines(diff string) []string {
	var lines []string
	refreshed := false
	for line := range strings.Lines(diff) {
		line = strings.TrimSpace(line)
		if operation := resourceHeader.FindStringSubmatch(line); operation != nil {
			refreshed = operation[1] == "refresh"
		} else if !refreshed && changedLeaf.MatchString(line) {
			lines = append(lines, strings.Replace(strings.Join(strings.Fields(line), " "), " :", ":", 1))
		}
	}
	return lines
}

var (
	resourceHeader = regexp.MustCompile(`^\S* ?(?:k8sconnect|pulumi):\S+: \((\w+)\)`)
	changedLeaf    = regexp.MustCompile(`^[-+~] .*: .*[^{\[]$`)
)

// fromPath is the CLI's remark about every plugin on the PATH, made several times a command.
var fromPath = regexp.MustCompile(`(?m)^.*warning: using pulumi-\S+ from \$PATH at .*\n+`)

// output keeps what a command prints: all of it in order, and stdout by itself.
type output struct {
	mu        sync.Mutex
	both, out bytes.Buffer
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// text is what was printed until now.
func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.both.String()
}

func (o *output) stdout() writer {
	return func(p []byte) (int, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.out.Write(p)
		return o.both.Write(p)
	}
}

func (o *output) texts() (both, stdout string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.both.String(), o.out.String()
}

func (o *output) stderr() writer {
	return func(p []byte) (int, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.both.Write(p)
	}
}
