// Automation-go is a small platform: every tenant has its own stack with a namespace, a quota and a network policy,
// and many stacks are updated at the same time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"golang.org/x/sync/errgroup"
)

func main() {
	var p platform
	flag.StringVar(&p.image, "image", "nginx:1.29", "what runs in a tenant's pod")
	flag.StringVar(&p.timeout, "timeout", "2m", "how long a try waits for the pod to be ready")
	flag.IntVar(&p.tries, "tries", 3, "how often a tenant is tried whose pod is not ready in time")
	flag.IntVar(&p.parallel, "parallel", 8, "how many tenants are worked on at the same time")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "Usage: automation-go [flags] up|destroy TENANT...")
		flag.PrintDefaults()
	}
	flag.Parse()
	work := map[string]worker{"up": p.up, "destroy": p.destroy}[flag.Arg(0)]
	if work == nil || flag.NArg() < 2 || p.parallel < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := p.forEach(flag.Args()[1:], work); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type platform struct {
	image, timeout  string
	tries, parallel int

	pulumi   auto.PulumiCommand
	stopping context.Context // done when nothing new shall begin
}

// worker does something for a tenant; the option is for its stack.
type worker = func(ctx context.Context, tenant string, workDir auto.LocalWorkspaceOption) error

// forEach runs a worker for many tenants at a time. The error names the tenants that failed.
func (p *platform) forEach(tenants []string, work worker) (err error) {
	if p.pulumi, err = auto.NewPulumiCommand(nil); err != nil {
		return err
	}
	ctx := p.interruptible()
	var all errgroup.Group
	all.SetLimit(p.parallel)
	failures := make([]error, len(tenants))
	for i, tenant := range tenants {
		all.Go(func() error {
			if err := p.inFolder(ctx, tenant, work); err != nil {
				failures[i] = fmt.Errorf("%s: %w", tenant, err)
			}
			return nil // for the others to go on
		})
	}
	_ = all.Wait()
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("\nFailed:\n%w", err)
	}
	return nil
}

// inFolder runs work in a temporary folder, unless nothing new may start.
func (p *platform) inFolder(ctx context.Context, tenant string, work worker) (err error) {
	if err := context.Cause(p.stopping); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", project)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return work(ctx, tenant, auto.WorkDir(dir))
}

// interruptible returns the context of all commands. A terminal also sends ^C to the running pulumi commands. They
// finish what they have started; a second signal would make them abandon it. So only commands that still run after a
// while get one. SIGTERM reaches only this process, which passes it on.
func (p *platform) interruptible() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	stopping, stop := context.WithCancelCause(ctx)
	p.stopping = stopping
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		received := <-signals
		stop(errors.New("not begun"))
		if received == os.Interrupt {
			time.Sleep(10 * time.Second)
		}
		cancel()
	}()
	return ctx
}
