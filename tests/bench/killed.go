package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

// killedObjects is how many objects the run creates that is killed when it has made a third of them.
const killedObjects = 200

// aftermath is what a killed run leaves, and what the next up and destroy make of it.
type aftermath struct {
	made    int // objects in the cluster, of which
	unknown int // are not in the state
	up      error
	kept    int // made objects that are still the same after the up
	there   int // objects in the cluster after the up
	destroy error
	left    int // objects in the cluster after the destroy
}

// lost says what a provider has lost that finds what a killed run has made; "" if nothing.
func (a aftermath) lost() string {
	switch {
	case a.up != nil:
		return fmt.Sprintf("the next up failed: %v", a.up)
	case a.kept != a.made:
		return fmt.Sprintf("%d of %d objects are others after the next up", a.made-a.kept, a.made)
	case a.there != killedObjects:
		return fmt.Sprintf("%d of %d objects are there after the next up", a.there, killedObjects)
	case a.destroy != nil:
		return fmt.Sprintf("the destroy failed: %v", a.destroy)
	case a.left > 0:
		return fmt.Sprintf("%d objects are left behind", a.left)
	}
	return ""
}

// measureKilled kills the CLI and its plugins in the middle of creating objects, and counts what the next up and destroy
// leave. The provider may lose nothing.
func measureKilled(ctx context.Context, out io.Writer, b bench) error {
	var rows strings.Builder
	fmt.Fprintf(&rows, "\nThe CLI and its plugins killed in the middle of creating %d ConfigMaps, then up, then destroy\n\n", killedObjects)
	rows.WriteString("by\tcheckpoints\tmade\tnot in the state\tnext up\tkept\tdestroy\tleft behind\t\n")
	var lost []error
	for i, e := range append([]entrant{provider}, b.peers...) {
		for _, checkpoints := range []string{"on", "off"} {
			fmt.Fprintf(os.Stderr, "killed run, %s, checkpoints %s\n", e.name, checkpoints)
			a, err := killed(ctx, b, e, checkpoints == "off", fmt.Sprintf("killed-%d-%s", i, checkpoints))
			if err != nil {
				return fmt.Errorf("%s, checkpoints %s: %w", e.name, checkpoints, err)
			}
			fmt.Fprintf(&rows, "%s\t%s\t%d\t%d\t%s\t%d\t%s\t%d\t\n", e.name, checkpoints, a.made, a.unknown, outcome(a.up), a.kept, outcome(a.destroy), a.left)
			if text := a.lost(); e.isOurs() && text != "" {
				lost = append(lost, fmt.Errorf("killed run, checkpoints %s: %s", checkpoints, text))
			}
		}
	}
	return errors.Join(printTable(out, rows.String()), errors.Join(lost...))
}

// outcome is one word for what came of a command, with the number of errors that it printed.
func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	return fmt.Sprintf("failed, %d errors", strings.Count(err.Error(), "error:"))
}

func killed(ctx context.Context, b bench, e entrant, withoutCheckpoints bool, name string) (aftermath, error) {
	var a aftermath
	namespace, err := b.cluster.Client().CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}, metav1.CreateOptions{})
	if err != nil {
		return a, err
	}
	s := newStack("many", killedObjects, 0)
	p, _, err := e.enter(ctx, b.cluster, b.tools, func(generation string) sets.Set { return s.set(namespace.Name, generation) }, filepath.Join(b.dir, name))
	if err != nil {
		return a, err
	}
	if withoutCheckpoints {
		p.withoutCheckpoints()
	}
	present := func() (map[string]types.UID, error) { return configMapsOf(ctx, b, namespace.Name) }
	if err := p.killWhen(ctx, func() (bool, error) {
		made, err := present()
		return len(made) >= killedObjects/3, err
	}); err != nil {
		return a, err
	}
	made, err := present()
	if err != nil {
		return a, err
	}
	known, err := p.known(ctx)
	if err != nil {
		return a, err
	}
	a.made = len(made)
	for name := range made {
		if !known["ConfigMap/"+namespace.Name+"/"+name] {
			a.unknown++
		}
	}
	if _, err := p.execute(ctx, "cancel", "--yes"); err != nil {
		return a, err
	}
	if _, a.up = p.execute(ctx, "up", "--yes", "--skip-preview"); a.up != nil && !failed(a.up) {
		return a, a.up
	}
	after, err := present()
	if err != nil {
		return a, err
	}
	a.there = len(after)
	for name, uid := range made {
		if after[name] == uid {
			a.kept++
		}
	}
	if _, a.destroy = p.execute(ctx, "destroy", "--yes", "--skip-preview"); a.destroy != nil && !failed(a.destroy) {
		return a, a.destroy
	}
	left, err := present()
	a.left = len(left)
	return a, err
}

// configMapsOf are the ConfigMaps of the stack in a namespace.
func configMapsOf(ctx context.Context, b bench, namespace string) (map[string]types.UID, error) {
	listed, err := b.cluster.Client().CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/part-of=bench"})
	if err != nil {
		return nil, err
	}
	found := map[string]types.UID{}
	for _, o := range listed.Items {
		found[o.Name] = o.UID
	}
	return found, nil
}

// killWhen begins an up, and kills the CLI and what it has started when it is time.
func (p *project) killWhen(ctx context.Context, isTime func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	r, err := p.start(ctx, "up", "--yes", "--skip-preview")
	if err != nil {
		return err
	}
	for {
		now, err := isTime()
		if err != nil {
			return errors.Join(err, r.kill())
		}
		if now {
			break
		}
		select {
		case <-ctx.Done():
			_, err := r.wait()
			return errors.Join(ctx.Err(), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := cli.Kill(ctx, r.cmd.Process, p.backend, projectName, cli.StackName); err != nil {
		return errors.Join(err, r.kill())
	}
	if _, ended := r.wait(); !failed(ended) {
		return ended
	}
	return nil
}

// kill kills the CLI, and its plugins, which would notice only minutes later.
func (r running) kill() error {
	children := descendants(r.cmd.Process.Pid)
	err := r.cmd.Process.Kill()
	for _, pid := range children {
		if killed := syscall.Kill(pid, syscall.SIGKILL); !errors.Is(killed, syscall.ESRCH) {
			err = errors.Join(err, killed)
		}
	}
	if _, ended := r.wait(); !failed(ended) {
		return errors.Join(err, ended)
	}
	return err
}

// known are the objects in the state of the project.
func (p *project) known(ctx context.Context) (map[string]bool, error) {
	file := filepath.Join(p.dir, "state.json")
	if _, err := p.execute(ctx, "stack", "export", "--file", file); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return objectsIn(text)
}

// objectsIn are the objects in a state, by their identity in a set. A provider has the object as its inputs, or as one
// of them.
func objectsIn(text []byte) (map[string]bool, error) {
	var state struct {
		Deployment struct {
			Resources []struct{ Inputs map[string]any }
		}
	}
	if err := json.Unmarshal(text, &state); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	objects := map[string]bool{}
	for _, r := range state.Deployment.Resources {
		object := r.Inputs
		if manifest, ok := object["manifest"].(map[string]any); ok {
			object = manifest
		}
		if _, ok := object["metadata"].(map[string]any); ok {
			objects[sets.Identity(object)] = true
		}
	}
	return objects, nil
}
