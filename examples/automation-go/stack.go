package main

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
)

const project = "automation-go"

// up updates a tenant's stack. If only a wait fails, it tries again: created objects stay, and the next update
// continues from there. Anything else would fail again.
func (p *platform) up(ctx context.Context, tenant string, workDir auto.LocalWorkspaceOption) error {
	stack, err := auto.UpsertStackInlineSource(ctx, tenant, project, p.program(tenant), workDir, auto.Pulumi(p.pulumi))
	if err != nil {
		return err
	}
	if err := context.Cause(p.stopping); err != nil {
		return err
	}
	for try := 1; ; try++ {
		notReady, err := follow(tenant, func(events eventStream) error {
			_, err := stack.Up(ctx, optup.EventStreams(events))
			return err
		})
		if !notReady || try >= p.tries {
			return err
		}
		select {
		case <-p.stopping.Done():
			return err
		case <-time.After(time.Duration(try) * time.Second):
			fmt.Printf("%s: try %d of %d\n", tenant, try+1, p.tries)
		}
	}
}

// destroy destroys a tenant's stack and removes it. If there is none, there is nothing to do.
func (p *platform) destroy(ctx context.Context, tenant string, workDir auto.LocalWorkspaceOption) error {
	stack, err := auto.SelectStackInlineSource(ctx, tenant, project, p.program(tenant), workDir, auto.Pulumi(p.pulumi))
	if auto.IsSelectStack404Error(err) {
		fmt.Printf("%s: there is no such stack\n", tenant)
		return nil
	}
	if err != nil {
		return err
	}
	if err := context.Cause(p.stopping); err != nil {
		return err
	}
	_, err = follow(tenant, func(events eventStream) error {
		_, err := stack.Destroy(ctx, optdestroy.EventStreams(events), optdestroy.Remove())
		return err
	})
	return err
}
