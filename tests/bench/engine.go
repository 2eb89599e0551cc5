package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

// contender does the steps in its own way. It returns what a step took.
type contender interface {
	run(ctx context.Context, s step) (usage, error)
}

// usage is what one step took.
type usage struct {
	elapsed time.Duration
	// process is the provider's, cli the CLI's, host that of the language.
	process, cli, host process
	// cpu is the processor time of all processes: the CLI, the language host and the plugins.
	cpu time.Duration
}

// projectName is the name of all projects.
const projectName = "bench"

// project is a stack that the real CLI works on, with the resources of one provider.
type project struct {
	tools  cli.Tools
	plugin string // the provider's name
	form   form
	// set is what the program declares in a generation.
	set         func(generation string) sets.Set
	dir         string
	backend     string
	environment map[string]string
}

// newProject makes a project with its stack in a folder of its own. It works on the cluster as the user.
func newProject(ctx context.Context, tools cli.Tools, p project, user cluster.User, dir string) (*project, error) {
	p.tools, p.dir, p.backend = tools, filepath.Join(dir, "project"), filepath.Join(dir, "backend")
	for _, folder := range []string{p.dir, p.backend} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	content, err := user.Kubeconfig()
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, content, 0o600); err != nil {
		return nil, err
	}
	p.environment = tools.Environment(p.backend, kubeconfig)
	p.environment["PULUMI_STACK"] = cli.StackName // whichever home a step has
	if err := p.write(first); err != nil {
		return nil, err
	}
	_, err = p.execute(ctx, "stack", "init", cli.StackName)
	return &p, err
}

// withoutCheckpoints has the CLI save the state at the end of a command only. By default it saves it with every change, and
// writes the whole into a file each time: that outweighs all else, so that little can be seen of the provider, and in a
// large stack it takes hours. (Pulumi Cloud is sent the change alone.)
func (p *project) withoutCheckpoints() { p.environment["PULUMI_SKIP_CHECKPOINTS"] = "true" }

// write writes the program, and the file with its objects.
func (p *project) write(generation string) error {
	set := p.set(generation)
	program, err := p.form.program(p.plugin, set)
	if err != nil {
		return err
	}
	manifests, err := set.Text()
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(p.dir, "Pulumi.yaml"), program, 0o600), os.WriteFile(filepath.Join(p.dir, manifestsFile), manifests, 0o600))
}

func (p *project) run(ctx context.Context, s step) (usage, error) {
	if err := p.write(s.generation); err != nil {
		return usage{}, err
	}
	return p.execute(ctx, append(s.command, fmt.Sprintf("--parallel=%d", parallel))...)
}

// running is a command that has begun.
type running struct {
	cmd     *exec.Cmd
	args    []string
	began   time.Time
	printed *bytes.Buffer
	watched *observer
	plugin  string
}

func (p *project) start(ctx context.Context, args ...string) (running, error) {
	r := running{p.tools.Command(ctx, p.dir, p.environment, args...), args, time.Now(), &bytes.Buffer{}, nil, p.plugin}
	r.cmd.Stdout, r.cmd.Stderr = r.printed, r.printed
	if err := r.cmd.Start(); err != nil {
		return r, fmt.Errorf("pulumi: %w", err)
	}
	r.watched = observe(r.cmd.Process.Pid)
	return r, nil
}

// wait waits until the command ends, which it has to do with success.
func (r running) wait() (usage, error) {
	err := r.cmd.Wait()
	used := usage{elapsed: time.Since(r.began)}
	seen := r.watched.stop()
	used.process, used.cli, used.host = seen["pulumi-resource-"+r.plugin], seen[filepath.Base(r.cmd.Path)], seen["pulumi-language-yaml"]
	for _, p := range seen {
		used.cpu += p.cpu
	}
	// The system knows exactly of the CLI, and of those that it has waited for.
	used.cpu = max(used.cpu, r.cmd.ProcessState.UserTime()+r.cmd.ProcessState.SystemTime())
	if err != nil {
		return used, fmt.Errorf("pulumi %v: %w\n%s", r.args, err, tail(r.printed.Bytes()))
	}
	return used, nil
}

// execute runs a command that has to succeed.
func (p *project) execute(ctx context.Context, args ...string) (usage, error) {
	r, err := p.start(ctx, args...)
	if err != nil {
		return usage{}, err
	}
	return r.wait()
}

// failed reports whether an error is that of a command that ran and did not succeed.
func failed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit)
}

// tail is the end of what a command has printed, which says why it failed.
func tail(printed []byte) []byte {
	const most = 8_000
	return printed[max(0, len(printed)-most):]
}
