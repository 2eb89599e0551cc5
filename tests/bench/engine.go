package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
)

// contender does the steps in its own way. It returns what a step took.
type contender interface {
	run(ctx context.Context, s step) (usage, error)
}

// usage is what one step took.
type usage struct {
	elapsed time.Duration
	// process is the provider's.
	process process
}

// project is a stack that the real CLI works on, with the resources of one provider.
type project struct {
	tools       cli.Tools
	stack       stack
	plugin      string // the provider's name
	namespace   string
	dir         string
	environment map[string]string
}

// newProject makes a project with its stack in a folder of its own.
func newProject(ctx context.Context, tools cli.Tools, s stack, plugin, namespace, kubeconfig, dir string) (*project, error) {
	p := &project{tools: tools, stack: s, plugin: plugin, namespace: namespace, dir: filepath.Join(dir, "project")}
	backend := filepath.Join(dir, "backend")
	for _, folder := range []string{p.dir, backend} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	p.environment = tools.Environment(backend, kubeconfig)
	if !s.checkpoints {
		p.environment["PULUMI_SKIP_CHECKPOINTS"] = "true"
	}
	if err := p.write(first); err != nil {
		return nil, err
	}
	_, err := p.execute(ctx, "stack", "init", cli.StackName)
	return p, err
}

// write writes the program.
func (p *project) write(generation string) error {
	text, err := p.stack.program("bench", p.plugin+":KubeObject", p.namespace, generation)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir, "Pulumi.yaml"), text, 0o600)
}

func (p *project) run(ctx context.Context, s step) (usage, error) {
	if err := p.write(s.generation); err != nil {
		return usage{}, err
	}
	return p.execute(ctx, append(s.command, fmt.Sprintf("--parallel=%d", parallel))...)
}

// execute runs a command that has to succeed.
func (p *project) execute(ctx context.Context, args ...string) (usage, error) {
	cmd := p.tools.Command(ctx, p.dir, p.environment, args...)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, fmt.Errorf("pulumi: %w", err)
	}
	watched := observe(cmd.Process.Pid, "pulumi-resource-"+p.plugin)
	err := cmd.Wait()
	used := usage{elapsed: time.Since(began), process: watched.stop()}
	if err != nil {
		return usage{}, fmt.Errorf("pulumi %v: %w\n%s", args, err, tail(printed.Bytes()))
	}
	return used, nil
}

// tail is the end of what a command has printed, which says why it failed.
func tail(printed []byte) []byte {
	const most = 8_000
	return printed[max(0, len(printed)-most):]
}
