// Bench measures what the provider costs: how long each step in the life of a stack takes, how many requests
// it makes for an object, and how much memory the provider's process needs. "make bench" runs it, and
// "make bench ONLY=sets" a part of it.
//
//   - steps: seconds say little by themselves, so two more do the same in the same run, step by step in changing order: a
//     provider that does nothing, on the same stack and by the same CLI, which is what the engine costs; and the
//     bare requests by client-go, as many at a time, which is what the API server costs. The times are the medians
//     of the rounds, and fail nothing.
//   - sets: the objects of package sets, which look like Argo CD and kube-prometheus: CPU seconds of all processes, with the
//     CLI's log as it is by default. Other processes of the machine change them less than seconds of wall time.
//   - checkpoints: what it costs that the CLI saves the state with every change.
//   - killed: what a killed run leaves, and what the next one makes of it. It fails if anything is lost.
//   - waits: how soon a Wait returns.
//
// The requests are counted by the API server's audit log, and one too many for any object fails the run; so does a step
// that fails or leaves the cluster as it should not be.
//
// "make bench FORM=objects" has programs with a KubeObject for each object of a set, FORM=texts with its text instead of its fields.
// Otherwise a set is one Manifests, which reads a file.
//
// "make bench PEER=FOLDER" measures another plugin beside, in the parts sets, checkpoints and killed: the official provider, or another
// build of this one. "make bench ONLY=checkpoints CHECKPOINTS=off OBJECTS=5000" leaves out what would take hours.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// parallel is how many operations the engine runs at a time; this is the CLI's default.
var parallel = 4 * runtime.NumCPU()

// parts are what is measured, in this order.
var parts = []struct {
	name    string
	measure func(context.Context, io.Writer, bench) error
}{
	{"steps", measureSteps},
	{"sets", measureSets},
	{"checkpoints", measureCheckpoints},
	{"killed", measureKilled},
	{"waits", measureWaits},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	only := flag.String("only", "", "the parts to measure, separated by spaces (default all): "+strings.Join(partNames(), " "))
	peer := flag.String("peer", "", "a `folder` with pulumi-resource-kubernetes, or another build of pulumi-resource-k8sconnect, to measure beside")
	objects := flag.String("objects", "400", "the numbers of objects for which checkpoints are measured, separated by spaces")
	checkpoints := flag.String("checkpoints", checkpointsOn+" "+checkpointsOff, "whether the CLI saves the state with every change where that is measured")
	form := flag.String("form", formManifests, "how a program has the objects of a set: manifests, objects, or texts")
	flag.Parse()
	chosen := choice{strings.Fields(*only), *peer, strings.Fields(*objects), strings.Fields(*checkpoints), *form}
	if err := run(ctx, chosen); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func partNames() []string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// choice is what the command line asks for.
type choice struct {
	only                 []string
	peer                 string
	objects, checkpoints []string
	form                 string
}

func run(ctx context.Context, chosen choice) (err error) {
	for _, name := range chosen.only {
		if !slices.Contains(partNames(), name) {
			return fmt.Errorf("there is no part %q, only %s", name, strings.Join(partNames(), ", "))
		}
	}
	if _, ok := forms[chosen.form]; !ok {
		return fmt.Errorf("there is no form %q of a program", chosen.form)
	}
	for _, c := range chosen.checkpoints {
		if c != checkpointsOn && c != checkpointsOff {
			return fmt.Errorf("checkpoints are %s or %s, not %q", checkpointsOn, checkpointsOff, c)
		}
	}
	b := bench{form: chosen.form, checkpoints: chosen.checkpoints}
	for _, text := range chosen.objects {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("numbers of objects: %w", err)
		}
		b.objects = append(b.objects, n)
	}
	if b.peers, err = peerIn(chosen.peer); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "k8sconnect-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	b.tools, err = cli.Prepare(b.dir, map[string]string{"k8sconnect": cli.Module, "nothing": cli.Module + "/tests/bench/nothing"})
	if err != nil {
		return err
	}
	// The controllers are there for the deletion of Deployments and namespaces; pods are ready at once, as some are waited for.
	options := cluster.Everything()
	options.Audit = true
	b.cluster, err = cluster.Start(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.cluster.Stop()) }()

	fmt.Printf("Each command runs %d operations at a time.\n", parallel)
	// A part that fails does not keep the others from being measured.
	var failures []error
	for _, p := range parts {
		if len(chosen.only) > 0 && !slices.Contains(chosen.only, p.name) {
			continue
		}
		if err := p.measure(ctx, os.Stdout, b); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", p.name, err))
		}
	}
	return errors.Join(failures...)
}

// measureSteps measures the life of stacks of small objects, beside the engine and the API server alone.
func measureSteps(ctx context.Context, out io.Writer, b bench) error {
	var exceeded []string
	typical := newStack("200 ConfigMaps and 100 Deployments", 200, 100)
	large := newStack("1,000 ConfigMaps", 1000, 0)
	for i, of := range []struct {
		stack  stack
		rounds int
	}{{typical, 3}, {large, 1}} {
		arena, err := newArena(ctx, b.cluster, b.tools, of.stack, filepath.Join(b.dir, fmt.Sprint(i)))
		if err != nil {
			return err
		}
		results, err := arena.measure(ctx, of.rounds)
		if err != nil {
			return err
		}
		over, err := report(out, of.stack, of.rounds, results)
		if err != nil {
			return err
		}
		exceeded = append(exceeded, over...)
	}
	_, err := fmt.Fprint(out, legend)
	return errors.Join(err, tooMany(exceeded))
}
