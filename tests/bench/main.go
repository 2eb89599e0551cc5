// Bench measures what the provider costs: how long each step in the life of a stack takes, how many requests
// it makes for an object, and how much memory the provider's process needs. "make bench" runs it.
//
// Seconds say little by themselves, so two more do the same in the same run, step by step in changing order: a
// provider that does nothing, on the same stack and by the same CLI, which is what the engine costs; and the
// bare requests by client-go, as many at a time, which is what the API server costs. The times are the medians
// of the rounds, and fail nothing. The requests are counted by the API server's audit log, and one too many
// for any object fails the run; so does a step that fails or leaves the cluster as it should not be.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// parallel is how many operations the engine runs at a time; this is the CLI's default.
var parallel = 4 * runtime.NumCPU()

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "k8sconnect-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	tools, err := cli.Prepare(dir, map[string]string{"k8sconnect": cli.Module, "nothing": cli.Module + "/tests/bench/nothing"})
	if err != nil {
		return err
	}
	// The controllers are there for the deletion of Deployments.
	c, err := cluster.Start(ctx, cluster.Options{ControllerManager: true, Audit: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()

	fmt.Printf("Each step runs %d operations at a time. Unless it says otherwise, the state is saved at its end.\n", parallel)
	var exceeded []string
	typical := newStack("200 ConfigMaps and 100 Deployments", 200, 100)
	saving := newStack("200 ConfigMaps and 100 Deployments, the state written to a file with every change", 200, 100)
	saving.checkpoints = true
	large := newStack("1,000 ConfigMaps", 1000, 0)
	for i, b := range []struct {
		stack  stack
		rounds int
	}{{typical, 3}, {large, 1}, {saving, 1}} {
		arena, err := newArena(ctx, c, tools, b.stack, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			return err
		}
		results, err := arena.measure(ctx, b.rounds)
		if err != nil {
			return err
		}
		over, err := report(os.Stdout, b.stack, b.rounds, results)
		if err != nil {
			return err
		}
		exceeded = append(exceeded, over...)
	}
	fmt.Print(legend)
	if err := measureWaits(ctx, os.Stdout, c, tools); err != nil {
		return fmt.Errorf("waits: %w", err)
	}
	if len(exceeded) > 0 {
		return fmt.Errorf("more requests than there may be:\n%s", strings.Join(exceeded, "\n"))
	}
	return nil
}
