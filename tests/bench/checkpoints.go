package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

// Whether the CLI saves the state with every change.
const (
	checkpointsOn  = "on"
	checkpointsOff = "off"
)

// measureCheckpoints measures what it costs that the CLI saves the state with every change, by the number of objects.
func measureCheckpoints(ctx context.Context, out io.Writer, b bench) error {
	var rows strings.Builder
	rows.WriteString("\nSmall ConfigMaps, the state in a file\n\n")
	rows.WriteString("by\tobjects\tcheckpoints\tstep\tseconds\tCPU\tof the provider\tCLI in MiB\tprovider in MiB\thost in MiB\tstate in kB\t\n")
	for _, objects := range b.objects {
		for i, e := range append([]entrant{provider}, b.peers...) {
			for _, checkpoints := range b.checkpoints {
				fmt.Fprintf(os.Stderr, "%d ConfigMaps, %s, checkpoints %s\n", objects, e.name, checkpoints)
				some, err := checkpointsRows(ctx, b, e, objects, checkpoints, fmt.Sprintf("checkpoints-%d-%d-%s", objects, i, checkpoints))
				if err != nil {
					return fmt.Errorf("%d objects, %s, checkpoints %s: %w", objects, e.name, checkpoints, err)
				}
				rows.WriteString(some)
			}
		}
	}
	return printTable(out, rows.String())
}

func checkpointsRows(ctx context.Context, b bench, e entrant, objects int, checkpoints, name string) (string, error) {
	namespace, err := b.cluster.Client().CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	s := stack{name: "many"}
	for i := range objects {
		s.objects = append(s.objects, smallConfigMap(fmt.Sprintf("settings-%04d", i)))
	}
	p, _, err := e.enter(ctx, b.cluster, b.tools, func(generation string) sets.Set { return s.set(namespace.Name, generation) }, filepath.Join(b.dir, name))
	if err != nil {
		return "", err
	}
	if checkpoints == checkpointsOff {
		p.withoutCheckpoints()
	}
	var rows strings.Builder
	for _, s := range e.steps(stepCreate, stepUnchanged, stepUpdate, stepDestroy) {
		used, err := p.run(ctx, s)
		if err != nil {
			return "", err
		}
		info, err := os.Stat(filepath.Join(p.backend, ".pulumi", "stacks", projectName, cli.StackName+".json"))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&rows, "%s\t%d\t%s\t%s\t%.1f\t%.1f\t%.1f\t%s\t%s\t%s\t%d\t\n", e.name, objects, checkpoints, s.name,
			used.elapsed.Seconds(), used.cpu.Seconds(), used.process.cpu.Seconds(), mebibytes(used.cli.peak), mebibytes(used.process.peak),
			mebibytes(used.host.peak), info.Size()/1000)
	}
	return rows.String(), nil
}
