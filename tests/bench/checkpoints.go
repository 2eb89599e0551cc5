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

// measureCheckpoints measures what it costs that the CLI saves the state with every change, by the number of objects.
func measureCheckpoints(ctx context.Context, out io.Writer, b bench) error {
	var rows strings.Builder
	rows.WriteString("\nSmall ConfigMaps, the state in a file: CPU seconds of all processes\n\n")
	rows.WriteString("objects\tcheckpoints\tcreate\tunchanged preview\tdestroy\tCLI in MiB\tstate in kB\t\n")
	for _, objects := range b.checkpoints {
		for _, checkpoints := range []string{"on", "off"} {
			fmt.Fprintf(os.Stderr, "%d ConfigMaps, checkpoints %s\n", objects, checkpoints)
			row, err := checkpointsRow(ctx, b, objects, checkpoints)
			if err != nil {
				return fmt.Errorf("%d objects, checkpoints %s: %w", objects, checkpoints, err)
			}
			rows.WriteString(row)
		}
	}
	return printTable(out, rows.String())
}

func checkpointsRow(ctx context.Context, b bench, objects int, checkpoints string) (string, error) {
	name := fmt.Sprintf("checkpoints-%s-%d", checkpoints, objects)
	namespace, err := b.cluster.Client().CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	s := newStack(name, 0, 0)
	for i := range objects {
		s.objects = append(s.objects, smallConfigMap(fmt.Sprintf("settings-%04d", i)))
	}
	p, _, err := provider.enter(ctx, b.cluster, b.tools, func(generation string) sets.Set { return s.set(namespace.Name, generation) }, filepath.Join(b.dir, name))
	if err != nil {
		return "", err
	}
	if checkpoints == "off" {
		p.withoutCheckpoints()
	}
	row, peak, state := fmt.Sprintf("%d\t%s", objects, checkpoints), int64(0), int64(0)
	for _, s := range stepsNamed(stepCreate, stepUnchanged, stepDestroy) {
		used, err := p.run(ctx, s)
		if err != nil {
			return "", err
		}
		row += fmt.Sprintf("\t%.1f", used.cpu.Seconds())
		peak = max(peak, used.cli.peak)
		if info, err := os.Stat(filepath.Join(p.backend, ".pulumi", "stacks", projectName, cli.StackName+".json")); err == nil {
			state = max(state, info.Size())
		}
	}
	return row + fmt.Sprintf("\t%s\t%d\t\n", mebibytes(peak), state/1000), nil
}
